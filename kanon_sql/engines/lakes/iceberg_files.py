"""The files of a snapshot of Iceberg, read by DuckDB itself if the rows follow from the files alone.

A column is found in a file by its id, which is the same in all files, whatever its name was when the file was written.
Files with the same columns are read together. Rows that are deleted by their position in a file are left out.
pyiceberg reads every other snapshot: one whose rows depend on more than the files, or that DuckDB would read
differently. DuckDB's own option to find columns by ids (`schema`) is not used: with it, DuckDB estimates the files at
one row, and joins them as if they were that small.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from pyiceberg.manifest import DataFileContent, FileFormat
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    StringType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from kanon_sql.engines.base import whole
from kanon_sql.engines.lakes import lakes_sql
from kanon_sql.errors import InternalError
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from pyiceberg.manifest import DataFile
    from pyiceberg.schema import Schema
    from pyiceberg.table import Table
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.snapshots import Snapshot
    from pyiceberg.types import IcebergType
    from sqlglot import exp

    from kanon_sql.engines.base import Engine

KNOWN_VERSION = 2
"""The newest format version read here. Later ones have defaults of columns, and deletes by bitmaps."""
FILE = re.compile(r"(?:file:(?://)?)?(?P<path>/.*)", re.DOTALL)
"""The address of a file on this machine. Nothing in it is escaped: `%20` is part of a name."""
NO_PATH = re.compile(r"/[A-Za-z]:/|.*[*?\[]", re.DOTALL)
"""A path that DuckDB would read as a pattern, or would return in another form (`/C:/`)."""
TYPES: dict[type[IcebergType], str] = {
    BooleanType: "BOOLEAN",
    IntegerType: "INTEGER",
    LongType: "BIGINT",
    FloatType: "FLOAT",
    DoubleType: "DOUBLE",
    StringType: "VARCHAR",
    DateType: "DATE",
    TimeType: "TIME",
    TimestampType: "TIMESTAMP",
    TimestamptzType: "TIMESTAMPTZ",
    UUIDType: "UUID",
    BinaryType: "BLOB",
    FixedType: "BLOB",
}
PROMOTED = {"BIGINT": "INTEGER", "DOUBLE": "FLOAT"}
"""For a column's type, the narrower type that older files may have, from which it was promoted."""
DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
ADDED = {"filename", "file_row_number"}
"""Columns that DuckDB adds for the position of a row. With deletes, files may not have them."""


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column of a file: its id, if the file has ids, its name in the file, and its type in DuckDB."""

    id: int | None
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Layout:
    """Files that have the same columns."""

    files: tuple[str, ...]
    columns: tuple[StoredColumn, ...]


@dataclass(frozen=True, slots=True)
class SnapshotFiles:
    """The paths of a snapshot's files of rows and of deletes. `plain`: DuckDB can read them all.

    `by_values`: some rows are deleted by their values, and not only by their positions.
    """

    rows: tuple[str, ...]
    deletes: tuple[str, ...]
    plain: bool
    by_values: bool


def files_of(table: Table, snapshot: Snapshot | None) -> SnapshotFiles:
    """List the files of a snapshot, by its manifests."""
    rows: list[str] = []
    deletes: list[str] = []
    plain = table.metadata.format_version <= KNOWN_VERSION
    by_values = False
    for manifest in () if snapshot is None else snapshot.manifests(table.io):
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
            file = entry.data_file
            path = _path_of(file)
            by_values = by_values or file.content == DataFileContent.EQUALITY_DELETES
            plain = plain and path is not None
            (rows if file.content == DataFileContent.DATA else deletes).append(path or "")
    return SnapshotFiles(tuple(rows), tuple(deletes), plain and bool(rows), by_values)


def _path_of(file: DataFile) -> str | None:
    """Return the path of an unencrypted Parquet file on this machine; None for any other file."""
    if file.file_format != FileFormat.PARQUET or file.key_metadata is not None:
        return None
    found = FILE.fullmatch(file.file_path)
    if found is None or NO_PATH.match(found["path"]):
        return None
    return found["path"]


def open_files(
    engine: Engine, view: exp.Table, files: SnapshotFiles, metadata: TableMetadata, schema: Schema
) -> bool:
    """Open a view of the rows in plain files. Returns False without a view if pyiceberg has to read them."""
    layouts = _layouts(engine, files.rows)
    if sum(len(each.files) for each in layouts) != len(files.rows):
        return False
    parts = []
    for each in layouts:
        if files.deletes and any(found.name.lower() in ADDED for found in each.columns):
            return False
        columns = _columns_of(each, metadata, schema)
        if columns is None:
            return False
        parts.append((columns, each.files))
    engine.execute(lakes_sql.read_files(view, parts, files.deletes))
    return True


def _layouts(engine: Engine, files: tuple[str, ...]) -> list[Layout]:
    layouts = []
    for stored, paths in engine.fetch(lakes_sql.stored_columns(files)):
        if not isinstance(stored, list) or not isinstance(paths, list):
            raise InternalError("the columns of files are no list")
        columns = (
            StoredColumn(
                None if each["id"] is None else whole(each["id"]), each["name"], str(each["type"])
            )
            for each in stored
        )
        layouts.append(Layout(tuple(paths), tuple(columns)))
    return layouts


def _columns_of(
    layout: Layout, metadata: TableMetadata, schema: Schema
) -> list[tuple[str | None, str, str]] | None:
    """Return each column's name in the files (or None), own name and type; None if DuckDB cannot tell.

    A column by which the table is partitioned has to be in the files: its value is not read from anywhere else.
    """
    found = _by_id(layout, metadata)
    if found is None or not schema.fields:
        return None
    of_partitions = {
        field.source_id
        for spec in metadata.partition_specs
        for field in spec.fields
        if isinstance(field.transform, IdentityTransform)
    }
    spelled = Counter(each.name.lower() for each in layout.columns)
    named = Counter(each.name.lower() for each in schema.fields)
    columns: list[tuple[str | None, str, str]] = []
    for field in schema.fields:
        type_, there = _type_of(field.field_type), found.get(field.field_id)
        if type_ is None or named[field.name.lower()] > 1:
            return None
        if there is None:
            if field.field_id in of_partitions:
                return None
            columns.append((None, field.name, type_))
        elif _becomes(there.type, type_) and spelled[there.name.lower()] == 1:
            columns.append((there.name, field.name, type_))
        else:
            return None
    return columns


def _by_id(layout: Layout, metadata: TableMetadata) -> dict[int, StoredColumn] | None:
    """Map ids to columns of files, for files without ids by the table's name mapping; None if it has none."""
    ids = [each.id for each in layout.columns]
    if all(each is None for each in ids):
        mapping = metadata.name_mapping()
        named = [
            (n, each.field_id) for each in (mapping.root if mapping else ()) for n in each.names
        ]
        if len(dict(named)) < len(named):  # two columns had the same name at different times
            return None
        ids = [dict(named).get(each.name) for each in layout.columns]
        if None in ids:
            return None
    found = {id_: each for id_, each in zip(ids, layout.columns, strict=True) if id_ is not None}
    return found if len(found) == len(ids) else None


def _type_of(type_: IcebergType) -> str | None:
    """Return DuckDB's type for a type of Iceberg; None for a nested type, whose fields have own ids."""
    if isinstance(type_, DecimalType):
        return f"DECIMAL({type_.precision},{type_.scale})"
    return TYPES.get(type(type_))


def _becomes(stored: str, column: str) -> bool:
    """Whether a type in a file is the column's type, or may be promoted to it by Iceberg's rules.

    >>> _becomes("INTEGER", "BIGINT"), _becomes("BIGINT", "INTEGER")
    (True, False)
    >>> _becomes("DECIMAL(9,2)", "DECIMAL(20,2)"), _becomes("DECIMAL(9,3)", "DECIMAL(20,2)")
    (True, False)
    """
    if stored == column or PROMOTED.get(column) == stored:
        return True
    narrow, wide = DECIMAL.fullmatch(stored), DECIMAL.fullmatch(column)
    if narrow is None or wide is None:
        return False
    return narrow[2] == wide[2] and int(narrow[1]) <= int(wide[1])
