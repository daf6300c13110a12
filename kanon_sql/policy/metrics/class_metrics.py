"""The metrics of classes and of their labels, which need more than one term a column.

Discernibility and average class size depend on the sizes of classes; certainty penalty and ambiguity on how many
leaves, or tuples of leaves, the labels of kept rows stand for.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import TYPE_CHECKING, ClassVar, Protocol

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import InternalError
from kanon_sql.policy.metrics.statistics import (
    EVEN,
    NOTHING_FINER,
    OF_COLUMNS,
    Basis,
    Finer,
    Metric,
    Need,
    QualityMetric,
    Weighted,
    generalization,
    suppression,
    weighed,
)
from kanon_sql.policy.privacy.privacy_model import Monotony

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.policy.metrics.node import Lattice, Node
    from kanon_sql.policy.metrics.statistics import (
        Cost,
        Counts,
        LevelStatistics,
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
        "discernibility",
        "a row costs the size of its class, a suppressed one all rows (C_DM, Bayardo and Agrawal)",
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
        "class size",
        "average class size, suppressed rows as a class (AECS, ARX)",
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


class KeptLabelsMetric(Metric, Protocol):
    """A metric of the labels of the rows kept at one node; a plan states it only as its cost."""

    stated: ClassVar[bool] = False
    at_one_node: ClassVar[bool] = True

    def cost_of(self, stats: TableStatistics, sums: Sums) -> Cost:
        """Raise InternalError: the policy is refused before, where rows are released at several nodes."""
        del stats, sums
        raise InternalError(f"{self.name} is not counted at several nodes")


@dataclass(frozen=True, slots=True)
class CertaintyPenalty(KeptLabelsMetric, Weighted):
    """NCP (Xu et al., KDD 2006), the sum of all cells: M / A, M of the A leaves lying under a label.

    A single value costs 0, and a suppressed cell 1. Over all cells it is the GCP (Ghinita et al., VLDB 2007).
    """

    name = "ncp"
    quality = QualityMetric(
        "ncp",
        "information loss (sum)",
        "sum of all cells (NCP, normalized certainty penalty, Xu et al.)",
        basis=OF_COLUMNS | {Basis.ROWS},
        charges_suppression=True,
    )
    weights: tuple[float, ...] = ()

    @property
    def need(self) -> Need:
        return Need.WIDE

    def floor(
        self, stats: TableStatistics, node: Node, suppressed: int = 0, finer: Finer = NOTHING_FINER
    ) -> Cost:
        """Bound the cost: where labels of one leaf exist, which cost nothing, each cell counts a leaf less."""
        del finer
        at = zip(stats.columns, node.levels, strict=True)
        wide = [_least_wide(stats, of.levels[level], suppressed) for of, level in at]
        return self._cost(stats, wide, suppressed)

    def cost(
        self, stats: TableStatistics, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        del node
        return self._cost(stats, suppressed, counts.suppressed)

    def _cost(self, stats: TableStatistics, wide: Sequence[float], suppressed: int) -> Cost:
        penalties = [
            weight * certainty(stats.rows, of.domain, leaves, suppressed)
            for of, leaves, weight in zip(
                stats.columns, wide, self.shares(len(stats.columns)), strict=True
            )
        ]
        return (stats.rows * math.fsum(penalties),)


def certainty(rows: int, domain: int, wide: float, suppressed: int) -> float:
    """Return the mean penalty of a column's cells; `wide` sums the leaves of kept labels with several."""
    return (wide / domain + suppressed) / rows if domain > 1 else 0.0


def _least_wide(stats: TableStatistics, at: LevelStatistics, suppressed: int) -> int:
    """Return a lower bound of the leaves under the labels of kept rows that have several."""
    single = stats.rows if at.narrowest == 1 else 0
    most_hidden = min(suppressed * at.widest, at.leaves - (stats.rows - suppressed) * at.narrowest)
    return max(at.leaves - single - most_hidden, 0)


@dataclass(frozen=True, slots=True)
class Ambiguity(KeptLabelsMetric):
    """The tuples of leaves that all rows may stand for (Nergiz and Clifton, 2007), as ARX has it.

    A row may stand for the product of the leaves under its labels, and a suppressed one for all tuples.
    """

    name = "ambiguity"
    quality = QualityMetric(
        "ambiguity",
        "ambiguity",
        "tuples of leaves that all rows may stand for (Nergiz and Clifton)",
        basis=OF_COLUMNS | {Basis.ROWS},
        charges_suppression=True,
    )
    of_classes = True

    @property
    def need(self) -> Need:
        return Need.AMBIGUITY

    def floor(
        self, stats: TableStatistics, node: Node, suppressed: int = 0, finer: Finer = NOTHING_FINER
    ) -> Cost:
        """Bound the cost: a product of numbers from 1 up is at least 1 plus all that they exceed 1 by.

        The numbers are the leaves under a row's labels, each divided by the least of its column.
        """
        del finer
        levels = [of.levels[level] for of, level in zip(stats.columns, node.levels, strict=True)]
        least = math.prod(at.narrowest for at in levels)
        rows = least * stats.rows
        kept = rows + sum(least // at.narrowest * at.leaves - rows for at in levels)
        more = _tuples(stats) - math.prod(at.widest for at in levels)
        return (float(kept + suppressed * more),)

    def cost(
        self, stats: TableStatistics, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        """Return the cost; `suppressed[0]` is the ambiguity of the kept rows, as a share of all tuples."""
        del node
        all_ = _tuples(stats)
        kept = float(round(suppressed[0] * all_))
        return (kept + float(counts.suppressed * all_),)


def _tuples(stats: TableStatistics) -> int:
    return math.prod(of.domain for of in stats.columns)
