"""Tables of Delta Lake, Iceberg and DuckLake as a policy names them."""

from __future__ import annotations

import re
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

NAMED = re.compile(r"(delta|iceberg|ducklake):(?!//)(.+)", re.DOTALL)
CATALOG_FILE = re.compile(
    r"(?:sqlite|duckdb):(?P<named>.+)|(?![A-Za-z]\w+:)(?P<bare>.*[./\\].*)", re.DOTALL
)
"""Matches a DuckLake catalog that is a file.

That is a path with a dot or a slash, or any path after `sqlite:` or `duckdb:`. A bare word names an attached database,
and `postgres:dbname=lake` is a catalog of a server.
"""


class LakeFormat(StrEnum):
    """A format of tables whose versions stay readable until they are expired."""

    DELTA = "delta"
    ICEBERG = "iceberg"
    DUCKLAKE = "ducklake"

    @property
    def label(self) -> str:
        """The format's name in messages."""
        return {"delta": "Delta", "iceberg": "Iceberg", "ducklake": "DuckLake"}[self.value]

    @property
    def extra(self) -> str:
        """The extra of kanon-sql that installs the library for this format."""
        return self.value

    @property
    def version(self) -> str:
        """The format's word for a version of a table."""
        return "version" if self is LakeFormat.DELTA else "snapshot"


@dataclass(frozen=True, slots=True)
class LakeTable:
    """One table of a lake, or one `version` of it: Delta's number or a snapshot; by default the newest.

    `place` is the folder of a Delta table, the name of an Iceberg table (which begins with its catalog's name), or the
    catalog of a DuckLake. Such a catalog has several tables, so `table` names one.
    """

    format: LakeFormat
    place: str
    version: int | None = None
    table: str | None = None

    @property
    def location(self) -> str:
        """The table's name without the format: its place, and after `#` the table in a DuckLake."""
        return self.place if self.table is None else f"{self.place}#{self.table}"

    @property
    def name(self) -> str:
        """The table's name with the format, as messages, policies and the command line write it.

        >>> LakeTable(LakeFormat.DELTA, "lake/people").name
        'delta:lake/people'
        >>> LakeTable(LakeFormat.DUCKLAKE, "lake.ducklake", table="clinic.people").name
        'ducklake:lake.ducklake#clinic.people'
        """
        return f"{self.format}:{self.location}"

    @property
    def path(self) -> str | None:
        """The path of its folder or catalog file; None for a name in a catalog, and for a catalog of a server.

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
        """Return the table with its path rewritten by `to`; the same table if it has no path."""
        path = self.path
        if path is None:
            return self
        there = to(path)
        if (
            self.format is LakeFormat.DUCKLAKE
            and path == self.place
            and not re.search(r"[./\\]", there)
        ):
            there = f"./{there}"  # a bare word would name an attached database
        return replace(self, place=self.place.removesuffix(path) + there)


def lake_table_from_text(text: str) -> LakeTable | None:
    """Parse a text such as `delta:FOLDER` into a table of a lake; None if it begins with no format.

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
