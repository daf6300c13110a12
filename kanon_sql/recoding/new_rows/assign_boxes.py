"""Later rows, assigned to boxes that may overlap: relaxed regions, or runs of an order.

Rule: a row goes to the narrowest box that contains it (the sum of its widths over all columns, as the plan measured
them; ties by number), unless the class of that box does not fit among the later rows: then to the narrowest whose class
does. A row that no fitting box contains stays in a class that does not fit, which is suppressed; a row that no box
contains is withheld. Rows with equal quasi-identifiers go to the same box.

Guarantee: a class fits with all its rows. Rows that are assigned in the second step join classes that fit without them,
and further rows or values make no class unfit under the models that are allowed here (those that weigh values are
refused). The result depends on the boxes and the rows alone, and not on their order or the engine.

Cost: each distinct tuple is compared only with the boxes under the nodes of a tree that contain it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.recoding.multidimensional.region_cuts_sql import CutStatement
from kanon_sql.recoding.new_rows import boundaries_sql, boxes_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import RegionLabels, Regions


@dataclass(frozen=True, slots=True)
class Boxes:
    """The table of boxes in coordinates, with their labels; `most` bounds their number before it is made."""

    table: exp.Table
    most: int


def assign_boxes(
    regions: Regions,
    inside: exp.Table,
    working: exp.Table,
    boxes: Boxes,
    *,
    labels: Sequence[RegionLabels],
    named: Callable[[str, int], exp.Table],
) -> Iterator[CutStatement]:
    """Assign each tuple that lies in boxes its box, by the module's rule; drops the given tuples.

    Without requirements every class fits: each tuple goes to the narrowest box that contains it.
    """
    many = len(regions.axes)
    containing, first, fitting = (
        named(what, 0) for what in ("containing_boxes", "narrowest", "fitting_boxes")
    )
    yield from boxes_containing(containing, working, boxes, many, named)
    if not regions.requirements:
        yield CutStatement(
            boxes_sql.narrowest_box(
                inside, working, containing, carried=regions.carried, axes=many
            ),
            (working, containing),
        )
        return
    yield CutStatement(
        boxes_sql.narrowest_box(first, working, containing, carried=regions.carried, axes=many)
    )
    yield CutStatement(
        boundaries_sql.fitting(fitting, first, boxes.table, labels, regions), (first,)
    )
    yield CutStatement(
        boxes_sql.narrowest_box(
            inside, working, containing, carried=regions.carried, axes=many, fitting=fitting
        ),
        (working, containing, fitting),
    )


def boxes_containing(
    containing: exp.Table,
    working: exp.Table,
    boxes: Boxes,
    axes: int,
    named: Callable[[str, int], exp.Table],
) -> Iterator[CutStatement]:
    """Find the boxes that contain each tuple, down a tree of boxes; does not drop the given tables."""
    depth = boxes_sql.depth_of_tree(boxes.most)
    points, parts = named("points", 0), boxes.table
    yield CutStatement(boxes_sql.points(points, working, axes))
    for n in range(1, depth + 1):
        parted, nodes, after = (named(what, n) for what in ("parted_boxes", "box_nodes", "points"))
        part = boxes_sql.parts(parted, parts, axes, root=n == 1)
        yield CutStatement(part, () if n == 1 else (parts,))
        yield CutStatement(boxes_sql.nodes(nodes, parted, axes))
        yield CutStatement(boxes_sql.points_within(after, points, nodes, axes), (points, nodes))
        points, parts = after, parted
    found = boxes_sql.boxes_of_points(containing, points, parts, axes, tree=depth > 0)
    yield CutStatement(found, (points, parts) if depth else (points,))
