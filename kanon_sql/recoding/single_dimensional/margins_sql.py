"""Statements over one column's margin with the class column: what its nodes and splits tell of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp


def place(quasi: int) -> exp.Identifier:
    """Name the column of places of a quasi-identifier."""
    return name(f"place_{quasi}")


def ancestor(steps: int) -> str:
    """Name the column of a lineage that has the node so many steps above the leaf."""
    return f"node_{steps}"


def ways(depth: int) -> list[dict[str, object]]:
    """Pair each node on a way up with the one below it."""
    return [
        {"upper": name(ancestor(n)), "lower": name(ancestor(n - 1))} for n in range(1, depth + 1)
    ]


def margin(made: exp.Table, places: exp.Table, quasi: int) -> Statement:
    """Count the rows of each place of a column in each class."""
    return Statement(
        "single_dimensional/margin", {"margin": made, "places": places, "place": place(quasi)}
    )


def depth(nodes: exp.Table) -> Statement:
    """Ask for the most steps from a leaf to the root."""
    return Statement("single_dimensional/depth", {"nodes": nodes})


def lineage(made: exp.Table, nodes: exp.Table, *, depth: int) -> Statement:
    """Write down the nodes above each place of a tree, of one step and more."""
    steps = [
        {
            "node": name(ancestor(n)),
            "alias": name(f"n{n}"),
            "below": column("parent", of="l" if n == 2 else f"n{n - 1}"),
        }
        for n in range(2, depth + 1)
    ]
    return Statement(
        "single_dimensional/lineage",
        {
            "lineage": made,
            "nodes": nodes,
            "first": name(ancestor(0)),
            "second": name(ancestor(1)),
            "steps": steps,
        },
    )


def node_gains(made: exp.Table, lineage: exp.Table, margin: exp.Table, *, depth: int) -> Statement:
    """Make the information gain of each inner node, in nats of all its rows."""
    return Statement(
        "single_dimensional/node_gains",
        {
            "gains": made,
            "lineage": lineage,
            "margin": margin,
            "steps": ways(depth),
            "cell": column("row_count", of="c"),
            "child": column("child_rows", of="c"),
            "class": column("class_rows", of="c"),
            "node": column("node_rows", of="c"),
        },
    )


def best_splits(margin: exp.Table, intervals: Sequence[tuple[int, int]]) -> Statement:
    """Ask for the best split of each of several disjoint intervals that has more than one place.

    A row has the first place that was asked for, the interval's own lowest and highest place, the
    last place of the lower half, the gain in nats of all its rows, and these.
    """
    return Statement(
        "single_dimensional/best_splits",
        {
            "margin": margin,
            "pieces": [{"low": literal(low), "high": literal(high)} for low, high in intervals],
            "upto": column("upto", of="c"),
            "before": column("before_or_one", of="c"),
            "after": column("after_or_one", of="c"),
            "onward": column("onward", of="c"),
            "all_rows": column("all_rows", of="s"),
            "lower": column("lower_rows", of="s"),
            "upper": column("upper_rows", of="s"),
        },
    )


def inner_nodes(nodes: exp.Table, gains: exp.Table) -> Statement:
    """Ask for all inner nodes of a tree."""
    return Statement("single_dimensional/inner_nodes", {"nodes": nodes, "gains": gains})
