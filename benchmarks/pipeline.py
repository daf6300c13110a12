"""The whole path on a census in Parquet, step by step, against one GROUP BY of the raw columns.

    python -m benchmarks.pipeline --rows 10000000 --out new.json
    python -m benchmarks.compare old.json new.json

Every repetition measures the yardstick (a GROUP BY of the raw quasi-identifiers over the same
file, on a fresh connection with the same settings) and then one anonymization in a process of its
own. Figures are medians; ratios are medians over medians.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import census
from benchmarks.measure import Measured, machine, middle, run, write, write_policy
from kanon_sql import Settings
from kanon_sql.engine.duckdb_session import open_duckdb

STEPS = ("open", "hierarchies", "encode", "search", "recode", "verify", "publish")
PLANNING = STEPS[:4]


def group_by(source: Path, settings: Settings, k: int) -> tuple[float, int, int]:
    """Time the yardstick; give the seconds, the distinct tuples and the rows."""
    text = Path(__file__).with_name("base_group_by.sql").read_text(encoding="utf-8")
    with open_duckdb(threads=settings.threads, memory_limit=settings.memory_limit) as engine:
        connection = engine.connection
        connection.read_parquet(str(source)).create_view("census")
        connection.execute("SET VARIABLE k = ?", [k])
        started = time.perf_counter()
        ((distinct, rows, _),) = connection.execute(text).fetchall()
        return time.perf_counter() - started, int(distinct), int(rows)


def report(
    given: argparse.Namespace, rows: int, distinct: int, base: list[float], runs: list[Measured]
) -> dict[str, object]:
    """Reduce the repetitions to medians and ratios."""
    seconds = {step: middle([r.summary["seconds"].get(step, 0.0) for r in runs]) for step in STEPS}
    yardstick = middle(base)
    total = middle([sum(r.summary["seconds"].values()) for r in runs])
    last = runs[-1].summary
    return {
        "benchmark": "pipeline",
        "machine": machine(),
        "rows": rows,
        "quasi_identifiers": len(census.QUASI),
        "distinct_tuples": distinct,
        "lattice_nodes": last["lattice_nodes"],
        "k": given.k,
        "suppression": given.suppression,
        "metric": given.metric,
        "threads": given.threads,
        "memory_limit": given.memory_limit,
        "repetitions": given.repeat,
        "levels": last["levels"],
        "optimal": last["optimal"],
        "checks": last["checks"],
        "statements": {"plan": last["plan_run"]["statements"], "whole": last["statements"]},
        "rows_scanned": {"plan": last["plan_run"]["rows_scanned"], "whole": last["rows_scanned"]},
        "seconds": {
            "base_group_by": yardstick,
            **seconds,
            "whole": total,
            "process_wall": middle([r.wall for r in runs]),
            "process_cpu": middle([r.cpu for r in runs]),
        },
        "peak_mib": round(max(r.peak_bytes for r in runs) / 2**20),
        "ratios": {
            "plan/base": round(sum(seconds[step] for step in PLANNING) / yardstick, 2),
            "(encode+search)/base": round((seconds["encode"] + seconds["search"]) / yardstick, 2),
            "whole/base": round(total / yardstick, 2),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument(
        "--source", type=Path, help="a census that was generated before, for --rows"
    )
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--suppression", default="1%")
    parser.add_argument("--metric", default="loss")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory-limit")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    settings = Settings(threads=given.threads, memory_limit=given.memory_limit)
    with TemporaryDirectory() as folder:
        source = given.source or Path(folder) / "census.parquet"
        if given.source is None:
            census.generate(given.rows, source)
        policy = census.policy(
            source.resolve(), k=given.k, suppression=given.suppression, metric=given.metric
        )
        arguments = ["benchmarks.measure", str(write_policy(policy, Path(folder) / "policy.yml"))]
        arguments += [str(Path(folder) / "release.parquet"), "--threads", str(given.threads)]
        if given.memory_limit is not None:
            arguments += ["--memory-limit", given.memory_limit]
        _, distinct, rows = group_by(source, settings, given.k)  # also brings the file into memory
        base, runs = [], []
        for _ in range(given.repeat):
            base.append(group_by(source, settings, given.k)[0])
            runs.append(run(arguments))
    write(report(given, rows, distinct, base, runs), given.out)


if __name__ == "__main__":
    main()
