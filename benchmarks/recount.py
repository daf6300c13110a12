"""The figures of a release of Adult, from its own rows: SQL that shares nothing with the product."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NUMBER = "age"
"""The one column of Adult that is a number."""

ROW = "row_number"
"""The column that numbers the rows; a release keeps it, so that each row is found again."""


class Columns(StrEnum):
    """How the columns of Adult are read.

    By their order, which of texts is that of their hierarchies, the alphabet, or how many rows have them; by their
    hierarchies; or age alone by its order.
    """

    LINES = "lines"
    ALPHABET = "alphabet"
    FREQUENCY = "frequency"
    TREES = "trees"
    MIXED = "mixed"

    def is_line(self, name: str) -> bool:
        """Whether a column's values are cut by their order."""
        in_order = self in {Columns.LINES, Columns.ALPHABET, Columns.FREQUENCY}
        return in_order or (self is Columns.MIXED and name == NUMBER)

    def entry(self, folder: Path, name: str, output: str | None = None) -> dict[str, object]:
        """Give what a policy says of a quasi-identifier; `output` is what texts are released as."""
        hierarchy = {"hierarchy": {"csv": str(folder / f"hierarchy_{name}.csv")}}
        if not self.is_line(name):
            return {"role": "quasi", **hierarchy}
        if name == NUMBER:
            return {"role": "quasi", "order": "number", "output": "bounds"}
        by_rows = self is Columns.FREQUENCY
        entry: dict[str, object] = {"role": "quasi", "order": "frequency" if by_rows else "text"}
        if self is Columns.LINES:
            entry |= hierarchy
        return entry if output is None else {**entry, "output": output}


@dataclass(frozen=True, slots=True)
class Quality:
    """What a release keeps; `ncp` is between 0 and 1, and so is `ncp_of_sets`.

    The latter is what it would be if a cell said which values its class has, and no interval or
    node that covers them: some programs release such sets.
    """

    rows: int
    classes: int
    smallest: int
    suppressed: int
    discernibility: int
    c_avg: float
    ncp: float
    ncp_of_sets: float

    def document(self) -> dict[str, Any]:
        return asdict(self)


def quoted(name: str) -> str:
    """Quote a column's name."""
    return f'"{name}"'


def numbered(folder: Path, out: Path) -> Path:
    """Write the rows of Adult with a number each, every other field a text."""
    with duckdb.connect() as connection:
        rows = connection.read_csv(
            str(folder / "adult.csv"), sep=";", header=True, all_varchar=True
        )
        rows.project(f"ROW_NUMBER() OVER () AS {ROW}, *").write_parquet(str(out))
    return out


def recount(
    folder: Path,
    source: Path,
    release: Path,
    names: tuple[str, ...],
    columns: Columns,
    *,
    k: int,
) -> Quality:
    """Count classes, C_DM, C_AVG and NCP; every released cell must be one that its column can have.

    The hierarchies are in the folder, and the source is the numbered table.
    """
    with duckdb.connect() as connection:
        connection.read_parquet(str(source)).create_view("adult")
        connection.read_parquet(str(release)).create_view("release")
        return _counted(connection, folder, names, columns, k=k)


def _counted(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    names: tuple[str, ...],
    columns: Columns,
    *,
    k: int,
) -> Quality:
    (raw,) = connection.execute("SELECT COUNT(*) FROM adult").fetchall()
    shown = ", ".join(quoted(each) for name in names for each in released_as(name, columns))
    connection.execute(
        f"""CREATE TEMP TABLE classes AS SELECT {ROW}, DENSE_RANK() OVER (ORDER BY {shown}) AS class,
              COUNT(*) OVER (PARTITION BY {shown}) AS n FROM release"""
    )
    (counted,) = connection.execute(
        "SELECT COUNT(DISTINCT class), MIN(n), COUNT(*), SUM(n) FROM classes"
    ).fetchall()
    classes, smallest, kept, squares = map(int, counted)
    rows = int(raw[0])
    widened, of_sets = 0.0, 0.0
    for name in names:
        sides(connection, folder, name, columns)
        on = " AND ".join(
            f"CAST(r.{quoted(each)} AS VARCHAR) IS NOT DISTINCT FROM s.{side}"
            for each, side in zip(released_as(name, columns), ("low", "high"), strict=False)
        )
        ((matched, total),) = connection.execute(
            f"SELECT COUNT(*), SUM(s.share) FROM release AS r JOIN sides AS s ON {on}"
        ).fetchall()
        if matched != kept:
            raise ValueError(f"{name} was released as what it cannot be")
        widened += float(total)
        of_sets += sets(connection, name)
    suppressed = rows - kept
    return Quality(
        rows,
        classes,
        smallest,
        suppressed,
        squares + suppressed * rows,
        kept / classes / k,
        (widened / len(names) + suppressed) / rows,
        (of_sets / len(names) + suppressed) / rows,
    )


def sets(connection: duckdb.DuckDBPyConnection, name: str) -> float:
    """Sum over the released rows the share of the column that their classes' own values make up."""
    value = valued(name)
    if name == NUMBER:
        share = f"(MAX({value}) - MIN({value})) / ((SELECT MAX({value}) - MIN({value}) FROM adult) * 1.0)"
    else:
        share = f"""CASE WHEN COUNT(DISTINCT {value}) = 1 THEN 0.0
            ELSE COUNT(DISTINCT {value}) / ((SELECT COUNT(DISTINCT {value}) FROM adult) * 1.0) END"""
    ((total,),) = connection.execute(
        f"""SELECT SUM(n * share) FROM (
              SELECT COUNT(*) AS n, {share} AS share
              FROM classes JOIN adult USING ({ROW}) GROUP BY class)"""
    ).fetchall()
    return float(total)


def valued(name: str) -> str:
    """Say in SQL what a raw field means."""
    return f"CAST({quoted(name)} AS INTEGER)" if name == NUMBER else quoted(name)


def released_as(name: str, columns: Columns) -> Iterator[str]:
    """Name the columns of a release that a column became."""
    if name == NUMBER and columns.is_line(name):
        yield f"{name}_low"
        yield f"{name}_high"
    else:
        yield name


def sides(connection: duckdb.DuckDBPyConnection, folder: Path, name: str, columns: Columns) -> None:
    """Make the table of all that a column may be released as, and what share of it each is."""
    file = str(folder / f"hierarchy_{name}.csv")
    paths = connection.read_csv(file, sep=";", header=False, all_varchar=True)
    order, joined = "value", ""
    if columns is Columns.LINES and name != NUMBER:
        # From the root down, and by their own text among the values of one parent.
        order = ", ".join(map(quoted, reversed(paths.columns)))
        joined = f"JOIN paths ON {quoted(paths.columns[0])} = value"
    elif columns is Columns.FREQUENCY and name != NUMBER:
        order = "row_count DESC, value"
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE there AS
              SELECT value, ROW_NUMBER() OVER (ORDER BY {order}) AS place
              FROM (SELECT {valued(name)} AS value, COUNT(*) AS row_count FROM adult GROUP BY 1) {joined}"""
    )
    if columns.is_line(name):
        connection.execute(
            """CREATE OR REPLACE TEMP TABLE leaves AS
                 SELECT a.value AS low, b.value AS high, c.value
                 FROM there AS a JOIN there AS b ON a.place <= b.place
                 JOIN there AS c ON c.place BETWEEN a.place AND b.place"""
        )
        if name != NUMBER:
            # An interval of texts is one label, and a single value is itself.
            connection.execute(
                """UPDATE leaves SET low =
                     CASE WHEN low = high THEN low ELSE '[' || low || ', ' || high || ']' END"""
            )
    else:
        listed = ", ".join(map(quoted, paths.columns))
        connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE leaves AS
                  SELECT DISTINCT UNNEST([{listed}]) AS low, NULL AS high, t.value
                  FROM paths JOIN there AS t ON CAST(t.value AS VARCHAR) = {quoted(paths.columns[0])}"""
        )
    share = (
        "(MAX(l.value) - MIN(l.value)) / ((SELECT MAX(value) - MIN(value) FROM there) * 1.0)"
        if name == NUMBER
        else "CASE WHEN COUNT(*) = 1 AND MIN(l.low) = MIN(l.value) THEN 0.0 ELSE COUNT(*) / "
        "((SELECT COUNT(*) FROM there) * 1.0) END"
    )
    grouped = "l.low, l.high" if name == NUMBER or not columns.is_line(name) else "l.low"
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE sides AS
              SELECT CAST(l.low AS VARCHAR) AS low, CAST(ANY_VALUE(l.high) AS VARCHAR) AS high,
                {share} AS share
              FROM leaves AS l GROUP BY {grouped}"""
    )
