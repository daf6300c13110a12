"""The interface of a quality metric: the cost that a search minimizes, the value that a reader sees.

A column's weight is a share of the greatest one. The generalization factor g is ARX's gs-factor: at 0.5 both count in
full, below it a suppressed row counts only 2g, above it the loss of a kept row counts only 1 - 2(g - 0.5).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.metrics.statistics import NOTHING_FINER, Finer, Need
from kanon_sql.policy.privacy.privacy_model import Monotony

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.policy.metrics.node import Lattice, Node
    from kanon_sql.policy.metrics.statistics import Cost, Counts, Sums, TableStatistics


EVEN = 0.5
"""The factor at which generalization and suppression both count in full."""


def generalization(factor: float) -> float:
    """Return the weight of the loss of a kept row.

    >>> [generalization(factor) for factor in (0.25, 0.5, 0.75, 1)]
    [1.0, 1.0, 0.5, 0.0]
    """
    return 1.0 if factor <= EVEN else 1 - 2 * (factor - EVEN)


def suppression(factor: float) -> float:
    """Return the weight of a suppressed row.

    >>> [suppression(factor) for factor in (0, 0.25, 0.5, 1)]
    [0.0, 0.5, 1.0, 1.0]
    """
    return 2.0 * factor if factor < EVEN else 1.0


def weighed(weights: Sequence[float], factor: float = EVEN) -> str:
    """Return the end of a metric's label: the weights and the factor, where they are not the defaults.

    >>> weighed((1.0, 0.5)), weighed((), 0.7), weighed(())
    (', weighted', ', factor 0.7', '')
    """
    of_factor = "" if factor == EVEN else f", factor {factor:g}"
    return f"{', weighted' if weights else ''}{of_factor}"


class Basis(StrEnum):
    """What two plans must share before a metric of both is compared; each value names the difference."""

    COLUMNS = "other quasi-identifiers"
    HIERARCHIES = "other hierarchies"
    ROWS = "another number of rows"
    CLASS_SIZE = "another k"


OF_COLUMNS = frozenset({Basis.COLUMNS, Basis.HIERARCHIES})


@dataclass(frozen=True, slots=True)
class QualityMetric:
    """A number of a plan that states how useful its release is, and how it is displayed.

    `key` names it in files, `name` in a line or a column's heading, and `title` states in full what is aggregated how,
    and who defined it. `higher_is_better` is None where neither end is better. Two values are compared only if the
    plans share all of `basis`. With `complement` the value is 1 minus the search's cost, as Prec is. With
    `charges_suppression` a suppressed row counts as one that is generalized to the top. Only metrics with a `layout` (a
    format of Python's) are shown in summaries.
    """

    key: str
    name: str
    title: str
    higher_is_better: bool | None = False
    basis: frozenset[Basis] = OF_COLUMNS
    layout: str | None = None
    charges_suppression: bool = False
    complement: bool = False

    def text(self, value: float) -> str:
        """Return a value as summaries display it."""
        return format(value, self.layout or "")

    def of_cost(self, cost: float) -> float:
        """Return the value of a search's cost."""
        return 1 - cost if self.complement else cost


class Metric(Protocol):
    """The interface that searches use; every metric derives from this class.

    `monotony` states when no feasible node costs less than a finer feasible one, so that the optimum is among the
    minimal nodes. Only suppression breaks this: a coarser node suppresses less. `floor` never exceeds `cost` for a node
    that suppresses at least the rows given to it. Without any it never falls from a node to a coarser one either.
    """

    name: ClassVar[str]
    """The metric's name in a policy."""

    quality: ClassVar[QualityMetric]
    """How its cost is displayed, where the options are the defaults."""

    of_classes: ClassVar[bool] = False
    """Whether it is a sum over classes, so that the counts of finer nodes bound those of coarser ones."""

    stated: ClassVar[bool] = True
    """Whether every plan states its value; else only a plan whose search minimized it, as the cost."""

    at_one_node: ClassVar[bool] = False
    """Whether it has a cost only where all rows are released or suppressed at one node."""

    @property
    def need(self) -> Need:
        """The sums that `cost` needs beyond the numbers of classes and suppressed rows."""
        return Need.NOTHING

    @property
    def monotony(self) -> Monotony:
        return Monotony.UNSUPPRESSED

    @property
    def charges_suppression(self) -> bool:
        """Whether a suppressed row costs more than a kept one, at any node."""
        return self.quality.charges_suppression

    @property
    def weights(self) -> tuple[float, ...]:
        """The weight of each column, as a share of the greatest; empty where all count the same."""
        return ()

    def of_columns(self, columns: Iterable[int]) -> Self:
        """Return the same metric for a table of only these columns, given by their numbers."""
        del columns
        return self

    @property
    def label(self) -> str:
        """The metric's name in a plan, with the options that change its value."""
        return self.name

    def floor(
        self, stats: TableStatistics, node: Node, suppressed: int = 0, finer: Finer = NOTHING_FINER
    ) -> Cost:
        """Bound the node's cost from below, without a statement."""
        ...

    def floors(self, stats: TableStatistics, lattice: Lattice) -> list[Cost]:
        """Bound every node of the lattice from below, in the lattice's own order."""
        return [self.floor(stats, node) for node in lattice.nodes()]

    def cost(
        self, stats: TableStatistics, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        """Return the exact cost; `suppressed` has the sums that `need` names, one for each column."""
        ...

    def cost_of(self, stats: TableStatistics, sums: Sums) -> Cost:
        """Return the cost of a recoding that is not of one node, from sums over its rows.

        For a single node it equals `cost`. A suppressed row costs as much as it does at one node; a metric that does
        not charge suppression counts it at the last node.
        """
        ...


class Weighted(Metric, Protocol):
    """A metric that adds up columns, each by its weight; without `weights` all count the same.

    A dataclass that derives from it has `weights` as a field.
    """

    def of_weights(self, weights: tuple[float, ...]) -> Self:
        """Return the same metric with other weights."""
        ...

    def of_columns(self, columns: Iterable[int]) -> Self:
        return self.of_weights(tuple(self.weights[at] for at in columns)) if self.weights else self

    def shares(self, columns: int) -> Sequence[float]:
        """Return the weight of each of so many columns."""
        return self.weights or (1.0,) * columns
