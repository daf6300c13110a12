"""Warn of bounds of regions and intervals that are values of few rows, or of few entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.hierarchies.order import OrderKind, Snapped
from kanon_sql.policy.privacy.demands import requirements
from kanon_sql.recoding.multidimensional.regions_sql import LineAxis

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.recoding.axes import Space


def rare_places(
    rare: exp.Table, tuples: exp.Table, lines: Sequence[int], *, entity: bool, least: int
) -> Statement:
    """Find the coordinates, on numbered axes, that fewer rows than `least` have, or entities."""
    leaves = {"rare": rare, "tuples": tuples, "entity": entity, "least": least, "lines": lines}
    return Statement("recoding/rare_places", leaves)


def count_bounds(
    rare: exp.Table, lines: Iterable[tuple[int, exp.Table, int, exp.Table | None]]
) -> Statement:
    """Count the distinct released values on axes, and the rare ones.

    (axis, its regions, the number of the axis there, a table with the places of values that are no bounds).
    """
    described = [
        {"axis": n, "regions": regions, "own": own, "shown": shown}
        for n, regions, own, shown in lines
    ]
    return Statement("recoding/count_bounds", {"rare": rare, "lines": described})


def count_rare_values(
    source: exp.Table, text: str, *, entity: str | None, least: int, rows: int = 0
) -> Statement:
    """Count the values of a column, and those that fewer than so many rows have, or entities."""
    leaves = {"source": source, "column": column(text, of="s"), "least": least}
    leaves["entity"] = None if entity is None else column(entity, of="s")
    return Statement("recoding/count_rare_values", leaves, scans=rows)


def exact_axes(space: Space) -> list[int]:
    """Return the numbers of the axes that release values of rows, alone or as bounds; not units or nodes."""
    return [
        n
        for n, (axis, labels) in enumerate(zip(space.regions.axes, space.labels, strict=True))
        if (labels.output.shows_values or (labels.output.shows_ends and not axis.tree))
        and (axis.units is None if isinstance(axis, LineAxis) else not axis.least)
    ]


def find_rare(run: Session, space: Space, tuples: exp.Table) -> exp.Table | None:
    """Create the table of values that fewer than k rows or entities have; None if no axis releases any."""
    lines = exact_axes(space)
    if not lines:
        return None
    rare = run.scratch.table("rare")
    least = requirements(run.policy.privacy)[0].bound
    entity = run.policy.entity is not None
    run.engine.execute(rare_places(rare, tuples, lines, entity=entity, least=least))
    return rare


def rare_bounds(
    run: Session,
    space: Space,
    rare: exp.Table | None,
    regions: Sequence[tuple[exp.Table, int]],
    *,
    shown: Mapping[int, exp.Table] | None = None,
) -> tuple[str, ...]:
    """Warn of each column with rare bounds, or with rare values in sets or as representatives.

    `regions` has, for each axis, a table of regions or intervals and the number of the axis in it. `shown` has, by
    axis, the table of the coordinates of values that are released alone.
    """
    if rare is None:
        return ()
    by_themselves = shown or {}
    lines = [(n, *regions[n], by_themselves.get(n)) for n in exact_axes(space)]
    k, who = requirements(run.policy.privacy)[0].bound, "rows"
    if run.policy.entity is not None:
        who = f"values of {run.policy.entity}"
    warnings = []
    for number, many, few in run.engine.fetch(count_bounds(rare, lines)):
        column = run.policy.quasi[int(str(number))]
        if few:
            instead = "give it a hierarchy, or make it coarser in a query"
            if column.order is OrderKind.NUMBER:
                instead = "say snap: and a width, such as 10, to release whole steps"
            elif column.hierarchy is not None and int(str(number)) in by_themselves:
                instead = "say output: node, or make it coarser in a query"
            which = (
                "are released" if int(str(number)) in by_themselves else "bound what is released"
            )
            warnings.append(
                f"columns.{column.name}: {few:,} of the {many:,} values that {which} have "
                f"fewer than {k} {who} each; {instead}"
            )
    return tuple(warnings)


def rare_values(run: Session, opened: OpenSource) -> Iterator[str]:
    """Warn of each column that releases values of its classes' rows, some of them of few rows or entities."""
    k, entity = requirements(run.policy.privacy)[0].bound, run.policy.entity
    who = "rows" if entity is None else f"values of {entity}"
    for each in run.policy.of_rows:
        if isinstance(each.order, Snapped):
            continue
        counted = count_rare_values(
            opened.table, each.name, entity=entity, least=k, rows=opened.rows
        )
        many, few = run.engine.fetch_counts(counted)
        if few:
            yield (
                f"columns.{each.name}: {few:,} of its {many:,} values have fewer than {k} {who} each, and output: "
                f"{each.output} releases values as they are; say output: node, or make it coarser in a query"
            )
