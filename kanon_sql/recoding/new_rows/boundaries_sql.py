"""Statements over the sides of boxes and parts: a table that a plan has beside it, for rows to come.

It has a row for each box (and each part of a column), with where it begins and ends on each axis: the
values of a line, or the node of a hierarchy. Between them it has the branches that lead to a box:
the last value of a line before a cut, or a child of a node. All of these are bounds of boxes, and none
says more of a row than its release does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kanon_sql.hierarchies import mapping_sql
from kanon_sql.hierarchies.labels_sql import joins
from kanon_sql.hierarchies.order import Dates, Steps
from kanon_sql.hierarchies.specs import ROOT
from kanon_sql.recoding.multidimensional.regions_sql import LineAxis
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.labels_sql import Released
    from kanon_sql.policy.model import Column
    from kanon_sql.recoding.multidimensional.regions_sql import Axis, RegionLabels, Regions

HIGHEST = 2**62
"""A place beyond all others."""


@dataclass(frozen=True, slots=True)
class AxisCoordinates:
    """A column whose values have places: on a line, by its `units`, or as leaves of a hierarchy with its `nodes`."""

    axis: exp.Table
    nodes: exp.Table | None = None
    units: exp.Table | None = None
    half_open: bool = False


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
    labels = [name(mapping_sql.level(n)) for n in range(1, height + 1)]
    leaves = {"table": table, "domain": domain, "paths": paths, "as_text": as_text}
    return Statement(
        "new_rows/ranked_leaves",
        {
            **leaves,
            "labels": labels,
            "order": labels[::-1],
            "value": column("value", of="d"),
            "path": column("value", of="p"),
        },
    )


def label_nodes(table: exp.Table, axis: exp.Table, height: int) -> Statement:
    """Give the first and last place under each label of each level; values are of level 0."""
    levels = [
        {"number": literal(n), "label": name(mapping_sql.level(n))} for n in range(1, height + 1)
    ]
    leaves = {"nodes": table, "axis": axis, "value": column("value", of="a"), "levels": levels}
    return Statement("new_rows/label_nodes", leaves)


def ends(table: exp.Table, axis: exp.Table) -> Statement:
    """Give the first and last value, by their texts, at each place of a line."""
    return Statement(
        "new_rows/line_values", {"ends": table, "axis": axis, "value": column("value", of="a")}
    )


def sides(
    table: exp.Table,
    axes: Sequence[Axis],
    ends: Mapping[int, exp.Table],
    *,
    regions: exp.Table | None = None,
    branches: Sequence[exp.Table] = (),
    parts: Sequence[exp.Table] = (),
) -> Statement:
    """Make the table of sides: of boxes with their branches, or of the parts of each column.

    `ends` has the values of each line by their places. `parts` are regions of one axis each.
    """
    return Statement(
        "new_rows/kept_sides",
        {
            "sides": table,
            "regions": regions,
            "branches": branches,
            "parts": [
                {"number": literal(n), "table": each, "tree": not isinstance(axes[n], LineAxis)}
                for n, each in enumerate(parts)
            ],
            "axes": [_axis(n, axis, ends.get(n)) for n, axis in enumerate(axes)],
            "trees": [literal(n) for n, axis in enumerate(axes) if not isinstance(axis, LineAxis)],
        },
    )


def like(
    table: exp.Table, source: exp.Table, own: Sequence[Column], trees: Sequence[bool]
) -> Statement:
    """Make an empty table of sides, with the types that the source's columns have, or their units."""
    described = [
        {
            "tree": tree,
            "low": name(f"low_{n}"),
            "high": name(f"high_{n}"),
            "level": name(f"level_{n}"),
            "label": name(f"label_{n}"),
            "column": column(each.name, of="s"),
            "dates": isinstance(each.order, Dates),
            "steps": isinstance(each.order, Steps),
            "scale": literal(each.order.scale)
            if isinstance(each.order, Steps) and each.order.scale
            else None,
        }
        for n, (each, tree) in enumerate(zip(own, trees, strict=True))
    ]
    return Statement("new_rows/like_sides", {"table": table, "source": source, "axes": described})


def _axis(number: int, axis: Axis, ends: exp.Table | None) -> dict[str, object]:
    shared: dict[str, object] = {
        "number": literal(number),
        "low": name(f"low_{number}"),
        "high": name(f"high_{number}"),
        "level": name(f"level_{number}"),
        "node": name(f"node_{number}"),
        "label": name(f"label_{number}"),
        "low_alias": name(f"l{number}"),
        "high_alias": name(f"h{number}"),
        "alias": name(f"t{number}"),
        "tree": not isinstance(axis, LineAxis),
    }
    if isinstance(axis, LineAxis):
        first, last = ("value", "last_value") if axis.units is None else ("low", "low")
        return {
            **shared,
            "nodes": None,
            "sizes": [],
            "ends": ends if axis.units is None else axis.units,
            "first": column(first, of=f"l{number}"),
            "last": column(last, of=f"h{number}"),
        }
    sizes = [
        {"level": literal(level), "size": literal(axis.masks[0] - mask)}
        for level, mask in enumerate(axis.masks)
    ]
    return {**shared, "nodes": axis.nodes, "sizes": sizes}


def _placed(number: int, each: AxisCoordinates) -> dict[str, object]:
    return {
        "number": literal(number),
        "tree": each.nodes is not None,
        "axis": each.axis if each.units is None else each.units,
        "nodes": each.nodes,
        "low": name(f"low_{number}"),
        "high": name(f"high_{number}"),
        "level": name(f"level_{number}"),
        "label": name(f"label_{number}"),
        "low_alias": name(f"l{number}"),
        "high_alias": name(f"h{number}"),
        "alias": name(f"t{number}"),
        "low_value": column("value" if each.units is None else "low", of=f"l{number}"),
        "high_value": column("value" if each.units is None else "low", of=f"h{number}"),
        "shown_high": column(f"high_{number}", of="s")
        if each.units is None
        else column("high", of=f"h{number}"),
        "closed": literal(")" if each.half_open else "]"),
        "own_low": column(f"low_{number}", of="s"),
        "own_high": column(f"high_{number}", of="s"),
        "node_label": column("label", of=f"t{number}"),
        "own_label": column(f"label_{number}", of="s"),
    }


def with_ends(domain: exp.Table, found: exp.Table, sides: exp.Table, number: int) -> Statement:
    """Give the values of a new table together with the sides' own on one line."""
    leaves = {"domain": domain, "found": found, "sides": sides}
    low, high = name(f"low_{number}"), name(f"high_{number}")
    return Statement("new_rows/with_ends", {**leaves, "low": low, "high": high})


def routes(table: exp.Table, sides: exp.Table, placed: Sequence[AxisCoordinates]) -> Statement:
    """Give branches as intervals of the places of a new table."""
    return Statement(
        "new_rows/routes",
        {
            "routes": table,
            "sides": sides,
            "axes": [_placed(n, each) for n, each in enumerate(placed)],
            "highest": literal(HIGHEST),
        },
    )


def told(
    table: exp.Table,
    sides: exp.Table,
    placed: Sequence[AxisCoordinates],
    shown: Sequence[RegionLabels],
    *,
    only: int | None = None,
) -> Statement:
    """Give boxes as intervals of the places of a new table, with what they are released as.

    Or the parts of one column `only`. What has no place in the new table holds none of its rows, and
    is left out.
    """
    described = [
        {
            **_placed(n, of),
            "bounds": each.bounds,
            "as_label": None if each.bounds else name(each.names[0]),
            "as_low": name(each.names[0]) if each.bounds else None,
            "as_high": name(each.names[1]) if each.bounds else None,
        }
        for n, (of, each) in enumerate(zip(placed, shown, strict=True))
        if only in (None, n)
    ]
    return Statement(
        "new_rows/told_boxes",
        {
            "boxes": table,
            "sides": sides,
            "axes": described,
            "only": None if only is None else literal(only),
            "root": literal(ROOT),
        },
    )


def part_map(
    map_: exp.Table, axis: exp.Table, boxes: exp.Table, shown: RegionLabels, *, number: int
) -> Statement:
    """Map each value of a new column to what its part is released as; others are left out."""
    kinds = ("low", "high") if shown.bounds else ("label",)
    told_as = [
        {"from": name(side), "as": name(kind)}
        for side, kind in zip(shown.names, kinds, strict=True)
    ]
    low, high = name(f"low_{number}"), name(f"high_{number}")
    leaves = {"map": map_, "axis": axis, "boxes": boxes, "sides": told_as, "low": low, "high": high}
    return Statement("new_rows/told_parts", leaves)


def within(found: exp.Table, homes: exp.Table, boxes: exp.Table, axes: int) -> Statement:
    """Keep the tuples that lie in the box that their branches led to."""
    described = [
        {
            "place": column(f"place_{n}", of="h"),
            "low": column(f"low_{n}", of="b"),
            "high": column(f"high_{n}", of="b"),
        }
        for n in range(axes)
    ]
    return Statement(
        "new_rows/within", {"found": found, "homes": homes, "boxes": boxes, "axes": described}
    )


def fitting(
    table: exp.Table,
    homes: exp.Table,
    boxes: exp.Table,
    shown: Sequence[RegionLabels],
    regions: Regions,
) -> Statement:
    """Keep the boxes whose classes, as a reader tells them apart, hold what is asked of regions."""
    own = regions.class_rows
    where = replace(
        own,
        entity=None if own.entity is None else column(own.entity.name, of="h"),
        value=lambda of: column(own.value(of).name, of="h"),
        alias=name("h"),
    )
    return Statement(
        "new_rows/fitting_boxes",
        {
            "fitting": table,
            "homes": homes,
            "boxes": boxes,
            "shown": [
                {"name": name(text), "box": column(text, of="b"), "class": column(text, of="c")}
                for each in shown
                for text in each.names
            ],
            "requirements": where.requirements(regions.requirements),
        },
    )


def left_out(table: exp.Table, homes: exp.Table, fitting: exp.Table) -> Statement:
    """Give the tuples that lie in boxes whose classes do not fit."""
    return Statement("new_rows/left_out", {"left_out": table, "homes": homes, "fitting": fitting})


def homes_of_places(table: exp.Table, homes: exp.Table, axes: int) -> Statement:
    """Give tuples of places alone, without what was counted beside their rows."""
    places = [name(f"place_{n}") for n in range(axes)]
    return Statement("new_rows/homes_of_places", {"table": table, "homes": homes, "places": places})


def count(homes: exp.Table) -> Statement:
    """Count the rows of tuples."""
    return Statement("new_rows/count_homes", {"homes": homes})


def count_placed(source: exp.Table, released: Sequence[Released]) -> Statement:
    """Count the rows that have a value in the map of every column."""
    return Statement("new_rows/count_placed", {"source": source, "joins": joins(released)["joins"]})
