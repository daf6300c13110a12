"""Statements over the intervals that the domains of columns are cut into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.privacy.fitting_sql import ClassRows
    from kanon_sql.privacy.privacy_model import Requirement
    from kanon_sql.recoding.multidimensional.regions_sql import RegionLabels


def ranked_paths(table: exp.Table, tree: exp.Table) -> Statement:
    return Statement("single_dimensional/ranked_paths", {"ranked": table, "axis": tree})


def node_intervals(
    nodes: exp.Table, ranked: exp.Table, levels: Sequence[tuple[int, int]]
) -> Statement:
    """List the nodes of a tree: (node, parent, low, high, level); `levels` are numbered, with the bits that each keeps."""
    leaves = {"nodes": nodes, "ranked": ranked, "levels": levels}
    return Statement("single_dimensional/node_intervals", leaves)


def interval_starts(intervals: exp.Table) -> Statement:
    return Statement("single_dimensional/interval_starts", {"intervals": intervals})


def loaded_intervals(intervals: exp.Table, loaded: exp.Table) -> Statement:
    leaves = {"intervals": intervals, "loaded": loaded}
    return Statement("single_dimensional/loaded_intervals", leaves)


def assigned_intervals(
    table: exp.Table, axis: exp.Table, intervals: exp.Table, *, quasi: int, coordinate: str
) -> Statement:
    """Assign each coordinate of a column its interval, and the `coordinate` that the axis has for it."""
    return Statement(
        "single_dimensional/assigned_intervals",
        {
            "assigned": table,
            "axis": axis,
            "intervals": intervals,
            "quasi": quasi,
            "coordinate": column(coordinate, of="a"),
        },
    )


def kept_tuples(
    table: exp.Table,
    tuples: exp.Table,
    assigned: Sequence[exp.Table],
    required: Sequence[Requirement],
    where: ClassRows,
) -> Statement:
    """Keep the tuples whose classes, of the intervals of all columns, have all that is required."""
    leaves = {"kept": table, "tuples": tuples, "columns": list(enumerate(assigned))}
    return Statement(
        "single_dimensional/kept_tuples",
        {**leaves, "requirements": where.requirements(required)},
    )


def interval_tuples(
    table: exp.Table, kept: exp.Table, assigned: exp.Table, *, quasi: int
) -> Statement:
    """Put the values of one column that tuples have into their intervals, as if these were regions."""
    leaves = {"tuples": table, "kept": kept, "assigned": assigned, "quasi": quasi}
    return Statement("single_dimensional/interval_tuples", leaves)


def interval_labels(
    map_: exp.Table,
    axis: exp.Table,
    regions: exp.Table,
    released: exp.Table,
    *,
    coordinate: str,
    released_as: RegionLabels,
) -> Statement:
    """Map each value of a column to what its interval is released as, if it lies within its bounds."""
    return Statement(
        "single_dimensional/interval_labels",
        {
            "map": map_,
            "axis": axis,
            "regions": regions,
            "released": released,
            "labels": [
                {"from": name(label), "as": name(kind)}
                for label, kind in zip(released_as.names, released_as.output.parts, strict=True)
            ],
            "coordinate": column(coordinate, of="a"),
        },
    )


def interval_classes(
    tuples: exp.Table,
    maps: Mapping[int, exp.Table],
    required: Sequence[Requirement],
    where: ClassRows,
) -> Statement:
    """Count the classes over some columns, by their numbers: classes, smallest, squares, rows kept.

    The first of what is required is the size of classes.
    """
    leaves = _of_intervals(tuples, maps, required, where)
    return Statement("single_dimensional/interval_classes", leaves)


def class_sizes(
    tuples: exp.Table,
    maps: Mapping[int, exp.Table],
    required: Sequence[Requirement],
    where: ClassRows,
) -> Statement:
    """Count the classes of each size that fit, and their rows."""
    leaves = _of_intervals(tuples, maps, required, where)
    return Statement("single_dimensional/class_sizes", leaves)


def _of_intervals(
    tuples: exp.Table,
    maps: Mapping[int, exp.Table],
    required: Sequence[Requirement],
    where: ClassRows,
) -> dict[str, object]:
    """Give the leaves of classes over some columns; the first of what is required is their size."""
    size, *others = where.requirements(required)
    described = [
        {**each, "measure": name(f"measure_{number}")} for number, each in enumerate(others)
    ]
    leaves = {"tuples": tuples, "columns": list(maps.items())}
    return {**leaves, "requirements": [{**size, "measure": name("size")}, *described]}


def interval_widths(intervals: exp.Table) -> Statement:
    return Statement("single_dimensional/interval_widths", {"intervals": intervals})
