"""Statements over the target's values at the coordinates of one column: what its nodes and splits say about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp


def upward(depth: int) -> list[tuple[int, int]]:
    """Pair the number of each step on a way up a tree with the one below it."""
    return [(step, step - 1) for step in range(1, depth + 1)]


def target_counts(table: exp.Table, tuples: exp.Table, quasi: int) -> Statement:
    return Statement(
        "single_dimensional/information_gain/target_counts",
        {"counts": table, "tuples": tuples, "quasi": quasi},
    )


def tree_depth(nodes: exp.Table) -> Statement:
    return Statement("single_dimensional/information_gain/tree_depth", {"nodes": nodes})


def ancestors(table: exp.Table, nodes: exp.Table, *, depth: int) -> Statement:
    leaves = {"ancestors": table, "nodes": nodes, "steps": upward(depth)[1:]}
    return Statement("single_dimensional/information_gain/ancestors", leaves)


def node_gains(
    table: exp.Table, ancestors: exp.Table, counts: exp.Table, *, depth: int
) -> Statement:
    """Create the information gain of each inner node, in nats of all its rows."""
    return Statement(
        "single_dimensional/information_gain/node_gains",
        {"gains": table, "ancestors": ancestors, "counts": counts, "steps": upward(depth)},
    )


def best_splits(counts: exp.Table, intervals: Sequence[tuple[int, int]]) -> Statement:
    """Fetch the best split of each of several disjoint intervals that has more than one coordinate.

    A row has the first coordinate that was asked for, the interval's own lowest and highest coordinate, the
    last coordinate of the lower half, the gain in nats of all its rows, and these.
    """
    return Statement(
        "single_dimensional/information_gain/best_splits",
        {"counts": counts, "intervals": intervals},
    )


def inner_nodes(nodes: exp.Table, gains: exp.Table) -> Statement:
    return Statement(
        "single_dimensional/information_gain/inner_nodes", {"nodes": nodes, "gains": gains}
    )
