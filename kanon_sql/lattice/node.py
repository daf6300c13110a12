"""The generalization lattice: which levels each quasi-identifier is raised to. Pure arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


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

    levels: tuple[int, ...]

    @property
    def height(self) -> int:
        return sum(self.levels)

    def parents(self, tops: tuple[int, ...]) -> Iterator[Node]:
        """Yield every node exactly one level coarser."""
        for i, (level, top) in enumerate(zip(self.levels, tops, strict=True)):
            if level < top:
                yield Node((*self.levels[:i], level + 1, *self.levels[i + 1 :]))

    def children(self) -> Iterator[Node]:
        """Yield every node exactly one level finer."""
        for i, level in enumerate(self.levels):
            if level:
                yield Node((*self.levels[:i], level - 1, *self.levels[i + 1 :]))

    def covers(self, other: Node) -> bool:
        """Whether this node is at least as coarse everywhere, so k carries over to it."""
        return all(a >= b for a, b in zip(self.levels, other.levels, strict=True))

    def meet(self, other: Node) -> Node:
        """Return the coarsest node that both can be rolled up from.

        >>> Node((1, 0, 2)).meet(Node((0, 1, 2))).levels
        (0, 0, 2)
        """
        return Node(tuple(map(min, self.levels, other.levels)))

    def __str__(self) -> str:
        return f"[{','.join(map(str, self.levels))}]"


@dataclass(frozen=True, slots=True)
class Lattice:
    """All nodes between the source itself and full generalization.

    >>> lattice = Lattice((1, 2))
    >>> lattice.size, lattice.height
    (6, 3)
    >>> [str(node) for node in lattice.layer(1)]
    ['[0,1]', '[1,0]']
    """

    tops: tuple[int, ...]

    @property
    def size(self) -> int:
        return prod(top + 1 for top in self.tops)

    @property
    def height(self) -> int:
        return sum(self.tops)

    @property
    def bottom(self) -> Node:
        return Node((0,) * len(self.tops))

    @property
    def top(self) -> Node:
        return Node(self.tops)

    def nodes(self) -> Iterator[Node]:
        """Yield every node, in lexicographic order of the levels."""
        return map(Node, product(*(range(top + 1) for top in self.tops)))

    def layer(self, height: int) -> Iterator[Node]:
        """Yield the nodes of one height, in lexicographic order, without visiting the rest."""
        return map(Node, self._layer(height, self.tops))

    def _layer(self, height: int, tops: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not tops:
            if height == 0:
                yield ()
            return
        room = sum(tops[1:])
        for level in range(max(0, height - room), min(tops[0], height) + 1):
            for rest in self._layer(height - level, tops[1:]):
                yield (level, *rest)
