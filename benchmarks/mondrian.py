"""Mondrian on a census of any size: its search against one GROUP BY of the same columns, and memory.

    python -m benchmarks.mondrian --rows 100000,1000000,10000000 --out mondrian.json
    python -m benchmarks.mondrian --rows 1000000 --search choose=loss
    python -m benchmarks.mondrian --rows 50000000 --repeat 1

Every plan is made by a process of its own, on two threads and 4 GiB if nothing else is said. The
yardstick, measured beside each, is the GROUP BY of the eight raw columns over the same Parquet file
on a fresh connection with the same settings. The search counts from the rows: it holds the GROUP BY
by which the rows become tuples. Memory is told twice: the process's, as the system saw it, and the
engine's own, looked at five times a second. Figures are medians, memory the most of all runs.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import census
from benchmarks.measure import Measured, machine, middle, own_peak, run, write, write_policy
from benchmarks.pipeline import group_by
from kanon_sql import Settings, plan
from kanon_sql.engines.duckdb.session import open_duckdb

LINES = ("age",)
"""The columns that are lines beside trees; `lines` reads all columns so."""


def policy(source: Path, *, k: int, lines: bool, search: dict[str, object]) -> dict[str, object]:
    """Give the policy: every column by the order of its values, or by its hierarchy but for age."""
    spec = census.policy(source, k=k, suppression="0%")
    columns = spec["columns"]
    if not isinstance(columns, dict):
        raise TypeError("the policy of a census has columns")
    ordered = {
        name: {"role": "quasi", "order": "number" if name == "age" else "text"}
        for name in census.QUASI
        if lines or name in LINES
    }
    spec["columns"] = {**columns, **ordered}
    spec["search"] = {"algorithm": "mondrian", **search}
    return spec


def measure(given: argparse.Namespace) -> None:
    """Plan on a connection whose memory is watched, and print what it took: what a process runs."""
    peak, spilled = [0], [0]
    done = threading.Event()
    with open_duckdb(threads=given.threads, memory_limit=given.memory_limit) as engine:
        watched = engine.connection.cursor()

        def watch() -> None:
            while not done.wait(0.2):
                ((used, written),) = watched.execute(
                    "SELECT SUM(memory_usage_bytes), SUM(temporary_storage_bytes) FROM duckdb_memory()"
                ).fetchall()
                peak[0], spilled[0] = max(peak[0], int(used)), max(spilled[0], int(written))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            made = plan(given.measure, connection=engine.connection)
        finally:
            done.set()
            watcher.join()
    told = {"engine_peak_bytes": peak[0], "engine_spilled_bytes": spilled[0]}
    json.dump({**made.summary(), **told, **own_peak()}, sys.stdout)


def figures(base: list[float], runs: list[Measured]) -> dict[str, Any]:
    """Reduce the repetitions of one size."""
    last = runs[-1].summary
    seconds = {s: middle([r.summary["seconds"][s] for r in runs]) for s in last["seconds"]}
    yardstick = middle(base)
    return {
        "seconds": {"base_group_by": yardstick, **seconds},
        "ratios": {"search/base": round(seconds["search"] / yardstick, 2)},
        **{
            key: last[key]
            for key in ("regions", "depth", "smallest_class", "statements", "figures")
        },
        "peak_mib": round(max(r.peak_bytes for r in runs) / 2**20),
        "engine_peak_mib": round(max(r.summary["engine_peak_bytes"] for r in runs) / 2**20),
        "engine_spilled_mib": round(max(r.summary["engine_spilled_bytes"] for r in runs) / 2**20),
    }


def measured(given: argparse.Namespace, folder: Path, rows: int) -> dict[str, Any]:
    """Generate a census, and measure the yardstick and a plan again and again."""
    source = folder / f"{rows}.parquet"
    census.generate(rows, source)
    settings = Settings(threads=given.threads, memory_limit=given.memory_limit)
    search = dict(each.split("=", 1) for each in given.search)
    spec = policy(source, k=given.k, lines=given.columns == "lines", search=search)
    file = write_policy(spec, folder / "policy.yml")
    arguments = ["benchmarks.mondrian", "--measure", str(file), "--threads", str(given.threads)]
    arguments += ["--memory-limit", given.memory_limit]
    distinct = group_by(source, settings, given.k).distinct  # also brings the file into memory
    base, runs = [], []
    for _ in range(given.repeat):
        base.append(group_by(source, settings, given.k).seconds)
        runs.append(run(arguments))
    source.unlink()
    return {"distinct_tuples": distinct, **figures(base, runs)}


def growth(results: dict[int, dict[str, Any]]) -> dict[str, float]:
    """Say by what the search takes longer than on the size before, for each time as many rows: 1 is linear."""
    sizes = sorted(results)
    return {
        f"{more}/{fewer}": round(
            (results[more]["seconds"]["search"] / results[fewer]["seconds"]["search"])
            / (more / fewer),
            3,
        )
        for fewer, more in pairwise(sizes)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", default="100000,1000000,10000000")
    parser.add_argument("--columns", choices=["lines", "hierarchies"], default="lines")
    parser.add_argument(
        "--search", action="append", default=[], metavar="OPTION=VALUE", help="such as at=median"
    )
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory-limit", default="4GiB")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure is not None:
        measure(given)
        return
    with TemporaryDirectory() as folder:
        results = {
            rows: measured(given, Path(folder), rows) for rows in map(int, given.rows.split(","))
        }
    report: dict[str, object] = {
        "benchmark": "mondrian",
        "machine": machine(),
        "quasi_identifiers": len(census.QUASI),
        "columns": given.columns,
        "search": given.search,
        "k": given.k,
        "threads": given.threads,
        "memory_limit": given.memory_limit,
        "repetitions": given.repeat,
        "by_rows": {str(rows): each for rows, each in results.items()},
        "growth": growth(results),
    }
    write(report, given.out)


if __name__ == "__main__":
    main()
