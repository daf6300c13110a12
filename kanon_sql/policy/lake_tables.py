"""Tables of Delta Lake, Iceberg and DuckLake as a policy names them."""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

NAMED = re.compile(r"(delta|iceberg|ducklake):(?!//)(.+)", re.DOTALL)
CATALOG_FILE = re.compile(
    r"(?:sqlite|duckdb):(?P<named>.+)|(?![A-Za-z]\w+:)(?P<bare>.*[./\\].*)", re.DOTALL
)
"""A catalog of DuckLake that is a file: with an ending or a folder, or after the kind of its database.

Another word is a database that the connection has attached, and `postgres:dbname=lake` one of a server.
"""


class LakeFormat(StrEnum):
    """A format of tables whose versions stay readable until they are expired."""

    DELTA = "delta"
    ICEBERG = "iceberg"
    DUCKLAKE = "ducklake"

    @property
    def label(self) -> str:
        """Its name in a message."""
        return {"delta": "Delta", "iceberg": "Iceberg", "ducklake": "DuckLake"}[self.value]

    @property
    def extra(self) -> str:
        """The extra of kanon-sql that installs the library which reads and writes it."""
        return self.value

    @property
    def version(self) -> str:
        """What it calls a version of a table."""
        return "version" if self is LakeFormat.DELTA else "snapshot"


@dataclass(frozen=True, slots=True)
class LakeTable:
    """One table, or one `version` of it: a number of Delta, a snapshot of the others; by default the newest.

    The `place` of a Delta table is its folder; of an Iceberg table its name, which begins with that of the catalog;
    of DuckLake the catalog, which has several tables, so that the `table` is named beside it.
    """

    format: LakeFormat
    place: str
    version: int | None = None
    table: str | None = None

    @property
    def location(self) -> str:
        """Its name within its format, as one text."""
        return self.place if self.table is None else f"{self.place}#{self.table}"

    @property
    def name(self) -> str:
        """Its name in a message, and as a text in a policy and on the command line.

        >>> LakeTable(LakeFormat.DELTA, "lake/people").name
        'delta:lake/people'
        >>> LakeTable(LakeFormat.DUCKLAKE, "lake.ducklake", table="clinic.people").name
        'ducklake:lake.ducklake#clinic.people'
        """
        return f"{self.format}:{self.location}"

    @property
    def path(self) -> str | None:
        """The path in its place; None for a name in a catalog, and for a catalog of a server.

        >>> LakeTable(LakeFormat.DUCKLAKE, "sqlite:lake.db", table="t").path
        'lake.db'
        >>> LakeTable(LakeFormat.DUCKLAKE, "postgres:dbname=lake", table="t").path
        >>> LakeTable(LakeFormat.DUCKLAKE, "lake", table="t").path
        """
        if self.format is LakeFormat.DELTA:
            return self.place
        if self.format is LakeFormat.ICEBERG:
            return None
        found = CATALOG_FILE.fullmatch(self.place)
        return None if found is None else found["named"] or found["bare"]

    def moved(self, to: Callable[[str], str]) -> LakeTable:
        """Name it from elsewhere: `to` gives another form of the path in its place, if there is one."""
        path = self.path
        if path is None:
            return self
        there = to(path)
        if (
            self.format is LakeFormat.DUCKLAKE
            and path == self.place
            and not re.search(r"[./\\]", there)
        ):
            there = f"./{there}"
        return replace(self, place=self.place.removesuffix(path) + there)


def lake_table_from_text(text: str) -> LakeTable | None:
    """Read a text that names a table of a format; None where it names none.

    >>> lake_table_from_text("iceberg:lake.clinic.people").place
    'lake.clinic.people'
    >>> lake_table_from_text("ducklake:lake.ducklake#people").table
    'people'
    >>> lake_table_from_text("people.csv")
    """
    found = NAMED.fullmatch(text)
    if found is None:
        return None
    of, place = LakeFormat(found[1]), found[2]
    if of is not LakeFormat.DUCKLAKE:
        return LakeTable(of, place)
    catalog, _, table = place.partition("#")
    return LakeTable(of, catalog, table=table)
