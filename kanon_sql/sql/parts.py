"""Statements over the parts that the domains of columns are cut into, each an interval of places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.leaves import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.sql.regions import Shown


def ranked(table: exp.Table, tree: exp.Table) -> Statement:
    """Give the leaves of a tree places from 0 on, in its order."""
    return Statement("ranked", {"ranked": table, "axis": tree})


def ranked_nodes(nodes: exp.Table, table: exp.Table, masks: Sequence[int]) -> Statement:
    """List the nodes of a tree: (node, parent, low, high, level); `masks` has the bits a level keeps."""
    levels = [{"number": literal(n), "mask": literal(mask)} for n, mask in enumerate(masks)]
    return Statement("ranked_nodes", {"nodes": nodes, "ranked": table, "levels": levels})


def ends(working: exp.Table, columns: int) -> Statement:
    """Ask for the first and the last place of each column."""
    places = [name(f"place_{n}") for n in range(columns)]
    return Statement("ends", {"working": working, "places": places})


def sizes(working: exp.Table, *, targeted: bool) -> Statement:
    """Count the rows, and the values of the target."""
    target = name("target") if targeted else None
    return Statement("sizes", {"working": working, "target": target})


def firsts(cuts: exp.Table) -> Statement:
    """Read the first place of each part, column by column."""
    return Statement("firsts", {"cuts": cuts})


def loaded_cuts(cuts: exp.Table, loaded: exp.Table) -> Statement:
    """Make the table of parts, as intervals of places, from texts that were loaded."""
    return Statement("loaded_cuts", {"cuts": cuts, "loaded": loaded})


def in_parts(
    working: exp.Table,
    axis: exp.Table,
    domain: exp.Table,
    cuts: exp.Table,
    *,
    quasi: int,
    place: str,
) -> Statement:
    """Put the values of one column into their parts, as if these were regions."""
    return Statement(
        "in_parts",
        {
            "working": working,
            "axis": axis,
            "domain": domain,
            "cuts": cuts,
            "quasi": literal(quasi),
            "place": column(place, of="a"),
            "value": column("value", of="a"),
            "known": column("value", of="d"),
        },
    )


def part_map(
    map_: exp.Table,
    axis: exp.Table,
    cuts: exp.Table,
    boxes: exp.Table,
    *,
    quasi: int,
    shown: Shown,
) -> Statement:
    """Map each value of a column to what its part is released as."""
    kinds = ("low", "high") if shown.bounds else ("label",)
    sides = [
        {"from": name(side), "as": name(kind)}
        for side, kind in zip(shown.names, kinds, strict=True)
    ]
    leaves = {"map": map_, "axis": axis, "cuts": cuts, "boxes": boxes, "sides": sides}
    return Statement("part_map", {**leaves, "quasi": literal(quasi)})


def part_classes(
    working: exp.Table, maps: Mapping[int, exp.Table], *, entity: bool, least: int
) -> Statement:
    """Count the classes over some columns, by their numbers: classes, smallest, squares, suppressed."""
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
    return Statement("part_classes", leaves)


def part_totals(boxes: exp.Table) -> Statement:
    """Count the parts of one column, and sum the widths of all rows."""
    return Statement("part_totals", {"boxes": boxes, "width": name("width_0")})
