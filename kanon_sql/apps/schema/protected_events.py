"""Rows of events that k people of a class share: labels are generalized or rows removed until as many have them.

The labels of an event's quasi-identifiers are one item. Whoever knows the labels of a person in their people's table and
any `known` of their events, over all tables of events, finds at least k people. An event that a person has twice is known
twice. Each item is generalized along one way: at each step the column with the most labels left goes up a level. Where all
rows of a person are known, their labels together are the person's signature.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.apps.schema.protected_signatures import protect_signatures
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
    from collections.abc import Callable, Sequence

    from sqlglot import exp

    from kanon_sql.apps.schema.stage_schema import StagedTable
    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session


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
        protected.append(replace(each, table=staged, rows=left, unchanged=unchanged))
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
    return _Items(items, labels, pairs)


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
