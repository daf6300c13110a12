"""What `risk` takes on a generated census, beside the engine's own GROUP BY of the same columns.

    python -m benchmarks.risk --rows 10000000

The figures of six quasi-identifiers, then the same by persons, and the sets of 30 columns that tell rows apart. Each
runs on a connection of its own that reads the same Parquet file; base and figures take turns.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

import kanon_sql
from benchmarks import census
from benchmarks.measure import machine, middle, write

if TYPE_CHECKING:
    from collections.abc import Callable

QUASI = ("sex", "age", "zip", "education", "marital", "country")
DISTINCT = (
    2, 3, 5, 8, 12, 20, 35, 50, 75, 100, 150, 250, 400, 700, 1_000, 3_000, 10_000, 100_000, 1_000_000,
)  # fmt: skip
"""Distinct values of the columns that are added to the census's eleven."""


def seconds_of(work: Callable[[], object]) -> tuple[float, object]:
    """Time one run of a function."""
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


def base(source: Path, threads: int) -> int:
    """Count the classes by the engine's own GROUP BY."""
    with duckdb.connect(config={"threads": threads}) as connection:
        connection.read_parquet(str(source)).create_view("census")
        text = f"SELECT COUNT(*) FROM (SELECT COUNT(*) FROM census GROUP BY {', '.join(QUASI)})"
        ((classes,),) = connection.execute(text).fetchall()
    return int(classes)


def widened(source: Path, out: Path, threads: int) -> None:
    """Write the census with more columns of evenly distributed values."""
    with duckdb.connect(config={"threads": threads}) as connection:
        connection.read_parquet(str(source)).create_view("census")
        more = ", ".join(
            f"CAST(md5_number_lower('{many}-' || person) % {many} AS INTEGER) AS of_{many}"
            for many in DISTINCT
        )
        connection.sql(f"SELECT *, {more} FROM census").write_parquet(str(out))


def main() -> None:
    """Measure, and print or write the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--source", type=Path, help="a census that was generated before")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only-figures", action="store_true", help="search no sets of columns")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    settings = kanon_sql.Settings(threads=given.threads)
    with tempfile.TemporaryDirectory() as folder:
        source = given.source or Path(folder) / "census.parquet"
        if given.source is None:
            census.generate(given.rows, source, threads=given.threads)
        bases, by_rows, by_persons, classes = [], [], [], set()
        for _ in range(given.repeat):
            took, found = seconds_of(lambda: base(source, given.threads))
            bases.append(took)
            classes.add(found)
            took, risk = seconds_of(
                lambda: kanon_sql.risk(str(source), quasi=QUASI, sampling=0.1, settings=settings)
            )
            by_rows.append(took)
            classes.add(risk.classes if isinstance(risk, kanon_sql.Risk) else None)
            took, _ = seconds_of(
                lambda: kanon_sql.risk(str(source), quasi=QUASI, entity="person", settings=settings)
            )
            by_persons.append(took)
        if len(classes) != 1:
            raise ValueError("risk and the base count different classes")
        report: dict[str, object] = {
            "machine": machine(),
            "classes": classes.pop(),
            "base_seconds": middle(bases),
            "risk_seconds": middle(by_rows),
            "risk_to_base": middle([r / b for r, b in zip(by_rows, bases, strict=True)]),
            "with_entity_to_base": middle([r / b for r, b in zip(by_persons, bases, strict=True)]),
        }
        if not given.only_figures:
            wide = Path(folder) / "wide.parquet"
            widened(source, wide, given.threads)
            took, sets = seconds_of(
                lambda: kanon_sql.find_quasi_identifiers(str(wide), settings=settings)
            )
            if isinstance(sets, kanon_sql.ColumnSets):
                report["rows"] = sets.rows
                report["columns"] = len(sets.columns)
                report["sets_seconds"] = round(took, 1)
                report["unique"] = len(sets.unique)
                report["near_unique"] = len(sets.near_unique)
    write(report, given.out)


if __name__ == "__main__":
    main()
