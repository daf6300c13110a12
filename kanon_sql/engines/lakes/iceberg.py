"""Tables of Iceberg by `pyiceberg`, whose own configuration knows the catalogs."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

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
from pyiceberg.schema import Schema
from pyiceberg.table import Table, TableProperties

from kanon_sql.errors import Fault, ReleaseError, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyiceberg.catalog import Catalog
    from pyiceberg.io import FileIO
    from pyiceberg.table import Transaction
    from pyiceberg.table.snapshots import Snapshot
    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.lake_tables import LakeTable

MEANWHILE = "was changed by somebody else meanwhile; nothing was published"
ELSEWHERE = (
    "has its data at an address; a release to Iceberg is written to folders of this machine so far"
)
NO_TYPE = "has a column of a type that Iceberg does not have; cast it in a query, or drop it"

NOT_OF_ICEBERG = (
    TypeError,
    ValueError,
    ValidationError,
    UnsupportedPyArrowTypeException,
    pa.ArrowException,
)
"""What a column of a type without a counterpart raises, or one whose type cannot become another."""


def _snapshot(opened: Table, snapshot: int | None) -> str:
    return f"iceberg {opened.metadata.table_uuid} snapshot {snapshot or 0}"


class Iceberg:
    """One snapshot of a table; see `Lake`. A table without any snapshot has no rows."""

    def __init__(
        self, engine: Engine, table: LakeTable, opened: Table, snapshot: Snapshot | None
    ) -> None:
        self._engine = engine
        self._table = table
        self._opened = opened
        self._snapshot = snapshot

    @property
    def snapshot(self) -> str:
        return _snapshot(self._opened, self._id)

    @property
    def _id(self) -> int | None:
        return None if self._snapshot is None else self._snapshot.snapshot_id

    @property
    def is_newest(self) -> bool:
        return self._snapshot == self._opened.current_snapshot()

    @property
    def versions(self) -> int:
        return len(self._opened.metadata.snapshots)

    def open_rows(self, view: exp.Table) -> bool:
        """Copy the living rows, batch by batch, once: files of deletes are applied in Python."""
        return self._engine.register(view, Batches(self._opened, self._id))

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

        Manifests are among them: they have the least and greatest values of columns. What a killed commit has left
        below the table's folders is removed too, as nothing refers to it.
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
        named = {_on_disk(each) for each in kept}
        location = _on_disk(self._opened.metadata.location)
        if location is None:
            return
        for folder in ("data", "metadata"):
            for each in (location / folder).rglob("*"):
                if each.is_file() and each not in named and each.name != "version-hint.text":
                    each.unlink()


class Batches:
    """The rows of a snapshot, as an object that exports them by the Arrow PyCapsule interface."""

    def __init__(self, table: Table, snapshot: int | None) -> None:
        self._table = table
        self._snapshot = snapshot

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        scan = self._table.scan(snapshot_id=self._snapshot)
        return scan.to_arrow_batch_reader().__arrow_c_stream__(requested_schema)


def _on_disk(address: str) -> Path | None:
    """Give the path of an address on this machine; None for one elsewhere."""
    found = urlparse(address)
    return Path(unquote(found.path)) if found.scheme in {"", "file"} else None


def _files(snapshot: Snapshot, io: FileIO) -> Iterator[str]:
    """List the files of a snapshot: of its rows and deletes, and the lists of these."""
    yield snapshot.manifest_list
    for manifest in snapshot.manifests(io):
        yield manifest.manifest_path
        for entry in manifest.fetch_manifest_entry(io, discard_deleted=True):
            yield entry.data_file.file_path


def _catalog(table: LakeTable) -> tuple[Catalog, str]:
    """Load the catalog of a table, by the configuration of pyiceberg, and give the table's name within it."""
    name, _, within = table.place.partition(".")
    try:
        return load_catalog(name), within
    except ValueError as error:
        told = f"PYICEBERG_CATALOG__{name.upper()}__URI, or .pyiceberg.yaml"
        what = f"pyiceberg knows no catalog {name}; tell it by {told}"
        raise SourceError(table.name, [Fault("", what)]) from error


def open_iceberg(engine: Engine, table: LakeTable) -> Iceberg:
    """Open a snapshot of a table; raises SourceError where there is none."""
    catalog, name = _catalog(table)
    try:
        opened = catalog.load_table(name)
    except NoSuchTableError as error:
        what = "there is no such table in the catalog"
        raise SourceError(table.name, [Fault("source", what)]) from error
    if table.version is None:
        return Iceberg(engine, table, opened, opened.current_snapshot())
    found = opened.snapshot_by_id(table.version)
    if found is None:
        what = f"snapshot {table.version} is not there, or was expired"
        raise SourceError(table.name, [Fault("source", what)])
    return Iceberg(engine, table, opened, found)


def has_table(table: LakeTable) -> bool:
    catalog, name = _catalog(table)
    return bool(catalog.table_exists(name))


class Commit:
    """A file that becomes all rows of a table when the commit ends; nobody else sees it before."""

    def __init__(self, table: Table, transaction: Transaction, catalog: Catalog) -> None:
        self._table = table
        self._transaction = transaction
        self._catalog = catalog
        self._files: list[Path] = []

    @property
    def folder(self) -> str:
        """The folder of this machine that the table has its data in; raises ReleaseError where it is none."""
        location = _on_disk(self._transaction.table_metadata.location)
        if location is None:
            raise ReleaseError(".".join(self._table.name()), [Fault("release", ELSEWHERE)])
        folder = location / "data"
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    def add(self, file: str) -> None:
        """Make a file of Parquet all rows of the table, with its columns, as far as this commit is concerned."""
        self._files.append(Path(file))
        columns = parquet.read_schema(file).remove_metadata()
        tx = self._transaction
        if tx.table_metadata.current_snapshot() is not None:
            tx.delete(AlwaysTrue())
        if not self._has(columns):
            self._change_to(columns)
        tx.add_files([Path(file).as_uri()])

    def _has(self, columns: pa.Schema) -> bool:
        """Whether the table has these columns, or has them after a promotion of types; their ids stay then."""
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
        """Give the table other columns, which have other ids even where they have the name of an older one."""
        tx = self._transaction
        there = tx.table_metadata.schema().fields
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
        )  # files without ids have it

    def rows(self) -> object:
        """Return the rows as a reader of the table will read them."""
        table, staged = self._table, self._transaction.table_metadata
        seen = Table(table.name(), staged, table.metadata_location, table.io, self._catalog)
        return Batches(seen, None)

    def end(self) -> None:
        """Commit; raises ReleaseError where somebody else did so first."""
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
    """Open a commit to a table, which is created by it if there is none; what was not committed is removed.

    Raises ReleaseError where another `snapshot` than that one is the newest by now.
    """
    catalog, name = _catalog(table)
    there: Any
    if catalog.table_exists(name):
        opened = catalog.load_table(name)
        newest = opened.current_snapshot()
        found = _snapshot(opened, None if newest is None else newest.snapshot_id)
        if snapshot is not None and found != snapshot:
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
