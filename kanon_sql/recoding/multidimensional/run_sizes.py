"""The sizes of runs: how few rows a run may have, and how many rows are ordered and grouped at once."""

from __future__ import annotations

from kanon_sql.late_dataclass import dataclass

STEPS = 10
"""The number of steps at whose ends a boundary between two runs is tried, over all rows that could move it."""

POINTS = 16
"""A boundary is numbered by its block times this, plus its step: more than the steps, and one for none."""

LEAVES = 32
LEAST_RUNS, MOST_RUNS = 4, 50
"""A leaf has 4 to 50 runs, and so many that there are 32 leaves. Measured on Adult and on small tables: larger leaves let
C_DM fall further, and widths and the errors of COUNT queries rise, as one order of columns cannot keep all of them
narrow, and cannot part rare values."""


def leaf_rows(least: int, rows: int) -> int:
    """Return the most rows of a leaf of a table of `rows` rows, where a run has at least `least`.

    >>> [leaf_rows(k, 30_000) for k in (2, 5, 10, 25, 50, 100, 1000)]
    [100, 250, 500, 937, 937, 937, 4000]
    """
    return max(LEAST_RUNS * least, min(MOST_RUNS * least, rows // LEAVES))


@dataclass(frozen=True, slots=True)
class RunSizes:
    """The sizes by which rows are grouped in their order: into runs of at least `least` rows.

    Regions of at most `leaf` rows are ordered, each alone; with `one_sort` the table is not cut before. With
    `least_loss` a leaf is cut into the runs of least loss, else into equal ones.
    """

    least: int
    least_loss: bool
    rows: int
    """The rows of the whole table."""
    one_sort: bool = False

    @property
    def leaf(self) -> int:
        return leaf_rows(self.least, self.rows)
