"""Every algorithm on one table, each against one GROUP BY of the raw columns, in one run.

    python -m benchmarks.algorithms --out adult.json
    python -m benchmarks.algorithms --census 10000000 --time-limit 300 --out census.json

The table is Adult with nine quasi-identifiers, or a census of so many rows; the frequency set is
built once for all, as by `kanon-sql compare`. An algorithm that does not end within the time limit
is reported as not proven with the best that it found, or with why it found nothing.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from benchmarks import census
from benchmarks.adult import FOLDER
from benchmarks.measure import machine, write, write_policy
from benchmarks.scaled import QUASI, nine
from kanon_sql import Settings, compare
from kanon_sql.apps.python.compare_searches import KNOWN


def group_by(source: Path, columns: list[str], threads: int) -> float:
    """Time the yardstick on a fresh connection: the least of three."""
    quoted = ", ".join(f'"{name}"' for name in columns)
    took = []
    for _ in range(3):
        with duckdb.connect(config={"threads": threads}) as connection:
            rows = (
                connection.read_parquet(str(source))
                if source.suffix == ".parquet"
                else connection.read_csv(str(source), sep=";", all_varchar=True)
            )
            started = time.perf_counter()
            rows.aggregate(f"COUNT(*) AS n, {quoted}", quoted).aggregate(
                "COUNT(*), SUM(CASE WHEN n < 5 THEN n ELSE 0 END)"
            ).fetchall()
            took.append(time.perf_counter() - started)
    return min(took)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--census", type=int, help="rows of a census, instead of Adult")
    parser.add_argument("--suppression", default="2%")
    parser.add_argument("--metric", default="loss")
    parser.add_argument("--algorithms", default=",".join(KNOWN))
    parser.add_argument("--time-limit", type=float, default=300.0, help="seconds for each")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    settings = Settings(threads=given.threads)
    with TemporaryDirectory() as scratch:
        if given.census is None:
            folder = given.folder.resolve()
            if not (folder / "adult.csv").is_file():
                sys.exit("there is no adult.csv in that folder; name the folder that holds Adult")
            source, columns = folder / "adult.csv", list(QUASI)
            policy = nine(folder, source, metric=given.metric, suppression=given.suppression)
        else:
            source, columns = Path(scratch) / "census.parquet", list(census.QUASI)
            census.generate(given.census, source)
            policy = census.policy(source, k=5, suppression=given.suppression, metric=given.metric)
        base = group_by(source, columns, given.threads)
        found = compare(
            write_policy(policy, Path(scratch) / "policy.yml"),
            algorithms=given.algorithms.split(","),
            settings=settings,
            time_limit=given.time_limit,
        )
    report: dict[str, object] = {
        "benchmark": "algorithms",
        "machine": machine(),
        "rows": found.rows,
        "quasi_identifiers": len(columns),
        "distinct_tuples": found.classes,
        "lattice_nodes": found.lattice_nodes,
        "k": 5,
        "suppression": given.suppression,
        "metric": given.metric,
        "threads": given.threads,
        "seconds": {"base_group_by": round(base, 4)},
        "searches": {
            each.searched_by: {**each.summary(), "seconds/base": round(each.seconds / base, 2)}
            for each in found.searches
        },
    }
    write(report, given.out)


if __name__ == "__main__":
    main()
