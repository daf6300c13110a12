"""What a quality metric is: to a search, which minimizes its cost, and to a reader, who sees its value."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

from kanon_sql.late_dataclass import dataclass
from kanon_sql.lattice.statistics import NOTHING_FINER, Finer, Need
from kanon_sql.privacy.privacy_model import Monotony

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.lattice.node import Lattice, Node
    from kanon_sql.lattice.statistics import Cost, Counts, Sums, TableStatistics


class Basis(StrEnum):
    """What two plans must share for a quality metric of both to be compared, and the words where they do not."""

    COLUMNS = "other quasi-identifiers"
    HIERARCHIES = "other hierarchies"
    ROWS = "another number of rows"
    CLASS_SIZE = "another k"


OF_COLUMNS = frozenset({Basis.COLUMNS, Basis.HIERARCHIES})


@dataclass(frozen=True, slots=True)
class QualityMetric:
    """A number of a plan that says how useful its release is, and how it is displayed.

    `key` names it in files, `name` in a line or a column's heading, and `title` says in full what is aggregated how,
    and who defined it. `higher_is_better` is None where neither end is better; two values are compared only where the plans
    share all of `basis`. `of_cost` makes the value from a search's cost where it is another: Prec is 1 - distortion.
    `charges_suppression` says that a suppressed row counts as one that is generalized to the top. Only what has a `layout`
    (a format of Python's) is shown in summaries.
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
        """Write a value in a summary."""
        return format(value, self.layout or "")

    def of_cost(self, cost: float) -> float:
        """Give the value that a cost stands for."""
        return 1 - cost if self.complement else cost


class Metric(Protocol):
    """What a search may ask of a metric; a metric derives from this class.

    `monotony` says when no feasible node costs less than a finer feasible one: the optimum is then
    among the minimal nodes. Suppression is what breaks it: a coarser node suppresses less.
    `floor` never exceeds `cost` for any node that suppresses at least the rows it is given. With
    none given it never falls from a node to a coarser one either.
    """

    name: ClassVar[str]
    """What a policy calls it."""

    quality: ClassVar[QualityMetric]
    """How its cost is displayed, where the options are the defaults."""

    of_classes: ClassVar[bool] = False
    """Whether it is a sum over classes, so that the counts of finer nodes bound those of coarser ones."""

    stated: ClassVar[bool] = True
    """Whether every plan states its value; else only a plan whose search made it least, as the cost."""

    at_one_node: ClassVar[bool] = False
    """Whether it has a cost only where all rows are released or suppressed at one node."""

    @property
    def need(self) -> Need:
        """Say what `cost` needs counted beyond classes and suppressed rows."""
        return Need.NOTHING

    @property
    def monotony(self) -> Monotony:
        return Monotony.UNSUPPRESSED

    @property
    def charges_suppression(self) -> bool:
        """Whether a suppressed row costs more than one that is kept, wherever it lies."""
        return self.quality.charges_suppression

    @property
    def weights(self) -> tuple[float, ...]:
        """What each column counts for, as a share of the greatest; none where all count the same."""
        return ()

    def of_columns(self, columns: Iterable[int]) -> Self:
        """Give the same metric of a table that has only some of the columns, by their numbers."""
        del columns
        return self

    @property
    def label(self) -> str:
        """Name it in a plan, with the options that make it what it is."""
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
        """Give the exact cost; `suppressed` has what `need` names, a number a column."""
        ...

    def cost_of(self, stats: TableStatistics, sums: Sums) -> Cost:
        """Give the cost of a recoding that is not of one node, from sums over its rows.

        With one node it is what it is there. A suppressed row counts as it does for one node; to a
        metric that charges nothing for suppression it lies at the last node, where it fell short.
        """
        ...
