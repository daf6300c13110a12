"""Tables of DuckLake through DuckDB's extension, and their catalogs, which list the files with a snapshot's rows.

A snapshot covers the whole catalog. The version of a table is the newest snapshot that changed the table, so changes
to other tables do not make a plan stale. A catalog is found or attached on the connection of a run.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import literal, parse_table_name
from kanon_sql.base.sql.quoting import name as name_of
from kanon_sql.base.sql.quoting import table as named
from kanon_sql.engines.base import whole
from kanon_sql.engines.commands_sql import command
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.engines.duckdb.in_place import write_anew
from kanon_sql.engines.duckdb.session import load_extension
from kanon_sql.engines.lakes import lakes_sql
from kanon_sql.engines.local_files import remove_empty_folders
from kanon_sql.errors import Fault, InternalError, ReleaseError, SourceError, StatementError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.lakes.lake_tables import LakeTable


MEANWHILE = "was changed by somebody else meanwhile; nothing was published"
JOINED = "the connection has a transaction open: a release to DuckLake is a commit of its own; end it first"
SCHEME = re.compile(r"([A-Za-z]\w+):")
SCANNERS = {"sqlite": "sqlite_scanner", "postgres": "postgres_scanner", "mysql": "mysql_scanner"}
"""The extensions by which DuckDB reads a catalog in another kind of database."""
ATTACHED = (
    "is attached by your connection, so that its file cannot be written anew: name the catalog by its path on a "
    "connection that has not attached it, or purge it by the tools of DuckLake"
)
OF_SERVER = (
    "the database of its catalog is a server's, where deleted rows stay until it is vacuumed: release without --purge, "
    "then ducklake_expire_snapshots, ducklake_cleanup_old_files, and VACUUM FULL there"
)
ONLY_READ = "is attached by your connection only to be read (READ_ONLY)"
UNOPENED = (
    "cannot be opened as a catalog of DuckLake; where it is a file, another process may have it open, or it is of an "
    "older version that DuckLake has to migrate first (attach it once with AUTOMATIC_MIGRATION)"
)
NO_ALIAS = (
    "no DuckLake of that name is attached to the connection; a file is named with its ending or folder, "
    "as lake.ducklake or ./lake"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A table of a catalog at a snapshot. `snapshot` is the last one until then that changed the table."""

    lake: str
    id: int
    uuid: str
    schema: str
    table: str
    snapshot: int
    versions: int
    may_sort: bool

    @property
    def name(self) -> exp.Table:
        return named(self.table, schema=self.schema, catalog=self.lake)

    @property
    def version(self) -> str:
        return f"ducklake {self.uuid} snapshot {self.snapshot}"


class DuckLake:
    """A table at one snapshot; see `Lake`."""

    def __init__(self, engine: DuckDB, table: LakeTable, found: Found) -> None:
        self._engine = engine
        self._table = table
        self._found = found

    @property
    def snapshot(self) -> str:
        return self._found.version

    @property
    def is_newest(self) -> bool:
        newest = _find(self._engine, self._found.lake, self._table, None)
        return newest is not None and newest.version == self.snapshot

    @property
    def versions(self) -> int:
        """The number of the catalog's snapshots with this table, or with an earlier table of its name."""
        return self._found.versions

    def open_rows(self, view: exp.Table) -> bool:
        """Open a view of the snapshot. DuckDB reads only the columns and files that a statement needs."""
        found = self._found
        self._engine.execute(lakes_sql.read_snapshot(view, found.name, found.snapshot))
        return True

    def release_problems(self) -> list[str]:
        found = self._found
        statement = lakes_sql.ducklake_layout(found.lake, found.id, may_sort=found.may_sort)
        ((is_partitioned, is_sorted),) = self._engine.fetch(statement)
        problems = []
        if is_partitioned:
            problems.append("is partitioned, and a release is not yet; release under a new name")
        if is_sorted:
            problems.append("has a sort order, which names columns; release under a new name")
        return problems

    def purge(self) -> None:
        """Expire the snapshots with older rows of the table, and remove the files that only they read.

        The catalog's file is rewritten, because until then it still contains what was deleted from it, such as minimum
        and maximum values of columns, and rows of small tables.
        """
        lake = attach(self._engine, self._table, writes=True)
        schema, table = _parts(self._table)
        rows = self._engine.fetch(lakes_sql.older_snapshots(lake, schema, table))
        if old := [whole(each) for (each,) in rows]:
            self._engine.execute(lakes_sql.expire_snapshots(lake, old))
        self._engine.execute(lakes_sql.remove_expired_files(lake))
        self._remove_orphans(lake)
        write_catalog_anew(self._engine, self._table, lake)

    def _remove_orphans(self, lake: str) -> None:
        """Remove files of killed commits from the table's folder, if the folder is on this machine."""
        rows = self._engine.fetch(lakes_sql.ducklake_folder(lake, self._found.id))
        folder = ""
        for data, of_schema, is_below_data, of_table, is_below_schema in rows:
            folder = f"{data if is_below_data else ''}{of_schema}" if is_below_schema else ""
            folder += str(of_table)
        if not folder or "://" in folder:
            return
        above = Path(folder).resolve()
        for (each,) in self._engine.fetch(lakes_sql.ducklake_orphans(lake)):
            file = Path(str(each)).resolve()
            if above in file.parents:
                file.unlink(missing_ok=True)
        if above.is_dir():  # folders of former partitions of the table
            remove_empty_folders(above)


def _parts(table: LakeTable) -> tuple[str, str]:
    """Return the schema and the name of a table. Raises SourceError for a name with more parts."""
    found = parse_table_name(table.table or "")
    if found.catalog:
        what = "must be TABLE or SCHEMA.TABLE; a dot in a name stands in double quotes"
        raise SourceError(table.name, [Fault("source", what)])
    return found.db or "main", found.name


def _find(engine: DuckDB, lake: str, table: LakeTable, snapshot: int | None) -> Found | None:
    schema, name = _parts(table)
    rows = engine.fetch(lakes_sql.ducklake_table(lake, schema, name, snapshot))
    if not rows:
        return None
    number, uuid, of_schema, own, changed, versions, catalog = rows[0]
    may_sort = not str(catalog).startswith("0.")
    return Found(
        lake, whole(number), str(uuid), str(of_schema), str(own), whole(changed), whole(versions), may_sort
    )  # fmt: skip


def open_ducklake(engine: Engine, table: LakeTable) -> DuckLake:
    """Open a table at a snapshot. Raises SourceError where the table or the snapshot does not exist."""
    own = duckdb_of(engine)
    lake = attach(own, table)
    found = _find(own, lake, table, table.version)
    if found is None and table.version is not None:
        what = f"snapshot {table.version} is not there, or was expired, or had no such table"
        raise SourceError(table.name, [Fault("source", what)])
    if found is None:
        what = "there is no such table in the catalog"
        raise SourceError(table.name, [Fault("source", what)])
    return DuckLake(own, table, found)


def has_table(engine: Engine, table: LakeTable) -> bool:
    own = duckdb_of(engine)
    return _find(own, attach(own, table), table, None) is not None


def is_same_table(engine: Engine, table: LakeTable, other: LakeTable) -> bool:
    """Whether two names mean the same table: they agree, and one attached catalog serves both."""
    own = duckdb_of(engine)
    if attach(own, table) != attach(own, other):
        return False
    return [each.casefold() for each in _parts(table)] == [
        each.casefold() for each in _parts(other)
    ]


@contextmanager
def commit_of_table(
    engine: Engine, table: LakeTable, snapshot: str | None
) -> Iterator[tuple[exp.Table, bool]]:
    """Open and commit a transaction that writes a table. Yields its name, and whether it replaces one.

    Raises ReleaseError if the newest version is no longer `snapshot`, or if others commit changes meanwhile.
    """
    own = duckdb_of(engine)
    lake = attach(own, table, writes=True)
    if own.in_transaction():
        raise ReleaseError(table.name, [Fault("release", JOINED)])
    # Before the transaction: in SQLite, reading the catalog's own tables within it would block its commit.
    before = _find(own, lake, table, None)
    if snapshot is not None and (before is None or before.version != snapshot):
        raise ReleaseError(table.name, [Fault("release", MEANWHILE)])
    try:
        with own.transaction():
            if before is None:
                schema, name = _parts(table)
                yield named(name, schema=schema, catalog=lake), False
            else:
                if _changes(own, before):
                    raise ReleaseError(table.name, [Fault("release", MEANWHILE)])
                yield before.name, True
    except StatementError as error:
        if error.step == "commit" and "conflict" in str(error.cause).lower():
            raise ReleaseError(table.name, [Fault("release", MEANWHILE)]) from error
        raise
    if (
        before is not None and _changes(own, before) > 1
    ):  # DuckLake does not regard added rows as a conflict
        what = (
            f"was changed by somebody else between two steps of its commit: the release is there, and the rows that "
            f"were added then are in the snapshots before it alone (after snapshot {before.snapshot})"
        )
        raise ReleaseError(table.name, [Fault("release", what)])


def _changes(engine: DuckDB, found: Found) -> int:
    """Count the commits after the snapshot of `found` that changed the table."""
    return engine.fetch_count(lakes_sql.ducklake_changes(found.lake, found.id, found.snapshot))


def scheme_of(place: str) -> str:
    """Return the kind of database that a catalog is in.

    >>> scheme_of("postgres:dbname=lake"), scheme_of("sqlite:lake.db"), scheme_of("lake.ducklake")
    ('postgres', 'sqlite', 'duckdb')
    """
    found = SCHEME.match(place)
    return "duckdb" if found is None else found[1].lower()


def duckdb_of(engine: Engine) -> DuckDB:
    """Return the engine as DuckDB, which alone reads DuckLake. Raises InternalError for another engine."""
    if not isinstance(engine, DuckDB):
        raise InternalError(f"{engine.capabilities.name} reads no DuckLake")
    return engine


def attach(engine: DuckDB, table: LakeTable, *, writes: bool = False) -> str:
    """Return the name under which a table's catalog is attached. Attach it for this run if it is not yet.

    It is attached for reading only, unless the run `writes` to it. Raises SourceError.
    """
    if (found := _attached(engine, table)) is not None:
        name, read_only = found
        if not (writes and read_only):
            return name
        if name not in engine.attached:
            raise SourceError(table.name, [Fault("release", ONLY_READ)])
        detach(engine, name)
    path, scheme = table.path, scheme_of(table.place)
    if path is None and not SCHEME.match(table.place):
        raise SourceError(table.name, [Fault("source", NO_ALIAS)])
    if path is not None and not Path(path).is_file():
        what = f"there is no such catalog ({path}); to attach it once in DuckDB makes it"
        raise SourceError(table.name, [Fault("source", what)])
    load_extension(engine, "ducklake")
    if scheme in SCANNERS:
        load_extension(engine, SCANNERS[scheme])
    name = f"kanon_{secrets.token_hex(4)}"
    try:
        engine.execute(lakes_sql.attach_ducklake(table.place, name, read_only=not writes))
    except StatementError as error:
        what = f"{UNOPENED} ({error.why})"
        raise SourceError(table.name, [Fault("source", what)]) from error
    engine.attached.append(name)
    return name


def _attached(engine: DuckDB, table: LakeTable) -> tuple[str, bool] | None:
    """Return an attached catalog's name and whether it is read-only, found by place or name; or None."""
    path = table.path
    for name, place, read_only in engine.fetch(lakes_sql.attached_ducklakes()):
        there = str(place)
        is_same = there == table.place or (path is None and str(name) == table.place)
        if path is not None and not is_same:
            file = SCHEME.sub("", there) if scheme_of(there) in {"sqlite", "duckdb"} else there
            is_same = os.path.realpath(file) == os.path.realpath(path)
        if is_same:
            return str(name), bool(read_only)
    return None


def detach(engine: DuckDB, name: str) -> None:
    """Detach a catalog that this run has attached."""
    engine.execute(command("detach", name_of(name)))
    engine.attached.remove(name)


def why_not_purged(engine: DuckDB, table: LakeTable) -> str | None:
    """Say why deleted data cannot be removed from the file of a table's catalog; None if it can."""
    if table.path is None and SCHEME.match(table.place):
        return OF_SERVER
    name = attach(engine, table)
    return None if name in engine.attached else ATTACHED


def write_catalog_anew(engine: DuckDB, table: LakeTable, name: str) -> None:
    """Rewrite the file of a catalog, to remove deleted rows, and minimum and maximum values, from it.

    The catalog is detached first. Raises ReleaseError.
    """
    path = Path(table.path or "")
    detach(engine, name)
    if scheme_of(table.place) == "sqlite":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(lakes_sql.vacuum().render(DuckDB.dialect))
        return
    own = f"kanon_{secrets.token_hex(4)}"
    engine.execute(command("attach_file", literal(str(path)), name_of(own)))
    try:
        write_anew(engine, own, path)
    finally:
        engine.execute(command("detach", name_of(own)))
