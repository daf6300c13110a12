"""Protects events: k people of a class share the rows by which somebody could know a person, over the join of all tables.

A signature is how often a person has each label, over all tables. Each class goes up the way of `protected_events` by
one step for all its items, as far as the suppression limit needs; then rows of people whose signature is too rare go.

The labels of an event's quasi-identifiers are one item. Whoever knows the labels of a person in their people's table and
any `known` of their events, over all tables of events, finds at least k people. An event that a person has twice is known
twice. Each item is generalized along one way: at each step the column with the most labels left goes up a level. Where all
rows of a person are known, their labels together are the person's signature.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.apps.schema import schema_sql
from kanon_sql.apps.schema.schema_policy import ForeignKey
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.hierarchies.mapping import map_columns
from kanon_sql.counting.source.open_source import OpenSource
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, HierarchyError, InfeasibleError, VerificationError
from kanon_sql.policy.hierarchies.labels_sql import Released, release_map
from kanon_sql.policy.privacy.protect_items import protect_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.schema.schema_policy import ColumnOf, SchemaPolicy, TableEntry
    from kanon_sql.apps.schema.stage_schema import StagedTable
    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session


def protect_signatures(
    run: Session,
    numbered: exp.Table,
    rows: exp.Table,
    nodes: exp.Table,
    *,
    least: int,
    allowed: int,
    many: int,
) -> tuple[exp.Table, exp.Table]:
    """Return the level of each item of each class, and the people who keep their rows; others keep none.

    Guarantee: every signature that is left in a class, also that of no rows, is one of at least `least` people. It holds
    where the class has as many. Of `many` rows, no more than `allowed` should go; which do is the caller's to count.
    """

    def create(what: str, template: str, **leaves: object) -> exp.Table:
        return run.scratch.create(what, lambda table: Statement(template, {what: table, **leaves}))

    signed = create(
        "signed", "schema/signatures/signed_people", numbered=numbered, rows=rows, nodes=nodes
    )
    groups = create(
        "groups", "schema/signatures/signature_groups", signed=signed, least=literal(least)
    )
    limits = {"allowed": literal(allowed), "rows": literal(many)}
    chosen = create("chosen", "schema/signatures/chosen_steps", groups=groups, **limits)
    people = {"numbered": numbered, "signed": signed, "groups": groups, "chosen": chosen}
    kept = create("kept", "schema/signatures/people_with_rows", **people)
    levels = create(
        "levels", "schema/signatures/step_levels", rows=rows, chosen=chosen, nodes=nodes
    )
    for done in (signed, groups, chosen):
        run.scratch.drop(done)
    return levels, kept


@dataclass(frozen=True, slots=True)
class SharedEvents:
    """People of a table by their class, and the tables of their events: what is known together.

    `key` is the column of people's pseudonyms, `labels` those of their classes. Whoever knows `known` events, or all where it is
    None, finds `least` people. Of each table of events, `persons` has the column of its person, and `columns` those of its items.
    """

    people: exp.Table
    key: str
    labels: tuple[str, ...]
    known: int | None
    least: int
    tables: tuple[exp.Table, ...]
    persons: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]

    @property
    def count_short(self) -> Statement:
        """Count the sets of events that fewer people of a class have, in the tables alone; of all events, if all are known."""
        leaves = {
            "people": self.people,
            "key": column(self.key, of="p"),
            "labels": [column(each, of="p") for each in self.labels],
            "events": [
                {
                    "table": table,
                    "person": column(person, of="s"),
                    "columns": [column(each, of="s") for each in columns],
                    "number": literal(str(number)),
                }
                for number, (table, person, columns) in enumerate(
                    zip(self.tables, self.persons, self.columns, strict=True)
                )
            ],
            "least": literal(self.least),
        }
        if self.known is None:
            return Statement("schema/signatures/count_short_signatures", leaves)
        sizes = [{"places": range(1, size + 1)} for size in range(1, self.known + 1)]
        return Statement("schema/events/count_short_events", {**leaves, "sizes": sizes})


@dataclass(frozen=True, slots=True)
class _Items:
    """The items of one table of events, with their labels at each step."""

    items: exp.Table
    labels: exp.Table
    pairs: list[dict[str, object]]
    mapped: tuple[Mapped, ...]


def protect_events(
    run: Session, shared: SharedEvents, events: Sequence[StagedTable]
) -> list[StagedTable]:
    """Generalize or remove the rows of `events`, whose quasi-identifiers are still values, and recount them.

    Guarantee: any `known` events of a person, or all, are those of at least `least` people of the class, counted in the tables
    that are returned. Raises VerificationError otherwise, and InfeasibleError where a suppression limit does not suffice.
    """
    create, whole = run.scratch.create, shared.known is None
    people = {
        "people": shared.people,
        "key": column(shared.key, of="p"),
        "labels": [column(each, of="p") for each in shared.labels],
    }
    numbered = create("numbered", _made("schema/events/numbered_people", "numbered", people))
    found = [
        _items(run, each, shared.columns[at], at=at, many=len(events), whole=whole)
        for at, each in enumerate(events)
    ]
    of_tables = [
        {
            "table": each.table,
            "person": column(person, of="s"),
            "numbers": own.items,
            "pairs": own.pairs,
        }
        for each, person, own in zip(events, shared.persons, found, strict=True)
    ]
    rows = create(
        "rows",
        _made("schema/events/event_rows", "rows", {"numbered": numbered, "events": of_tables}),
    )
    nodes = create(
        "nodes", _made("schema/events/event_nodes", "nodes", {"tables": [f.labels for f in found]})
    )
    kept = numbered
    if shared.known is None:
        levels, kept = protect_signatures(
            run,
            numbered,
            rows,
            nodes,
            least=shared.least,
            allowed=sum(map(_allowed, events)),
            many=sum(each.rows for each in events),
        )
        of_kept = {"numbered": kept, "events": of_tables}
        run.scratch.drop(rows)
        rows = create("rows", _made("schema/events/event_rows", "rows", of_kept))
    else:
        levels, *_ = protect_items(
            run.engine,
            run.scratch,
            rows,
            nodes,
            known=shared.known,
            least=shared.least,
            repeated=True,
        )
    protected = []
    for each, own, leaves in zip(events, found, of_tables, strict=True):
        quasi = {text: at for at, text in enumerate(c.name for c in each.opened.policy.quasi)}
        columns = [
            {
                "from": column(_label(quasi[text]), of="l")
                if text in quasi
                else column(text, of="s"),
                "as": name(text),
            }
            for text in each.columns
        ]
        own_leaves = {"numbered": kept, "events": leaves, "levels": levels}
        staged = create(
            "events",
            _made(
                "schema/events/labelled_events",
                "staged",
                {**own_leaves, "labels": own.labels, "columns": columns},
            ),
        )
        counted = {"rows": rows, "levels": levels, "items": own.items}
        unchanged = run.engine.fetch_count(Statement("schema/events/count_unchanged", counted))
        left = run.engine.fetch_count(source_sql.count_rows(staged))
        protected.append(
            replace(each, table=staged, rows=left, unchanged=unchanged, mapped=own.mapped)
        )
    scratch = {
        numbered,
        kept,
        rows,
        nodes,
        levels,
        *(t for f in found for t in (f.items, f.labels)),
    }
    for done in scratch:
        run.scratch.drop(done)
    if whole:
        _check_limits(shared, events, protected)
    _recount(run, replace(shared, tables=tuple(each.table for each in protected)), events)
    return protected


def _allowed(events: StagedTable) -> int:
    return events.opened.policy.suppression.limit(events.rows)


def _check_limits(
    shared: SharedEvents, events: Sequence[StagedTable], protected: Sequence[StagedTable]
) -> None:
    """Raise InfeasibleError where more rows of a table are removed than its suppression limit allows."""
    lines = [
        f"{before.name}: {removed:,} of {before.rows:,} rows ({removed / before.rows:.1%}) would be suppressed, to leave k = "
        f"{shared.least} people to whoever knows all rows of a person; the limit (suppression) is {_allowed(before):,} rows. "
        f"Choose coarser hierarchies, fewer quasi-identifiers or larger classes of people, raise the limit, or choose "
        f"protect: summary, cut or events"
        for before, after in zip(events, protected, strict=True)
        if (removed := before.rows - after.rows) > _allowed(before)
    ]
    if lines:
        raise InfeasibleError("\n".join(lines))


def _recount(run: Session, shared: SharedEvents, events: Sequence[StagedTable]) -> None:
    if short := run.engine.fetch_count(shared.count_short):
        names = ", ".join(each.name for each in events)
        sets = "signatures" if shared.known is None else f"sets of at most {shared.known} events"
        raise VerificationError(
            f"{names}: {short:,} {sets} are those of fewer than {shared.least:,} people of a "
            f"class; nothing was published"
        )


def _made(template: str, table: str, leaves: dict[str, object]) -> Callable[[exp.Table], Statement]:
    return lambda created: Statement(template, {table: created, **leaves})


def _value(number: int) -> str:
    return f"value_{number}"


def _label(number: int) -> str:
    return f"label_{number}"


def _items(
    run: Session, events: StagedTable, columns: Sequence[str], *, at: int, many: int, whole: bool
) -> _Items:
    """Make the items of one table, with their labels at each step of their way up; of the `whole` way to its end."""
    numbers = {"many": literal(many), "at": literal(at)}
    values = [
        {"from": column(each, of="s"), "as": name(_value(number))}
        for number, each in enumerate(columns)
    ]
    items = run.scratch.create(
        "items",
        _made(
            "schema/events/event_items",
            "items",
            {"events": events.table, "values": values, **numbers},
        ),
    )
    mapped = _mapped(run, events)
    maps = [_map(run, each) for each in mapped]
    described = [
        {
            "table": table,
            "alias": name(f"q{number}"),
            "value": column("value", of=f"q{number}"),
            "own": column(_value(number), of="i"),
        }
        for number, table in enumerate(maps)
    ]
    steps = [
        {
            "number": number,
            "labels": [
                {
                    # Equal values that are written in two ways, as 0.0 and -0.0, are one in the map.
                    "from": column(f"label_{level}" if level else "value", of=f"q{quasi}"),
                    "as": name(_label(quasi)),
                }
                for quasi, level in enumerate(levels)
            ],
        }
        for number, levels in enumerate(_way_up(run, mapped, maps, whole=whole))
    ]
    names = [{"bytes": column(_label(number), of="t")} for number, _ in enumerate(columns)]
    leaves = {"items": items, "steps": steps, "maps": described, "names": names, **numbers}
    labels = run.scratch.create("labels", _made("schema/events/event_labels", "labels", leaves))
    for each in maps:
        run.scratch.drop(each)
    pairs: list[dict[str, object]] = [
        {"value": column(_value(number), of="i"), "own": column(each, of="s")}
        for number, each in enumerate(columns)
    ]
    return _Items(items, labels, pairs, tuple(mapped))


def _mapped(run: Session, events: StagedTable) -> list[Mapped]:
    """Read and check the hierarchies of a table's events. Raises HierarchyError, which names the table."""
    policy = events.opened.policy
    own = replace(run, policy=replace(policy, columns=policy.quasi))
    types = tuple(run.engine.columns(events.table))
    try:
        return map_columns(own, OpenSource(events.table, types, events.rows))
    except HierarchyError as error:
        faults = [Fault(f"tables.{events.name}.{f.where}", f.what, f.line) for f in error.faults]
        raise HierarchyError(error.subject, faults) from error


def _map(run: Session, mapped: Mapped) -> exp.Table:
    """Create the map of a column's values to their labels at each level."""
    height = mapped.hierarchy.height
    table = run.scratch.table("labels")
    released = Released(mapped.column, 0, height, table, others=tuple(range(1, height + 1)))
    run.engine.execute(release_map(released, mapped.domain, mapped.paths))
    return table


def _way_up(
    run: Session, mapped: Sequence[Mapped], maps: Sequence[exp.Table], *, whole: bool
) -> list[tuple[int, ...]]:
    """Choose the levels of all columns at each step: the column with the most labels left goes up next.

    The way ends before every column has one label, which says nothing of an event: it is removed instead. Of a signature
    such labels still say how many rows a person has, so that the `whole` way is kept.
    """
    left = [_labels_left(run, each, table) for each, table in zip(mapped, maps, strict=True)]
    levels = [0] * len(mapped)
    way = [tuple(levels)]
    while True:
        higher = [at for at, each in enumerate(levels) if each < mapped[at].hierarchy.height]
        if not higher:
            break
        levels[max(higher, key=lambda at: left[at][levels[at]])] += 1
        way.append(tuple(levels))
    says_nothing = all(each[-1] <= 1 for each in left)
    return way[:-1] if says_nothing and len(way) > 1 and not whole else way


def _labels_left(run: Session, mapped: Mapped, table: exp.Table) -> list[int]:
    """Count the labels that the values of a column have at each level."""
    names = ["value", *(f"label_{level}" for level in range(1, mapped.hierarchy.height + 1))]
    leaves = {"map": table, "labels": [column(each, of="m") for each in names]}
    return run.engine.fetch_counts(Statement("schema/events/count_event_labels", leaves))


@dataclass(frozen=True, slots=True)
class ReleasedJoin:
    """Released tables by name, staged or published: their `columns` and `places`."""

    policy: SchemaPolicy
    columns: Mapping[str, Sequence[str]]
    places: Mapping[str, exp.Table]

    def linked(self, person: TableEntry) -> list[tuple[str, tuple[ForeignKey, ...]]]:
        """Return the ways by which rows are joined to the people of a table: as `_by_key`, and what their own rows name."""
        own = (self.policy.keys[str(person.of)].home.column,)
        themselves = ForeignKey(person.name, own, person.name, own)
        named = [(person.name, (themselves,))] if self._named(person.name) else []
        return [*self._by_key(person), *named]

    def names(self, linked: Sequence[tuple[str, tuple[ForeignKey, ...]]]) -> tuple[str, ...]:
        """Return the names of the tables that are joined by these ways."""
        found: list[str] = []
        for table, path in linked:
            found += [to.table for _, to in self._named(table)] if _is_own_row(path) else [table]
        return tuple(dict.fromkeys(found))

    def _named(self, table: str) -> list[tuple[str, ColumnOf]]:
        """Return the keys of other tables in rows of people, as of their doctor, with the columns that these refer to."""
        return [
            (own, domain.home)
            for own, domain in self.policy.domains_of(table)
            if domain.home.table != table
            and own in self.columns.get(table, ())
            and domain.home.column in self.columns.get(domain.home.table, ())
            and any(True for _ in self._seen(domain.home.table, without=domain.home.column))
        ]

    def _by_key(
        self, person: TableEntry, *beyond: TableEntry
    ) -> list[tuple[str, tuple[ForeignKey, ...]]]:
        """Return the ways by which pseudonyms join released rows to the people of a table, each with its table.

        A table is joined by each column of the people's key, whatever it is released for, and by a way through others.
        Where other people are joined so, as employees who are patients, all that is joined to these is, too, without
        the people `beyond`.
        """
        domain = self.policy.keys[str(person.of)]
        found: list[tuple[str, tuple[ForeignKey, ...]]] = [
            (
                each.table,
                (ForeignKey(each.table, (each.column,), person.name, (domain.home.column,)),),
            )
            for each in domain.columns
            if each != domain.home and each.column in self.columns.get(each.table, ())
        ]
        found += [
            (each.name, each.path)
            for each in self.policy.children(person)
            if each.protection.keyed and len(each.path) > 1 and each.name in self.places
        ]
        before = (person, *beyond)
        others = {
            e.name: e for e in self.policy.people if e not in before and e.name in self.places
        }
        for of, way in [each for each in found if each[0] in others]:
            found += [
                (name, (*path, *way))
                for name, path in self._by_key(others[of], *before)
                if all(name != each.name for each in before)
            ]
        return found

    def people(
        self, person: TableEntry, linked: Sequence[tuple[str, tuple[ForeignKey, ...]]], *, k: int
    ) -> Statement:
        """Count the people of a table, and those below k by their labels and all their `linked` rows.

        Without linked tables, any table with quasi-identifiers is counted by its classes.
        """
        quasi = [name for each in person.policy.quasi for name in each.released_as]
        rows = [self._rows(name, path) for name, path in linked]
        key = self.policy.keys[str(person.of)].home.column if rows else quasi[0]
        return schema_sql.joined_people(self.places[person.name], key, quasi, rows, k=k)

    def events(self, person: TableEntry, *, k: int) -> SharedEvents:
        """Return the people of a table with all tables of their events, which are known together."""
        children = [each for each in self.policy.children(person) if each.protection.events]
        return SharedEvents(
            self.places[person.name],
            self.policy.keys[str(person.of)].home.column,
            tuple(name for each in person.policy.quasi for name in each.released_as),
            next((each.known for each in children), None),
            k,
            tuple(self.places[each.name] for each in children),
            tuple(each.path[0].columns[0] for each in children),
            tuple(tuple(c.name for c in each.policy.quasi) for each in children),
        )

    def _rows(self, name: str, path: Sequence[ForeignKey]) -> schema_sql.LinkedRows:
        """Describe rows that a reader joins to people, with the columns of the tables on the way, and of other people they name.

        Pseudonyms of people and of their rows are left out: nobody knows them beforehand.
        """
        joins: list[tuple[exp.Table, str, tuple[str, str], tuple[str, str]]] = []
        tables = {"s": name}
        at = "s"
        if _is_own_row(path):
            columns: list[tuple[str, str]] = []
            for own, home in self._named(name):
                to = f"o{len(joins)}"
                joins.append((self.places[home.table], to, ("s", own), (to, home.column)))
                columns += [(to, each) for each in self._seen(home.table, without=home.column)]
            person = ("s", path[0].columns[0])
            return schema_sql.LinkedRows(self.places[name], tuple(joins), person, tuple(columns))
        for number, step in enumerate(path[:-1]):
            to = f"j{number}"
            joins.append((self.places[step.to], to, (at, step.columns[0]), (to, step.of[0])))
            if step.to != path[-1].to:  # what people's own rows say is in their class
                tables[to] = step.to
            at = to
        person = (at, path[-1].columns[0])
        columns = [(alias, each) for alias, table in tables.items() for each in self._seen(table)]
        on_the_way = {path[-1].to, *tables.values()}
        for alias, own, home in self._others(tables):
            if home.table not in on_the_way:
                to = f"o{len(joins)}"
                joins.append((self.places[home.table], to, (alias, own), (to, home.column)))
                columns += [(to, each) for each in self._seen(home.table)]
        return schema_sql.LinkedRows(self.places[name], tuple(joins), person, tuple(columns))

    def _others(self, tables: Mapping[str, str]) -> Iterator[tuple[str, str, ColumnOf]]:
        """Yield each pseudonym of other people in tables by alias, as of the doctor of a visit, and where these are."""
        people = {each.name for each in self.policy.people}
        for alias, table in tables.items():
            for own, domain in self.policy.domains_of(table):
                home = domain.home
                if own in self.columns[table] and home.table in people & {*self.places}:
                    yield alias, own, home

    def _seen(self, table: str, *, without: str | None = None) -> Iterator[str]:
        for each in self.columns[table]:
            domain = self.policy.domain_of(table, each)
            if each != without and (domain is None or not self.policy.is_personal(domain)):
                yield each


def _is_own_row(path: Sequence[ForeignKey]) -> bool:
    return path[0].table == path[0].to and path[0].columns == path[0].of
