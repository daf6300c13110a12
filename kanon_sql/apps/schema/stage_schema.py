"""Stages the tables of a schema, settles their keys, and counts who stands below k over the join.

Counted tables are recoded and recounted as one table's release is. Then rows whose person is suppressed go, and keys of
other rows that are not released become NULL, so that every foreign key of the release is valid.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.apps.schema import schema_sql
from kanon_sql.apps.schema.open_schema import keys_of
from kanon_sql.apps.schema.protected_events import ReleasedJoin, protect_events
from kanon_sql.apps.schema.released_shape import UNDECLARED, Declaration, shaped
from kanon_sql.base.documents.text import joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import VerificationError
from kanon_sql.policy.model import Column, Role
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.recode import keys_in_session, tabulated_masks
from kanon_sql.recoding.second_look import SecondLook, look_again, look_at_rows
from kanon_sql.release.stage import stage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.schema.open_schema import OpenSchema, OpenTable
    from kanon_sql.apps.schema.schema_policy import ForeignKey, SchemaPolicy, TableEntry
    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.recount import Verification


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
    statement = schema_sql.crossed_people(
        other.table, other.hidden, own.table, domain, common=pairs, k=k
    )
    with keys_of(run, policy), run.engine.own_functions():
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
