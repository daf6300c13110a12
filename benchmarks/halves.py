"""One half of a table, released in several ways, beside the other half as control: what the attacks of benchmarks share.

The first half is the source of each release. The second is drawn alike and no release is made of it, so whoever is
as often right about its rows has learned of people in general, and not of those in the source. It is also what an
attacker is taken to know beforehand: how often values occur, and which occur together.

Policies are those of `init`, by the same hierarchies each time:

* labels: `init --for records`, labels that nest;
* labels, strict cuts: the same by Mondrian as it was published;
* one level: one level a column for all rows, 1 % of the rows suppressed at most;
* representative: one value a class, the most frequent or the median;
* values: `init --for counts`, apportioned.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.adult import QUASI
from benchmarks.counts import MONDRIAN, proposed
from benchmarks.nist import FEATURES
from benchmarks.recount import ROW, quoted
from kanon_sql import Settings, anonymize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import duckdb

STRICT = "labels, strict cuts"
LABELS: Mapping[str, Mapping[str, object]] = {
    "labels": {},
    STRICT: {"search": {**MONDRIAN, "grouping": "cuts"}},
    "one level": {"search": {"algorithm": "optimal"}, "suppression": "1%"},
}
VALUES: Mapping[str, Mapping[str, object]] = {
    "representative": {},
    "values": {"output": "apportioned"},
}
WAYS: Mapping[str, Mapping[str, object]] = {**LABELS, **VALUES}
"""What the policy of each way to release has beside the columns and k."""
TOP = "*"


@dataclass(frozen=True, slots=True)
class Table:
    """A table with the quasi-identifiers of its policy; `kept` are columns that are released as they are.

    Which half a row is in is drawn, or with `in_turn` each other row is in each.
    """

    name: str
    file: Path
    entries: Mapping[str, Mapping[str, Any]]
    kept: tuple[str, ...] = ()
    in_turn: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Name the quasi-identifiers."""
        return tuple(self.entries)


def adult(folder: Path) -> Table:
    """Give Adult with its eight quasi-identifiers, by the hierarchies of its folder, and its sensitive column."""
    columns = proposed(folder / "adult.csv", "records", QUASI)["columns"]
    return Table(
        "Adult", folder / "adult.csv", {name: columns[name] for name in QUASI}, ("salary-class",)
    )


def nist(connection: duckdb.DuckDBPyConnection, file: Path, scratch: Path) -> Table:
    """Give the ten features of NIST's extract."""
    out = scratch / "nist.csv"
    listed = ", ".join(map(quoted, FEATURES))
    connection.execute(
        f"COPY (SELECT {listed} FROM read_csv('{file}', all_varchar = true)) TO '{out}' (HEADER)"
    )
    columns = proposed(out, "records", FEATURES)["columns"]
    return Table("NIST", out, {name: columns[name] for name in FEATURES})


class Halves:
    """A table in two halves, with the nodes of each column's hierarchy, and the release of the first half."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        table: Table,
        scratch: Path,
        *,
        threads: int = 2,
    ) -> None:
        self.connection, self.table, self.scratch = connection, table, scratch
        self.names, self.kept, self.threads = table.names, table.kept, threads
        listed = ", ".join(map(quoted, (*self.names, *self.kept)))
        connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE everyone AS
                  SELECT ROW_NUMBER() OVER () AS {ROW}, {listed} FROM read_csv('{table.file}', all_varchar = true)"""
        )
        drawn = ROW if table.in_turn else f"HASH({ROW}, 22)"
        for half, remainder in (("source", 0), ("control", 1)):
            connection.execute(
                f"""CREATE OR REPLACE TEMP TABLE {half} AS
                      SELECT * FROM everyone WHERE {drawn} % 2 = {remainder}"""
            )
        self.half = scratch / f"{table.name}-half.csv"
        connection.execute(f"COPY (SELECT * FROM source ORDER BY {ROW}) TO '{self.half}' (HEADER)")
        for at, name in enumerate(self.names):
            self._plant(at, name)

    def _plant(self, at: int, name: str) -> None:
        """Make the table of a column's nodes: each value below each label, and the label's child that it is in.

        A value is a label without children. `share` is how often the control half has the value; one that it lacks
        has half a row.
        """
        levels = ", ".join(self._levels(self.table.entries[name]["hierarchy"]))
        source = f"(SELECT DISTINCT {quoted(name)} AS value FROM everyone)"
        file = self._file(name)
        if file is not None:
            paths = self.connection.read_csv(file, header=False, all_varchar=True)
            levels = ", ".join(map(quoted, paths.columns))
            source = f"(FROM read_csv('{file}', header = false, all_varchar = true))"
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE tree_{at} AS
                WITH paths AS (SELECT [{levels}] AS path FROM {source}),
                  steps AS (SELECT path[1] AS value, UNNEST(path) AS label, GENERATE_SUBSCRIPTS(path, 1) AS level FROM paths),
                  lowest AS (SELECT value, label, MIN(level) AS level FROM steps GROUP BY ALL),
                  seen AS (SELECT {quoted(name)} AS value, COUNT(*) AS m FROM control GROUP BY ALL)
                SELECT value, label, LAG(label) OVER (PARTITION BY value ORDER BY level) AS child,
                  COALESCE(m, 0.5) AS share
                FROM lowest LEFT JOIN seen USING (value)"""
        )

    def _file(self, name: str) -> str | None:
        match self.table.entries[name]["hierarchy"]:
            case {"csv": str(file)}:
                return file
            case _:
                return None

    def _levels(self, hierarchy: object) -> Iterator[str]:
        """Give the labels of a value in SQL, from itself up."""
        yield "value"
        match hierarchy:
            case {"intervals": list(widths)}:
                for width in widths:
                    low = f"CAST(FLOOR(CAST(value AS DOUBLE) / {width}) AS BIGINT) * {width}"
                    yield f"'[' || {low} || ', ' || {low} + {width} || ')'"
            case "suppress" | {"csv": _}:
                pass
            case _:
                raise ValueError("a kind of hierarchy that this benchmark does not read")
        yield f"'{TOP}'"

    def release(self, way: str, k: int) -> None:
        """Release the source half in one way as the table `released`; its classes are counted here."""
        out = self.scratch / "release.parquet"
        shown = {"output": way} if way == "representative" else {}
        columns: dict[str, object] = {
            name: {**entry, **shown} for name, entry in self.table.entries.items()
        }
        columns |= {name: {"role": "insensitive"} for name in (ROW, *self.kept)}
        policy = {
            "version": 1,
            "source": str(self.half),
            "entity": "row",
            "columns": columns,
            "privacy": {"k": k},
            "search": MONDRIAN,
            **WAYS[way],
        }
        anonymize(policy, release=str(out), replace=True, settings=Settings(threads=self.threads))
        cells = ", ".join(
            f"CAST({quoted(name)} AS VARCHAR) AS {quoted(name)}"
            for name in (*self.names, *self.kept)
        )
        listed = ", ".join(map(quoted, self.names))
        self.connection.execute(
            f"""CREATE OR REPLACE TEMP TABLE released AS
                SELECT *, COUNT(*) OVER (PARTITION BY class) AS m FROM (
                  SELECT {ROW}, {cells}, DENSE_RANK() OVER (ORDER BY {listed}) AS class FROM '{out}')"""
        )
        ((smallest,),) = self.connection.execute("SELECT MIN(m) FROM released").fetchall()
        if smallest < k:
            sys.exit(f"{self.table.name}, {way}: a class of {smallest}")
        for at, name in enumerate(self.names):
            ((unknown,),) = self.connection.execute(
                f"""SELECT COUNT(*) FROM released
                    WHERE {quoted(name)} NOT IN (SELECT label FROM tree_{at})"""
            ).fetchall()
            if unknown:
                sys.exit(f"{self.table.name}, {way}: {unknown} labels of {name} are no nodes")
