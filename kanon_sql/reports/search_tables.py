"""Builds the tables of a report on other limits and on the nodes next to the chosen one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.charts.chart import share_text
from kanon_sql.documents.shown import ShownTable
from kanon_sql.documents.text import decimal_text
from kanon_sql.explanation.explanation import Certainty

if TYPE_CHECKING:
    from kanon_sql.explanation.explanation import Cell, Explanation


def frontier_table(explained: Explanation) -> ShownTable:
    """Return the table of the least cost by k and suppression limit."""
    limits = sorted({each.max_suppressed for each in explained.frontier})
    rows: dict[int, list[object]] = {}
    for each in explained.frontier:
        rows.setdefault(each.k, [f"{each.k:,}"]).append(_cell_text(each))
    source = max(explained.plan.source_rows, 1)
    headings = [f"{share_text(each / source)} suppressed" for each in limits]
    return ShownTable(["k", *headings], list(rows.values()))


def _cell_text(cell: Cell) -> str:
    best = cell.optimum
    if not best.found:
        text = "none" if best.known is Certainty.INFEASIBLE else "-"
    else:
        text = decimal_text(best.cost[0])
        text = text if best.proven else f"<={text}"
    text = f"[{text}]" if cell.of_policy else text
    return f"{text}*" if cell.pareto else text


def neighbour_table(explained: Explanation) -> ShownTable:
    """Return the table of the nodes one level from the chosen one, and why they were not taken."""
    plan = explained.plan
    at = {name: n for n, name in enumerate(plan.heights)}
    chosen = plan.recoding.nodes[0].levels
    also = ", the first of several" if plan.recoding.layers else ""
    rows: list[list[object]] = [
        [
            ", ".join(map(str, chosen)),
            "chosen" + also,
            plan.suppressed_rows,
            decimal_text(plan.cost[0]),
        ]
    ]
    rows += [
        [
            ", ".join(map(str, each.levels)),
            f"{each.column} at level {each.levels[at[each.column]]}: {each.why}",
            each.suppressed_rows,
            decimal_text(each.cost[0]) if each.cost else None,
        ]
        for each in explained.neighbours
    ]
    return ShownTable(["levels", "why", "suppressed rows", plan.metric], rows)
