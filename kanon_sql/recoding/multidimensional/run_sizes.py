"""How many rows are ordered and grouped into runs at once, and how small a run may be."""

from __future__ import annotations

from kanon_sql.late_dataclass import dataclass

STEPS = 10
"""A boundary between two runs is tried at the ends of so many steps, over all rows that could move it."""

POINTS = 16
"""A boundary has a number, of its block and its step: more than there are steps, and one that is none."""

LEAVES = 32
LEAST_RUNS, MOST_RUNS = 4, 50
"""A leaf has 4 to 50 runs, and so many that there are 32 leaves. Measured on Adult and on small tables: larger leaves let
C_DM fall further, and widths and the errors of COUNT queries rise, as one order of columns cannot keep all of them
narrow, and cannot part rare values."""


def leaf_rows(least: int, rows: int) -> int:
    """Return the most rows of a leaf of a table of so many rows, where a run has at least so many.

    >>> [leaf_rows(k, 30_000) for k in (2, 5, 10, 25, 50, 100, 1000)]
    [100, 250, 500, 937, 937, 937, 4000]
    """
    return max(LEAST_RUNS * least, min(MOST_RUNS * least, rows // LEAVES))


@dataclass(frozen=True, slots=True)
class RunSizes:
    """How rows are grouped by their order: into runs of at least so many rows each.

    Regions of at most `leaf` rows are ordered, each by itself; with `one_sort` nothing is cut for that. By
    `least_loss` runs are the best of a leaf's order, of so many rows at once; else they are equal.
    """

    least: int
    least_loss: bool
    rows: int
    """Of the whole table."""
    one_sort: bool = False

    @property
    def leaf(self) -> int:
        return leaf_rows(self.least, self.rows)
