"""The metrics of labels: how many leaves, or tuples of leaves, the labels of kept rows stand for."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

from kanon_sql.errors import InternalError
from kanon_sql.late_dataclass import dataclass
from kanon_sql.lattice.statistics import NOTHING_FINER, Finer, Need
from kanon_sql.metrics.metric import OF_COLUMNS, Basis, Metric, QualityMetric, Weighted, weighed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.statistics import Cost, Counts, LevelStatistics, Sums, TableStatistics


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
        "NCP",
        "NCP, normalized certainty penalty (Xu et al.), sum of all cells",
        basis=OF_COLUMNS | {Basis.ROWS},
        charges_suppression=True,
    )
    weights: tuple[float, ...] = ()

    def of_weights(self, weights: tuple[float, ...]) -> Self:
        return replace(self, weights=weights)

    @property
    def need(self) -> Need:
        return Need.WIDE

    @property
    def label(self) -> str:
        return self.name + weighed(self.weights)

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
