"""Warn of bounds of regions and intervals that are values of few rows, or of few entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.hierarchies.order import OrderKind
from kanon_sql.privacy.demands import requirements
from kanon_sql.recoding import rare_bounds_sql
from kanon_sql.recoding.multidimensional.regions_sql import LineAxis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.recoding.axes import Space
    from kanon_sql.run.session import Session


def exact_lines(space: Space) -> list[int]:
    """Return the numbers of the axes whose bounds are released values: no units, no nodes of a hierarchy."""
    return [
        n
        for n, (axis, labels) in enumerate(zip(space.regions.axes, space.labels, strict=True))
        if isinstance(axis, LineAxis) and axis.units is None and not labels.centre
    ]


def find_rare(run: Session, space: Space, tuples: exp.Table) -> exp.Table | None:
    """Find the values that fewer than k rows or entities have; None where no value is a bound."""
    lines = exact_lines(space)
    if not lines:
        return None
    rare = run.scratch.table("rare")
    least = requirements(run.policy.privacy)[0].bound
    entity = run.policy.entity is not None
    run.engine.execute(rare_bounds_sql.rare_places(rare, tuples, lines, entity=entity, least=least))
    return rare


def rare_bounds(
    run: Session, space: Space, rare: exp.Table | None, regions: Sequence[tuple[exp.Table, int]]
) -> tuple[str, ...]:
    """Warn of each column with rare bounds.

    `regions` has, an axis, a table of regions or intervals, and the number of the axis there.
    """
    if rare is None:
        return ()
    lines = [(n, *regions[n]) for n in exact_lines(space)]
    k, who = requirements(run.policy.privacy)[0].bound, "rows"
    if run.policy.entity is not None:
        who = f"values of {run.policy.entity}"
    warnings = []
    for number, many, few in run.engine.fetch(rare_bounds_sql.count_bounds(rare, lines)):
        column = run.policy.quasi[int(str(number))]
        if few:
            instead = (
                "say snap: and a width, such as 10, to release whole steps"
                if column.order is OrderKind.NUMBER
                else "give it a hierarchy, or make it coarser in a query"
            )
            warnings.append(
                f"columns.{column.name}: {few:,} of the {many:,} values that bound what is released have "
                f"fewer than {k} {who} each; {instead}"
            )
    return tuple(warnings)
