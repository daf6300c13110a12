"""The utility metrics, as values: the cost of a node, and a floor under it that needs no scan.

Every cost is computed in this room, in a fixed order, from exact integers that the engine summed:
the same table gives the same cost to the last bit, whatever the order of its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kanon_sql.lattice.statistics import NOTHING_FINER, Finer, Need
from kanon_sql.metrics.class_metrics import ClassSize, Discernibility
from kanon_sql.metrics.column_metrics import (
    Aggregate,
    Distortion,
    Entropy,
    Height,
    Loss,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kanon_sql.lattice.node import Lattice, Node
    from kanon_sql.lattice.statistics import (
        Cost,
        Counts,
        Sums,
        TableStatistics,
    )
    from kanon_sql.privacy.privacy_model import Monotony


class Metric(Protocol):
    """What a search may ask of a metric.

    `monotony` says when no feasible node costs less than a finer feasible one: the optimum is then
    among the minimal nodes. Suppression is what breaks it: a coarser node suppresses less.
    `floor` never exceeds `cost` for any node that suppresses at least the rows it is given. With
    none given it never falls from a node to a coarser one either.
    """

    @property
    def name(self) -> str: ...

    @property
    def need(self) -> Need: ...

    @property
    def monotony(self) -> Monotony: ...

    @property
    def of_classes(self) -> bool:
        """Whether it is a figure of the classes, so that finer nodes tell of coarser ones."""
        ...

    @property
    def charges_suppression(self) -> bool:
        """Whether a suppressed row costs more than one that is kept, wherever it lies."""
        ...

    def floor(
        self, facts: TableStatistics, node: Node, suppressed: int = 0, finer: Finer = NOTHING_FINER
    ) -> Cost:
        """Bound the node's cost from below, without a statement."""
        ...

    def floors(self, facts: TableStatistics, lattice: Lattice) -> list[Cost]:
        """Bound every node of the lattice from below, in the lattice's own order."""
        ...

    def cost(
        self, facts: TableStatistics, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        """Give the exact cost; `suppressed` is what `need` asked for, a figure a column."""
        ...

    def cost_of(self, facts: TableStatistics, sums: Sums) -> Cost:
        """Give the cost of a recoding that is not of one node, from sums over its rows.

        With one node it is what it is there. A suppressed row counts as it does for one node; to a
        metric that charges nothing for suppression it lies at the last node, where it fell short.
        """
        ...


def figures(
    facts: TableStatistics, node: Node, counts: Counts, leaves: Sequence[float]
) -> Iterator[tuple[str, float]]:
    """Yield every metric of this room for one node, for reports; all but height in one unit each."""
    return _told(
        lambda metric: metric.cost(
            facts, node, counts, leaves if metric.need is Need.LEAVES else ()
        )
    )


def figures_of(facts: TableStatistics, sums: Sums) -> Iterator[tuple[str, float]]:
    """Yield every metric for a recoding that is not of one node, as `figures` does for one."""
    return _told(lambda metric: metric.cost_of(facts, sums))


def _told(cost: Callable[[Metric], Cost]) -> Iterator[tuple[str, float]]:
    yield "height", cost(Height())[0]
    yield "precision", 1 - cost(Distortion())[0]
    yield "loss", cost(Loss())[0]
    yield "discernibility", cost(Discernibility())[0]
    yield "aecs", cost(ClassSize())[0]
    yield "entropy", cost(Entropy())[0]


METRICS = ("height", "distortion", "loss", "discernibility", "class_size", "entropy")

OLDER = {"precision": "distortion"}
"""What metrics were named before. A search makes the distortion least, and by that Prec, the precision,
highest: a policy may still say precision, and all that is printed says distortion."""

SAID = (*METRICS, *OLDER)
"""What a policy, or what is said instead of it, may call a metric."""

OLDER_LABELS = {**OLDER, "loss": "loss (geometric mean)"}
"""What plans called a metric before, and what they call it now."""

FIGURES_OF = {"loss (geometric mean)": "loss", "distortion": "precision", "class_size": "aecs"}
"""The figure of a plan that tells the cost by a metric, where it has another name."""


def figure_of(label: str) -> str:
    """Name the figure of a plan that tells its cost, if there is one.

    >>> figure_of("distortion"), figure_of("height"), figure_of("loss (max)")
    ('precision', 'height', 'loss (max)')
    """
    return FIGURES_OF.get(label, label)


def metric_named(
    name: str, *, aggregate: Aggregate = Aggregate.GEOMETRIC_MEAN, count_suppressed: bool = False
) -> Metric:
    """Give the metric a policy names; the options a metric has no use for are not passed on."""
    match OLDER.get(name, name):
        case "height":
            return Height()
        case "distortion":
            return Distortion()
        case "loss":
            return Loss(aggregate)
        case "discernibility":
            return Discernibility()
        case "class_size":
            return ClassSize()
        case "entropy":
            return Entropy(count_suppressed)
        case _:
            raise ValueError(f"no metric is named {name}")
