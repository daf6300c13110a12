"""The metrics of columns: height, distortion, loss and entropy, which combine one term a column."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Protocol, assert_never

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import InternalError
from kanon_sql.policy.metrics.statistics import (
    EVEN,
    NOTHING_FINER,
    OF_COLUMNS,
    Basis,
    Finer,
    Need,
    QualityMetric,
    Weighted,
    generalization,
    rows_and_logarithm,
    suppression,
    weighed,
)
from kanon_sql.policy.privacy.privacy_model import Monotony

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kanon_sql.policy.metrics.node import Lattice, Node
    from kanon_sql.policy.metrics.statistics import (
        ColumnStatistics,
        Cost,
        Counts,
        Sums,
        TableStatistics,
    )


class Aggregation(StrEnum):
    """How the terms of the columns are combined into the cost of a node."""

    SUM = "sum"
    PRODUCT = "product"
    MAX = "max"
    RANK = "rank"


def fold_lattice(
    terms: Sequence[Sequence[float]], fold: Aggregation, finish: Callable[[float], float]
) -> list[Cost]:
    """Combine a term for each column and level into a cost for each node, in lexicographic order."""
    if fold is Aggregation.RANK:
        vectors: list[tuple[float, ...]] = [()]
        for column in terms:
            vectors = [(*vector, term) for vector in vectors for term in column]
        return [tuple(sorted(vector, reverse=True)) for vector in vectors]
    start = {Aggregation.SUM: 0.0, Aggregation.PRODUCT: 1.0, Aggregation.MAX: 0.0}[fold]
    values = [start]
    for column in terms:
        if fold is Aggregation.SUM:
            values = [value + term for value in values for term in column]
        elif fold is Aggregation.PRODUCT:
            values = [value * term for value in values for term in column]
        else:
            values = [max(value, term) for value in values for term in column]
    return [(finish(value),) for value in values]


def fold_node(terms: Sequence[float], fold: Aggregation, finish: Callable[[float], float]) -> Cost:
    """Combine the terms of one node, in the very order and arithmetic of `fold_lattice`."""
    return fold_lattice([[term] for term in terms], fold, finish)[0]


def _same(value: float) -> float:
    return value


class LevelMetric(Weighted, Protocol):
    """A metric that sums a term for the level of each column, or averages the terms with `mean`.

    Terms never fall with the level. If the metric charges suppression, terms range from 0 to 1 and a suppressed row
    costs 1, before weights and the factor.
    """

    mean: ClassVar[bool] = True

    @property
    def factor(self) -> float:
        """The generalization factor."""
        return EVEN

    @property
    def charges_suppression(self) -> bool:
        return self.quality.charges_suppression and self.factor >= EVEN

    def term(self, column: ColumnStatistics, level: int) -> float:
        """Return the cost of one column at a level."""
        ...

    def _average(self, total: float, columns: int) -> float:
        return total / columns if self.mean else total

    def _suppressed_row(self, columns: int) -> float:
        return self._average(suppression(self.factor) * sum(self.shares(columns)), columns)

    def _charged(self, stats: TableStatistics, total: float, suppressed: int) -> float:
        average = self._average(total, len(stats.columns))
        if not self.quality.charges_suppression:
            return average
        one = self._suppressed_row(len(stats.columns))
        return ((stats.rows - suppressed) * average + suppressed * one) / stats.rows

    def _least(self, stats: TableStatistics, total: float, suppressed: int) -> float:
        """Bound the cost if at least so many rows are suppressed; all may be, where that costs less."""
        charged = self._charged(stats, total, suppressed)
        if not self.quality.charges_suppression:
            return charged
        return min(charged, self._suppressed_row(len(stats.columns)))

    def _terms(self, stats: TableStatistics, node: Node) -> list[float]:
        weights = self.shares(len(stats.columns))
        return [
            self._term(column, level, weight)
            for column, level, weight in zip(stats.columns, node.levels, weights, strict=True)
        ]

    def _term(self, column: ColumnStatistics, level: int, weight: float) -> float:
        return self.term(column, level) * generalization(self.factor) * weight

    def floor(
        self, stats: TableStatistics, node: Node, suppressed: int = 0, finer: Finer = NOTHING_FINER
    ) -> Cost:
        del finer
        terms = self._terms(stats, node)
        return fold_node(
            terms, Aggregation.SUM, lambda total: self._least(stats, total, suppressed)
        )

    def floors(self, stats: TableStatistics, lattice: Lattice) -> list[Cost]:
        weights = self.shares(len(stats.columns))
        terms = [
            [self._term(column, level, weight) for level in levels]
            for column, levels, weight in zip(stats.columns, lattice.ranges, weights, strict=True)
        ]
        return fold_lattice(terms, Aggregation.SUM, lambda total: self._least(stats, total, 0))

    def cost(
        self, stats: TableStatistics, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        del suppressed
        terms = self._terms(stats, node)
        return fold_node(
            terms, Aggregation.SUM, lambda total: self._charged(stats, total, counts.suppressed)
        )

    def cost_of(self, stats: TableStatistics, sums: Sums) -> Cost:
        rows_at = [(each.rows, each.node) for each in sums.released_nodes]
        charged = 0.0
        if self.quality.charges_suppression:
            charged = sums.suppressed * self._suppressed_row(len(stats.columns))
        else:
            rows_at.append((sums.suppressed, rows_at[-1][1]))
        of_rows = [
            self._average(rows * sum(self._terms(stats, node)), len(stats.columns))
            for rows, node in rows_at
        ]
        return ((math.fsum(of_rows) + charged) / stats.rows,)


@dataclass(frozen=True, slots=True)
class Height(LevelMetric):
    """The sum of the levels (Samarati 2001, absolute distance)."""

    name = "height"
    quality = QualityMetric("height", "height", "sum of the levels (Samarati)")
    mean = False
    weights: tuple[float, ...] = ()

    @property
    def monotony(self) -> Monotony:
        return Monotony.ALWAYS

    def term(self, column: ColumnStatistics, level: int) -> float:
        del column
        return float(level)

    def floor(
        self, stats: TableStatistics, node: Node, suppressed: int = 0, finer: Finer = NOTHING_FINER
    ) -> Cost:
        """Return the sum of the terms, by a shorter way than the base class: searches ask for it often."""
        del suppressed, finer
        return (sum(self._terms(stats, node)) if self.weights else float(node.height),)


@dataclass(frozen=True, slots=True)
class Distortion(LevelMetric):
    """1 - Prec (Sweeney 2002, 4.2); a suppressed cell counts as fully generalized."""

    name = "distortion"
    quality = QualityMetric(
        "precision",
        "precision",
        "share of the hierarchies' levels that is kept (Prec, Sweeney)",
        higher_is_better=True,
        layout=".4f",
        charges_suppression=True,
        complement=True,
    )
    weights: tuple[float, ...] = ()
    factor: float = EVEN

    @property
    def label(self) -> str:
        return self.name + weighed(self.weights, self.factor)

    def term(self, column: ColumnStatistics, level: int) -> float:
        return level / column.height if column.height else 0.0


class Aggregate(StrEnum):
    """How the losses of single columns are combined into the loss of the table."""

    SUM = "sum"
    MEAN = "mean"
    GEOMETRIC_MEAN = "geometric_mean"
    RANK = "rank"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class Loss(Weighted):
    """Iyengar's LM (KDD 2002): the share of a hierarchy's leaves that a released value hides.

    One cell loses (M - 1) / (A - 1), M leaves lying under its value and A in the hierarchy; a
    suppressed cell loses 1. A column's loss is the mean over all rows. `geometric_mean` is
    prod(1 + x)^(1/d) - 1, which keeps a column without loss from hiding the others.
    With a factor, by which generalization counts g and suppression s, a cell loses g (M - 1) / (A - g)
    and a suppressed one (M + s (A - M) - g) / (A - g), as in ARX.
    """

    name = "loss"
    quality = QualityMetric(
        "loss",
        "loss (geometric mean)",
        "share of values that a label hides, geometric mean of the columns (LM, Iyengar)",
        layout=".4f",
        charges_suppression=True,
    )
    aggregate: Aggregate = Aggregate.GEOMETRIC_MEAN
    weights: tuple[float, ...] = ()
    factor: float = EVEN

    @property
    def need(self) -> Need:
        return Need.LEAVES

    @property
    def charges_suppression(self) -> bool:
        return self.factor >= EVEN

    @property
    def label(self) -> str:
        aggregate = f"loss ({self.aggregate})".replace("_", " ")
        return aggregate + weighed(self.weights, self.factor)

    def _fold(self, columns: int) -> tuple[Aggregation, Callable[[float], float], float]:
        match self.aggregate:
            case Aggregate.SUM:
                return Aggregation.SUM, _same, 0.0
            case Aggregate.MEAN:
                return Aggregation.SUM, lambda total: total / columns, 0.0
            case Aggregate.GEOMETRIC_MEAN:
                return Aggregation.PRODUCT, lambda total: total ** (1 / columns) - 1, 1.0
            case Aggregate.RANK:
                return Aggregation.RANK, _same, 0.0
            case Aggregate.MAX:
                return Aggregation.MAX, _same, 0.0
            case _:
                assert_never(self.aggregate)

    def of_losses(self, losses: Sequence[float]) -> Cost:
        """Return the loss of a table from the losses of its columns."""
        fold, finish, offset = self._fold(len(losses))
        weighted = zip(losses, self.shares(len(losses)), strict=True)
        return fold_node([loss * weight + offset for loss, weight in weighted], fold, finish)

    def _loss(self, rows: int, domain: int, leaves: int, suppressed: int, hidden: float) -> float:
        """Return the loss of a column; `leaves` sums those of all rows, `hidden` those of the suppressed rows.

        A suppressed row never costs less than it would if it were kept at the same level, whatever the factor. So the
        loss grows with the number of suppressed rows, and is higher the fewer leaves they have.
        """
        kept, gone = generalization(self.factor), suppression(self.factor)
        if domain <= kept:
            return 0.0
        of_suppressed = hidden * (1 - gone) + gone * suppressed * domain
        lost = kept * (leaves - hidden) + of_suppressed - kept * rows
        return max(lost / (rows * (domain - kept)), 0.0)

    def floor(
        self, stats: TableStatistics, node: Node, suppressed: int = 0, finer: Finer = NOTHING_FINER
    ) -> Cost:
        del finer
        hidden = []
        for column, level in zip(stats.columns, node.levels, strict=True):
            at = column.levels[level]
            kept = (stats.rows - suppressed) * at.narrowest
            hidden.append(min(suppressed * at.widest, at.leaves - kept))
        return self._cost(stats, node, suppressed, hidden)

    def _cost(
        self, stats: TableStatistics, node: Node, suppressed: int, hidden: Sequence[float]
    ) -> Cost:
        return self.of_losses(
            [
                self._loss(stats.rows, column.domain, column.levels[level].leaves, suppressed, h)
                for column, level, h in zip(stats.columns, node.levels, hidden, strict=True)
            ]
        )

    def floors(self, stats: TableStatistics, lattice: Lattice) -> list[Cost]:
        fold, finish, offset = self._fold(len(stats.columns))
        weights = self.shares(len(stats.columns))
        terms = [
            [
                self._loss(stats.rows, column.domain, column.levels[level].leaves, 0, 0) * weight
                + offset
                for level in levels
            ]
            for column, levels, weight in zip(stats.columns, lattice.ranges, weights, strict=True)
        ]
        return fold_lattice(terms, fold, finish)

    def cost(
        self, stats: TableStatistics, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        return self._cost(stats, node, counts.suppressed, suppressed)

    def cost_of(self, stats: TableStatistics, sums: Sums) -> Cost:
        """Return the loss from the leaves of the kept rows.

        Raises InternalError below a factor of 0.5, where the leaves of suppressed rows count too: a policy with such a
        factor is refused where rows are not suppressed at one node.
        """
        if suppression(self.factor) < 1 and sums.suppressed:
            raise InternalError("the leaves of suppressed rows were not counted")
        return self.of_losses(
            [
                self._loss(stats.rows, column.domain, leaves, sums.suppressed, 0)
                for column, leaves in zip(stats.columns, sums.leaves, strict=True)
            ]
        )


@dataclass(frozen=True, slots=True)
class Entropy(LevelMetric):
    """Non-uniform entropy (De Waal and Willenborg 1999), in bits, summed over the columns.

    Generalizing loses sum c * log2(b / c), the c rows of a value being among the b rows of its
    generalization. Suppression is ignored unless `count_suppressed`, which adds the entropy that
    the suppressed rows had left (ARX's non-monotone form).
    """

    name = "entropy"
    quality = QualityMetric(
        "entropy",
        "entropy",
        "bits lost in all cells (non-uniform entropy, De Waal and Willenborg)",
        basis=OF_COLUMNS | {Basis.ROWS},
        layout=",.0f",
    )
    mean = False
    count_suppressed: bool = False
    weights: tuple[float, ...] = ()
    factor: float = EVEN

    @property
    def charges_suppression(self) -> bool:
        return self.count_suppressed and self.factor >= EVEN

    @property
    def need(self) -> Need:
        return Need.ENTROPY if self.count_suppressed else Need.NOTHING

    @property
    def monotony(self) -> Monotony:
        return Monotony.UNSUPPRESSED if self.count_suppressed else Monotony.ALWAYS

    @property
    def label(self) -> str:
        counted = "entropy (suppressed counted)" if self.count_suppressed else "entropy"
        return counted + weighed(self.weights, self.factor)

    def term(self, column: ColumnStatistics, level: int) -> float:
        return (column.levels[level].entropy - column.levels[0].entropy) / math.log(2)

    def cost(
        self, stats: TableStatistics, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        floor = self.floor(stats, node)[0]
        if not self.count_suppressed or not counts.suppressed:
            return (floor,)
        return (floor + self._still_had(counts.suppressed, suppressed) / math.log(2),)

    def _still_had(self, suppressed: int, logs: Sequence[float]) -> float:
        """Sum over the columns the entropy of the suppressed rows, in nats; never negative.

        In exact arithmetic it cannot be negative. Both terms have logarithms of nine places, so it is zero where the
        rows have one value; the maximum guards against an engine that rounds the last place otherwise.
        """
        whole = rows_and_logarithm(suppressed)
        weighted = zip(logs, self.shares(len(logs)), strict=True)
        return suppression(self.factor) * math.fsum(
            max(whole - each, 0.0) * weight for each, weight in weighted
        )

    def cost_of(self, stats: TableStatistics, sums: Sums) -> Cost:
        weights = self.shares(len(stats.columns))
        lost = generalization(self.factor) * math.fsum(
            (shared - column.levels[0].entropy) * weight
            for column, shared, weight in zip(stats.columns, sums.shared, weights, strict=True)
        )
        if self.count_suppressed and sums.suppressed:
            if sums.suppressed_logs is None:
                raise InternalError("what the suppressed rows had left was not counted")
            lost += self._still_had(sums.suppressed, sums.suppressed_logs)
        return (lost / math.log(2),)


@dataclass(frozen=True, slots=True)
class NormalizedEntropy(LevelMetric):
    """Non-uniform entropy of each column over that of its full generalization, mean of the columns (ARX).

    So a column of many values counts no more than one of few. Suppression is ignored: the cost never falls on the
    way up.
    """

    name = "normalized_entropy"
    quality = QualityMetric(
        "normalized_entropy",
        "normalized entropy",
        "entropy lost as a share of all, mean of the columns",
        basis=OF_COLUMNS | {Basis.ROWS},
    )
    stated: ClassVar[bool] = False
    weights: tuple[float, ...] = ()

    @property
    def monotony(self) -> Monotony:
        return Monotony.ALWAYS

    def term(self, column: ColumnStatistics, level: int) -> float:
        return normalized(column, column.levels[level].entropy)

    def cost_of(self, stats: TableStatistics, sums: Sums) -> Cost:
        weights = self.shares(len(stats.columns))
        shares = [
            normalized(column, shared) * weight
            for column, shared, weight in zip(stats.columns, sums.shared, weights, strict=True)
        ]
        return (math.fsum(shares) / len(shares),)


def normalized(column: ColumnStatistics, entropy: float) -> float:
    """Return a column's loss of entropy as a share of its loss at the root: from 0 at the source to 1.

    `entropy` is the sum over rows of the logarithm of how many rows have their label.
    """
    before, root = column.levels[0].entropy, column.levels[-1].entropy
    return min(max((entropy - before) / (root - before), 0.0), 1.0) if root > before else 0.0
