"""Reads tables of Iceberg through `pyiceberg`, which finds catalogs in its own configuration, and commits to them.

A commit replaces all rows of the table by those of a file, or changes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import parquet
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import (
    CommitFailedException,
    NoSuchTableError,
    ValidationError,
    ValidationException,
)
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io.pyarrow import UnsupportedPyArrowTypeException
from pyiceberg.manifest import DataFileContent, FileFormat
from pyiceberg.schema import Schema
from pyiceberg.table import Table, TableProperties
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

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.base import whole
from kanon_sql.engines.lakes import lakes_sql
from kanon_sql.engines.local_files import remove_empty_folders, without_slash_of_drive
from kanon_sql.errors import Fault, InternalError, ReleaseError, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyiceberg.catalog import Catalog
    from pyiceberg.io import FileIO
    from pyiceberg.manifest import DataFile
    from pyiceberg.table import Transaction
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.snapshots import Snapshot
    from pyiceberg.types import IcebergType
    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.lakes.lake_tables import LakeTable


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


BY_VALUES = (
    "has rows that are deleted by their values (equality deletes), which pyiceberg does not apply: rewrite its files "
    "by the tool that wrote them, as rewrite_data_files of Spark with delete-file-threshold 1"
)


def _version(opened: Table, snapshot: int | None, schema: int | None = None) -> str:
    """Return a snapshot's name for plans, with the `schema` that it is read by if that is not its own."""
    table = f"{opened.metadata.table_uuid}{'' if schema is None else f'/schema-{schema}'}"
    return f"iceberg {table} snapshot {snapshot or 0}"


def newest_version(opened: Table) -> str:
    """Return the name of the newest snapshot, read by the table's current schema, which may be newer."""
    newest = opened.current_snapshot()
    if newest is None:
        return _version(opened, None)
    now, own = opened.metadata.current_schema_id, newest.schema_id
    return _version(opened, newest.snapshot_id, None if own in {None, now} else now)


class Iceberg:
    """One snapshot of a table; see `Lake`. A table without any snapshot has no rows.

    A `named` snapshot has the columns of its own schema. Without a name, the newest has those of the current schema.
    """

    def __init__(
        self, engine: Engine, table: LakeTable, opened: Table, named: Snapshot | None
    ) -> None:
        self._engine = engine
        self._table = table
        self._opened = opened
        self._named = named

    @property
    def snapshot(self) -> str:
        if self._named is None:
            return newest_version(self._opened)
        return _version(self._opened, self._named.snapshot_id)

    @property
    def is_newest(self) -> bool:
        return self.snapshot == newest_version(self._opened)

    @property
    def versions(self) -> int:
        return len(self._opened.metadata.snapshots)

    def open_rows(self, view: exp.Table) -> bool:
        """Open the snapshot's files as a view, which DuckDB reads within its memory.

        If DuckDB cannot read them as pyiceberg would, pyiceberg copies the rows once, batch by batch.
        """
        opened = self._opened
        snapshot = self._named or opened.current_snapshot()
        files = files_of(opened, snapshot)
        if files.by_values:
            raise SourceError(self._table.name, [Fault("source", BY_VALUES)])
        named = None if self._named is None else self._named.snapshot_id
        scan = opened.scan(snapshot_id=named)
        if files.plain and open_files(
            self._engine, view, files, opened.metadata, scan.projection()
        ):
            return True
        return self._engine.register(view, Batches(opened, named))

    def release_problems(self) -> list[str]:
        metadata = self._opened.metadata
        problems = []
        if not metadata.spec().is_unpartitioned():
            problems.append("is partitioned, and a release is not yet; release under a new name")
        if metadata.sort_order().fields:
            problems.append("has a sort order, which names columns; release under a new name")
        if set(metadata.refs) - {"main"}:
            problems.append("has branches or tags, which go on showing raw rows; remove them first")
        return problems

    def purge(self) -> None:
        """Expire all snapshots but the newest, and remove the files that only they read, and older metadata.

        These include manifests, which hold minimum and maximum values of columns. Files of killed commits below the
        table's folders are removed too: nothing refers to them.
        """
        newest, io = self._opened.current_snapshot(), self._opened.io
        old = [each for each in self._opened.metadata.snapshots if each != newest]
        kept = set() if newest is None else set(_files(newest, io))
        dead = {file for each in old for file in _files(each, io)} - kept
        metadata = {each.metadata_file for each in self._opened.metadata.metadata_log}
        before = self._opened.metadata_location
        if old:
            expired = self._opened.maintenance.expire_snapshots()
            expired.by_ids([each.snapshot_id for each in old]).commit()
        self._opened.refresh()
        for file in sorted(dead | ({*metadata, before} - {self._opened.metadata_location})):
            with suppress(FileNotFoundError):
                io.delete(file)
        self._remove_orphans({*kept, self._opened.metadata_location})

    def _remove_orphans(self, kept: set[str]) -> None:
        named = {on_disk(each) for each in kept}
        location = on_disk(self._opened.metadata.location)
        if location is None:
            return
        for folder in ("data", "metadata"):
            for each in (location / folder).rglob("*"):
                if each.is_file() and each not in named and each.name != "version-hint.text":
                    each.unlink()
        remove_empty_folders(location)  # of former partitions of the table


class Batches:
    """The rows of a snapshot, exported by the Arrow PyCapsule interface."""

    def __init__(self, table: Table, snapshot: int | None) -> None:
        self._table = table
        self._snapshot = snapshot

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        scan = self._table.scan(snapshot_id=self._snapshot)
        return scan.to_arrow_batch_reader().__arrow_c_stream__(requested_schema)


def on_disk(address: str) -> Path | None:
    """Return the path of an address on this machine; None for others. `%20` is no escape here."""
    found = FILE.fullmatch(address)
    return None if found is None else Path(without_slash_of_drive(found["path"]))


def address_of(file: Path) -> str:
    """Return the address of a file, from which `on_disk` returns its path."""
    path = file.absolute().as_posix()
    return f"file://{path}" if path.startswith("/") else f"file:///{path}"


def _files(snapshot: Snapshot, io: FileIO) -> Iterator[str]:
    """List the files of a snapshot: of rows and of deletes, its manifests, and its manifest list."""
    yield snapshot.manifest_list
    for manifest in snapshot.manifests(io):
        yield manifest.manifest_path
        for entry in manifest.fetch_manifest_entry(io, discard_deleted=True):
            yield entry.data_file.file_path


def catalog_of(table: LakeTable) -> tuple[Catalog, str]:
    """Load a table's catalog by pyiceberg's configuration. Returns it and the table's name within it."""
    name, _, within = table.place.partition(".")
    try:
        return load_catalog(name), within
    except ValueError as error:
        told = f"PYICEBERG_CATALOG__{name.upper()}__URI, or .pyiceberg.yaml"
        what = f"pyiceberg knows no catalog {name}; tell it by {told}"
        raise SourceError(table.name, [Fault("", what)]) from error


def open_iceberg(engine: Engine, table: LakeTable) -> Iceberg:
    """Open a snapshot of a table. Raises SourceError where the table or the snapshot does not exist."""
    catalog, name = catalog_of(table)
    try:
        opened = catalog.load_table(name)
    except NoSuchTableError as error:
        what = "there is no such table in the catalog"
        raise SourceError(table.name, [Fault("source", what)]) from error
    if table.version is None:
        return Iceberg(engine, table, opened, None)
    found = opened.snapshot_by_id(table.version)
    if found is None:
        what = f"snapshot {table.version} is not there, or was expired"
        raise SourceError(table.name, [Fault("source", what)])
    return Iceberg(engine, table, opened, found)


def has_table(table: LakeTable) -> bool:
    catalog, name = catalog_of(table)
    return bool(catalog.table_exists(name))


MEANWHILE = "was changed by somebody else meanwhile; nothing was published"
ELSEWHERE = (
    "has its data at an address; a release to Iceberg is written to folders of this machine so far"
)
ONCE_PARTITIONED = (
    "was partitioned by {} once; Iceberg remembers that, and takes no new column of the name of a partition. The other "
    "columns change, so that all get new ids: release under a new name, or give that column another name in a query"
)
NO_TYPE = "has a column of a type that Iceberg does not have; cast it in a query, or drop it"

NOT_OF_ICEBERG = (
    TypeError,
    ValueError,
    ValidationError,
    UnsupportedPyArrowTypeException,
    pa.ArrowException,
)
"""Errors for a column's type that Iceberg lacks, or that the type in the table cannot become."""


class Commit:
    """A transaction that replaces all rows of a table by a file. Other readers see it only after `end`."""

    def __init__(self, table: Table, transaction: Transaction, catalog: Catalog) -> None:
        self._table = table
        self._transaction = transaction
        self._catalog = catalog
        self._files: list[Path] = []

    @property
    def folder(self) -> str:
        """The folder of the table's data. Raises ReleaseError where it is not on this machine."""
        location = on_disk(self._transaction.table_metadata.location)
        if location is None:
            raise ReleaseError(".".join(self._table.name()), [Fault("release", ELSEWHERE)])
        folder = location / "data"
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    def add(self, file: str) -> None:
        """Replace the rows and columns of the table by those of a Parquet file, within this commit."""
        self._files.append(Path(file))
        columns = parquet.read_schema(file).remove_metadata()
        tx = self._transaction
        if tx.table_metadata.current_snapshot() is not None:
            tx.delete(AlwaysTrue())
        if not self._has(columns):
            self._change_to(columns)
        tx.add_files([address_of(Path(file))])

    def _has(self, columns: pa.Schema) -> bool:
        """Whether the table has these columns, if need be after a promotion of types, which keeps their ids."""
        tx = self._transaction
        if [each.name for each in tx.table_metadata.schema().fields] != columns.names:
            return False
        try:
            with tx.update_schema() as update:
                update.union_by_name(columns)
        except NOT_OF_ICEBERG:
            return False
        return True

    def _change_to(self, columns: pa.Schema) -> None:
        """Replace the table's columns. The new ones get new ids, even where they have the name of an old one."""
        tx = self._transaction
        there = tx.table_metadata.schema().fields
        parts = {each.name for spec in tx.table_metadata.partition_specs for each in spec.fields}
        if once := sorted(parts & {*columns.names}):
            faults = [Fault("release", ONCE_PARTITIONED.format(", ".join(once)))]
            raise ReleaseError(".".join(self._table.name()), faults)
        if there:
            with tx.update_schema(allow_incompatible_changes=True) as update:
                for each in there:
                    update.delete_column(each.name)
        try:
            with tx.update_schema(allow_incompatible_changes=True) as update:
                update.union_by_name(columns)
        except NOT_OF_ICEBERG as error:
            faults = [Fault("release", NO_TYPE)]
            raise ReleaseError(".".join(self._table.name()), faults) from error
        named = tx.table_metadata.schema().name_mapping.model_dump_json()
        tx.set_properties(
            {TableProperties.DEFAULT_NAME_MAPPING: named}
        )  # files without ids are read by it

    def rows(self) -> object:
        """Return the rows as readers of the table will see them after the commit."""
        table, staged = self._table, self._transaction.table_metadata
        seen = Table(table.name(), staged, table.metadata_location, table.io, self._catalog)
        return Batches(seen, None)

    def end(self) -> None:
        """Commit. Raises ReleaseError if somebody else has committed meanwhile."""
        try:
            self._transaction.commit_transaction()
        except (CommitFailedException, ValidationException) as error:
            raise ReleaseError(
                ".".join(self._table.name()), [Fault("release", MEANWHILE)]
            ) from error
        self._files.clear()

    def clear(self) -> None:
        for each in self._files:
            each.unlink(missing_ok=True)


@contextmanager
def commit_of_rows(table: LakeTable, snapshot: str | None) -> Iterator[Commit]:
    """Open a commit to a table, which it creates if there is none. Removes files that are not committed.

    Raises ReleaseError if the newest version is no longer `snapshot`.
    """
    catalog, name = catalog_of(table)
    there: Any
    if catalog.table_exists(name):
        opened = catalog.load_table(name)
        if snapshot is not None and newest_version(opened) != snapshot:
            raise ReleaseError(table.name, [Fault("release", MEANWHILE)])
        there = opened.transaction()
    else:
        there = catalog.create_table_transaction(name, Schema())
        opened = there._table  # noqa: SLF001  it has the name and the access to files
    commit = Commit(opened, there, catalog)
    try:
        yield commit
    finally:
        commit.clear()
