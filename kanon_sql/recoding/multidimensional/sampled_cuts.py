"""Samples the rows of a large table, on which the first cuts of its regions are chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column
from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.recoding.multidimensional.regions_sql import Regions

ONE_IN = 8
"""One row in so many is sampled."""

LEAST_ROWS = 250_000
"""A table of fewer rows is cut as a whole: to sample it and to lead its tuples would cost more than it saves."""

SAMPLED_ROWS = 128
"""A region of fewer rows in the sample is not cut there. Measured on 1 and 10 million rows of a census: widths of the release
stay within half a percent of those that all rows give."""

PRIME = 2**31 - 1
MIXER = 1_103_515_245
"""Sums of coordinates modulo a prime, times a number modulo that prime: neighbours are not chosen alike."""

FACTOR, FACTORS = 48_271, 1_048_573
"""The factor of the first axis; that of each further one is the one before times it, modulo another prime. A sum of
thousands of coordinates modulo the first prime, times factors of 20 bits, stays a BIGINT."""


def smallest_sampled_cut(regions: Regions) -> int | None:
    """Return the sampled rows below which a region is cut on all rows only; None where no cut is chosen on a sample.

    That is where rows alone are counted, and regions are cut down to leaves: a region that is cut on the sample has twice
    the rows of a leaf.
    """
    runs = regions.runs
    if runs is None or runs.one_sort or runs.rows < LEAST_ROWS:
        return None
    if not regions.cut_at_once or regions.weighed:
        return None
    return max(SAMPLED_ROWS, 2 * runs.leaf // ONE_IN + 1)


def factors(axes: int) -> list[int]:
    """Give each axis its factor.

    >>> factors(3)
    [48271, 160235, 429237]
    """
    made = [FACTOR]
    while len(made) < axes:
        made.append(made[-1] * FACTOR % FACTORS)
    return made


def sampled_tuples(regions: Regions, sample: exp.Table, working: exp.Table) -> Statement:
    """Sample the rows of tuples: of each its share, but for less than one row, and never more than it has.

    So sides of a cut that fit by the rows of the sample fit by all rows.
    """
    places = [column(f"place_{n}", of="w") for n in range(len(regions.axes))]
    return Statement(
        "multidimensional/cuts/sampled_tuples",
        {
            "sample": sample,
            "working": working,
            "carried": [column(each.name, of="w") for each in regions.carried],
            "factors": [
                {"place": place, "factor": factor}
                for place, factor in zip(places, factors(len(places)), strict=True)
            ],
            "prime": PRIME,
            "mixer": MIXER,
            "one_in": ONE_IN,
        },
    )
