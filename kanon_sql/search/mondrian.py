"""Mondrian multidimensional recoding (LeFevre, DeWitt and Ramakrishnan, ICDE 2006), strict.

The table's tuples are one region, which is cut in two (a hierarchy's node into all its children) on
the axis it is widest on, and so are its parts, until nothing can be cut. All regions of one depth
are cut together.

Guarantee: every region fits every privacy model, regions do not overlap, and no region of the
result has an allowable cut on any axis. So on lines no region holds more than 2d(k-1) + m rows, where
m is the most rows that one tuple has (section 3.2). Sound for models under which a region that
does not fit has no part that does: k, distinct l. Cost: a constant number of statements a depth,
and the depth grows with the logarithm of the rows.

The cut of an axis is the most balanced of its allowable ones. The paper's median, if it is taken
as "all values up to it", misses cuts where one value holds the most rows, and breaks the bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_sql.search.partitions import Partitioning


def mondrian(partitioning: Partitioning) -> bool:
    """Cut until nothing can be cut; whether there was time for that. Either way every region fits."""
    while not partitioning.late():
        if not partitioning.cut():
            return True
    return False
