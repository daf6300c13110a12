"""Statements over the widths of one column's nodes and intervals: the loss that nodes and splits of them remove."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.templates import Statement
from kanon_sql.recoding.single_dimensional.information_gain_sql import upward

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import TreeAxis


def measured_counts(
    table: exp.Table, tuples: exp.Table, quasi: int, *, line: exp.Table | None
) -> Statement:
    """Count the rows of each place of a column; with the place's measure, if the column is a line."""
    leaves = {"counts": table, "tuples": tuples, "quasi": quasi, "line": line}
    return Statement("single_dimensional/removed_loss/measured_counts", leaves)


def node_widths(table: exp.Table, nodes: exp.Table, ranked: exp.Table, axis: TreeAxis) -> Statement:
    """Create the width of each node of a tree, as a plan states it, in billionths of the column's."""
    leaves = {"widths": table, "nodes": nodes, "ranked": ranked, "labels": axis.nodes}
    return Statement(
        "single_dimensional/removed_loss/node_widths",
        {**leaves, "values": not axis.least, "levels": axis.allowed},
    )


def nodes_by_loss(
    table: exp.Table, ancestors: exp.Table, counts: exp.Table, widths: exp.Table, *, depth: int
) -> Statement:
    """Create the loss that the children of each inner node remove, in billionths of a cell."""
    leaves = {"gains": table, "ancestors": ancestors, "counts": counts, "widths": widths}
    return Statement(
        "single_dimensional/removed_loss/nodes_by_loss", {**leaves, "steps": upward(depth)}
    )


def splits_by_loss(
    counts: exp.Table, intervals: Sequence[tuple[int, int]], *, least: int
) -> Statement:
    """Fetch the split that removes the most loss of each of several disjoint intervals.

    A row is as one of `best_splits`, with the loss removed in billionths of a cell. An interval has none where no
    split leaves each half `least` rows.
    """
    return Statement(
        "single_dimensional/removed_loss/splits_by_loss",
        {"counts": counts, "intervals": intervals, "least": least},
    )
