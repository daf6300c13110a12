"""Tables of Iceberg through `pyiceberg`, which finds catalogs in its own configuration."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import NoSuchTableError

from kanon_sql.engines.lakes.iceberg_files import FILE, files_of, open_files
from kanon_sql.engines.local_files import remove_empty_folders, without_slash_of_drive
from kanon_sql.errors import Fault, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyiceberg.catalog import Catalog
    from pyiceberg.io import FileIO
    from pyiceberg.table import Table
    from pyiceberg.table.snapshots import Snapshot
    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.lake_tables import LakeTable

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
