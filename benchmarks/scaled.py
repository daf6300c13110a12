"""Adult drawn up to millions of rows, its rare combinations kept: planning against a GROUP BY.

    python -m benchmarks.scaled --rows 3000000,10000000 --out scaled.json

Each row is one of Adult's, drawn again and again, in which one value in seven is another row's: the
tail of rare tuples grows with the table, so that suppression never becomes trivial. The yardstick,
measured beside each run, is the GROUP BY of the nine raw columns over the same Parquet file; every
plan is made by a process of its own. Figures are medians.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from benchmarks.adult import FOLDER, policy
from benchmarks.adult import QUASI as EIGHT
from benchmarks.measure import Measured, machine, middle, run, write, write_policy

QUASI = (*EIGHT, "salary-class")
COLUMNS = ", ".join(f'"{name}"' for name in QUASI)
GENERATE = Path(__file__).with_name("scaled.sql")


def generate(folder: Path, rows: int, out: Path) -> int:
    """Draw so many rows and write them as Parquet; give the number of distinct tuples."""
    with duckdb.connect() as connection:
        for name, value in (("adult", str(folder / "adult.csv")), ("wanted", rows)):
            connection.execute(f"SET VARIABLE {name} = ?", [value])
        for statement in GENERATE.read_text(encoding="utf-8").split(";\n"):
            connection.execute(statement)
        connection.table("drawn").write_parquet(str(out))
    return group_by(out, 2)[1]


def group_by(source: Path, threads: int) -> tuple[float, int]:
    """Time the yardstick; give its seconds and the distinct tuples."""
    with duckdb.connect(config={"threads": threads}) as connection:
        rows = connection.read_parquet(str(source))
        started = time.perf_counter()
        classes = rows.aggregate(f"COUNT(*) AS n, {COLUMNS}", COLUMNS)
        ((distinct, _),) = classes.aggregate(
            "COUNT(*), SUM(CASE WHEN n < 5 THEN n ELSE 0 END)"
        ).fetchall()
        return time.perf_counter() - started, int(distinct)


def nine(folder: Path, source: Path, *, metric: str, suppression: str) -> dict[str, object]:
    """Give the policy of Adult with all nine columns as quasi-identifiers."""
    spec = policy(folder, k=5, suppression=suppression, metric=metric)
    spec["columns"] = {
        name: {"role": "quasi", "hierarchy": {"csv": str(folder / f"hierarchy_{name}.csv")}}
        for name in QUASI
    }
    spec["source"] = str(source)
    return spec


def measured(
    given: argparse.Namespace, folder: Path, rows: int, asked: list[tuple[str, str]]
) -> dict[str, Any]:
    """Measure every metric and MaxSup on so many rows."""
    source = folder / f"{rows}.parquet"
    distinct = generate(given.folder.resolve(), rows, source)
    told: dict[str, Any] = {"distinct_tuples": distinct}
    for metric, suppression in asked:
        spec = nine(given.folder.resolve(), source, metric=metric, suppression=suppression)
        file = write_policy(spec, folder / "policy.yml")
        arguments = ["benchmarks.measure", str(file), "--threads", str(given.threads)]
        base: list[float] = []
        runs: list[Measured] = []
        for _ in range(given.repeat):
            base.append(group_by(source, given.threads)[0])
            runs.append(run(arguments))
        told[f"{metric} {suppression}"] = figures(base, runs)
    source.unlink()
    return told


def figures(base: list[float], runs: list[Measured]) -> dict[str, Any]:
    """Reduce the repetitions of one plan."""
    last = runs[-1].summary
    seconds = {s: middle([r.summary["seconds"][s] for r in runs]) for s in last["seconds"]}
    yardstick = middle(base)
    return {
        "seconds": {"base_group_by": yardstick, **seconds},
        "ratios": {
            "search/base": round(seconds["search"] / yardstick, 2),
            "(encode+search)/base": round((seconds["encode"] + seconds["search"]) / yardstick, 2),
        },
        **{key: last[key] for key in ("checks", "statements", "rows_scanned", "cost", "optimal")},
        "levels": last["levels"],
        "peak_mib": round(max(r.peak_bytes for r in runs) / 2**20),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--rows", default="300000,3000000,10000000")
    parser.add_argument(
        "--asked",
        default="loss:0,loss:2%,loss:5%,class_size:2%",
        help="metrics with the suppression allowed, separated by commas",
    )
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if not (given.folder / "adult.csv").is_file():
        sys.exit("there is no adult.csv in that folder; name the folder that holds Adult")
    asked = [(m, s) for m, _, s in (each.partition(":") for each in given.asked.split(","))]
    with TemporaryDirectory() as folder:
        results = {
            rows: measured(given, Path(folder), int(rows), asked) for rows in given.rows.split(",")
        }
    report: dict[str, object] = {
        "benchmark": "scaled",
        "machine": machine(),
        "quasi_identifiers": len(QUASI),
        "k": 5,
        "threads": given.threads,
        "repetitions": given.repeat,
        "by_rows": results,
    }
    write(report, given.out)


if __name__ == "__main__":
    main()
