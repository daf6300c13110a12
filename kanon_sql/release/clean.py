"""The public functions `clean`, which removes files and tables of killed runs, and `frequency_query`.

Leftovers are found by locks and marks. The query counts a frequency set in a database out of reach.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, name, parse_table_name
from kanon_sql.base.sql.quoting import condition as condition_of
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import check_no_password
from kanon_sql.counting.run.session import on_disk
from kanon_sql.counting.source.column_problems import count_column, counted_columns
from kanon_sql.engines.base import UNFINISHED, ColumnType
from kanon_sql.engines.commands_sql import drop_table
from kanon_sql.engines.connect import dialect_of, open_engine
from kanon_sql.engines.duckdb import session
from kanon_sql.engines.duckdb.session import RunState
from kanon_sql.engines.local_files import Objects, filesystem_of, remove_leftovers
from kanon_sql.engines.scratch import age_of, mark_of
from kanon_sql.errors import Fault, InputError, StatementError
from kanon_sql.policy.model import Policy
from kanon_sql.policy.read_policy import read_policy
from kanon_sql.release.object_files import leftovers_in, unfinished_for
from kanon_sql.release.script_entries import ALIASES, ScriptTarget
from kanon_sql.release.stage import executor_problems
from kanon_sql.release.warehouse_script import read_source
from kanon_sql.release.warehouse_sql import (
    COUNTING,
    NO_COUNTING,
    WAREHOUSES,
    means_the_same,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.counting.run.inputs import Connection, PolicyInput
    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.connect import Settings
    from kanon_sql.release.warehouse_sql import Warehouse


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

    A run is dead if its folder's lock is free; tables that no view reads, and unfinished releases
    in an object store, are removed once older than `older_than`. `path` may also name a release.

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
        folder = Path(path) if path is not None else session.default_parent()
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
    for left in remove_leftovers(folder, of=release.name, dry_run=dry_run):
        yield Leftover(str(folder / left), removed=not dry_run, why=RunState.DEAD.value)


def _in_folder(folder: Path, *, force: bool, dry_run: bool) -> Iterator[Leftover]:
    for each in session.spilled(folder):
        try:
            state = session.clear(each, force=force, dry_run=dry_run)
        except OSError as error:
            why = f"cannot be removed ({os.strerror(error.errno or 0)})"
            yield Leftover(str(each), removed=False, why=why)
            continue
        removed = state is RunState.DEAD or (force and state is RunState.UNKNOWN)
        yield Leftover(str(each), removed=removed, why=state.value)
    for left in remove_leftovers(folder, dry_run=dry_run):
        yield Leftover(str(folder / left), removed=not dry_run, why=RunState.DEAD.value)


def counting(policy: Policy, source: exp.Table | exp.Subquery, warehouse: Warehouse) -> Statement:
    """Count the tuples of a table, as that database tells them apart."""
    where = policy.source.where
    return Statement(
        "release/frequency_query",
        {
            "source": source,
            "columns": [column(each, of="s") for each in counted_columns(policy)],
            "count": name(count_column(policy)),
            "condition": None
            if where is None
            else condition_of(where, dialect=dialect_of(policy.database)),
            "apart": warehouse.apart,
        },
    )


@checked
def frequency_query(policy: PolicyInput, *, dialect: str, table: str | None = None) -> str:
    """Return the query with which a database counts the frequency set that a plan needs; nothing is read.

    `plan` takes its result as `frequency_set`. Keep it as safe as the source, whose values it has.

    Args:
        policy: The policy; of a plan, where that names no file of one.
        dialect: That of the database that will run the query.
        table: What the query reads; by default the policy's source.

    Returns:
        The text of one SELECT.

    Raises:
        InputError: The policy is wrong, or no script could release the table.

    >>> import kanon_sql
    >>> policy = {
    ...     "version": 1,
    ...     "source": {"table": "CLINIC.PUBLIC.PEOPLE"},
    ...     "columns": {"AGE": {"role": "quasi", "hierarchy": {"intervals": [10]}}, "NAME": {"role": "identifying", "action": "drop"}},
    ...     "entity": "row",
    ...     "privacy": {"k": 5},
    ...     "suppression": 0,
    ... }
    >>> print(kanon_sql.frequency_query(policy, dialect="snowflake"))
    SELECT
      "s"."AGE",
      COUNT(*) AS "kanon_rows"
    FROM "CLINIC"."PUBLIC"."PEOPLE" AS "s"
    GROUP BY
      "s"."AGE"
    """
    read = policy if isinstance(policy, Policy) else read_policy(policy, has_source=table is None)
    database = _database_named(dialect)
    named = table or read.source.table
    origin = None if named is None else parse_table_name(named)
    scripted = WAREHOUSES.get(database.name)
    faults = list(_faults(read, database, origin))
    if scripted is not None:
        target = ScriptTarget(database.name, True, None, origin, None)  # noqa: FBT003  elsewhere
        faults = [*executor_problems(read, target.executor), *faults]
    elif read.source.weight is not None:
        what = "goes with rows that are counted before; the query counts each row of a table as one"
        faults.insert(0, read.fault("source.weight", what))
    if faults or origin is None:
        raise InputError(read.subject, faults)
    rows: exp.Table | exp.Subquery = origin
    if scripted is not None:
        # Without types every value is compared by its text. Elsewhere the set is read as `missing` says.
        texts = [ColumnType(each, "VARCHAR") for each in counted_columns(read)]
        rows = read_source(read, origin, texts, database)
    return written(counting(read, rows, database), database, query=True)


def _database_named(dialect: str) -> Warehouse:
    """Return the database of a dialect. Raises InputError, with the reason, where it has no query."""
    named = ALIASES.get(dialect, dialect)
    if named in COUNTING:
        return COUNTING[named]
    what = f"has no query that is known to tell texts apart by their bytes; there are queries for: {', '.join(COUNTING)}"
    if named in NO_COUNTING:
        what = f"gets no query, because there {NO_COUNTING[named]}; there are queries for: {', '.join(COUNTING)}"
    raise InputError("dialect", [Fault(dialect, what)])


def _faults(policy: Policy, warehouse: Warehouse, origin: exp.Table | None) -> Iterator[Fault]:
    """Yield a fault for each part of the policy that cannot be read, or means something else there."""
    if origin is None:
        what = f"is no table that {warehouse.title} could read; name one: --table NAME"
        yield policy.fault("source", what)
    for each in counted_columns(policy):
        if any(barred in each for barred in warehouse.barred):
            what = f"holds a character that no column of {warehouse.title} may have in its name"
            yield policy.fault(f"columns.{each}", what)
    where = policy.source.where
    own = dialect_of(policy.database)
    missing = any(policy.missing_of(each) for each in counted_columns(policy))
    missing |= any(each.format is not None for each in policy.columns)
    if where is not None and missing and warehouse.name not in WAREHOUSES:
        what = f"is met there before texts are read as the policy says; make a view of the rows in {warehouse.title}, and name that: --table NAME"
        yield policy.fault("source.where", what)
    if where is None or own == warehouse.name:
        return
    condition = condition_of(where, dialect=own)
    compares = not warehouse.loose or not list(condition.find_all(exp.Literal))
    if not compares or not means_the_same(condition, texts=not warehouse.folds):
        what = f"may mean another thing in {warehouse.title}; make a view of the rows there, and name that: --table NAME"
        yield policy.fault("source.where", what)
