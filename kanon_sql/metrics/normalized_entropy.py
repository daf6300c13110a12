"""Normalized entropy: the entropy that each column loses, as a share of its loss at the root."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

from kanon_sql.late_dataclass import dataclass
from kanon_sql.metrics.column_metrics import LevelMetric
from kanon_sql.metrics.metric import OF_COLUMNS, Basis, QualityMetric
from kanon_sql.metrics.weighing import weighed
from kanon_sql.privacy.privacy_model import Monotony

if TYPE_CHECKING:
    from kanon_sql.lattice.statistics import (
        ColumnStatistics,
        Cost,
        Sums,
        TableStatistics,
    )


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

    def of_weights(self, weights: tuple[float, ...]) -> Self:
        return replace(self, weights=weights)

    @property
    def label(self) -> str:
        return self.name + weighed(self.weights)

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
