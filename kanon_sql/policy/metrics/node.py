"""Nodes and the generalization lattice, one level for each quasi-identifier, and how a plan's document writes them."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeVar

from kanon_sql.base.documents.keys import MapOf
from kanon_sql.base.documents.shapes import Known, Parsed, Schema, Shape, Text, Whole, refuse
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.privacy.privacy_model import SensitiveAttribute, SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kanon_sql.base.documents.keys import Item
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.policy.privacy.privacy_model import Requirement


Levels = tuple[int, ...]


@dataclass(frozen=True, slots=True, order=True)
class Node:
    """One choice of levels, in the order of the policy's quasi-identifiers.

    >>> node = Node((1, 0, 2))
    >>> node.height
    3
    >>> [parent.levels for parent in node.parents(tops=(1, 1, 2))]
    [(1, 1, 2)]
    >>> Node((1, 1)).covers(Node((0, 1)))
    True
    """

    levels: Levels

    @property
    def height(self) -> int:
        return sum(self.levels)

    def parents(self, tops: Levels) -> Iterator[Node]:
        """Yield every node exactly one level coarser."""
        for i, (level, top) in enumerate(zip(self.levels, tops, strict=True)):
            if level < top:
                yield Node((*self.levels[:i], level + 1, *self.levels[i + 1 :]))

    def children(self, bottoms: Levels) -> Iterator[Node]:
        """Yield every node exactly one level finer."""
        for i, (level, bottom) in enumerate(zip(self.levels, bottoms, strict=True)):
            if level > bottom:
                yield Node((*self.levels[:i], level - 1, *self.levels[i + 1 :]))

    def covers(self, other: Node) -> bool:
        """Return True if no level is below that of `other`; this node is then k-anonymous if `other` is."""
        return all(a >= b for a, b in zip(self.levels, other.levels, strict=True))

    def meet(self, other: Node) -> Node:
        """Return the coarsest node whose frequency set can be rolled up to both nodes.

        >>> Node((1, 0, 2)).meet(Node((0, 1, 2))).levels
        (0, 0, 2)
        """
        return Node(tuple(map(min, self.levels, other.levels)))

    def __str__(self) -> str:
        return f"[{','.join(map(str, self.levels))}]"


@dataclass(frozen=True, slots=True)
class Lattice:
    """All nodes between `bottoms`, the finest levels that columns may have, and `tops`, the coarsest.

    `bottoms` default to level 0, the source's own values. At its level of `roots` a column has one label for all rows.
    That is its top, unless the policy caps the level or the hierarchy has several roots: then it lies above the top.

    >>> lattice = Lattice((1, 2))
    >>> lattice.size, lattice.height
    (6, 3)
    >>> [str(node) for node in lattice.layer(1)]
    ['[0,1]', '[1,0]']
    >>> within = Lattice((1, 2), bottoms=(0, 1), roots=(1, 3))
    >>> [str(node) for node in within.nodes()], str(within.of_columns({0: 1}))
    (['[0,1]', '[0,2]', '[1,1]', '[1,2]'], '[1,3]')
    """

    tops: Levels
    bottoms: Levels = ()
    roots: Levels = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "bottoms", self.bottoms or (0,) * len(self.tops))
        object.__setattr__(self, "roots", self.roots or self.tops)

    @property
    def ranges(self) -> list[range]:
        """The levels that each column may have."""
        return [range(low, top + 1) for low, top in zip(self.bottoms, self.tops, strict=True)]

    @property
    def size(self) -> int:
        return prod(map(len, self.ranges))

    @property
    def height(self) -> int:
        """The height of the top."""
        return sum(self.tops)

    @property
    def bottom(self) -> Node:
        return Node(self.bottoms)

    @property
    def top(self) -> Node:
        return Node(self.tops)

    @property
    def root(self) -> Node:
        """The node at which all rows are one class. It belongs to the lattice only if it equals `top`."""
        return Node(self.roots)

    def __contains__(self, node: Node) -> bool:
        return self.top.covers(node) and node.covers(self.bottom)

    def of_columns(self, levels: Mapping[int, int]) -> Node:
        """Return the node whose classes are those of the columns in `levels` alone, each column by its number."""
        return Node(tuple(levels.get(at, root) for at, root in enumerate(self.roots)))

    def nodes(self) -> Iterator[Node]:
        """Yield every node, in lexicographic order of the levels."""
        return map(Node, self.all_levels())

    def all_levels(self) -> Iterator[Levels]:
        """Yield the levels of every node, in lexicographic order."""
        return product(*self.ranges)

    def layer(self, height: int) -> Iterator[Node]:
        """Yield the nodes of one height, in lexicographic order, without visiting the rest."""
        return map(Node, _layer(height, self.ranges))


def _layer(height: int, ranges: Sequence[range]) -> Iterator[Levels]:
    if not ranges:
        if height == 0:
            yield ()
        return
    own, others = ranges[0], ranges[1:]
    least = height - sum(each[-1] for each in others)
    most = height - sum(each[0] for each in others)
    for level in range(max(own[0], least), min(own[-1], most) + 1):
        for rest in _layer(height - level, others):
            yield (level, *rest)


@dataclass(frozen=True, slots=True)
class Joint:
    """The requirements on the classes over one set of columns, one of several that must be met together.

    The classes must meet those `of_release` by the distribution of all kept rows. `beside` are sensitive columns whose
    values distinguish classes too, NULL being a value.
    """

    columns: tuple[int, ...]
    requirements: tuple[Requirement, ...]
    of_release: tuple[Requirement, ...] = ()
    beside: tuple[SensitiveAttribute, ...] = ()


def joint_sets(demands: Iterable[Demand], names: Sequence[str]) -> tuple[Joint, ...]:
    """Return demands with columns as numbers; one without columns is over all `names`."""
    return tuple(
        Joint(
            tuple(names.index(c) for c in each.columns or names if c not in each.beside),
            each.requirements,
            each.of_release,
            tuple(SensitiveAttribute(c, SensitiveNulls.VALUE) for c in each.beside),
        )
        for each in demands
    )


HEIGHTS = "highest_levels"
"""The plan's key of its quasi-identifiers and their hierarchies' heights; other keys are read by it."""

V = TypeVar("V")


@dataclass(frozen=True)
class ByColumn(Shape[tuple[V, ...]]):
    """A value per quasi-identifier, written as a mapping of names to values in the order of `highest_levels`.

    A value equal to `absent` is not written.
    """

    of: Shape[V]
    absent: V | None = None

    def read(self, item: Item) -> tuple[V, ...]:
        names = list(item.reading.known.get(HEIGHTS, ()))
        found = MapOf(self.of).read(item)
        if self.absent is not None and set(found) <= set(names):
            return tuple(found.get(name, self.absent) for name in names)
        if list(found) != names:
            raise refuse(item, "must name the columns of highest_levels, in their order")
        return tuple(found.values())

    def schema(self) -> Schema:
        return MapOf(self.of).schema()

    def write(self, value: tuple[V, ...], known: Known) -> object:
        each = zip(known[HEIGHTS], value, strict=True)
        return {name: self.of.write(of, known) for name, of in each if of != self.absent}


class ColumnNumber(Shape[int]):
    """The index of a quasi-identifier, written as its name."""

    def read(self, item: Item) -> int:
        names = list(item.reading.known.get(HEIGHTS, ()))
        if item.value not in names:
            raise refuse(item, "must be a column of highest_levels")
        return names.index(item.value)

    def schema(self) -> Schema:
        return Text().schema()

    def write(self, value: int, known: Known) -> object:
        return list(known[HEIGHTS])[value]


LEVELS: Shape[Node] = Parsed(ByColumn(Whole(0)), Node, unparse=lambda node: node.levels)
CELLS = ByColumn(Whole(0), absent=0)
