"""Publishes the staged tables of a schema with their keys. The caller's transaction makes them visible at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.apps.schema import schema_sql
from kanon_sql.apps.schema.schema_sql import ReleasedKeys
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import table as named_table
from kanon_sql.counting.source.lineage import find_table
from kanon_sql.engines import commands_sql
from kanon_sql.engines.in_place_sql import insert_rows
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import DEBUG, Fault, ReleaseError, StatementError, VerificationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlglot import exp

    from kanon_sql.apps.schema.schema_policy import ForeignKey, SchemaPolicy
    from kanon_sql.apps.schema.stage_schema import StagedSchema, StagedTable
    from kanon_sql.counting.run.session import Session

CIRCLE = "is part of a circle of tables, or refers to its own table, which {engine} takes only when each row comes after those it names"
NOT_UNIQUE = "names columns that the release has twice, or without a value"


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
    schema = policy.release
    places = {
        name: found
        for name in policy.tables
        for found in run.engine.locate(find_table(run.engine, name))
    }
    for name, place in places.items():
        if place.schema.casefold() == schema.casefold():
            what = f"is the schema of {name}, which the run reads; what a run reads is never written to"
            yield policy.fault("release.schema", what)
            return
    ours: dict[str, str] = {}
    for name, entry in policy.tables.items():
        if not entry.protection.released or name not in places:
            continue
        folded = places[name].name.casefold()
        if folded in ours:
            what = f"would be released under the name of {ours[folded]}; release them to schemas of their own"
            yield policy.fault(f"tables.{name}", what)
        ours[folded] = name
    there = [str(name) for (name,) in run.engine.fetch(schema_sql.tables_of_schema(schema))]
    strange = sorted(name for name in there if name.casefold() not in ours)
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
    keys, missing = _keys(run, staged, names)
    try:
        run.engine.execute(schema_sql.create_schema(schema))
        if replace:
            _drop(run, schema, names)
        run.may_publish(schema)
        if schema_sql.keys_are_added(run.engine.dialect):
            _publish_then_add(run, staged, names, keys)
        else:
            _publish_keyed(run, staged, names, keys)
    except StatementError as error:
        what = f"cannot be written ({error.why}); nothing was published. {DEBUG}=1 shows why"
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
    """Drop the tables of an earlier release, in any case, each before those that its foreign keys name."""
    ours = {each.name.casefold() for each in names.values()}
    there = [str(name) for (name,) in run.engine.fetch(schema_sql.tables_of_schema(schema))]
    names_of: dict[str, set[str]] = {name: set() for name in there if name.casefold() in ours}
    for _, kind, of_schema, table, _, to_schema, to, _ in run.engine.fetch(schema_sql.table_keys()):
        both = str(of_schema).casefold() == schema.casefold() == str(to_schema).casefold()
        if str(kind) == "FOREIGN KEY" and both and str(to) in names_of and table != to:
            names_of[str(to)].add(str(table))
    while names_of:
        free = next((name for name, users in names_of.items() if not users & names_of.keys()), None)
        for name in [free] if free is not None else list(names_of):
            run.engine.execute(commands_sql.drop_table(named_table(name, schema=schema)))
            names_of.pop(name)


def _keys(
    run: Session, staged: StagedSchema, names: Mapping[str, exp.Table]
) -> tuple[dict[str, ReleasedKeys], dict[ForeignKey, str]]:
    """Return the keys of each released table, and the foreign keys that cannot be created, with reasons."""
    added = schema_sql.keys_are_added(run.engine.dialect)
    wanted: dict[str, list[tuple[str, ...]]] = {name: [] for name in staged.tables}
    for name, each in staged.tables.items():
        primary = each.opened.primary
        if primary and all(_keeps_values(each, staged.opened.policy, column) for column in primary):
            wanted[name].append(primary)
    for key in staged.keys:
        if key.of not in wanted[key.to]:
            wanted[key.to].append(key.of)
    unique = {
        name: [columns for columns in listed if _is_unique(run, staged.tables[name], columns)]
        for name, listed in wanted.items()
    }
    missing: dict[ForeignKey, str] = {}
    foreign: dict[str, list[tuple[tuple[str, ...], exp.Table, tuple[str, ...]]]] = {}
    for key in staged.keys:
        if key.of not in unique[key.to]:
            missing[key] = NOT_UNIQUE
        elif key in staged.opened.cyclic and not added:
            missing[key] = CIRCLE
        else:
            foreign.setdefault(key.table, []).append((key.columns, names[key.to], key.of))
    made = {}
    for name, each in staged.tables.items():
        primary = each.opened.primary if each.opened.primary in unique[name] else ()
        others = tuple(columns for columns in unique[name] if columns != primary)
        made[name] = ReleasedKeys(primary, others, tuple(foreign.get(name, ())))
    return made, missing


def _keeps_values(staged: StagedTable, policy: SchemaPolicy, name: str) -> bool:
    """Return whether a released column tells the rows apart that it did in the source."""
    if name not in staged.columns:
        return False
    if policy.domain_of(staged.name, name) is not None:
        return True
    found = next((each for each in staged.opened.policy.columns if each.name == name), None)
    return found is not None and found.role.value in {"sensitive", "insensitive"}


def _is_unique(run: Session, staged: StagedTable, columns: tuple[str, ...]) -> bool:
    rows, keyed, keys = run.engine.fetch_counts(
        schema_sql.count_keys_of_rows(staged.table, columns)
    )
    return rows == keyed == keys


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
        if own.primary:
            run.engine.execute(schema_sql.add_key(names[name], own.primary, primary=True))
        for columns in own.unique:
            run.engine.execute(schema_sql.add_key(names[name], columns))
    for name, own in keys.items():
        for columns, to, of in own.foreign:
            run.engine.execute(schema_sql.add_key(names[name], columns, to=to, of=of))
