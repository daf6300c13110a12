"""Statements over the boundaries of a recoding: a table that a plan has beside it, by which later rows find their region.

It has a row for each region (and each interval of a column), with where it begins and ends on each axis:
the values of a line, or the node of a hierarchy. Between them it has the branches that lead to a region:
the last value of a line before a cut, or a child of a node. All of these are bounds of regions, and none
says more of a row than its release does.

Regions that may overlap are boxes: a row with the first and the last place on each axis (`low_0`, `high_0`, ...) and a
number, `region`. Tuples are compared with the boxes by way of a tree over these, whose nodes are as tight as the boxes
below (Guttman, SIGMOD 1984; filled from sorted boxes, as by Leutenegger, Lopez and Edgington, ICDE 1997). The tree
changes what it costs to find the boxes of a tuple, and not which ones are found.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import CatalogText, column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.base.sql.words import DUCKDB
from kanon_sql.policy.hierarchies.entries import ROOT
from kanon_sql.policy.hierarchies.labels_sql import joins
from kanon_sql.policy.hierarchies.order import Dates, Steps
from kanon_sql.recoding.multidimensional.regions_sql import LineAxis

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType
    from kanon_sql.policy.hierarchies.labels_sql import Released
    from kanon_sql.policy.model import Column
    from kanon_sql.recoding.multidimensional.regions_sql import Axis, RegionLabels, Regions


HIGHEST = 2**62
"""A place beyond all others."""
FAN = 4
"""Children of a node, and the boxes that its last nodes have at most."""


@dataclass(frozen=True, slots=True)
class AxisCoordinates:
    """A column whose values have places: on a line, by its `units`, or as leaves of a hierarchy with its `nodes`."""

    axis: exp.Table
    nodes: exp.Table | None = None
    units: exp.Table | None = None
    half_open: bool = False

    def described(self, number: int) -> dict[str, object]:
        """Give what a template needs to find a boundary's values or node among the places."""
        value = "value" if self.units is None else "low"
        return {
            "number": number,
            "nodes": self.nodes,
            "axis": self.axis if self.units is None else self.units,
            "low_value": column(value, of=f"l{number}"),
            "high_value": column(value, of=f"h{number}"),
            "node_label": column("label", of=f"t{number}"),
        }


def columns(trees: Sequence[bool]) -> list[str]:
    """Name the columns of such a table; of each quasi-identifier it is known whether its axis is a tree."""
    found = ["region", "child", "axis", "side", "row_count"]
    for n, tree in enumerate(trees):
        found += [f"level_{n}", f"label_{n}"] if tree else [f"low_{n}", f"high_{n}"]
    return found


def ranked_leaves(
    table: exp.Table, domain: exp.Table, paths: exp.Table, *, height: int, as_text: bool
) -> Statement:
    """Give values places as leaves of their hierarchy, so that each node is an interval of them."""
    leaves = {"table": table, "domain": domain, "paths": paths, "as_text": as_text}
    return Statement("new_rows/ranked_leaves", {**leaves, "levels": range(1, height + 1)})


def label_intervals(table: exp.Table, axis: exp.Table, height: int) -> Statement:
    """Give the first and last place under each label of each level; values are of level 0."""
    leaves = {"nodes": table, "axis": axis, "levels": range(1, height + 1)}
    return Statement("new_rows/label_intervals", leaves)


def line_values(table: exp.Table, axis: exp.Table) -> Statement:
    """Give the first and last value, by their texts, at each place of a line."""
    return Statement("new_rows/line_values", {"ends": table, "axis": axis})


def boundaries(
    table: exp.Table,
    axes: Sequence[Axis],
    values: Mapping[int, exp.Table],
    *,
    regions: exp.Table | None = None,
    branches: Sequence[exp.Table] = (),
    parts: Sequence[exp.Table] = (),
) -> Statement:
    """Make the table of boundaries: of regions with their branches, or of the intervals of each column.

    `values` has those of each line by their places. `parts` are regions of one axis each.
    """
    trees = [n for n, axis in enumerate(axes) if not isinstance(axis, LineAxis)]
    return Statement(
        "new_rows/boundaries",
        {
            "boundaries": table,
            "regions": regions,
            "branches": branches,
            "parts": [
                {"number": n, "table": each, "tree": n in trees} for n, each in enumerate(parts)
            ],
            "axes": [_axis(n, axis, values.get(n)) for n, axis in enumerate(axes)],
            "trees": trees,
        },
    )


def _axis(number: int, axis: Axis, values: exp.Table | None) -> dict[str, object]:
    if isinstance(axis, LineAxis):
        by_units = axis.units is not None
        found = axis.units if by_units else values
        return {"number": number, "nodes": None, "sizes": (), "ends": found, "units": by_units}
    sizes = [(level, axis.masks[0] - mask) for level, mask in enumerate(axis.masks)]
    return {"number": number, "nodes": axis.nodes, "sizes": sizes}


def empty_boundaries(
    table: exp.Table, source: exp.Table, own: Sequence[Column], trees: Sequence[bool]
) -> Statement:
    """Make an empty table of boundaries, with the types that the source's columns have, or their units."""
    axes = [
        {
            "number": n,
            "tree": tree,
            "column": column(each.name, of="s"),
            "dates": isinstance(each.order, Dates),
            "steps": isinstance(each.order, Steps),
            "scale": each.order.scale if isinstance(each.order, Steps) else 0,
        }
        for n, (each, tree) in enumerate(zip(own, trees, strict=True))
    ]
    return Statement("new_rows/empty_boundaries", {"table": table, "source": source, "axes": axes})


def boundary_texts(boundaries: exp.Table, columns_: Sequence[str], most: int) -> Statement:
    """Give boundaries as texts, those of one column after another, regions by their numbers."""
    leaves = {"boundaries": boundaries, "columns": [column(each, of="b") for each in columns_]}
    return Statement("new_rows/boundary_texts", {**leaves, "most": most})


def loaded_boundaries(
    table: exp.Table, loaded: exp.Table, types: Sequence[ColumnType]
) -> Statement:
    """Make a table of boundaries of texts that were loaded, the first column as `value`."""
    described = [
        {
            "name": name(each.name),
            "from": column(each.name if n else "value", of="l"),
            "type": CatalogText(each.type),
        }
        for n, each in enumerate(types)
    ]
    leaves = {"table": table, "loaded": loaded, "columns": described}
    return Statement("new_rows/loaded_boundaries", leaves)


def values_and_boundaries(
    domain: exp.Table, found: exp.Table, boundaries: exp.Table, quasi: int
) -> Statement:
    """Give the values of a new table together with those of the boundaries on one line."""
    leaves = {"domain": domain, "found": found, "boundaries": boundaries, "quasi": quasi}
    return Statement("new_rows/values_and_boundaries", leaves)


def branch_intervals(
    table: exp.Table, boundaries: exp.Table, coordinates: Sequence[AxisCoordinates]
) -> Statement:
    """Give branches as intervals of the places of a new table."""
    axes = [each.described(n) for n, each in enumerate(coordinates)]
    leaves = {"branches": table, "boundaries": boundaries, "axes": axes, "highest": HIGHEST}
    return Statement("new_rows/branch_intervals", leaves)


def released_boundaries(
    table: exp.Table,
    boundaries: exp.Table,
    coordinates: Mapping[int, AxisCoordinates],
    labels_of_regions: Sequence[RegionLabels],
    *,
    only: int | None = None,
) -> Statement:
    """Give regions as intervals of the places of a new table, with what they are released as.

    Or the intervals of one column `only`, by its number. What has no place in the new table holds none of its rows, and
    is left out.
    """
    axes = []
    for n, of in coordinates.items():
        each = labels_of_regions[n]
        label, *others = map(name, each.names)
        high = column(f"high_{n}", of="s") if of.units is None else column("high", of=f"h{n}")
        axes.append(
            {
                **of.described(n),
                "bounds": each.bounds,
                "as_label": label,
                "as_low": label,
                "as_high": others[0] if each.bounds else None,
                "shown_high": high,
                "closed": literal(")" if of.half_open else "]"),
            }
        )
    leaves = {"regions": table, "boundaries": boundaries, "axes": axes, "only": only}
    return Statement("new_rows/released_boundaries", {**leaves, "root": literal(ROOT)})


def released_intervals(
    map_: exp.Table,
    axis: exp.Table,
    regions: exp.Table,
    labels_of_regions: RegionLabels,
    *,
    quasi: int,
) -> Statement:
    """Map each value of a new column to what its interval is released as; others are left out."""
    labels = [
        {"from": name(label), "as": name(kind)}
        for label, kind in zip(labels_of_regions.names, labels_of_regions.output.parts, strict=True)
    ]
    leaves = {"map": map_, "axis": axis, "regions": regions, "labels": labels, "quasi": quasi}
    return Statement("new_rows/released_intervals", leaves)


def tuples_within(
    found: exp.Table, assigned: exp.Table, regions: exp.Table, axes: int
) -> Statement:
    """Keep the tuples that lie in the region that their branches led to."""
    leaves = {"found": found, "assigned": assigned, "regions": regions, "axes": range(axes)}
    return Statement("new_rows/tuples_within", leaves)


def fitting(
    table: exp.Table,
    assigned: exp.Table,
    released: exp.Table,
    labels_of_regions: Sequence[RegionLabels],
    regions: Regions,
) -> Statement:
    """Keep the regions whose classes, as a reader distinguishes them, fit."""
    own = regions.class_rows
    where = replace(
        own,
        entity=None if own.entity is None else column(own.entity.name, of="h"),
        value=lambda of: column(own.value(of).name, of="h"),
        alias=name("h"),
    )
    return Statement(
        "new_rows/fitting_regions",
        {
            "fitting": table,
            "assigned": assigned,
            "regions": released,
            "labels": [
                {"name": name(text), "region": column(text, of="b"), "class": column(text, of="c")}
                for each in labels_of_regions
                for text in each.names
            ],
            "requirements": where.requirements(regions.requirements),
        },
    )


def unfit_tuples(table: exp.Table, assigned: exp.Table, fitting: exp.Table) -> Statement:
    """Give the tuples that lie in regions whose classes do not fit."""
    leaves = {"unfit": table, "assigned": assigned, "fitting": fitting}
    return Statement("new_rows/unfit_tuples", leaves)


def regions_of_tuples(table: exp.Table, assigned: exp.Table, axes: int) -> Statement:
    """Give tuples of places alone, without what was counted beside their rows."""
    leaves = {"table": table, "assigned": assigned, "axes": range(axes)}
    return Statement("new_rows/regions_of_tuples", leaves)


def source_values(
    table: exp.Table,
    source: exp.Table,
    texts: Sequence[str],
    others: Sequence[str],
    *,
    distinct: bool,
) -> Statement:
    """Give columns of a source, some as texts whatever length these have there; each combination once if `distinct`."""
    columns_ = [
        {"name": name(each), "from": column(each, of="s"), "as_text": each in texts}
        for each in (*texts, *others)
    ]
    leaves = {"table": table, "source": source, "columns": columns_, "once": distinct}
    return Statement("new_rows/source_values", leaves)


def released_tuples(
    table: exp.Table,
    source: exp.Table,
    assigned: exp.Table,
    regions: exp.Table,
    *,
    axes: Sequence[tuple[exp.Column, exp.Table]],
    labels_of_regions: Sequence[RegionLabels],
) -> Statement:
    """Give each tuple of a source's values, once, what its region is released as: (source column, its axis)."""
    joined = [
        {
            "table": axis,
            "alias": name(f"q{n}"),
            "column": own,
            "value": column("value", of=f"q{n}"),
            "place": column("place", of=f"q{n}"),
            "assigned": column(f"place_{n}", of="r"),
            "as": name(f"value_{n}"),
        }
        for n, (own, axis) in enumerate(axes)
    ]
    labels = [column(text, of="b") for each in labels_of_regions for text in each.names]
    leaves = {"table": table, "source": source, "assigned": assigned, "regions": regions}
    return Statement("new_rows/released_tuples", {**leaves, "axes": joined, "labels": labels})


def one_query(steps: Sequence[Statement]) -> Statement:
    """Make one query of statements that create a scratch table each: the last one's, over those before it."""
    *before, last = steps
    own = [{"table": each.rendered(DUCKDB).makes, "query": each} for each in before]
    return Statement("new_rows/one_query", {"steps": own, "last": last})


def count_assigned(assigned: exp.Table) -> Statement:
    """Count the rows of tuples."""
    return Statement("new_rows/count_assigned", {"assigned": assigned})


def count_released(source: exp.Table, released: Sequence[Released]) -> Statement:
    """Count the rows that have a value in the map of every column."""
    leaves = {"source": source, "joins": joins(released)["joins"]}
    return Statement("new_rows/count_released", leaves)


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
