"""What specializations gain without a target: the loss that they remove, from the widths of nodes and intervals.

The loss of a release is the mean width of all its cells, its `gcp`. A column's cells do not depend on how other columns
are cut, so the loss that a specialization removes follows from the rows of each of the column's values alone.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.recoding.axes import BILLION
from kanon_sql.recoding.single_dimensional import removed_loss_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.policy.cut_steps import AnonymityRequirement


@dataclass(frozen=True, slots=True)
class RemovedLoss:
    """The gain of a specialization is the loss that it removes, as a share of all cells.

    `lines` has the axis of each column that is a line, `widths` the widths of each other column's nodes. A split
    leaves each half the rows that any class must have at least, as no other could ever be valid.
    """

    lines: Sequence[exp.Table | None]
    widths: Sequence[exp.Table | None]
    cells: int
    requirements: Sequence[AnonymityRequirement]

    def counts(self, table: exp.Table, tuples: exp.Table, quasi: int) -> Statement:
        return removed_loss_sql.measured_counts(table, tuples, quasi, line=self.lines[quasi])

    def node_gains(
        self, table: exp.Table, ancestors: exp.Table, counts: exp.Table, quasi: int, *, depth: int
    ) -> Statement:
        widths = self.widths[quasi]
        if widths is None:
            raise ValueError("a column without widths has no nodes")
        return removed_loss_sql.nodes_by_loss(table, ancestors, counts, widths, depth=depth)

    def best_splits(
        self, counts: exp.Table, quasi: int, intervals: Sequence[tuple[int, int]]
    ) -> Statement:
        of_column = [each.at_least for each in self.requirements if quasi in each.columns]
        least = max(of_column, default=1)
        return removed_loss_sql.splits_by_loss(counts, intervals, least=least)

    def of(self, billionths: str, _rows: int) -> Fraction:
        return Fraction(int(billionths), BILLION * self.cells)
