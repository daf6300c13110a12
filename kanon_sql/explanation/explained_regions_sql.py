"""Statements over the regions of a partition: what each column costs, why they were not cut again, how they overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.recoding.multidimensional.regions_sql import TreeAxis
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import Axis


def region_columns(regions: exp.Table, axes: int) -> Statement:
    """Sum the widths of each column over all rows, and count rows that keep one value, or none."""
    leaves = {"regions": regions, "axes": range(axes)}
    return Statement("explanation/region_columns", leaves)


def region_ends(
    regions: exp.Table, axes: int, *, least: int, tuples: exp.Table | None = None
) -> Statement:
    """Count the regions by why they were not cut again; `least` is what two parts need.

    Their rows are counted, or the entities of `tuples`.
    """
    leaves = {"regions": regions, "tuples": tuples, "axes": range(axes), "least": least}
    return Statement("explanation/region_ends", leaves)


def region_boxes(table: exp.Table, regions: exp.Table, axes: Sequence[Axis]) -> Statement:
    """Give the boxes of regions as coordinates of their own table."""
    described = [
        {
            "number": n,
            "sizes": [(level, axis.masks[0] - mask) for level, mask in enumerate(axis.masks)]
            if isinstance(axis, TreeAxis)
            else (),
        }
        for n, axis in enumerate(axes)
    ]
    leaves = {"boxes": table, "regions": regions, "axes": described}
    return Statement("explanation/region_boxes", leaves)


def overlap(working: exp.Table, containing: exp.Table, axes: int) -> Statement:
    """Count the rows that lie within several boxes, and the boxes of all rows."""
    leaves = {"working": working, "containing": containing, "axes": range(axes)}
    return Statement("explanation/overlap", leaves)
