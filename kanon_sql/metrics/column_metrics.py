"""The metrics of columns: height, distortion, loss and entropy, which add up how far each is raised."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Protocol, assert_never

from kanon_sql.errors import InternalError
from kanon_sql.lattice.statistics import (
    NOTHING_FINER,
    Finer,
    Need,
    rows_and_logarithm,
)
from kanon_sql.metrics.aggregates import Aggregation, fold_lattice, fold_node
from kanon_sql.metrics.metric import OF_COLUMNS, Basis, Metric, QualityMetric
from kanon_sql.privacy.privacy_model import Monotony

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kanon_sql.lattice.node import Lattice, Node
    from kanon_sql.lattice.statistics import (
        ColumnStatistics,
        Cost,
        Counts,
        Sums,
        TableStatistics,
    )


def _same(value: float) -> float:
    return value


class LevelMetric(Metric, Protocol):
    """A metric that adds up how far each column is raised, by a term of its level.

    Of the terms it is the sum, or with `mean` the mean. Terms never fall with the level. One that charges suppression
    has terms from 0 to 1, and a suppressed row costs 1.
    """

    mean: ClassVar[bool] = True

    def term(self, column: ColumnStatistics, level: int) -> float:
        """Give what one column costs at a level."""
        ...

    def _average(self, total: float, columns: int) -> float:
        return total / columns if self.mean else total

    def _charged(self, stats: TableStatistics, total: float, suppressed: int) -> float:
        average = self._average(total, len(stats.columns))
        if not self.charges_suppression:
            return average
        return ((stats.rows - suppressed) * average + suppressed) / stats.rows

    def _terms(self, stats: TableStatistics, node: Node) -> list[float]:
        return [
            self.term(column, level)
            for column, level in zip(stats.columns, node.levels, strict=True)
        ]

    def floor(
        self, stats: TableStatistics, node: Node, suppressed: int = 0, finer: Finer = NOTHING_FINER
    ) -> Cost:
        del finer
        terms = self._terms(stats, node)
        return fold_node(
            terms, Aggregation.SUM, lambda total: self._charged(stats, total, suppressed)
        )

    def floors(self, stats: TableStatistics, lattice: Lattice) -> list[Cost]:
        del lattice
        terms = [
            [self.term(column, level) for level in range(len(column.levels))]
            for column in stats.columns
        ]
        return fold_lattice(terms, Aggregation.SUM, lambda total: self._charged(stats, total, 0))

    def cost(
        self, stats: TableStatistics, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        del suppressed
        return self.floor(stats, node, counts.suppressed)

    def cost_of(self, stats: TableStatistics, sums: Sums) -> Cost:
        rows_at = [(each.rows, each.node) for each in sums.released_nodes]
        if not self.charges_suppression:
            rows_at.append((sums.suppressed, rows_at[-1][1]))
        of_rows = [
            self._average(rows * sum(self._terms(stats, node)), len(stats.columns))
            for rows, node in rows_at
        ]
        charged = sums.suppressed if self.charges_suppression else 0
        return ((math.fsum(of_rows) + charged) / stats.rows,)


@dataclass(frozen=True, slots=True)
class Height(LevelMetric):
    """The sum of the levels (Samarati 2001, absolute distance)."""

    name = "height"
    quality = QualityMetric("height", "height", "height, sum of levels (Samarati)")
    mean = False

    @property
    def monotony(self) -> Monotony:
        return Monotony.ALWAYS

    def term(self, column: ColumnStatistics, level: int) -> float:
        del column
        return float(level)

    def floor(
        self, stats: TableStatistics, node: Node, suppressed: int = 0, finer: Finer = NOTHING_FINER
    ) -> Cost:
        """Give the sum of the terms, which a node knows: searches ask for it often."""
        del stats, suppressed, finer
        return (float(node.height),)


@dataclass(frozen=True, slots=True)
class Distortion(LevelMetric):
    """1 - Prec (Sweeney 2002, 4.2); a suppressed cell counts as fully generalized."""

    name = "distortion"
    quality = QualityMetric(
        "precision",
        "Prec",
        "Prec, precision (Sweeney)",
        higher_is_better=True,
        layout=".4f",
        charges_suppression=True,
        complement=True,
    )

    def term(self, column: ColumnStatistics, level: int) -> float:
        top = len(column.levels) - 1
        return level / top if top else 0.0


class Aggregate(StrEnum):
    """How the losses of single columns make the loss of the table."""

    SUM = "sum"
    MEAN = "mean"
    GEOMETRIC_MEAN = "geometric_mean"
    RANK = "rank"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class Loss(Metric):
    """Iyengar's LM (KDD 2002): the share of a hierarchy's leaves that a released value hides.

    One cell loses (M - 1) / (A - 1), M leaves lying under its value and A in the hierarchy; a
    suppressed cell loses 1. A column's loss is the mean over all rows. `geometric_mean` is
    prod(1 + x)^(1/d) - 1, which keeps a column without loss from hiding the others.
    """

    name = "loss"
    quality = QualityMetric(
        "loss",
        "LM (geometric mean)",
        "LM, loss metric (Iyengar), geometric mean of the columns",
        layout=".4f",
        charges_suppression=True,
    )
    aggregate: Aggregate = Aggregate.GEOMETRIC_MEAN

    @property
    def need(self) -> Need:
        return Need.LEAVES

    @property
    def label(self) -> str:
        return f"loss ({self.aggregate})".replace("_", " ")

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

    def of_columns(self, losses: Sequence[float]) -> Cost:
        """Give the loss of a table from those of its columns."""
        fold, finish, offset = self._fold(len(losses))
        return fold_node([loss + offset for loss in losses], fold, finish)

    @staticmethod
    def _term(rows: int, domain: int, leaves: int, suppressed: int, hidden: float) -> float:
        if domain <= 1:
            return 0.0
        return (leaves - hidden + suppressed * domain - rows) / (rows * (domain - 1))

    def floor(
        self, stats: TableStatistics, node: Node, suppressed: int = 0, finer: Finer = NOTHING_FINER
    ) -> Cost:
        del finer
        hidden = []
        for column, level in zip(stats.columns, node.levels, strict=True):
            at = column.levels[level]
            kept = (stats.rows - suppressed) * at.narrowest
            hidden.append(min(suppressed * at.widest, at.leaves - kept))
        return self._fold_with(stats, node, suppressed, hidden)

    def _fold_with(
        self, stats: TableStatistics, node: Node, suppressed: int, hidden: Sequence[float]
    ) -> Cost:
        fold, finish, offset = self._fold(len(stats.columns))
        terms = [
            self._term(stats.rows, column.domain, column.levels[level].leaves, suppressed, h)
            + offset
            for column, level, h in zip(stats.columns, node.levels, hidden, strict=True)
        ]
        return fold_node(terms, fold, finish)

    def floors(self, stats: TableStatistics, lattice: Lattice) -> list[Cost]:
        del lattice
        fold, finish, offset = self._fold(len(stats.columns))
        terms = [
            [self._term(stats.rows, c.domain, at.leaves, 0, 0) + offset for at in c.levels]
            for c in stats.columns
        ]
        return fold_lattice(terms, fold, finish)

    def cost(
        self, stats: TableStatistics, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        return self._fold_with(stats, node, counts.suppressed, suppressed)

    def cost_of(self, stats: TableStatistics, sums: Sums) -> Cost:
        rows, suppressed = stats.rows, sums.suppressed
        return self.of_columns(
            [
                (leaves + suppressed * column.domain - rows) / (rows * (column.domain - 1))
                if column.domain > 1
                else 0.0
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
        "non-uniform entropy, bits lost (De Waal and Willenborg)",
        basis=OF_COLUMNS | {Basis.ROWS},
        layout=",.0f",
    )
    mean = False
    count_suppressed: bool = False

    @property
    def charges_suppression(self) -> bool:
        return self.count_suppressed

    @property
    def need(self) -> Need:
        return Need.ENTROPY if self.count_suppressed else Need.NOTHING

    @property
    def monotony(self) -> Monotony:
        return Monotony.UNSUPPRESSED if self.count_suppressed else Monotony.ALWAYS

    @property
    def label(self) -> str:
        return "entropy (suppressed counted)" if self.count_suppressed else "entropy"

    def term(self, column: ColumnStatistics, level: int) -> float:
        return (column.levels[level].entropy - column.levels[0].entropy) / math.log(2)

    def _charged(self, stats: TableStatistics, total: float, suppressed: int) -> float:
        """Leave suppressed rows to `cost`: what they had left is no share of 1."""
        del stats, suppressed
        return total

    def cost(
        self, stats: TableStatistics, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        floor = self.floor(stats, node)[0]
        if not self.count_suppressed or not counts.suppressed:
            return (floor,)
        return (floor + self._still_had(counts.suppressed, suppressed) / math.log(2),)

    @staticmethod
    def _still_had(suppressed: int, logs: Sequence[float]) -> float:
        """Sum over the columns the entropy of the suppressed rows, in nats; never negative.

        In exact arithmetic it is not. Both terms have logarithms to nine places, so it is zero where
        the rows have one value; an engine that rounds the last place otherwise must not make it less.
        """
        whole = rows_and_logarithm(suppressed)
        return math.fsum(max(whole - each, 0.0) for each in logs)

    def cost_of(self, stats: TableStatistics, sums: Sums) -> Cost:
        lost = math.fsum(
            shared - column.levels[0].entropy
            for column, shared in zip(stats.columns, sums.shared, strict=True)
        )
        if self.count_suppressed and sums.suppressed:
            if sums.suppressed_logs is None:
                raise InternalError("what the suppressed rows had left was not counted")
            lost += self._still_had(sums.suppressed, sums.suppressed_logs)
        return (lost / math.log(2),)
