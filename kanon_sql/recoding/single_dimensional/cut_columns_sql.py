"""Statements over the parts that the domains of columns are cut into, each an interval of places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import RegionLabels


def ranked(table: exp.Table, tree: exp.Table) -> Statement:
    """Give the leaves of a tree places from 0 on, in its order."""
    return Statement("single_dimensional/ranked", {"ranked": table, "axis": tree})


def ranked_nodes(nodes: exp.Table, table: exp.Table, masks: Sequence[int]) -> Statement:
    """List the nodes of a tree: (node, parent, low, high, level); `masks` has the bits a level keeps."""
    levels = [{"number": literal(n), "mask": literal(mask)} for n, mask in enumerate(masks)]
    return Statement(
        "single_dimensional/ranked_nodes", {"nodes": nodes, "ranked": table, "levels": levels}
    )


def ends(working: exp.Table, columns: int) -> Statement:
    """Ask for the first and the last place of each column."""
    places = [name(f"place_{n}") for n in range(columns)]
    return Statement("single_dimensional/ends", {"working": working, "places": places})


def sizes(working: exp.Table, *, targeted: bool) -> Statement:
    """Count the rows, and the values of the target."""
    target = name("target") if targeted else None
    return Statement("single_dimensional/sizes", {"working": working, "target": target})


def firsts(cuts: exp.Table) -> Statement:
    """Read the first place of each part, column by column."""
    return Statement("single_dimensional/firsts", {"cuts": cuts})


def loaded_cuts(cuts: exp.Table, loaded: exp.Table) -> Statement:
    """Make the table of parts, as intervals of places, from texts that were loaded."""
    return Statement("single_dimensional/loaded_cuts", {"cuts": cuts, "loaded": loaded})


def spots(
    table: exp.Table, axis: exp.Table, cuts: exp.Table, *, quasi: int, place: str
) -> Statement:
    """Give each place of a column its part, and the spot on the column's axis, which is its `place`."""
    return Statement(
        "single_dimensional/spots",
        {
            "spots": table,
            "axis": axis,
            "cuts": cuts,
            "quasi": literal(quasi),
            "spot": column(place, of="a"),
        },
    )


def kept(
    table: exp.Table,
    working: exp.Table,
    spots: Sequence[exp.Table],
    *,
    entity: bool,
    least: int,
) -> Statement:
    """Keep the tuples whose classes, of the parts of all columns, are large enough."""
    columns = [
        {
            "place": name(f"place_{n}"),
            "part": name(f"part_{n}"),
            "spots": each,
            "alias": name(f"s{n}"),
            "part_of": column("part", of=f"s{n}"),
        }
        for n, each in enumerate(spots)
    ]
    leaves = {"kept": table, "working": working, "columns": columns, "size": entity}
    return Statement("single_dimensional/kept", {**leaves, "least": literal(least)})


def in_parts(working: exp.Table, kept: exp.Table, spots: exp.Table, *, quasi: int) -> Statement:
    """Put the values of one column that tuples have into their parts, as if these were regions."""
    place = column(f"place_{quasi}", of="k")
    return Statement(
        "single_dimensional/in_parts",
        {"working": working, "kept": kept, "spots": spots, "place": place},
    )


def part_map(
    map_: exp.Table,
    axis: exp.Table,
    regions: exp.Table,
    boxes: exp.Table,
    *,
    place: str,
    shown: RegionLabels,
) -> Statement:
    """Map each value of a column to what its part is released as, if it lies within its bounds."""
    kinds = ("low", "high") if shown.bounds else ("label",)
    sides = [
        {"from": name(side), "as": name(kind)}
        for side, kind in zip(shown.names, kinds, strict=True)
    ]
    leaves = {"map": map_, "axis": axis, "regions": regions, "boxes": boxes, "sides": sides}
    return Statement("single_dimensional/part_map", {**leaves, "spot": column(place, of="a")})


def part_classes(
    working: exp.Table, maps: Mapping[int, exp.Table], *, entity: bool, least: int
) -> Statement:
    """Count the classes over some columns, by their numbers: classes, smallest, squares, rows kept."""
    columns = [
        {
            "place": name(f"place_{n}"),
            "alias": name(f"p{n}"),
            "map": map_,
            "code": column("code", of=f"p{n}"),
        }
        for n, map_ in maps.items()
    ]
    leaves = {"working": working, "columns": columns, "size": entity, "least": literal(least)}
    return Statement("single_dimensional/part_classes", leaves)


def part_totals(boxes: exp.Table) -> Statement:
    """Count the parts of one column, and sum the widths of all rows."""
    return Statement("single_dimensional/part_totals", {"boxes": boxes, "width": name("width_0")})
