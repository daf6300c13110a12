"""The files of a snapshot of Iceberg, read by DuckDB itself where they alone say what its rows are.

A column is found in a file by the id that it has in all files, whatever its name was when the file was written. Rows that are
deleted by their number in a file are left out. All else is read by pyiceberg: what follows from more than the files, and
what DuckDB would read otherwise.
"""

from __future__ import annotations

import re
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
from kanon_sql.engines.lakes import iceberg_sql
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyiceberg.manifest import DataFile
    from pyiceberg.schema import Schema
    from pyiceberg.table import Table
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.snapshots import Snapshot
    from pyiceberg.types import IcebergType
    from sqlglot import exp

    from kanon_sql.engines.base import Engine

KNOWN_VERSION = 2
"""Of later versions of the format columns may have defaults, and rows be deleted by bitmaps."""
FILE = re.compile(r"(?:file:(?://)?)?(?P<path>/.*)", re.DOTALL)
"""An address of a file of this machine. Nothing in it is escaped: `%20` is part of a name."""
NO_PATH = re.compile(r"/[A-Za-z]:/|.*[*?\[]", re.DOTALL)
"""A path that DuckDB takes for a pattern, or says otherwise than the address."""
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
    TimestamptzType: "TIMESTAMP WITH TIME ZONE",
    UUIDType: "UUID",
    BinaryType: "BLOB",
    FixedType: "BLOB",
}
PROMOTED = {"BIGINT": "INTEGER", "DOUBLE": "FLOAT"}
"""The type that an older file may have, of which the column's has become."""
DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
ADDED = {"filename", "file_row_number"}
"""The columns by which DuckDB says where a row is; no column of a table may have their names."""


@dataclass(frozen=True, slots=True)
class SnapshotFiles:
    """The paths of what a snapshot consists of; `plain` if DuckDB can read them all.

    `count` is of all rows, deleted ones too. `by_values`: rows are deleted by what they are, and not only by where they are.
    """

    rows: tuple[str, ...]
    deletes: tuple[str, ...]
    count: int
    plain: bool
    by_values: bool


def files_of(table: Table, snapshot: Snapshot | None) -> SnapshotFiles:
    """List the files of a snapshot, by its manifests."""
    rows: list[str] = []
    deletes: list[str] = []
    plain = table.metadata.format_version <= KNOWN_VERSION
    by_values = False
    count = 0
    for manifest in () if snapshot is None else snapshot.manifests(table.io):
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
            file = entry.data_file
            path = _path_of(file)
            by_values = by_values or file.content == DataFileContent.EQUALITY_DELETES
            plain = plain and path is not None
            if file.content == DataFileContent.DATA:
                rows.append(path or "")
                count += file.record_count
            else:
                deletes.append(path or "")
    return SnapshotFiles(tuple(rows), tuple(deletes), count, plain and bool(rows), by_values)


def _path_of(file: DataFile) -> str | None:
    """Give the path of a file of Parquet on this machine; None for another."""
    if file.file_format != FileFormat.PARQUET or file.key_metadata is not None:
        return None
    found = FILE.fullmatch(file.file_path)
    if found is None or NO_PATH.match(found["path"]):
        return None
    return found["path"]


def open_files(
    engine: Engine, view: exp.Table, files: SnapshotFiles, metadata: TableMetadata, schema: Schema
) -> bool:
    """Open a view of the living rows in plain files; returns whether DuckDB reads them as pyiceberg does."""
    types = {each.field_id: _type_of(each.field_type) for each in schema.fields}
    columns = [
        (each.field_id, each.name, type_)
        for each in schema.fields
        if (type_ := types[each.field_id]) is not None
    ]
    names = {each.name.lower() for each in schema.fields}
    if len(columns) != len(schema.fields) or len(names) != len(columns):
        return False
    if files.deletes and names & ADDED:
        return False
    if not columns or not _have_ids(engine, files.rows, metadata, dict(types)):
        return False
    engine.execute(iceberg_sql.read_files(view, columns, files.rows, files.deletes, files.count))
    return True


def _have_ids(
    engine: Engine, files: tuple[str, ...], metadata: TableMetadata, types: Mapping[int, str | None]
) -> bool:
    """Whether all files tell the columns by their ids, with types that became those of the columns.

    A column by whose values the table is partitioned has to be in every file: the value is not read from where else it may be.
    """
    of_partitions = {
        field.source_id
        for spec in metadata.partition_specs
        for field in spec.fields
        if isinstance(field.transform, IdentityTransform)
    }
    found: dict[int, int] = {}
    for number, stored, count in engine.fetch(iceberg_sql.stored_columns(files)):
        if number is None:
            return False
        id_ = whole(number)
        column = types.get(id_)
        if column is not None and not _becomes(str(stored), column):
            return False
        found[id_] = found.get(id_, 0) + whole(count)
    return all(found.get(each) == len(files) for each in of_partitions & set(types))


def _type_of(type_: IcebergType) -> str | None:
    """Give DuckDB's type for one of Iceberg; None for a nested one, whose fields have ids of their own."""
    if isinstance(type_, DecimalType):
        return f"DECIMAL({type_.precision},{type_.scale})"
    return TYPES.get(type(type_))


def _becomes(stored: str, column: str) -> bool:
    """Whether values of a type in a file are values of a column's, as Iceberg promotes types.

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
