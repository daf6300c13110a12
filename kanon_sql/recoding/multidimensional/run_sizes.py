"""How many rows are ordered and grouped into runs at once, and how small a run may be."""

from __future__ import annotations

from kanon_sql.late_dataclass import dataclass

STEPS = 10
"""A boundary between two runs is tried at the ends of so many steps, over all rows that could move it."""

LEAF_ROWS = 1600
LEAST_RUNS, MOST_RUNS = 8, 50
"""A leaf has up to 50 runs, but no more than 1,600 rows, unless 8 runs take more. Measured on Adult: larger leaves let
C_DM fall further, and the errors of COUNT queries rise from there on, as a leaf's order cannot part rare values."""


def leaf_rows(least: int) -> int:
    """Return the most rows of a leaf, where a run has so many at least.

    >>> [leaf_rows(k) for k in (2, 5, 10, 25, 50, 100, 1000)]
    [100, 250, 500, 1250, 1600, 1600, 8000]
    """
    return max(LEAST_RUNS * least, min(MOST_RUNS * least, LEAF_ROWS))


@dataclass(frozen=True, slots=True)
class RunSizes:
    """How rows are grouped by their order: into runs of at least so many rows each.

    Regions of at most `leaf` rows are ordered, each by itself; with `one_sort` nothing is cut for that. By
    `least_loss` runs are the best of a leaf's order, of so many rows at once; else they are equal.
    """

    least: int
    least_loss: bool
    one_sort: bool = False

    @property
    def leaf(self) -> int:
        return leaf_rows(self.least)
