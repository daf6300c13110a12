"""The utility metrics, as values: the cost of a node, and a floor under it that needs no scan.

Every cost is computed here, in one place and in a fixed order, from exact integers that the
engine summed: the same table gives the same cost to the last bit, whatever the order of its rows.
Less is better. A cost is a tuple, compared from the left; all metrics but the ranked loss have
one figure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from typing import TYPE_CHECKING, Protocol

from kanon_sql.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kanon_sql.model.lattice import Lattice, Node

Cost = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LevelFacts:
    """One quasi-identifier at one level, over all rows of the source.

    `values` counts its distinct values; `leaves` sums over the rows the leaves under the row's
    value; `narrowest` and `widest` are the least and most leaves under one value; `entropy` is
    the sum over its values of c * ln c, c being how many rows have the value.
    """

    values: int
    leaves: int
    narrowest: int
    widest: int
    entropy: float


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """One quasi-identifier: `domain` counts the leaves of its hierarchy."""

    domain: int
    levels: tuple[LevelFacts, ...]


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What is known of the source before any node is checked.

    `classes` counts its distinct quasi-identifier tuples.
    """

    rows: int
    classes: int
    columns: tuple[ColumnFacts, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """What one check of a node found.

    `rows` are all rows, `suppressed` those of the failing classes, `classes` the classes that
    fit. A brief check leaves out the rest: the entities of the smallest class of all and of the
    smallest that fits, and the summed squares of the rows of the fitting and the failing classes.
    """

    rows: int
    classes: int
    failing: int
    suppressed: int
    smallest: int | None = None
    smallest_kept: int | None = None
    squares: int | None = None
    failing_squares: int | None = None


class Need(StrEnum):
    """What an exact cost needs known beyond the numbers of classes and of suppressed rows.

    Squares come with a detailed check; leaves and entropy are looked up for suppressed rows.
    """

    NOTHING = "nothing"
    SQUARES = "squares"
    LEAVES = "leaves"
    ENTROPY = "entropy"


class Fold(StrEnum):
    """How the floors of single columns make the floor of a node."""

    SUM = "sum"
    PRODUCT = "product"
    MAX = "max"
    RANK = "rank"


class Metric(Protocol):
    """What a search may ask of a metric.

    `floor` never exceeds `cost` for any node that suppresses at least the rows it is given. With
    none given it never falls from a node to a coarser one either.
    """

    @property
    def name(self) -> str: ...

    @property
    def need(self) -> Need: ...

    def floor(self, facts: TableFacts, node: Node, suppressed: int = 0) -> Cost:
        """Bound the node's cost from below, without a statement."""
        ...

    def floors(self, facts: TableFacts, lattice: Lattice) -> list[Cost]:
        """Bound every node of the lattice from below, in the lattice's own order."""
        ...

    def cost(
        self, facts: TableFacts, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        """Give the exact cost; `suppressed` is what `need` asked for, a figure a column."""
        ...


def fold_lattice(
    terms: Sequence[Sequence[float]], fold: Fold, finish: Callable[[float], float]
) -> list[Cost]:
    """Fold one term a column and level into one cost a node, in lexicographic order."""
    if fold is Fold.RANK:
        vectors: list[tuple[float, ...]] = [()]
        for column in terms:
            vectors = [(*vector, term) for vector in vectors for term in column]
        return [tuple(sorted(vector, reverse=True)) for vector in vectors]
    start = {Fold.SUM: 0.0, Fold.PRODUCT: 1.0, Fold.MAX: 0.0}[fold]
    values = [start]
    for column in terms:
        if fold is Fold.SUM:
            values = [value + term for value in values for term in column]
        elif fold is Fold.PRODUCT:
            values = [value * term for value in values for term in column]
        else:
            values = [max(value, term) for value in values for term in column]
    return [(finish(value),) for value in values]


def fold_node(terms: Sequence[float], fold: Fold, finish: Callable[[float], float]) -> Cost:
    """Fold the terms of one node, in the very order and arithmetic of `fold_lattice`."""
    return fold_lattice([[term] for term in terms], fold, finish)[0]


def _same(value: float) -> float:
    return value


@dataclass(frozen=True, slots=True)
class Height:
    """The sum of the levels (Samarati 2001, absolute distance)."""

    name: str = "height"
    need: Need = Need.NOTHING

    def floor(self, facts: TableFacts, node: Node, suppressed: int = 0) -> Cost:  # noqa: ARG002
        return (float(node.height),)

    def floors(self, facts: TableFacts, lattice: Lattice) -> list[Cost]:  # noqa: ARG002
        return fold_lattice(
            [[float(i) for i in range(t + 1)] for t in lattice.tops], Fold.SUM, _same
        )

    def cost(
        self, facts: TableFacts, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        del counts, suppressed
        return self.floor(facts, node)


def level_shares(facts: TableFacts, node: Node) -> list[float]:
    """Give how far up its hierarchy each column is, from 0 to 1."""
    return [
        level / (len(column.levels) - 1) if len(column.levels) > 1 else 0.0
        for column, level in zip(facts.columns, node.levels, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Precision:
    """Distortion, 1 - Prec (Sweeney 2002, 4.2); a suppressed cell counts as fully generalized."""

    name: str = "precision"
    need: Need = Need.NOTHING

    def floor(self, facts: TableFacts, node: Node, suppressed: int = 0) -> Cost:
        shares = level_shares(facts, node)
        mean = fold_node(shares, Fold.SUM, lambda total: total / len(shares))[0]
        return (((facts.rows - suppressed) * mean + suppressed) / facts.rows,)

    def floors(self, facts: TableFacts, lattice: Lattice) -> list[Cost]:
        terms = [[i / top if top else 0.0 for i in range(top + 1)] for top in lattice.tops]
        n, d = facts.rows, len(terms)
        return fold_lattice(terms, Fold.SUM, lambda total: (n * (total / d)) / n)

    def cost(
        self, facts: TableFacts, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        del suppressed
        return self.floor(facts, node, counts.suppressed)


class Aggregate(StrEnum):
    """How the losses of single columns make the loss of the table."""

    SUM = "sum"
    MEAN = "mean"
    GEOMETRIC_MEAN = "geometric_mean"
    RANK = "rank"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class Loss:
    """Iyengar's LM (KDD 2002): the share of a hierarchy's leaves that a released value hides.

    One cell loses (M - 1) / (A - 1), M leaves lying under its value and A in the hierarchy; a
    suppressed cell loses 1. A column's loss is the mean over all rows. `geometric_mean` is
    prod(1 + x)^(1/d) - 1, which keeps a column without loss from hiding the others.
    """

    aggregate: Aggregate = Aggregate.GEOMETRIC_MEAN
    name: str = "loss"
    need: Need = Need.LEAVES

    def _fold(self, columns: int) -> tuple[Fold, Callable[[float], float], float]:
        match self.aggregate:
            case Aggregate.SUM:
                return Fold.SUM, _same, 0.0
            case Aggregate.MEAN:
                return Fold.SUM, lambda total: total / columns, 0.0
            case Aggregate.GEOMETRIC_MEAN:
                return Fold.PRODUCT, lambda total: total ** (1 / columns) - 1, 1.0
            case Aggregate.RANK:
                return Fold.RANK, _same, 0.0
            case Aggregate.MAX:
                return Fold.MAX, _same, 0.0

    def of_columns(self, losses: Sequence[float]) -> Cost:
        """Give the loss of a table from those of its columns."""
        fold, finish, offset = self._fold(len(losses))
        return fold_node([loss + offset for loss in losses], fold, finish)

    @staticmethod
    def _term(rows: int, domain: int, leaves: int, suppressed: int, hidden: float) -> float:
        if domain <= 1:
            return 0.0
        return (leaves - hidden + suppressed * domain - rows) / (rows * (domain - 1))

    def floor(self, facts: TableFacts, node: Node, suppressed: int = 0) -> Cost:
        hidden = []
        for column, level in zip(facts.columns, node.levels, strict=True):
            at = column.levels[level]
            kept = (facts.rows - suppressed) * at.narrowest
            hidden.append(min(suppressed * at.widest, at.leaves - kept))
        return self._fold_with(facts, node, suppressed, hidden)

    def _fold_with(
        self, facts: TableFacts, node: Node, suppressed: int, hidden: Sequence[float]
    ) -> Cost:
        fold, finish, offset = self._fold(len(facts.columns))
        terms = [
            self._term(facts.rows, column.domain, column.levels[level].leaves, suppressed, h)
            + offset
            for column, level, h in zip(facts.columns, node.levels, hidden, strict=True)
        ]
        return fold_node(terms, fold, finish)

    def floors(self, facts: TableFacts, lattice: Lattice) -> list[Cost]:
        del lattice
        fold, finish, offset = self._fold(len(facts.columns))
        terms = [
            [self._term(facts.rows, c.domain, at.leaves, 0, 0) + offset for at in c.levels]
            for c in facts.columns
        ]
        return fold_lattice(terms, fold, finish)

    def cost(
        self, facts: TableFacts, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        return self._fold_with(facts, node, counts.suppressed, suppressed)


def _most_classes(facts: TableFacts, node: Node) -> int:
    values = [c.levels[level].values for c, level in zip(facts.columns, node.levels, strict=True)]
    return min(facts.classes, math.prod(values))


def _all_nodes(facts: TableFacts) -> list[int]:
    """Give the most classes each node can have, in lexicographic order."""
    products = reduce(
        lambda acc, c: [a * at.values for a in acc for at in c.levels], facts.columns, [1]
    )
    return [min(facts.classes, p) for p in products]


@dataclass(frozen=True, slots=True)
class Discernibility:
    """C_DM (Bayardo and Agrawal, ICDE 2005): |E|^2 a kept class, n a suppressed row."""

    name: str = "discernibility"
    need: Need = Need.SQUARES

    @staticmethod
    def _floor(rows: int, most: int, suppressed: int) -> float:
        if most <= 1:
            return float(rows * rows)
        kept = rows - suppressed
        return kept * kept / most + rows * suppressed

    def floor(self, facts: TableFacts, node: Node, suppressed: int = 0) -> Cost:
        return (self._floor(facts.rows, _most_classes(facts, node), suppressed),)

    def floors(self, facts: TableFacts, lattice: Lattice) -> list[Cost]:
        del lattice
        return [(self._floor(facts.rows, most, 0),) for most in _all_nodes(facts)]

    def cost(
        self, facts: TableFacts, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        del node, suppressed
        if counts.squares is None:
            raise InternalError("discernibility needs a detailed check")
        return (float(counts.squares + facts.rows * counts.suppressed),)


@dataclass(frozen=True, slots=True)
class ClassSize:
    """Average class size, all suppressed rows being one more class (AECS, ARX; C_AVG * k)."""

    name: str = "class_size"
    need: Need = Need.NOTHING

    def floor(self, facts: TableFacts, node: Node, suppressed: int = 0) -> Cost:
        del suppressed  # one more class at most, whatever their number
        return (facts.rows / (_most_classes(facts, node) + 1),)

    def floors(self, facts: TableFacts, lattice: Lattice) -> list[Cost]:
        del lattice
        return [(facts.rows / (most + 1),) for most in _all_nodes(facts)]

    def cost(
        self, facts: TableFacts, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        del node, suppressed
        return (facts.rows / (counts.classes + (1 if counts.suppressed else 0)),)


@dataclass(frozen=True, slots=True)
class Entropy:
    """Non-uniform entropy (De Waal and Willenborg 1999), in bits, summed over the columns.

    Generalizing loses sum c * log2(b / c), the c rows of a value being among the b rows of its
    generalization. Suppression is ignored unless `count_suppressed`, which adds the entropy that
    the suppressed rows had left (ARX's non-monotone form).
    """

    count_suppressed: bool = False
    name: str = "entropy"

    @property
    def need(self) -> Need:
        return Need.ENTROPY if self.count_suppressed else Need.NOTHING

    def _terms(self, facts: TableFacts) -> list[list[float]]:
        return [
            [(at.entropy - column.levels[0].entropy) / math.log(2) for at in column.levels]
            for column in facts.columns
        ]

    def floor(self, facts: TableFacts, node: Node, suppressed: int = 0) -> Cost:
        del suppressed
        chosen = [c[level] for c, level in zip(self._terms(facts), node.levels, strict=True)]
        return fold_node(chosen, Fold.SUM, _same)

    def floors(self, facts: TableFacts, lattice: Lattice) -> list[Cost]:
        del lattice
        return fold_lattice(self._terms(facts), Fold.SUM, _same)

    def cost(
        self, facts: TableFacts, node: Node, counts: Counts, suppressed: Sequence[float]
    ) -> Cost:
        floor = self.floor(facts, node)[0]
        s = counts.suppressed
        if not self.count_suppressed or not s:
            return (floor,)
        whole = s * math.log(s)
        return (floor + sum((whole - left) / math.log(2) for left in suppressed),)


def figures(
    facts: TableFacts, node: Node, counts: Counts, leaves: Sequence[float]
) -> Iterator[tuple[str, float]]:
    """Yield every metric of this module for one node, for reports; all but height in one unit each."""
    none: tuple[float, ...] = ()
    yield "height", Height().cost(facts, node, counts, none)[0]
    yield "precision", 1 - Precision().cost(facts, node, counts, none)[0]
    yield "loss", Loss().cost(facts, node, counts, leaves)[0]
    yield "discernibility", Discernibility().cost(facts, node, counts, none)[0]
    yield "aecs", ClassSize().cost(facts, node, counts, none)[0]
    yield "entropy", Entropy().cost(facts, node, counts, none)[0]


METRICS = ("height", "precision", "loss", "discernibility", "class_size", "entropy")


def metric_named(
    name: str, *, aggregate: Aggregate = Aggregate.GEOMETRIC_MEAN, count_suppressed: bool = False
) -> Metric:
    """Give the metric a policy names; the options a metric has no use for are not passed on."""
    match name:
        case "height":
            return Height()
        case "precision":
            return Precision()
        case "loss":
            return Loss(aggregate)
        case "discernibility":
            return Discernibility()
        case "class_size":
            return ClassSize()
        case "entropy":
            return Entropy(count_suppressed)
    raise ValueError(f"no metric is named {name}")
