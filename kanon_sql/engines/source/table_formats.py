"""Formats of tables in folders, and the marks (files and folders) by which they are recognized.

Such folders also contain deleted and older rows of a table. Only a reader of the format can distinguish them.
"""

from __future__ import annotations

import re

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.base import UNFINISHED

UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@dataclass(frozen=True, slots=True)
class TableFormat:
    """One format. A folder that has one of the `marks` is a table of the format.

    A mark is a glob relative to the folder; a slash at its end stands for a folder. The regular
    expression `path` matches the paths of marks and of files in them. `own` matches the names of
    folders that can only be part of such a table. `anywhere`: all files below the folder of the
    mark belong to its table, at any depth.
    """

    name: str
    marks: tuple[str, ...]
    path: str
    read_by: str
    anywhere: bool = True
    own: str | None = None

    @property
    def refusal(self) -> str:
        """The message why files of such a table are not read directly."""
        what = f"is part of a table of {self.name}, whose files also hold deleted and older rows"
        return f"{what}; read it by {self.read_by}"


@dataclass(frozen=True, slots=True)
class UnfinishedRelease(TableFormat):
    """A folder of an object store to which a run has not copied all files of a release."""

    @property
    def refusal(self) -> str:
        return (
            f"is {self.name}: a run is publishing it, or was killed half-way, so that rows are missing; if no run is, "
            f"{self.read_by}"
        )


AT_END = "(/[^/]*)?$"
"""The end of a path: the mark itself, or a file in it."""
ACID = r"(base_\d+|(delete_)?delta_\d+_\d+(_\d+)?)(_v\d+)?"
"""The names that Hive gives to folders of a transactional table."""

TABLE_FORMATS = (
    TableFormat(
        "Delta Lake",
        ("_delta_log/",),
        "/_delta_log" + AT_END,
        "source: delta:PATH, delta_scan() in a query of DuckDB, or a Delta table of Spark",
    ),
    TableFormat(
        "Iceberg",
        ("metadata/*.metadata.json",),
        r"/metadata/[^/]*\.metadata\.json$",
        "source: iceberg:CATALOG.NAMESPACE.TABLE, iceberg_scan() in a query of DuckDB, or an Iceberg table of Spark",
    ),
    TableFormat("Hudi", (".hoodie/",), r"/\.hoodie" + AT_END, "a Hudi table of Spark"),
    TableFormat(
        "DuckLake",
        ("ducklake-*.parquet",),
        rf"/ducklake-([^/]*-delete|{UUID})\.parquet$",
        "source: ducklake:CATALOG#TABLE, or a table of DuckLake on a connection of yours",
        anywhere=False,
    ),
    TableFormat(
        "transactional Hive",
        ("base_[0-9]*/", "delta_[0-9]*_[0-9]*/", "delete_delta_[0-9]*_[0-9]*/"),
        f"/{ACID}{AT_END}",
        "a query of Hive, which can write a plain copy",
        anywhere=False,
        own=ACID,
    ),
    UnfinishedRelease(
        "an unfinished release",
        (f"{UNFINISHED}*",),  # a pattern, because DuckDB lists a plain path without a check
        f"/{UNFINISHED}$",
        "`kanon-sql clean --path FOLDER --older-than 0` removes it, and it can be released again",
    ),
)


def format_of(path: str, formats: tuple[TableFormat, ...] = TABLE_FORMATS) -> TableFormat | None:
    """Return the format of which a path is a mark; None if it is no mark.

    >>> format_of("/lake/t/_delta_log/0.json").name
    'Delta Lake'
    >>> format_of("/lake/t/metadata/notes.json")
    """
    return next((each for each in formats if re.search(each.path, path)), None)


def format_named(folder: str) -> TableFormat | None:
    """Return the format of which a folder's name is an `own` one; None if there is none.

    >>> format_named("delta_0000001_0000001_0000").name, format_named("delta")
    ('transactional Hive', None)
    """
    found = (each for each in TABLE_FORMATS if each.own and re.fullmatch(each.own, folder))
    return next(found, None)
