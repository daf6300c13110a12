"""The public function `clean`: removes files and tables of killed runs, found by locks and marks."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import check_no_password
from kanon_sql.counting.run.session import on_disk
from kanon_sql.engines.atomic_write import remove_leftovers
from kanon_sql.engines.base import UNFINISHED
from kanon_sql.engines.commands_sql import drop_table
from kanon_sql.engines.connect import open_engine
from kanon_sql.engines.duckdb import spill
from kanon_sql.engines.duckdb.spill import RunState
from kanon_sql.engines.object_stores import Objects, filesystem_of
from kanon_sql.engines.scratch import age_of, mark_of
from kanon_sql.errors import Fault, InputError, StatementError
from kanon_sql.release.object_files import leftovers_in, unfinished_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.counting.run.inputs import Connection
    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.connect import Settings

DAY = 24 * 60 * 60.0
KEPT = "kept for a run that would go on where one was killed"
UNREAD = "made for a view that does not exist"


@dataclass(frozen=True, slots=True)
class Leftover:
    """A file, folder or table that a run left behind, whether `clean` removed it, and why or why not."""

    place: str
    removed: bool
    why: str


@checked
def clean(
    path: str | Path | None = None,
    *,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    schema: str | None = None,
    older_than: float = DAY,
    force: bool = False,
    dry_run: bool = False,
    purge: bool = False,
) -> list[Leftover]:
    """Remove files and tables that killed runs left behind, and nothing of a running one.

    In a folder a run is dead if its lock is free; tables that no view reads, and unfinished releases in an object
    store, are removed once they are older than `older_than`. `path` may also name a release.

    Args:
        path: By default the folder of temporary files.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        schema: The schema of the scratch tables.
        older_than: Seconds.
        force: Whether folders without a lock, of older versions, are removed, too.
        dry_run: Whether nothing is removed.
        purge: Whether the database's files are rewritten without the dropped rows.

    Returns:
        The files, folders and tables that were found, and whether each was removed.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.

    >>> import tempfile
    >>> import kanon_sql
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kanon_sql.clean(folder, dry_run=True)
    []
    """
    if purge and (database is None or dry_run):
        raise InputError(
            "clean", [Fault("purge", "goes with a database by its name, and no dry run")]
        )
    if database is None and connection is None:
        if schema is not None:
            raise InputError("clean", [Fault("schema", "goes with a database")])
        if path is not None and "://" in (address := on_disk(str(path))):
            return list(_in_store(address, older_than=older_than, dry_run=dry_run))
        path = None if path is None else on_disk(str(path))
        folder = Path(path) if path is not None else spill.default_parent()
        beside = [] if path is None else list(_beside(folder, dry_run=dry_run))
        if not folder.is_dir():
            if beside:
                return beside
            raise InputError(str(folder), [Fault("path", "this folder does not exist")])
        return [*beside, *_in_folder(folder, force=force, dry_run=dry_run)]
    if path is not None:
        raise InputError("clean", [Fault("path", "a folder or a database, one at a time")])
    with open_engine(connection, database, settings, writes=not dry_run) as engine:
        if purge and engine.unpurgeable is not None:
            raise InputError("clean", [Fault("purge", engine.unpurgeable)])
        found = list(_in_database(engine, schema, older_than=older_than, dry_run=dry_run))
        if purge:
            engine.purge()
            found.append(Leftover("dropped rows", removed=True, why="in the files of the database"))
        return found


def _in_database(
    engine: Engine, schema: str | None, *, older_than: float, dry_run: bool
) -> Iterator[Leftover]:
    """Yield a database's left tables: kept for a resumed run, or made for a view that does not exist.

    Tables of a killed release in place are listed but not removed, because they may hold the only raw rows.
    """
    for table, why in engine.unfinished(schema):
        yield Leftover(".".join(part.name for part in table.parts), removed=False, why=why)
    for place, age in engine.left_tables():
        dead = age > older_than
        if dead and not dry_run:
            engine.remove_left(place)
        why = KEPT if dead else f"written {age:.0f} s ago, by a run that may go on"
        yield Leftover(place, dead, why)
    made = [
        (table, mark)
        for table, note in engine.commented_tables(schema)
        if (mark := mark_of(table.name, note)) is not None
    ]
    read = " ".join(engine.views(schema)) if made else ""
    for table, mark in made:
        if mark in read:
            continue
        age = age_of(mark)
        dead = age > older_than
        if dead and not dry_run:
            engine.execute(drop_table(table))
        why = UNREAD if dead else f"of a run that began {age:.0f} s ago, and may go on"
        yield Leftover(".".join(part.name for part in table.parts), dead, why)


def _in_store(address: str, *, older_than: float, dry_run: bool) -> Iterator[Leftover]:
    """Yield what runs left in an object store, at a release or folder: by age, as a store has no locks.

    These are files that were written beside a release, and releases that were not published whole.
    """
    check_no_password("path", address)
    store, folder = Objects(filesystem_of(address)), address.rstrip("/")
    above, _, name = folder.rpartition("/")
    found = [(f"{folder}/{left}", age) for left, _, age in leftovers_in(store, folder)]
    if not above.endswith("/"):  # a bucket has nothing beside it
        with suppress(StatementError):  # it may be out of reach
            beside = leftovers_in(store, above)
            found += [(f"{above}/{left}", age) for left, of, age in beside if of == name[:40]]
    below = (f"{folder}/{each}" for each, _ in store.names(folder) if each != UNFINISHED)
    for each in (folder, *below):
        if (age := unfinished_for(store, each)) is not None:
            found.append((each, age))
    for place, age in found:
        dead = age > older_than
        if dead and not dry_run:
            store.remove(place)
        why = RunState.DEAD.value if dead else f"written {age:.0f} s ago, by a run that may go on"
        yield Leftover(place, dead, why)


def _beside(release: Path, *, dry_run: bool) -> Iterator[Leftover]:
    """Yield what dead runs left beside a release, because `path` may name one."""
    folder = release.absolute().parent
    for name in remove_leftovers(folder, of=release.name, dry_run=dry_run):
        yield Leftover(str(folder / name), removed=not dry_run, why=RunState.DEAD.value)


def _in_folder(folder: Path, *, force: bool, dry_run: bool) -> Iterator[Leftover]:
    for each in spill.spilled(folder):
        try:
            state = spill.clear(each, force=force, dry_run=dry_run)
        except OSError as error:
            why = f"cannot be removed ({os.strerror(error.errno or 0)})"
            yield Leftover(str(each), removed=False, why=why)
            continue
        removed = state is RunState.DEAD or (force and state is RunState.UNKNOWN)
        yield Leftover(str(each), removed=removed, why=state.value)
    for name in remove_leftovers(folder, dry_run=dry_run):
        yield Leftover(str(folder / name), removed=not dry_run, why=RunState.DEAD.value)
