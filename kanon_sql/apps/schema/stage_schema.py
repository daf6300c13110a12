"""Stages the tables of a schema, settles their keys, and counts who stands below k over the join.

Counted tables are recoded and recounted as one table's release is. Then rows whose person is suppressed go, and keys of
other rows that are not released become NULL, so that every foreign key of the release is valid.

A type of the source is kept where all released values are values of it, NOT NULL where no row has a NULL, and a key where
it does not repeat. The rest is said in plan, page and release.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.apps.schema import schema_sql
from kanon_sql.apps.schema.open_schema import keys_of
from kanon_sql.apps.schema.protected_events import ReleasedJoin, protect_events
from kanon_sql.apps.schema.schema_sql import ReleasedKeys, with_pseudonyms
from kanon_sql.base.documents.text import joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source.released_types import typed_rows
from kanon_sql.engines.base import EQUAL_AS_TEXTS
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import InfeasibleError, VerificationError
from kanon_sql.policy.model import Column, Role
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.recode import keys_in_session, tabulated_masks
from kanon_sql.recoding.second_look import SecondLook, look_again, look_at_rows
from kanon_sql.release.stage import stage, texts_of_types

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.schema.open_schema import OpenSchema, OpenTable
    from kanon_sql.apps.schema.schema_policy import ForeignKey, SchemaPolicy, TableEntry
    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.recount import Verification


CIRCLE = "is part of a circle of tables, or refers to its own table, which {engine} takes only when each row comes after those it names"
NOT_UNIQUE = "names columns that the release has twice"
NUMBERS = frozenset({"integer", "decimal", "float"})
LENGTH = re.compile(r"(?:character varying|varchar)\((\d+)\)")
DIGITS = re.compile(r"(?:decimal|numeric)\((\d+), *(\d+)\)")
BITS = {"tinyint": 8, "smallint": 16, "integer": 32, "int": 32, "bigint": 64, "hugeint": 128}


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration of a released table: columns that hold no NULL, keys that do not repeat, and what is `lost`."""

    required: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    lost: tuple[str, ...] = ()


UNDECLARED = Declaration()


@dataclass(frozen=True, slots=True)
class StagedTable:
    """A staged table of a schema.

    Of the rows of a table of events, `unchanged` have the values of all their quasi-identifiers as labels.
    `removed` rows went with people who are suppressed or not there, `emptied` counts keys of other rows that became NULL.
    `hidden` is the column of a counted table with the key of each row's person, which is not released. `mapped` has the values
    of the quasi-identifiers of events.
    """

    opened: OpenTable
    table: exp.Table
    columns: tuple[str, ...]
    rows: int
    verification: Verification | None = None
    removed: int = 0
    emptied: int = 0
    hidden: str | None = None
    unchanged: int | None = None
    shape: Declaration = UNDECLARED
    mapped: tuple[Mapped, ...] = ()

    @property
    def name(self) -> str:
        return self.opened.entry.name


@dataclass(frozen=True, slots=True)
class JoinedPeople:
    """The people of a table, and those `below` k over the join with other released tables; the `fewest` who look alike.

    They know all rows of a person, where the tables are joined by a pseudonym. Of a `crossed` table, which has none, they
    know the columns that both tables have.
    """

    people_of: str
    tables: tuple[str, ...]
    k: int
    people: int
    below: int
    fewest: int | None = None
    over: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Say how many people stand below k.

        >>> print(JoinedPeople("patients", ("visits",), 11, 1000, 812, 1))
        patients with visits: 812 of 1,000 people stand below k = 11 over the join (81.20%)
        """
        share = self.below / max(self.people, 1)
        others = [
            f"other rows of {each}" if each == self.people_of else each for each in self.tables
        ]
        over = "over the join"
        if self.over:
            over = f"if somebody compares {joined(self.over)} in both tables"
        return (
            f"{self.people_of} with {', '.join(others)}: {self.below:,} of {self.people:,} people stand below "
            f"k = {self.k} {over} ({share:.2%})"
        )

    @property
    def warning(self) -> str:
        """The sentence, with what to do where people stand below k as two tables are compared."""
        if not self.over or not self.below:
            return str(self)
        coarser = f"drop {joined(self.over, 'or')} from one of the tables, or give it one coarse level in both"
        return f"{self}; {coarser}"


@dataclass(frozen=True, slots=True)
class StagedSchema:
    """All staged tables by name, the foreign keys that hold between them, and who stands below k over the join."""

    opened: OpenSchema
    tables: Mapping[str, StagedTable]
    keys: tuple[ForeignKey, ...]
    joined: tuple[JoinedPeople, ...]


def class_size(policy: Policy) -> int:
    """Return the k that a table's policy asks of its classes."""
    return demands(policy.privacy)[0].class_size


def stage_schema(run: Session, opened: OpenSchema, planned: Mapping[str, Planned]) -> StagedSchema:
    """Stage every released table of a schema, settle the keys, and check them.

    Guarantee: classes of counted tables passed their recount, and no key of the release names a row that is not there.
    Raises VerificationError otherwise.
    """
    staged: dict[str, StagedTable] = {}
    for name, each in opened.tables.items():
        if each.entry.protection.counted:
            staged[name] = _recoded(run, each, planned[name])
        elif each.entry.protection.released:
            staged[name] = _as_stated(run, each)
    columns = {name: each.columns for name, each in staged.items()}
    keys = tuple(each.key for each in opened.keys if is_kept(opened.policy, columns, each.key))
    with run.engine.journal.step("link"):
        for person in opened.policy.people:
            for events in _shared(run, opened.policy, staged, person):
                staged[events.name] = events
        for name in list(staged):
            if not opened.tables[name].entry.protection.events:
                staged[name] = _with_people(run, staged, name)
        for name in list(staged):
            staged[name] = _without_dangling(run, staged, name, keys)
    with run.engine.journal.step("verify"):
        for key in keys:
            if count := _count_dangling(run, staged, key):
                raise VerificationError(
                    f"{key}: {count:,} staged rows name a row that is not released; nothing was published"
                )
        joined = tuple(_joined(run, opened, staged))
    with run.engine.journal.step("types"):
        for name in list(staged):
            named = [key.of for key in keys if key.to == name]
            staged[name] = shaped(run, opened.policy, staged[name], planned.get(name), named)
    return StagedSchema(opened, staged, keys, joined)


def _recoded(run: Session, opened: OpenTable, planned: Planned) -> StagedTable:
    policy = opened.policy
    made = stage(replace(run, policy=policy), planned)
    hidden = staging_sql.hidden_entity(policy)
    counted = made.verification
    return StagedTable(opened, made.table, made.columns, counted.rows, counted, hidden=hidden)


def _as_stated(run: Session, opened: OpenTable) -> StagedTable:
    """Stage a table without classes: each column as its policy states it, and quasi-identifiers of events as they are."""
    values = {
        each.name: Column(each.name, Role.INSENSITIVE)
        for each in opened.policy.quasi
        if opened.entry.protection.events
    }
    policy = replace(
        opened.policy, columns=tuple(values.get(each.name, each) for each in opened.policy.columns)
    )
    order = [each.name for each in opened.columns if each.name in {c.name for c in policy.columns}]
    staged = run.scratch.table("stated")
    own = replace(run, policy=policy)
    with (
        run.engine.journal.step("recode"),
        keys_in_session(own),
        tabulated_masks(own, opened.rows, opened.columns, opened.count) as tabulated,
    ):
        made = staging_sql.stage(
            staged, opened.rows, None, policy, [], order=order, rows=opened.count
        )
        run.engine.execute(staging_sql.with_masks(made, policy, opened.columns, tabulated))
    columns = tuple(staging_sql.output_columns(policy, [], order))
    return StagedTable(opened, staged, columns, opened.count)


def _shared(
    run: Session, policy: SchemaPolicy, staged: Mapping[str, StagedTable], person: TableEntry
) -> list[StagedTable]:
    """Stage the events of released people anew, so that those known of a person are those of k people of the class."""
    entries = [each for each in policy.children(person) if each.protection.events]
    if not entries:
        return []
    events = [_with_people(run, staged, each.name) for each in entries]
    places = {person.name: staged[person.name].table, **{each.name: each.table for each in events}}
    columns = {name: each.columns for name, each in staged.items()}
    shared = ReleasedJoin(policy, columns, places).events(person, k=class_size(person.policy))
    return protect_events(run, shared, events)


def is_kept(policy: SchemaPolicy, columns: Mapping[str, Collection[str]], key: ForeignKey) -> bool:
    """Return whether a foreign key is between released `columns` that show equal values alike in both tables.

    They are pseudonyms under one key, or on both sides columns that are released as they are.
    """
    for here, there in zip(key.columns, key.of, strict=True):
        if here not in columns.get(key.table, ()) or there not in columns.get(key.to, ()):
            return False
        domains = policy.domain_of(key.table, here), policy.domain_of(key.to, there)
        shown = _shown(policy.tables[key.table], here), _shown(policy.tables[key.to], there)
        if domains[0] is not domains[1]:
            return False
        if domains[0] is None and (shown[0] is None or shown[0] != shown[1]):
            return False
    return True


def _shown(entry: TableEntry, name: str) -> tuple[object, ...] | None:
    """Return what a released column without a key shows: its values, or pseudonyms of them; None for others."""
    found = next((each for each in entry.policy.columns if each.name == name), None)
    if found is None:
        return ("values",) if entry.whole else None
    if found.mask is not None:
        return (found.mask, found.key_env, found.domain) if found.mask.links else None
    return ("values",) if found.role.value in {"sensitive", "insensitive"} else None


def _staged_key(staged: Mapping[str, StagedTable], key: ForeignKey) -> schema_sql.StagedKey:
    return schema_sql.StagedKey(key.columns, staged[key.to].table, key.of)


def _with_people(run: Session, staged: Mapping[str, StagedTable], name: str) -> StagedTable:
    """Remove staged rows whose person is not released. Tables come in the order of their ways to people."""
    own = staged[name]
    entry = own.opened.entry
    if not entry.path or not entry.protection.keyed:
        return own
    settled = run.scratch.table("settled")
    owner = _staged_key(staged, entry.path[0])
    run.engine.execute(schema_sql.settled_rows(settled, own.table, own.columns, owner=owner))
    rows = run.engine.fetch_count(source_sql.count_rows(settled))
    removed = own.opened.all_rows - rows
    return replace(own, table=settled, rows=rows, removed=removed)


def _without_dangling(
    run: Session, staged: Mapping[str, StagedTable], name: str, keys: Sequence[ForeignKey]
) -> StagedTable:
    """Empty the keys of staged rows that name rows which are not released."""
    own = staged[name]
    counts = {key: _count_dangling(run, staged, key) for key in keys if key.table == name}
    others = [key for key, count in counts.items() if count]
    if not others:
        return own
    settled = run.scratch.table("settled")
    hidden = [] if own.hidden is None else [own.hidden]
    run.engine.execute(
        schema_sql.settled_rows(
            settled,
            own.table,
            [*own.columns, *hidden],
            owner=None,
            others=[_staged_key(staged, key) for key in others],
        )
    )
    return replace(own, table=settled, emptied=sum(counts.values()))


def _count_dangling(run: Session, staged: Mapping[str, StagedTable], key: ForeignKey) -> int:
    own = staged[key.table]
    statement = schema_sql.count_dangling(
        own.table, key.columns, staged[key.to].table, key.of, rows=own.rows
    )
    return run.engine.fetch_count(statement)


def _joined(
    run: Session, opened: OpenSchema, staged: Mapping[str, StagedTable]
) -> Iterator[JoinedPeople]:
    """Count, for each table of people, who stands below k with all that is joined to them, and with each cut table."""
    columns = {name: each.columns for name, each in staged.items()}
    join = ReleasedJoin(opened.policy, columns, {name: each.table for name, each in staged.items()})
    for person in opened.policy.people:
        linked = join.linked(person)
        k = class_size(person.policy)
        if linked:
            with run.engine.own_functions():
                people, below, fewest = run.engine.fetch_counts(join.people(person, linked, k=k))
            yield JoinedPeople(person.name, join.names(linked), k, people, below, fewest)
        for child in opened.policy.children(person):
            if child.protection.counted and child.name in staged:
                yield from _crossed(run, opened.policy, staged, person, child, k=k)


def _crossed(
    run: Session,
    policy: SchemaPolicy,
    staged: Mapping[str, StagedTable],
    person: TableEntry,
    child: TableEntry,
    *,
    k: int,
) -> Iterator[JoinedPeople]:
    """Count who stands below k for a reader of a cut table and its people's, who takes what both say together."""
    own, other = staged[person.name], staged[child.name]
    quasi = {each.name: each.released_as for each in own.opened.policy.quasi}
    common = [each for each in other.opened.policy.quasi if each.name in quasi]
    if not common or other.hidden is None:
        return
    pairs = [
        pair for each in common for pair in zip(each.released_as, quasi[each.name], strict=False)
    ]
    domain = policy.keys[str(person.of)]
    with keys_of(run, policy), run.engine.own_functions():
        crossed = other.table
        if domain.digits is not None:
            crossed = with_pseudonyms(run, crossed, other.hidden, domain)
        statement = schema_sql.crossed_people(
            crossed, other.hidden, own.table, domain, common=pairs, k=k
        )
        people, below = run.engine.fetch_counts(statement)
    names = tuple(each.name for each in common)
    yield JoinedPeople(person.name, (child.name,), k, people, below, None, names)


MORE_OF_EVENTS = "to keep more of it, make the classes of people larger, or other columns of their events coarser"


def look_at_table(
    run: Session, policy: SchemaPolicy, staged: StagedTable, made: Planned | None
) -> SecondLook:
    """Count what the staged rows of a table lost in each quasi-identifier; of a counted table, as its own plan does."""
    if made is not None:
        return look_again(replace(run, policy=staged.opened.policy), made, staged.table)
    if not staged.mapped:
        return SecondLook()
    of = staged.opened.entry.of
    least = max(class_size(each.policy) for each in policy.people if each.of == of)
    return look_at_rows(
        run, staged.mapped, staged.table, rows=staged.rows, least=least, more=MORE_OF_EVENTS
    )


@contextmanager
def named(table: str) -> Iterator[None]:
    """Name the table in an error of its own plan, which knows no other table."""
    try:
        yield
    except InfeasibleError as error:
        raise type(error)(f"tables.{table}: {error}") from error


def shaped(
    run: Session,
    policy: SchemaPolicy,
    staged: StagedTable,
    planned: Planned | None,
    referenced: Iterable[tuple[str, ...]],
) -> StagedTable:
    """Return a staged table with the types of its source where its values have them, and with its shape.

    `referenced` are its columns that foreign keys of the release name.
    """
    opened = staged.opened
    if planned is not None:
        own = replace(run, policy=opened.policy)
        if types := texts_of_types(own, planned, staged.table, without=()):
            view = run.scratch.table("typed")
            run.see(view, typed_rows(view, staged.table, staged.columns, types))
            staged = replace(staged, table=view)
    before = {each.name: each for each in run.engine.columns(opened.raw)}
    after = {each.name: each for each in run.engine.columns(staged.table)}
    pairs = {n: (before[n], after[n]) for n in staged.columns if n in before}
    measured = _measured(run, staged, pairs, opened.required)
    cast = {
        name: old
        for name, (old, new) in pairs.items()
        if old.type != new.type and _may_hold(old, measured.get(name))
    }
    quasi = {each.name for each in opened.policy.quasi}
    cast = _unchanged(run, staged.table, cast)
    for name, (
        old,
        new,
    ) in pairs.items():  # a label for each value, as of level 0, is the value's text
        if old.family in EQUAL_AS_TEXTS and new.family == "text" and name in quasi:
            labels = schema_sql.count_strange_labels(staged.table, name, opened.rows)
            cast |= {} if run.engine.fetch_count(labels) else {name: old}
    if cast:
        view = run.scratch.table("shaped")
        run.see(view, schema_sql.shaped_rows(view, staged.table, staged.columns, cast))
        staged = replace(staged, table=view)
    full = tuple(n for n in opened.required if n in pairs and measured[n][0] == staged.rows)
    wanted = [*_whole_keys(staged, opened), *referenced]
    unique = tuple(k for k in dict.fromkeys(wanted) if _is_unique(run, staged, k))
    lost = [
        f"{name}: {old.type} becomes {'a pseudonym, ' if keyed else ''}{new.type}"
        for name, (old, new) in pairs.items()
        if name not in cast and _differs(old, new)
        for keyed in [policy.domain_of(staged.name, name) is not None]
    ]
    lost += [f"{name}: NOT NULL" for name in opened.required if name in pairs and name not in full]
    for kind, keys in (("PRIMARY KEY", [opened.primary]), ("UNIQUE", opened.unique)):
        lost += [
            f"{', '.join(key)}: {kind}"
            for key in keys
            if key and key not in unique and all(each in pairs for each in key)
        ]
    return replace(staged, shape=Declaration(full, unique, tuple(lost)))


def _differs(old: ColumnType, new: ColumnType) -> bool:
    """Whether a type takes other values; the length of a text is no other type."""
    return old.type != new.type and (old.family, new.family) != ("text", "text")


def _kind(old: ColumnType, new: ColumnType) -> str | None:
    """Say how it is measured whether values of a column are of its type before; None where they cannot be."""
    if old.type == new.type:
        return None
    if old.family in NUMBERS and (new.family in NUMBERS or new.type.lower() == "numeric"):
        return "number"
    return "text" if (old.family, new.family) == ("text", "text") else None


def _measured(
    run: Session,
    staged: StagedTable,
    pairs: Mapping[str, tuple[ColumnType, ColumnType]],
    required: Sequence[str],
) -> dict[str, tuple[int, float | None, float | None]]:
    """Count values, and find the least and the greatest, of columns whose type or NULL is to be kept."""
    kinds = {name: _kind(old, new) for name, (old, new) in pairs.items()}
    kinds = {name: kind for name, kind in kinds.items() if kind or name in required}
    if not kinds:
        return {}
    (row,) = run.engine.fetch(schema_sql.measured_columns(staged.table, kinds))
    found = {}
    for number, name in enumerate(kinds):
        present, least, greatest = row[1 + 3 * number : 4 + 3 * number]
        bounds = [None if each is None else float(str(each)) for each in (least, greatest)]
        found[name] = (int(str(present)), bounds[0], bounds[1])
    return found


def _may_hold(old: ColumnType, measured: tuple[int, float | None, float | None] | None) -> bool:
    """Return whether a type holds values between the least and the greatest of a column without an error."""
    if measured is None or measured[1] is None or measured[2] is None:
        return measured is not None and not measured[0]
    most = max(abs(measured[1]), abs(measured[2]))
    folded = old.type.lower()
    if found := LENGTH.fullmatch(folded):
        return most <= int(found[1])
    if found := DIGITS.fullmatch(folded):
        return bool(most < 10 ** (int(found[1]) - int(found[2])) - 1)
    if folded in BITS:
        return bool(most < 2 ** (BITS[folded] - 1) - 1)
    return old.family == "float"


def _unchanged(
    run: Session, table: exp.Table, cast: Mapping[str, ColumnType]
) -> dict[str, ColumnType]:
    """Return the columns whose values are the same as values of their types."""
    if not cast:
        return {}
    changed = run.engine.fetch_counts(schema_sql.count_changed(table, cast))
    return {
        name: old for (name, old), count in zip(cast.items(), changed, strict=True) if not count
    }


def _whole_keys(staged: StagedTable, opened: OpenTable) -> list[tuple[str, ...]]:
    """Return the primary and unique keys of a table whose columns are released, and not generalized."""
    generalized = {each.name for each in opened.policy.columns if each.role is Role.QUASI}
    kept = {*staged.columns} - generalized
    return [key for key in (opened.primary, *opened.unique) if key and kept.issuperset(key)]


def _is_unique(run: Session, staged: StagedTable, columns: tuple[str, ...]) -> bool:
    """Return whether no key is there twice; rows may be without one, except of the primary key."""
    rows, keyed, keys = run.engine.fetch_counts(
        schema_sql.count_keys_of_rows(staged.table, columns)
    )
    return keyed == keys and (rows == keyed or columns != staged.opened.primary)


def keys_of_release(
    staged: StagedSchema, names: Mapping[str, exp.Table], *, added: bool
) -> tuple[dict[str, ReleasedKeys], dict[ForeignKey, str]]:
    """Return the keys of each released table, and the foreign keys that cannot be created, with reasons.

    Keys are `added` to tables that have rows, or made with them.
    """
    missing: dict[ForeignKey, str] = {}
    foreign: dict[str, list[tuple[tuple[str, ...], exp.Table, tuple[str, ...]]]] = {}
    for key in staged.keys:
        if key.of not in staged.tables[key.to].shape.unique:
            missing[key] = NOT_UNIQUE
        elif key in staged.opened.cyclic and not added:
            missing[key] = CIRCLE
        else:
            foreign.setdefault(key.table, []).append((key.columns, names[key.to], key.of))
    made = {}
    for name, each in staged.tables.items():
        unique = each.shape.unique
        primary = each.opened.primary if each.opened.primary in unique else ()
        others = tuple(columns for columns in unique if columns != primary)
        own = tuple(foreign.get(name, ()))
        made[name] = ReleasedKeys(primary, others, own, each.shape.required)
    return made, missing
