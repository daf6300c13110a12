"""Finds the source's values that each label of a release covers, column by column.

A node of a hierarchy covers the values under it, an interval all values from its first to its last, a set the values
that it lists, and a representative itself. The mean or median of a class covers no value of the source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.plans.recodings import levels_used
from kanon_sql.release_quality import quality_sql
from kanon_sql.release_quality.beside_source_sql import cells, values_of_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.mapping import Mapped
    from kanon_sql.planning.make_plan import Planned
    from kanon_sql.release_quality.beside_source import ReleaseBesideSource
    from kanon_sql.run.session import Session

COVERS = {
    **dict.fromkeys(("labels", "interval", "bounds"), "interval"),
    "set": "set",
    "representative": "itself",
}
"""How each kind of output covers values, for columns that are cut by their order. Nodes are not here."""
FROM_ROWS = ("set", "representative")
CENTRES = "a mean or median of a class covers no value of the source"


def of_rows(each: Mapped) -> bool:
    """Return True if a column's labels are made from the rows of their class, not from its hierarchy."""
    return each.column.output.value in FROM_ROWS


def uncovered(planned: Planned, *, by_order: bool) -> str | None:
    """Return the reason why the values that labels cover are unknown; None if they are known."""
    if planned.opened.left_out:
        return "the source has rows with NULL, which nulls: suppress leaves out of all hierarchies"
    for each in planned.mapped:
        ordered = by_order and each.column.order is not None
        if ordered and each.column.output.value not in {*COVERS, "node"}:
            return CENTRES
    return None


def covered_values(run: Session, planned: Planned, beside: ReleaseBesideSource) -> list[exp.Table]:
    """Create a table per column: its values, with the labels of a plan's release that cover them."""
    by_order, recoding = run.policy.search.options.by_order, planned.plan.recoding
    tables = []
    for number, (each, own) in enumerate(zip(planned.mapped, beside.own, strict=True)):
        kind = each.column.output.value
        ordered = by_order and each.column.order is not None
        covers = COVERS.get(kind) if ordered or of_rows(each) else None
        if covers is None:
            every: Sequence[int] = range(each.hierarchy.height + 1)
            used = levels_used(recoding, number) if recoding.nodes else every
            tables.append(run.scratch.create("values", quality_sql.values, each, tuple(used)))
            continue
        parts = each.column.released_as
        found = run.scratch.create("cells", cells, beside.table, parts, own, rows=beside.rows)
        axis = _axis(run, each, ordered=ordered)
        tables.append(run.scratch.create("values", values_of_cells, found, axis, covers))
    return tables


def _axis(run: Session, each: Mapped, *, ordered: bool) -> exp.Table:
    """Return the table of a column's values with their places in the order."""
    if ordered:
        return each.paths
    return run.scratch.create("places", quality_sql.values, each, (0,))
