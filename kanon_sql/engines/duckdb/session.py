"""Open DuckDB, as a file or in memory, or use the caller's connection for a run; load its extensions."""

from __future__ import annotations

from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.base.sql.quoting import literal
from kanon_sql.base.sql.quoting import name as name_of
from kanon_sql.engines import commands_sql
from kanon_sql.engines.commands_sql import command
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.engines.duckdb.spill import spill_folder
from kanon_sql.engines.turn import exclusive
from kanon_sql.errors import Fault, SourceError, StatementError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kanon_sql.engines.base import Engine

ELSEWHERE = (
    "; a file that is open for writing is open once: end what has it open, or hand in the "
    "connection that this process has to it"
)


@contextmanager
def use_duckdb(connection: duckdb.DuckDBPyConnection, *, purges: bool = False) -> Iterator[DuckDB]:
    """Run on the caller's connection; its settings are restored whatever happens."""
    engine = DuckDB(connection, purges=purges)
    with engine.turn:
        engine.turn.enter_context(exclusive(connection))
        try:
            engine.settle()
            yield engine
        finally:
            engine.put_back()
            engine.leave()
            # Objects that outlive the run, such as searches in reference cycles, must not keep its connection open.
            del engine.connection


@contextmanager
def open_duckdb(
    database: str | None = None,
    *,
    read_only: bool = False,
    attach: Mapping[str, str] | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    temp_directory: str | None = None,
) -> Iterator[DuckDB]:
    """Open a database file, or an empty database in memory. It spills to a folder of this run.

    `attach` maps names to files of databases, which are attached under these names for reading.
    """
    with spill_folder(temp_directory) as spill:
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": spill,
            "preserve_insertion_order": False,
        }
        if threads is not None:
            config["threads"] = threads
        if memory_limit is not None:
            config["memory_limit"] = memory_limit
        if database is not None and not Path(database).is_file():
            fault = Fault("database", "there is no such file")
            raise SourceError(database, [fault])
        try:
            connection = duckdb.connect(
                database or ":memory:", read_only=read_only and database is not None, config=config
            )
        except duckdb.Error as error:
            what = f"DuckDB cannot open it ({type(error).__name__}){ELSEWHERE if database else ''}"
            raise SourceError(database or "settings", [Fault("database", what)]) from None
        try:
            with use_duckdb(connection, purges=True) as engine:
                engine.temp_directory = temp_directory
                _attach(engine, attach or {})
                yield engine
        finally:
            connection.close()


def _attach(engine: DuckDB, databases: Mapping[str, str]) -> None:
    """Attach other database files. Raises SourceError with a fault for each that cannot be attached."""
    faults = []
    for name, path in databases.items():
        if not Path(path).is_file():
            faults.append(Fault(f"attach.{name}", f"there is no such file ({path})"))
            continue
        try:
            engine.execute(command("attach", literal(path), name_of(name)))
        except StatementError as error:
            what = f"DuckDB cannot open it ({error.why}){ELSEWHERE}"
            faults.append(Fault(f"attach.{name}", what))
    if faults:
        raise SourceError("policy", faults)


def load_extension(engine: Engine, extension: str) -> None:
    """Load an extension. Raises SourceError, with what to install, where there is none for this DuckDB."""
    release = engine.version.rpartition(" ")[2]
    wheel = _in_wheel(extension, release)
    try:
        loaded = name_of(extension) if wheel is None else literal(str(wheel))
        engine.execute(command("load_extension", loaded))
    except StatementError as error:
        what = (
            f"needs DuckDB's extension {extension}, which DuckDB {release} does not find: pip install "
            f"duckdb-extension-{extension.replace('_', '-')}=={release}, or INSTALL {extension} in DuckDB. Where "
            f"there is none for this version, another DuckDB may have it: pip install 'kanon-sql[ducklake]'"
        )
        raise SourceError(f"DuckDB {release}", [Fault("source", what)]) from error


def has_extension(engine: Engine, extension: str) -> bool:
    """Load an extension if it is on this machine, and return whether it is. Downloads nothing."""
    wheel = _in_wheel(extension, engine.version.rpartition(" ")[2])
    if wheel is None and not engine.fetch_count(commands_sql.extension_installed(extension)):
        return False
    try:
        load_extension(engine, extension)
    except SourceError:
        return False
    return True


def _in_wheel(extension: str, release: str) -> Path | None:
    """Return the file of an extension in its wheel, or None. DuckDB checks the signature on loading."""
    found = find_spec(f"duckdb_extension_{extension}")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "extensions" / f"v{release}"
    file = folder / f"{extension}.duckdb_extension"
    return file if file.is_file() else None
