"""The metrics of classes, discernibility and average class size, which depend on their sizes."""

from __future__ import annotations

import math
from functools import reduce
from typing import TYPE_CHECKING

from kanon_sql.errors import InternalError
from kanon_sql.late_dataclass import dataclass
from kanon_sql.lattice.statistics import NOTHING_FINER, Finer, Need
from kanon_sql.metrics.metric import (
    EVEN,
    Basis,
    Metric,
    QualityMetric,
    generalization,
    suppression,
    weighed,
)
from kanon_sql.privacy.privacy_model import Monotony

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.lattice.node import Lattice, Node
    from kanon_sql.lattice.statistics import (
        Cost,
        Counts,
        Sums,
        TableStatistics,
    )


def _most_classes(stats: TableStatistics, node: Node) -> int:
    if stats.persons is not None:
        return stats.persons
    values = [c.levels[level].values for c, level in zip(stats.columns, node.levels, strict=True)]
    return min(stats.most_classes, math.prod(values) + bool(stats.left_out))


def _all_nodes(stats: TableStatistics, lattice: Lattice) -> list[int]:
    """Return the most classes that each node can have, in lexicographic order."""
    values = [
        [column.levels[level].values for level in levels]
        for column, levels in zip(stats.columns, lattice.ranges, strict=True)
    ]
    products = reduce(lambda acc, of: [a * each for a in acc for each in of], values, [1])
    if stats.persons is not None:
        return [stats.persons for _ in products]
    return [min(stats.most_classes, p + bool(stats.left_out)) for p in products]


@dataclass(frozen=True, slots=True)
class Discernibility(Metric):
    """C_DM (Bayardo and Agrawal, ICDE 2005): |E|^2 for a kept class E, n (all rows) for a suppressed row.

    With `ignore_suppressed` it is |E|^2 for every class, kept or not (ARX's monotone form, DM*), and never falls on the
    way up.
    """

    name = "discernibility"
    quality = QualityMetric(
        "discernibility",
        "C_DM",
        "C_DM, discernibility (Bayardo and Agrawal)",
        basis=frozenset({Basis.COLUMNS, Basis.ROWS}),
        layout=",.0f",
        charges_suppression=True,
    )
    of_classes = True
    ignore_suppressed: bool = False

    @property
    def need(self) -> Need:
        return Need.SQUARES

    @property
    def monotony(self) -> Monotony:
        return Monotony.ALWAYS if self.ignore_suppressed else Monotony.UNSUPPRESSED

    @property
    def charges_suppression(self) -> bool:
        return not self.ignore_suppressed

    @property
    def label(self) -> str:
        return "discernibility (suppressed ignored)" if self.ignore_suppressed else "discernibility"

    @staticmethod
    def _floor(rows: int, most: int, suppressed: int, finer: Finer) -> float:
        """Bound the cost of a node that suppresses at least `suppressed` rows and has at most `most` classes.

        The kept rows spread over the classes that fit; at least two are assumed, as with one the bound would fall with
        more suppressed rows. And all classes have squares S, at least rows^2 / most. A suppressed class E costs |E|
        (rows - |E|) more than its square, so that s suppressed rows cost at least S + s (rows - s). They also cost at
        least s * rows, which is more from the root of S upward. The least of this over all s is at `suppressed` or at
        the root.
        """
        if most <= 1:
            return float(rows * rows)
        kept = rows - suppressed
        fitting = most if finer.fitting is None else max(2, min(most, finer.fitting))
        spread = kept * kept / fitting + rows * suppressed
        squares = max(finer.squares, -(-rows * rows // most))
        root = math.isqrt(squares)
        if suppressed > root:
            return spread
        return max(spread, float(min(squares + suppressed * kept, rows * root)))

    def floor(
        self, stats: TableStatistics, node: Node, suppressed: int = 0, finer: Finer = NOTHING_FINER
    ) -> Cost:
        return (self._bound(stats.rows, _most_classes(stats, node), suppressed, finer),)

    def _bound(self, rows: int, most: int, suppressed: int, finer: Finer) -> float:
        if self.ignore_suppressed:
            return float(max(finer.squares, -(-rows * rows // max(most, 1))))
        return self._floor(rows, most, suppressed, finer)

    def floors(self, stats: TableStatistics, lattice: Lattice) -> list[Cost]:
        most_classes = _all_nodes(stats, lattice)
        return [(self._bound(stats.rows, most, 0, NOTHING_FINER),) for most in most_classes]

    def cost(
        self, stats: TableStatistics, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        del node, suppressed
        if counts.squares is None:
            raise InternalError("discernibility needs a detailed check")
        if self.ignore_suppressed:
            left_out = stats.left_out * stats.left_out  # one class, which no node counts
            return (float(counts.squares + (counts.failing_squares or 0) + left_out),)
        return (float(counts.squares + stats.rows * counts.suppressed),)

    def cost_of(self, stats: TableStatistics, sums: Sums) -> Cost:
        if self.ignore_suppressed:
            raise InternalError("the classes of suppressed rows were not counted")
        return (float(sums.squares + stats.rows * sums.suppressed),)


@dataclass(frozen=True, slots=True)
class ClassSize(Metric):
    """Average class size, all suppressed rows being one more class (AECS, ARX; C_AVG * k).

    With a factor, the kept classes are weighted by `suppression`, and the class of suppressed rows by `generalization`,
    as in ARX.
    """

    name = "class_size"
    quality = QualityMetric(
        "aecs",
        "AECS",
        "AECS, average class size, suppressed rows as a class (ARX)",
        basis=frozenset({Basis.COLUMNS}),
    )
    of_classes = True
    factor: float = EVEN

    @property
    def label(self) -> str:
        return self.name + weighed((), self.factor)

    def _least(self, rows: int, most: int, fitting: int | None = None) -> float:
        """Bound the cost of a node of at most `most` classes, at most `fitting` of which fit.

        The one class of all suppressed rows takes the place of at least one class that was suppressed.
        """
        kept, gone = suppression(self.factor), generalization(self.factor)
        classes = kept * most + max(gone - kept, 0.0)
        if fitting is not None:
            classes = min(classes, kept * fitting + gone)
        return rows / classes

    def floor(
        self, stats: TableStatistics, node: Node, suppressed: int = 0, finer: Finer = NOTHING_FINER
    ) -> Cost:
        del suppressed
        return (self._least(stats.rows, _most_classes(stats, node), finer.fitting),)

    def floors(self, stats: TableStatistics, lattice: Lattice) -> list[Cost]:
        return [(self._least(stats.rows, most),) for most in _all_nodes(stats, lattice)]

    def _cost(self, rows: int, classes: int, suppressed: int) -> Cost:
        one_more = generalization(self.factor) if suppressed else 0
        return (rows / (suppression(self.factor) * classes + one_more),)

    def cost(
        self, stats: TableStatistics, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        del node, suppressed
        return self._cost(stats.rows, counts.classes, counts.suppressed)

    def cost_of(self, stats: TableStatistics, sums: Sums) -> Cost:
        return self._cost(stats.rows, sums.classes, sums.suppressed)
