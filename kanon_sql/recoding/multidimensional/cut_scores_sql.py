"""Statements that score every cut of the regions of one depth: by loss, information or variance.

A score is a whole number, or an exact decimal, that is least for the best cut of a region. It stands
with the part of the axis after which a line would be cut, and with every part of a tree's one cut.
"""

from __future__ import annotations

from decimal import ROUND_CEILING
from typing import TYPE_CHECKING

from kanon_sql.policy.search_options import Choose, Width
from kanon_sql.recoding.multidimensional.region_cuts_sql import cells
from kanon_sql.sql.quoting import name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.region_cuts_sql import RegionTuples
    from kanon_sql.recoding.multidimensional.regions_sql import Axis, Regions

SQUARES = 10**12
"""Shares of a target's squares are rounded to so many parts of one."""

STEPS = 10**9
"""Whole steps from the least number of a target to the greatest: the sum of 9 x 10^9 rows is a BIGINT."""


def bound_cuts(regions: Regions, table: exp.Table, parts: exp.Table) -> Statement:
    """Bound both sides of every cut of a line, and every branch of a tree, on all axes."""
    leaves = {"boundaries": table, "parts": parts, "bounded": list(range(len(regions.axes)))}
    leaves["distinct"] = regions.width is Width.DISTINCT
    return Statement("multidimensional/bound_cuts", leaves)


def losses(
    regions: Regions, table: exp.Table, parts: exp.Table, boundaries: exp.Table
) -> Statement:
    """Sum what every cut leaves of the loss: rows times the widths of their side on all axes.

    Widths are those that `Regions.survey` measures, times their weights; rounded to so many parts
    of one that the sum over rows stays a BIGINT.
    """
    leaves = {"scored": table, "parts": parts, "boundaries": boundaries, "working": None}
    return Statement(
        "multidimensional/score_by_loss",
        {**leaves, **regions.measured, "unit": loss_unit(regions.axes)},
    )


def loss_unit(axes: Sequence[Axis]) -> int:
    """Return the parts of one that losses are rounded to: 10^9, or fewer by the greatest weight."""
    greatest = max((axis.weight for axis in axes if axis.weight is not None), default=None)
    if greatest is None or greatest <= 1:
        return 10**9
    return 10**9 // int(greatest.to_integral_value(ROUND_CEILING))


def by_target(
    regions: Regions, table: exp.Table, parts: exp.Table, region_tuples: RegionTuples
) -> Statement:
    """Score every cut by the target: by the entropy that it leaves, or the squares that it explains."""
    leaves = {**cells(regions, region_tuples, [name("target")]), "scored": table, "parts": parts}
    if regions.choose is Choose.VARIANCE:
        return Statement("multidimensional/score_by_variance", {**leaves, "unit": SQUARES})
    return Statement("multidimensional/score_by_information", leaves)


def whole_numbers(codes: exp.Table, axis: exp.Table) -> Statement:
    """Convert the numbers of a target on a line to whole numbers of steps."""
    leaves = {"codes": codes, "axis": axis, "steps": STEPS}
    return Statement("multidimensional/whole_numbers", leaves)
