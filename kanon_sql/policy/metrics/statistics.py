"""The interface of quality metrics, and their inputs: statistics of the source, counts of a node, sums of a recoding.

A metric has the cost that a search minimizes, and the value that a reader sees. A column's weight is a share of the
greatest one. The generalization factor g is ARX's gs-factor: at 0.5 both count in full, below it a suppressed row
counts only 2g, above it the loss of a kept row counts only 1 - 2(g - 0.5).
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol, Self, cast

from kanon_sql.base.documents.records import Key
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.metrics.node import LEVELS, Node
from kanon_sql.policy.privacy.privacy_model import Monotony

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.policy.metrics.node import Lattice
    from kanon_sql.policy.privacy.risks import SizeCount


Cost = tuple[float, ...]
"""A cost: less is better, compared from the left. All metrics but the ranked loss have one figure."""


PLACES = Decimal("1e-9")
"""The place to which engines round a logarithm, so that their sums of logarithms are exact."""


@cache
def rows_and_logarithm(rows: int) -> float:
    """Return c * ln c as an engine sums it over c rows of one value, to the last bit; 0 for no rows.

    >>> rows_and_logarithm(0), rows_and_logarithm(11)
    (0.0, 26.376848003)
    """
    return float(rows * Decimal(rows).ln().quantize(PLACES)) if rows else 0.0


@dataclass(frozen=True, slots=True)
class ReleasedNode:
    """One node of several, with the numbers of rows and of classes that are released at it."""

    node: Annotated[Node, Key("levels"), LEVELS]
    rows: int
    classes: int


@dataclass(frozen=True, slots=True)
class LevelStatistics:
    """One quasi-identifier at one level, over all rows of the source.

    `values` counts its distinct values; `leaves` sums over the rows the leaves under the row's
    value; `narrowest` and `widest` are the least and most leaves under one value; `entropy` is
    the sum over its values of c * ln c, c being how many rows have the value (`rows_and_logarithm`).
    """

    values: int
    leaves: int
    narrowest: int
    widest: int
    entropy: float


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """One quasi-identifier at each of its `levels`; `domain` counts the leaves of its hierarchy.

    If the hierarchy has several roots, one more level follows its own, at which all rows have one label.
    """

    domain: int
    levels: tuple[LevelStatistics, ...]
    several_roots: bool = False

    @classmethod
    def of(
        cls, domain: int, levels: Sequence[LevelStatistics], *, rows: int, several_roots: bool
    ) -> ColumnStatistics:
        """Create the statistics. For a hierarchy of several roots, append a level at which all rows are one."""
        root = LevelStatistics(1, rows * domain, domain, domain, rows_and_logarithm(rows))
        return cls(domain, (*levels, *([root] if several_roots else [])), several_roots)

    @property
    def height(self) -> int:
        """The last level of the hierarchy itself."""
        return len(self.levels) - 1 - self.several_roots


@dataclass(frozen=True, slots=True)
class TableStatistics:
    """The statistics of the source that are known before any node is checked.

    `classes` counts its distinct quasi-identifier tuples. `left_out` rows were removed before any class was counted:
    every node suppresses them, each as a row of the node's widest labels. `persons` is set where a class is the people
    with the same rows: it counts the people, and so bounds the classes at every node.
    """

    rows: int
    classes: int
    columns: tuple[ColumnStatistics, ...]
    left_out: int = 0
    persons: int | None = None

    @property
    def most_classes(self) -> int:
        """The most classes that a node can have; left-out rows count as one more."""
        return self.classes + bool(self.left_out)

    def with_left_out(self, rows: int) -> TableStatistics:
        """Return the statistics with so many more left-out rows; a negative number removes them again."""
        columns = tuple(
            replace(
                column,
                levels=tuple(
                    replace(at, leaves=at.leaves + rows * at.widest) for at in column.levels
                ),
            )
            for column in self.columns
        )
        return replace(self, rows=self.rows + rows, columns=columns, left_out=self.left_out + rows)

    @property
    def heights(self) -> tuple[int, ...]:
        """The last level of each hierarchy, whatever a search may use of it."""
        return tuple(column.height for column in self.columns)

    def uniform_figures(self, levels: Sequence[int], suppressed: int, need: Need) -> list[float]:
        """Return sums over suppressed rows, exact where all labels of a level have as many leaves, or are one."""
        if need is Need.LEAVES:
            at = zip(self.columns, levels, strict=True)
            return [float(suppressed * column.levels[level].widest) for column, level in at]
        return [rows_and_logarithm(suppressed) for _ in self.columns]


@dataclass(frozen=True, slots=True)
class Counts:
    """The result of one check of a node.

    `rows` counts all rows, `failing` the classes that do not fit, `suppressed` their rows with those left out,
    `classes` the classes that fit. `smallest` is the size of the smallest class, `smallest_kept` of the smallest that
    fits, both in entities; `squares` and `failing_squares` sum the squared rows of fitting and of failing classes. A
    check without detail leaves these four None. `beyond` counts the rows of a population in no class that fits, where a
    model asks for it. `unavoidable` is a number of rows that every finer node suppresses at least, for models that are
    not monotone. `smallest_suppressed` counts the classes that fit but are suppressed, smallest first, for a model of
    the whole table or by Datafly; they are not among `classes`.
    """

    rows: int
    classes: int
    failing: int
    suppressed: int
    smallest: int | None = None
    smallest_kept: int | None = None
    squares: int | None = None
    failing_squares: int | None = None
    beyond: int = 0
    unavoidable: int | None = None
    smallest_suppressed: int | None = None


class Need(StrEnum):
    """The sums that an exact cost needs beyond the numbers of classes and of suppressed rows.

    SQUARES come with a detailed check. LEAVES and ENTROPY are looked up for the suppressed rows, WIDE and AMBIGUITY for
    the kept ones. WIDE sums, for each column, the leaves under the labels that have several. AMBIGUITY sums the
    products of the leaves under a row's labels, as a share of all tuples of leaves, so that columns at their roots do
    not change it. It is the same number for each column.
    """

    NOTHING = "nothing"
    SQUARES = "squares"
    LEAVES = "leaves"
    ENTROPY = "entropy"
    WIDE = "wide"
    AMBIGUITY = "ambiguity"


@dataclass(frozen=True, slots=True)
class Finer:
    """Bounds for a node that was not checked, from finer nodes that were.

    At most `fitting` of its classes fit, and the squared rows of all its classes sum to at least `squares`: classes
    only merge on the way up.
    """

    fitting: int | None = None
    squares: int = 0


NOTHING_FINER = Finer()


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the rows of a recoding at several nodes.

    `classes`, `squares` and `sizes` (the number of classes of each size) are of the classes that a reader sees: those
    that several nodes release under the same labels are one. `leaves` sums, for each column, the leaves under the
    labels of released rows. `shared` sums over all rows the logarithm of how many rows of the source have the row's
    label; `suppressed_logs`, where asked for, sums c * ln c over the labels of suppressed rows.
    """

    released_nodes: tuple[ReleasedNode, ...]
    suppressed: int
    classes: int
    smallest: int
    squares: int
    leaves: tuple[int, ...]
    shared: tuple[float, ...]
    suppressed_logs: tuple[float, ...] | None = None
    sizes: tuple[SizeCount, ...] = ()


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
        own: Any = self
        return cast("Self", replace(own, weights=weights))

    @property
    def label(self) -> str:
        return self.name + weighed(self.weights)

    def of_columns(self, columns: Iterable[int]) -> Self:
        return self.of_weights(tuple(self.weights[at] for at in columns)) if self.weights else self

    def shares(self, columns: int) -> Sequence[float]:
        """Return the weight of each of so many columns."""
        return self.weights or (1.0,) * columns
