"""The public functions `plan_schema` and `apply_schema`: from the policy of a schema to its published release.

A release is written in one transaction: readers see the old schema or the new one, whole.
"""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.schema import schema_sql
from kanon_sql.apps.schema.open_schema import open_schema
from kanon_sql.apps.schema.read_schema import read_schema_policy
from kanon_sql.apps.schema.schema_plan import (
    PlannedKey,
    PlannedTable,
    SchemaPlan,
    check_policy_of,
    policy_beside,
    read_schema_plan,
)
from kanon_sql.apps.schema.schema_policy import UNDECIDED
from kanon_sql.apps.schema.schema_sql import said_of_numbers
from kanon_sql.apps.schema.stage_schema import keys_of_release, look_at_table, named, stage_schema
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import table as named_table
from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import NO_POLICY
from kanon_sql.counting.run.session import ended_by_interrupt, interrupt_report, resolve, session
from kanon_sql.counting.source.lineage import find_table
from kanon_sql.engines import commands_sql
from kanon_sql.engines.connect import is_address, open_engine
from kanon_sql.engines.in_place_sql import insert_rows
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import (
    DEBUG,
    Fault,
    InputError,
    ReleaseError,
    StalePlanError,
    StatementError,
    VerificationError,
)
from kanon_sql.recoding.planning.make_plan import make_plan
from kanon_sql.recoding.planning.open_plan import AGAIN, NamedPlan, open_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sqlglot import exp

    from kanon_sql.apps.schema.open_schema import OpenSchema, OpenTable
    from kanon_sql.apps.schema.schema_policy import SchemaPolicy
    from kanon_sql.apps.schema.schema_sql import ReleasedKeys
    from kanon_sql.apps.schema.stage_schema import StagedSchema
    from kanon_sql.counting.run.inputs import Connection
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.connect import Settings
    from kanon_sql.recoding.planning.make_plan import Planned


@dataclass(frozen=True, slots=True)
class PublishedSchema:
    """The published tables with their rows, the foreign keys that were created, and those that were not, with reasons.

    All foreign keys of the release are valid: the reason is why the database does not guard them.
    """

    schema: str
    rows: Mapping[str, int]
    created: tuple[str, ...]
    not_created: Mapping[str, str]

    def document(self) -> dict[str, object]:
        """Return the keys that `apply --json` prints of it."""
        return {
            "schema": self.schema,
            "rows": dict(self.rows),
            "created_keys": list(self.created),
            "not_created_keys": dict(self.not_created),
        }


def released_name(run: Session, name: str, schema: str) -> exp.Table:
    """Return the table of a release: its own name, in the schema of the release."""
    return named_table(find_table(run.engine, name).name, schema=schema)


WRITTEN = "cannot be written ({})"
DROPPED = (
    "has tables of an earlier release that cannot be dropped ({}): drop views and foreign keys of other schemas that read "
    "them, and create them again after the release"
)


def check_destination(run: Session, policy: SchemaPolicy, *, replace: bool) -> None:
    """Raise ReleaseError where the schema cannot take the release, before anything is written."""
    if faults := list(_destination_faults(run, policy, replace=replace)):
        raise ReleaseError(policy.release or "release", faults)


def _destination_faults(run: Session, policy: SchemaPolicy, *, replace: bool) -> Iterator[Fault]:
    if policy.release is None:
        yield Fault(
            "release", "is missing; name a schema of the database, as release: {schema: anon}"
        )
        return
    schema, compared = policy.release, run.engine.capabilities.compared
    places = {
        name: found
        for name in policy.tables
        for found in run.engine.locate(find_table(run.engine, name))
    }
    for name, place in places.items():
        if compared(place.schema) == compared(schema):
            what = f"is the schema of {name}, which the run reads; what a run reads is never written to"
            yield policy.fault("release.schema", what)
            return
    ours: dict[str, str] = {}
    for name, entry in policy.tables.items():
        if not entry.protection.released or name not in places:
            continue
        folded = compared(places[name].name)
        if folded in ours:
            what = f"would be released under the name of {ours[folded]}; release them to schemas of their own"
            yield policy.fault(f"tables.{name}", what)
        ours[folded] = name
    there = [str(name) for (name,) in run.engine.fetch(schema_sql.tables_of_schema(schema))]
    strange = sorted(name for name in there if compared(name) not in ours)
    if strange:
        what = (
            f"has {', '.join(strange)}, which this release does not write, and whose pseudonyms a reader could join: drop "
            f"it, or name another schema"
        )
        yield policy.fault("release.schema", what)
    elif there and not replace:
        what = "has tables of this release already; --replace replaces them (from Python: replace=True)"
        yield policy.fault("release.schema", what)


def publish_schema(
    run: Session, staged: StagedSchema, schema: str, *, replace: bool
) -> PublishedSchema:
    """Write every staged table to the schema, with the keys that the database takes, and count them there.

    It runs in the caller's transaction. Raises ReleaseError, and VerificationError where other rows are there than were
    staged.
    """
    names = {name: released_name(run, name, schema) for name in staged.tables}
    engine = run.engine.capabilities.name
    added = schema_sql.keys_are_added(run.engine.dialect)
    keys, missing = keys_of_release(staged, names, added=added)
    told = WRITTEN
    try:
        run.engine.execute(schema_sql.create_schema(schema))
        if replace:
            told = DROPPED
            _drop(run, schema, names)
            told = WRITTEN
        run.may_publish(schema)
        if added:
            _publish_then_add(run, staged, names, keys)
        else:
            _publish_keyed(run, staged, names, keys)
    except StatementError as error:
        what = f"{told.format(error.why)}; nothing was published. {DEBUG}=1 shows why"
        raise ReleaseError(schema, [Fault("release", what)]) from error
    rows = {
        name: run.engine.fetch_count(source_sql.count_rows(each)) for name, each in names.items()
    }
    for name, each in staged.tables.items():
        if rows[name] != each.rows:
            raise VerificationError(
                f"{name}: {rows[name]:,} rows were written where {each.rows:,} were verified; nothing was published"
            )
    created = tuple(str(key) for key in staged.keys if key not in missing)
    why = {str(key): text.format(engine=engine) for key, text in missing.items()}
    return PublishedSchema(schema, rows, created, why)


def _drop(run: Session, schema: str, names: Mapping[str, exp.Table]) -> None:
    """Drop the tables of an earlier release, each before those that its foreign keys name."""
    compared = run.engine.capabilities.compared
    ours = {compared(each.name) for each in names.values()}
    there = [str(name) for (name,) in run.engine.fetch(schema_sql.tables_of_schema(schema))]
    names_of: dict[str, set[str]] = {name: set() for name in there if compared(name) in ours}
    for _, kind, of_schema, table, _, to_schema, to, _ in run.engine.fetch(schema_sql.table_keys()):
        both = compared(str(of_schema)) == compared(schema) == compared(str(to_schema))
        if str(kind) == "FOREIGN KEY" and both and str(to) in names_of and table != to:
            names_of[str(to)].add(str(table))
    while names_of:
        free = [name for name, users in names_of.items() if not users & names_of.keys()]
        gone = free[:1] or [*names_of]
        tables = [named_table(each, schema=schema) for each in gone]
        if free:
            run.engine.execute(commands_sql.drop_table(*tables))
        else:  # a circle of foreign keys, which PostgreSQL alone has
            run.engine.execute(schema_sql.drop_tables(tables))
        names_of = {name: users for name, users in names_of.items() if name not in gone}


def _publish_keyed(
    run: Session,
    staged: StagedSchema,
    names: Mapping[str, exp.Table],
    keys: Mapping[str, ReleasedKeys],
) -> None:
    """Create each table with its keys, those first that others name, and fill it."""
    for name, each in staged.tables.items():
        types = {column.name: column for column in run.engine.columns(each.table)}
        columns = [types[column] for column in each.columns]
        run.engine.execute(schema_sql.create_keyed(names[name], columns, keys[name]))
        run.engine.execute(insert_rows(names[name], each.columns, each.table))


def _publish_then_add(
    run: Session,
    staged: StagedSchema,
    names: Mapping[str, exp.Table],
    keys: Mapping[str, ReleasedKeys],
) -> None:
    """Create each table with its rows, then all keys that foreign ones name, then these."""
    for name, each in staged.tables.items():
        run.engine.execute(
            commands_sql.publish_table(names[name], each.table, each.columns, replace=False)
        )
        own = keys[name]
        if own.required:
            run.engine.execute(schema_sql.require_columns(names[name], own.required))
        if own.primary:
            run.engine.execute(schema_sql.add_key(names[name], own.primary, primary=True))
        for columns in own.unique:
            run.engine.execute(schema_sql.add_key(names[name], columns))
    for name, own in keys.items():
        for columns, to, of in own.foreign:
            run.engine.execute(schema_sql.add_key(names[name], columns, to=to, of=of))


@dataclass(frozen=True, slots=True)
class SchemaRelease:
    """A released schema: its plan, and its tables with their keys as they were published."""

    plan: SchemaPlan
    published: PublishedSchema

    def summary(self) -> dict[str, object]:
        """Return the object that `apply --json` prints."""
        return {**self.plan.summary(), "status": "ok", **self.published.document()}


@checked
def plan_schema(
    policy: str | Path | Mapping[str, object],
    *,
    connection: Connection | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
) -> SchemaPlan:
    """Choose how each table of a schema is recoded, and count who stands below k over the join. Reads only.

    Args:
        policy: The policy of the schema, which has `version: 2`.
        connection: A connection of DuckDB or psycopg; by default the policy's database is opened.
        settings: Limits of a connection that is opened here.
        progress: A function to call with the name of each step.

    Returns:
        The plan.

    Raises:
        InputError: The policy is wrong, or a table with rows of people has no protection; all faults are listed.
        SourceError: A table, a column or a key is not there.
        InfeasibleError: Nothing satisfies the policy of a table.

    >>> import os
    >>> import duckdb
    >>> import kanon_sql
    >>> connection = duckdb.connect()
    >>> _ = connection.execute("CREATE TABLE people AS SELECT i AS id, 20 + i % 2 AS age FROM range(8) AS t (i)")
    >>> _ = connection.execute("CREATE TABLE visits AS SELECT i % 8 AS person, i % 3 AS ward FROM range(20) AS t (i)")
    >>> keys = {"person": {"key_env": "KANON_KEY", "columns": ["people.id", "visits.person"]}}
    >>> columns = {"age": {"role": "quasi", "hierarchy": "suppress"}}
    >>> people = {"entity": "person", "columns": columns, "privacy": {"k": 2}}
    >>> visits = {"of": "person", "protect": "none", "columns": {"ward": {"role": "insensitive"}}}
    >>> policy = {"version": 2, "keys": keys, "tables": {"people": people, "visits": visits}}
    >>> os.environ["KANON_KEY"] = "a secret of 16 bytes or more"
    >>> print(kanon_sql.plan_schema(policy, connection=connection).joined[0])
    people with visits: 4 of 8 people stand below k = 2 over the join (50.00%)
    >>> del os.environ["KANON_KEY"]
    """
    read = read_schema_policy(policy)
    with _opened(read, connection, settings, progress, writes=False) as run:
        _, plan = _planned(run, read)
    return plan


@checked
def apply_schema(
    plan: str | Path | SchemaPlan | None = None,
    *,
    policy: str | Path | Mapping[str, object] | None = None,
    replace: bool = False,
    connection: Connection | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
) -> SchemaRelease:
    """Release all tables of a schema in one transaction, by a plan; without one, plan first.

    Guarantee: the schema of the release has all tables, each of which passed its recount, with valid foreign keys; or it
    is as it was before.

    Args:
        plan: The plan, or the path of its file.
        policy: The policy; of a plan, where that names no file of one.
        replace: Whether existing tables of the release may be replaced.
        connection: A connection of DuckDB or psycopg; by default the policy's database is opened.
        settings: Limits of a connection that is opened here.
        progress: A function to call with the name of each step.

    Returns:
        The release, with its plan.

    Raises:
        InputError: The policy is wrong; all faults are listed.
        StalePlanError: The policy, a hierarchy or the source has changed since the plan was made.
        VerificationError: The recount failed; nothing was published.
        ReleaseError: The destination cannot take the release.

    >>> import os
    >>> import duckdb
    >>> import kanon_sql
    >>> connection = duckdb.connect()
    >>> _ = connection.execute("CREATE TABLE people AS SELECT i AS id, 20 + i % 2 AS age FROM range(8) AS t (i)")
    >>> columns = {"age": {"role": "quasi", "hierarchy": "suppress"}}
    >>> people = {"entity": "person", "columns": columns, "privacy": {"k": 2}}
    >>> policy = {"version": 2, "tables": {"people": people}, "release": {"schema": "anon"}}
    >>> policy["keys"] = {"person": {"key_env": "KANON_KEY", "columns": ["people.id"]}}
    >>> os.environ["KANON_KEY"] = "a secret of 16 bytes or more"
    >>> kanon_sql.apply_schema(policy=policy, connection=connection).published.rows
    {'people': 8}
    >>> del os.environ["KANON_KEY"]
    """
    stated = read_schema_plan(Path(plan)) if isinstance(plan, str | Path) else plan
    if policy is None:
        if stated is None:
            raise InputError(
                "policy", [Fault("", "is missing: give the policy of the schema, or a plan")]
            )
        policy = policy_beside(stated, Path(plan) if isinstance(plan, str | Path) else None)
    read = read_schema_policy(policy)
    if stated is not None:
        check_policy_of(stated, read)
    with _opened(read, connection, settings, progress, writes=True) as run:
        with run.engine.transaction():
            check_destination(run, read, replace=replace)
            staged, found = _planned(run, read) if stated is None else _reopened(run, read, stated)
            with run.engine.journal.step("publish"):
                published = publish_schema(run, staged, str(read.release), replace=replace)
        return SchemaRelease(found, published)


IN_FILES = re.compile(r"^\w\w+:|[*?]|\.(parquet|csv|tsv|json|jsonl|xlsx)$")
"""Names of lakes, of stores and of files that are no database."""
AS_VIEWS = (
    "is no file of DuckDB and no postgresql:// address. For Parquet and other files, and for lakes, make a database of DuckDB "
    "in which each table is a view of its files, and name that file"
)


@contextmanager
def _opened(
    policy: SchemaPolicy,
    connection: object | None,
    settings: Settings | None,
    progress: Callable[[str], None] | None,
    *,
    writes: bool,
) -> Iterator[Session]:
    """Open the policy's database, or use a connection, and a session of one run."""
    database = policy.database
    if database is not None and not is_address(database):
        named, database = database, resolve(database, policy.base)
        if IN_FILES.search(named) or Path(database).is_dir():
            raise InputError(policy.subject, [policy.fault("database", AS_VIEWS)])
    if database is None and connection is None:
        what = "is missing: name the database that has the tables"
        raise InputError(policy.subject, [policy.fault("database", what)])
    with ExitStack() as stack:
        reached = stack.enter_context(interrupt_report())
        engine = stack.enter_context(
            open_engine(
                connection, None if connection is not None else database, settings, writes=writes
            )
        )
        engine.journal.on_step = progress
        yield stack.enter_context(
            session(
                engine, NO_POLICY, reached=reached, keeps_plan=True, ends_engine=connection is None
            )
        )


@contextmanager
def open_tables(
    policy: str | Path | Mapping[str, object],
    connection: object | None,
    settings: Settings | None,
) -> Iterator[Iterator[tuple[str, Session]]]:
    """Open a schema to check it; give each table with classes, and the run of its own policy.

    Raises InputError for a table whose protection is not chosen.
    """
    read = read_schema_policy(policy)
    undecided = [e.name for e in read.tables.values() if not e.protection.decided]
    if undecided:
        faults = [read.fault(f"tables.{e}", UNDECIDED.limit) for e in undecided]
        raise InputError(read.subject, faults)
    with _opened(read, connection, settings, None, writes=False) as run:
        opened = open_schema(run, read)
        counted_tables = (e for e in opened.tables.values() if e.entry.protection.counted)
        yield ((e.entry.name, changed(run, policy=e.policy)) for e in counted_tables)


def _planned(run: Session, policy: SchemaPolicy) -> tuple[StagedSchema, SchemaPlan]:
    """Open a schema, plan each counted table, stage all, and make the plan. Raises InputError for a missing protection."""
    with run.engine.journal.step("open"):
        opened = open_schema(run, policy)
    made: dict[str, Planned] = {}
    for name, each in opened.tables.items():
        if each.entry.protection.counted:
            with ended_by_interrupt(), named(name):
                made[name] = make_plan(changed(run, policy=each.policy), to_keep=True)
    staged = stage_schema(run, opened, made)
    _check_decided(policy, staged)
    plan = _plan_of(run, staged, made)
    tables = dict(plan.tables)
    with run.engine.journal.step("examples"):
        for name, found in staged.tables.items():
            look = look_at_table(run, policy, found, made.get(name))
            own = made[name].plan.warnings if name in made else ()
            warned = (*said_of_numbers(policy, name), *own, *look.lost, *look.empty)
            tables[name] = changed(tables[name], changes=look.changes, warnings=warned)
    return staged, changed(plan, tables=tables)


def _check_decided(policy: SchemaPolicy, staged: StagedSchema) -> None:
    """Raise InputError for tables with rows of people and no protection, with the people below k if they were released."""
    faults = []
    for entry in policy.tables.values():
        if entry.protection.decided:
            continue
        found = "; ".join(str(each) for each in staged.joined if entry.name in each.tables)
        what = (
            f"is missing for a table with rows of people. With its rows joined to them: {found}. "
        )
        what += "Choose cut (without keys of people, under its own k), summary (folded into columns of people), signature (all rows of a person are those of k people), events (any known ones are) or none (no guarantee)"
        faults.append(policy.fault(f"tables.{entry.name}.protect", what))
    if faults:
        raise InputError(policy.subject, faults)


def _plan_of(run: Session, staged: StagedSchema, made: Mapping[str, Planned]) -> SchemaPlan:
    opened = staged.opened
    tables = {}
    for name in opened.policy.tables:
        each, own = opened.tables[name], staged.tables.get(name)
        plan = made[name].plan if name in made else None
        tables[name] = PlannedTable(
            each.entry.protection.key,
            each.all_rows,
            0 if own is None else own.rows,
            each.left_out,
            0 if own is None else own.emptied,
            _folded_into(opened, each),
            None if own is None else each.raw.name,
            None if plan is not None else _fingerprint(run, each),
            None if plan is None else changed(plan, policy_file=None),
            each.entry.known,
            None if own is None else own.unchanged,
            own.columns if own is not None and each.entry.whole else (),
            each.entry.stand_ins,
            () if own is None else own.shape.lost,
        )
    return SchemaPlan(
        policy_file=opened.policy.file,
        policy_hash=opened.policy.digest,
        release=opened.policy.release,
        joined=staged.joined,
        foreign_keys=tuple(
            PlannedKey(
                each.key.table,
                each.key.columns,
                each.key.to,
                each.key.of,
                each.orphans,
                each.key in staged.keys,
            )
            for each in opened.keys
        ),
        tables=tables,
    )


def _shown(plan: SchemaPlan) -> dict[str, tuple[object, ...]]:
    """Return of each table the released rows of events, those with their own values, its columns, and what it does not keep."""
    return {
        name: (
            None if each.unchanged is None else each.released_rows,
            each.unchanged,
            each.columns,
            each.lost,
        )
        for name, each in plan.tables.items()
    }


def _folded_into(opened: OpenSchema, table: OpenTable) -> str | None:
    """Name the table of people that a table is folded into; None if it is not."""
    if not table.entry.protection.folded:
        return None
    return next(each.name for each in opened.policy.people if each.of == table.entry.of)


def _fingerprint(run: Session, table: OpenTable) -> str:
    """Hash the rows of a table that has no plan of its own, under the run's key, to notice changes."""
    names = [each.name for each in table.columns]
    (found,) = run.engine.fetch(source_sql.hash_rows(table.rows, names, rows=table.count))
    own = run.key.hash(f"{table.count} rows: {found}")
    return f"{'.'.join(run.engine.version.split('.')[:2])} {own}"


def _reopened(
    run: Session, policy: SchemaPolicy, stated: SchemaPlan
) -> tuple[StagedSchema, SchemaPlan]:
    """Open a schema, check that its tables are those of a plan, and stage them by it. Raises StalePlanError."""
    with run.engine.journal.step("open"):
        opened = open_schema(run, policy)
    made: dict[str, Planned] = {}
    faults: list[Fault] = []
    for name, each in opened.tables.items():
        planned = stated.tables.get(name)
        if planned is None:
            faults.append(Fault(f"tables.{name}", "is not in the plan"))
        elif planned.plan is not None:
            own = each.policy
            try:
                made[name] = open_plan(changed(run, policy=own), NamedPlan(planned.plan, own, None))
            except StalePlanError as error:
                faults += [
                    Fault(f"tables.{name}.{f.where}", f.what) for f in error.faults if f.where
                ]
        elif planned.fingerprint != _fingerprint(run, each):
            now = f"{planned.rows:,} rows then, {each.all_rows:,} now"
            faults.append(Fault(f"tables.{name}", f"changed since the plan was made ({now})"))
    if not faults:
        staged = stage_schema(run, opened, made)
        found = _plan_of(run, staged, made)
        same = found.joined == stated.joined and found.foreign_keys == stated.foreign_keys
        if same and _shown(found) == _shown(stated):
            return staged, stated
        what = f"is not what {counted(len(staged.tables), 'staged table')} show"
        faults.append(Fault("joined", what))
    raise StalePlanError("plan", [*faults, Fault("", AGAIN)])
