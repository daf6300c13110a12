"""Opens DuckDB or uses the caller's connection for a run, loads extensions, and owns the folders that it spills rows to.

There is one such folder per run, locked while the run lives, and removed when it ends. A free lock means that the run
is dead, however old it is.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import tempfile
import time
from contextlib import contextmanager, suppress
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import literal
from kanon_sql.base.sql.quoting import name as name_of
from kanon_sql.engines import commands_sql
from kanon_sql.engines.commands_sql import command
from kanon_sql.engines.local_files import LOCKS, try_lock
from kanon_sql.engines.locations import only_folders
from kanon_sql.engines.scratch import exclusive
from kanon_sql.errors import Fault, SourceError, StatementError, install_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import duckdb

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.duckdb.engine import DuckDB


NAMED = re.compile(r"kanon-sql-[0-9a-f]{16}")
LOCK = "lock"
NEW_LOCK = "lock.new"
BEGINNING = 60.0
"""Age in seconds from which a folder without a lock is of a run that was killed as it began."""


class RunState(Enum):
    ALIVE = "of a run that goes on"
    DEAD = "of a run that was killed"
    UNKNOWN = "has no lock: of an older version, or where files cannot be locked"


def default_parent() -> Path:
    return Path(tempfile.gettempdir())


@contextmanager
def spill_folder(parent: str | None) -> Iterator[str]:
    """Create a folder, and remove it at the end of the block or of the process, even after an interrupt."""
    folder = Path(parent or default_parent()) / f"kanon-sql-{secrets.token_hex(8)}"
    locks: list[int] = []

    def sweep() -> None:
        if not LOCKS:  # Windows removes no file that is open
            _close(locks)
        shutil.rmtree(folder, ignore_errors=True)
        _close(locks)

    atexit.register(sweep)
    try:
        try:
            folder.mkdir(mode=0o700)
            locks.append(_locked(folder))
        except OSError as error:
            what = f"a folder cannot be created there ({type(error).__name__})"
            raise SourceError(str(folder.parent), [Fault("temp_directory", what)]) from None
        yield str(folder)
    finally:
        sweep()
        atexit.unregister(sweep)


def _close(locks: list[int]) -> None:
    while locks:
        os.close(locks.pop())


def _locked(folder: Path) -> int:
    """Create a locked file in a folder. It is named LOCK only once the lock is held."""
    new = folder / NEW_LOCK
    descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    if LOCKS:
        with suppress(OSError):  # a file system without locks: `clean` then asks for --force
            try_lock(descriptor)
            new.rename(folder / LOCK)
    return descriptor


def spilled(parent: Path) -> list[Path]:
    """List the folders of all runs in `parent`, including those of living runs."""
    return sorted(
        each
        for each in parent.iterdir()
        if NAMED.fullmatch(each.name) and each.is_dir() and not each.is_symlink()
    )


def clear(folder: Path, *, force: bool = False, dry_run: bool = False) -> RunState:
    """Remove a folder if its run is dead, or with `force` if it has no lock. Returns the state of the run.

    Raises OSError where that is not allowed.
    """
    state = _state(folder)
    if not dry_run and (state is RunState.DEAD or (force and state is RunState.UNKNOWN)):
        shutil.rmtree(folder)
    return state


def _state(folder: Path) -> RunState:
    """Return the state of a folder's run, by its lock, or by its age before the lock has its name."""
    there = {each.name for each in folder.iterdir()}
    if not LOCKS or (there and not there & {LOCK, NEW_LOCK}):
        return RunState.UNKNOWN
    if LOCK not in there and time.time() - folder.stat().st_mtime < BEGINNING:
        return RunState.ALIVE
    if not there:
        return RunState.DEAD
    descriptor = os.open(folder / (LOCK if LOCK in there else NEW_LOCK), os.O_RDWR | os.O_NOFOLLOW)
    try:
        return RunState.DEAD if try_lock(descriptor) else RunState.ALIVE
    except OSError:  # a file system without locks
        return RunState.UNKNOWN
    finally:
        os.close(descriptor)


ELSEWHERE = (
    "; a file that is open for writing is open once: end what has it open, or hand in the "
    "connection that this process has to it"
)


@contextmanager
def use_duckdb(connection: duckdb.DuckDBPyConnection, *, purges: bool = False) -> Iterator[DuckDB]:
    """Run on the caller's connection; its settings are restored whatever happens."""
    from kanon_sql.engines.duckdb.engine import DuckDB  # noqa: PLC0415  help and PostgreSQL run without it

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
    import duckdb  # noqa: PLC0415  help and PostgreSQL run without it

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
                if folders := only_folders():
                    _confine(engine, (*folders, spill))
                _attach(engine, attach or {})
                yield engine
        finally:
            connection.close()


def _confine(engine: DuckDB, folders: tuple[str, ...]) -> None:
    """Let statements read and write files of these folders alone, until the connection ends."""
    engine.execute(commands_sql.allow_folders(folders))
    engine.execute(command("close_other_files"))


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
            f"needs DuckDB's extension {extension}, which DuckDB {release} does not find: add the package "
            f"duckdb-extension-{extension.replace('_', '-')}=={release} to this environment, or INSTALL {extension} in DuckDB. Where "
            f"there is none for this version, another DuckDB may have it: {install_command('ducklake')}"
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
