"""Mondrian multidimensional recoding (LeFevre, DeWitt and Ramakrishnan, ICDE 2006), strict and relaxed.

The table's tuples are one region, which is cut in two (a hierarchy's node into all its children) on
the axis it is widest on, and so are its parts, until nothing can be cut. All regions of one depth
are cut together.

Guarantee: every region fits every privacy model, and no region of the result has an allowable cut
on any axis. Strict regions do not overlap, so on lines none holds more than 2d(k-1) + m rows, where m
is the most rows that one tuple has (section 3.2); relaxed ones may, and on lines with k of rows alone
none whose tuples differ holds more than 2k - 1. Sound for models under which a region that does not fit
has no part that does: k, distinct l. Cost: a constant number of statements a depth. Where a line
is cut in the middle the depth grows with the logarithm of the rows.

The cut of an axis is the most balanced of its allowable ones. The paper's median, if it is taken
as "all values up to it", misses cuts where one value holds the most rows, and breaks the bound.
Relaxed, a line is cut at half of its rows, rounded up, and the tuple there lies on both sides; rows that
are equal on the line stand in the order of the other axes, then of what the models count.

Instead of by width, the cut may be chosen by a score, of all allowable cuts of all axes:
the loss that it leaves (the rows of its sides, each with the widths of its side on all axes), the
target's entropy that it leaves (InfoGain Mondrian, LeFevre et al., KDD 2006 and TODS 33(3), 2008, section
3) or the squares of a number that it explains (their LSD Mondrian). Ties go as without a score: to the
widest axis, the first, the most balanced, the smallest place. A score may cut off little at a time, so
depth is bounded by the rows over k alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_sql.recoding.multidimensional.partition import Partitioning


def mondrian(partitioning: Partitioning) -> bool:
    """Cut until nothing can be cut; whether there was time for that. Either way every region fits."""
    while not partitioning.late():
        if not partitioning.cut():
            return True
    return False
