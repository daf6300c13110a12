"""Statements that score every cut of the regions of one depth: by loss, information or variance.

A score is a whole number, or an exact decimal, that is least for the best cut of a region. It stands
with the part of the axis after which a line would be cut, and with every part of a tree's one cut.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.policy.search_options import Choose, Width
from kanon_sql.recoding.multidimensional.region_cuts_sql import HIGHEST, LOWEST, cells, fits
from kanon_sql.recoding.multidimensional.regions_sql import LineAxis
from kanon_sql.sql.quoting import name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.region_cuts_sql import RegionTuples
    from kanon_sql.recoding.multidimensional.regions_sql import Axis, Regions

SQUARES = 10**12
"""Shares of a target's squares are rounded to so many parts of one."""

WORD_BITS = 62
"""Bits of a whole number that tell places apart: none is the sign."""

FIELD_BITS = 42
"""Places of one axis up to which the highest bit is read exactly by a logarithm in floating point of 64 bits."""

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
    leaves = {"scored": table, "parts": parts, "boundaries": boundaries}
    return Statement(
        "multidimensional/score_by_loss",
        {
            **leaves,
            "working": None,
            **regions.measured,
            "unit": loss_unit(regions.axes),
        },
    )


def loss_unit(axes: Sequence[Axis]) -> int:
    """Return the parts of one that losses are rounded to: 10^9, or fewer by the greatest weight."""
    greatest = max((axis.weight for axis in axes if axis.weight is not None), default=None)
    if greatest is None or greatest <= 1:
        return 10**9
    return 10**9 // int(greatest.to_integral_value(ROUND_CEILING))


@dataclass(frozen=True, slots=True)
class PlaceBits:
    """The bits of a word that one axis has: that of its place p is the one `first` beyond p."""

    axis: int
    first: int
    size: int

    @property
    def mask(self) -> int:
        return ((1 << self.size) - 1) << (self.first - 1)

    @property
    def half(self) -> Decimal:
        """Return half of the lowest bit."""
        return Decimal(1 << (self.first - 1)) / 2


@dataclass(frozen=True, slots=True)
class SharedBits:
    """A whole number that has a bit for each place of several axes."""

    number: int
    fields: tuple[PlaceBits, ...]


def words(axes: Sequence[Axis]) -> list[SharedBits]:
    """Give the lines that have few places their bits: each of the fewest words that hold them, the longest first."""
    sizes = {n: axis.last + 2 for n, axis in enumerate(axes) if isinstance(axis, LineAxis)}
    kept: list[list[PlaceBits]] = []
    for n, size in sorted(sizes.items(), key=lambda of: (-of[1], of[0])):
        if size > FIELD_BITS:
            continue
        for word in kept:
            begun = sum(field.size for field in word)
            if begun + size <= WORD_BITS:
                word.append(PlaceBits(n, begun + 1, size))
                break
        else:
            kept.append([PlaceBits(n, 1, size)])
    return [SharedBits(n, tuple(word)) for n, word in enumerate(kept)]


def branches_by_loss(
    regions: Regions,
    table: exp.Table,
    region_tuples: RegionTuples,
    fitting: exp.Table | None = None,
    *,
    first: int,
) -> Statement:
    """Cut each region by the cut of least loss into two branches with bounds and widths, numbered from `first` on.

    For what is `Regions.cut_at_once`.
    """
    made = words(regions.axes)
    short = {field.axis for word in made for field in word.fields}
    return Statement(
        "multidimensional/branches_by_loss",
        {
            "branches": table,
            "working": region_tuples.working,
            "regions": region_tuples.regions,
            "of_branches": region_tuples.of_branches,
            "fewest": regions.fewest,
            "fits": fits(regions),
            "fitting": fitting,
            "words": made,
            "ranged": [n for n in range(len(regions.axes)) if n not in short],
            "unit": loss_unit(regions.axes),
            **regions.measured,
            "first": first,
            "lowest": LOWEST,
            "highest": HIGHEST,
        },
    )


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
