"""Statements over boxes that may overlap: in what order a plan keeps them, and which of them contain a tuple.

A box is a row with the first and the last place on each axis (`low_0`, `high_0`, ...) and a number, `region`.
Tuples are compared with the boxes by way of a tree over these, whose nodes are as tight as the boxes below (Guttman,
SIGMOD 1984; filled from sorted boxes, as by Leutenegger, Lopez and Edgington, ICDE 1997). The tree changes what it
costs to find the boxes of a tuple, and not which ones are found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import Axis

FAN = 4
"""Children of a node, and the boxes that its last nodes have at most."""


def narrowest_first(table: exp.Table, regions: exp.Table, axes: Sequence[Axis]) -> Statement:
    """Give the boxes of regions, each once, numbered from the narrowest on.

    Of regions only the bounds as coordinates, the widths and the rows are read, as `Regions.survey` names them, so
    that it does not matter how they were found. Ties go to the first region.
    """
    trees = [n for n, axis in enumerate(axes) if axis.tree]
    leaves = {"boxes": table, "regions": regions, "axes": range(len(axes)), "trees": trees}
    return Statement("new_rows/narrowest_first", leaves)


def depth_of_tree(boxes: int) -> int:
    """Give the depth of a tree of so many boxes.

    >>> [depth_of_tree(n) for n in (1, 4, 5, 16, 17, 50_000)]
    [0, 0, 1, 1, 2, 7]
    """
    depth = 0
    while boxes > FAN ** (depth + 1):
        depth += 1
    return depth


def points(table: exp.Table, working: exp.Table, axes: int) -> Statement:
    """List the different places of tuples."""
    leaves = {"points": table, "working": working, "axes": range(axes)}
    return Statement("new_rows/box_points", leaves)


def parts(table: exp.Table, boxes: exp.Table, axes: int, *, root: bool) -> Statement:
    """Part the boxes of each node of a tree; at the `root` all boxes are of one."""
    leaves = {"parts": table, "boxes": boxes, "root": root, "fan": FAN, "axes": range(axes)}
    return Statement("new_rows/box_parts", leaves)


def nodes(table: exp.Table, parted: exp.Table, axes: int) -> Statement:
    """Give the nodes of one depth, as tight as their boxes."""
    leaves = {"nodes": table, "parts": parted, "axes": range(axes)}
    return Statement("new_rows/box_nodes", leaves)


def points_within(table: exp.Table, found: exp.Table, below: exp.Table, axes: int) -> Statement:
    """Give places the nodes that they lie within, of those `below` the nodes that they lay within before."""
    leaves = {"after": table, "points": found, "nodes": below, "axes": range(axes)}
    return Statement("new_rows/points_within", leaves)


def boxes_of_points(
    table: exp.Table, found: exp.Table, boxes: exp.Table, axes: int, *, tree: bool
) -> Statement:
    """Give places the boxes that contain them, of their node where there is a tree."""
    leaves = {"containing": table, "points": found, "boxes": boxes, "tree": tree}
    return Statement("new_rows/boxes_of_points", {**leaves, "axes": range(axes)})


def narrowest_box(
    table: exp.Table,
    working: exp.Table,
    containing: exp.Table,
    *,
    carried: Sequence[exp.Identifier],
    axes: int,
    fitting: exp.Table | None = None,
) -> Statement:
    """Give each tuple the narrowest box that contains it; of those that are `fitting` where any of these does."""
    leaves = {"found": table, "working": working, "containing": containing, "fitting": fitting}
    return Statement("new_rows/narrowest_box", {**leaves, "carried": carried, "axes": range(axes)})
