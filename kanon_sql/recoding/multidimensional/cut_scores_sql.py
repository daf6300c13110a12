"""Statements that score every cut of the regions of one depth: by loss, information or variance.

A score is a whole number, or an exact decimal, that is least for the best cut of a region. It stands
beside the part of the axis that a line would be cut after, and beside every part of a tree's one cut.
"""

from __future__ import annotations

from decimal import ROUND_CEILING
from typing import TYPE_CHECKING

from kanon_sql.policy.search_options import Choose
from kanon_sql.recoding.multidimensional.region_cuts_sql import cells, ends
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.region_cuts_sql import RegionTuples
    from kanon_sql.recoding.multidimensional.regions_sql import Axis, Regions

SQUARES = 10**12
"""Parts of one that shares of a target's squares are told apart to."""

STEPS = 10**9
"""Whole steps from the least number of a target to the greatest: the sum of 9 x 10^9 rows is a BIGINT."""


def sides(regions: Regions, table: exp.Table, parts: exp.Table) -> Statement:
    """Bound both sides of every cut of a line, and every branch of a tree, on all axes."""
    return Statement(
        "multidimensional/sides", {"sides": table, "parts": parts, "ends": ends(regions)}
    )


def losses(regions: Regions, table: exp.Table, parts: exp.Table, sides: exp.Table) -> Statement:
    """Sum what every cut leaves of the loss: rows times the widths of their side on all axes.

    Widths are those that `Regions.survey` measures, times their weights; rounded to so many parts
    of one that the sum over rows stays a BIGINT.
    """
    leaves = {"scored": table, "parts": parts, "sides": sides, "working": None}
    return Statement(
        "multidimensional/losses",
        {**leaves, "axes": regions.described, "unit": literal(loss_unit(regions.axes))},
    )


def loss_unit(axes: Sequence[Axis]) -> int:
    """Give the parts of one that losses are told apart to: 10^9, or fewer by the greatest weight."""
    greatest = max((axis.weight for axis in axes if axis.weight is not None), default=None)
    if greatest is None or greatest <= 1:
        return 10**9
    return 10**9 // int(greatest.to_integral_value(ROUND_CEILING))


def by_target(
    regions: Regions, table: exp.Table, parts: exp.Table, asked: RegionTuples
) -> Statement:
    """Score every cut by what it tells of the target: its information, or the squares it explains."""
    leaves = {**cells(regions, asked, [name("target")]), "scored": table, "parts": parts}
    if regions.choose is Choose.VARIANCE:
        of = ("own", "lower", "upper", "all")
        texts = [*(f"{each}_{what}" for each in of for what in ("sum", "rows")), "length"]
        named = {text: column(text) for text in texts}
        return Statement(
            "multidimensional/variances", {**leaves, **named, "unit": literal(SQUARES)}
        )
    counts = {"own": "row_count", "before": "before_or_one", "after": "after_or_one"}
    named = {
        text: column(counts.get(text, text), of="c")
        for text in ("own", "upto", "before", "after", "onward")
    }
    named |= {
        "rows": column("row_count", of="r"),
        "lower": column("lower_rows", of="u"),
        "upper": column("upper_or_one", of="u"),
    }
    return Statement("multidimensional/informations", {**leaves, **named})


def whole_numbers(codes: exp.Table, axis: exp.Table) -> Statement:
    """Give each number of a target that lies on a line as a whole number of steps."""
    return Statement(
        "multidimensional/whole_numbers", {"codes": codes, "axis": axis, "steps": literal(STEPS)}
    )
