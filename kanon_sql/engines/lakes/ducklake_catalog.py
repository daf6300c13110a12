"""Catalogs of DuckLake on the connection of a run: find or attach one, and rewrite its file."""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines.commands_sql import command
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.engines.duckdb.extensions import load_extension
from kanon_sql.engines.duckdb.in_place import write_anew
from kanon_sql.engines.lakes import lakes_sql
from kanon_sql.errors import Fault, InternalError, SourceError, StatementError
from kanon_sql.sql.quoting import literal
from kanon_sql.sql.quoting import name as name_of

if TYPE_CHECKING:
    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.lake_tables import LakeTable

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
