"""Sets of lattice nodes as bits of one integer, in the order of the nodes' floors.

The nodes that can still beat a cost are then a prefix, the cheapest of a set is its lowest bit,
and tagging everything above or below a node is one AND a column.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from kanon_sql.model.lattice import Node

if TYPE_CHECKING:
    from kanon_sql.model.lattice import Lattice
    from kanon_sql.model.metric import Cost


class Ordered:
    """All nodes of a lattice by ascending floor (then height, then levels), as bit positions."""

    def __init__(self, lattice: Lattice, floors: list[Cost]) -> None:
        levels = [node.levels for node in lattice.nodes()]
        order = sorted(range(len(levels)), key=lambda i: (floors[i], sum(levels[i]), levels[i]))
        self.floors = [floors[i] for i in order]
        self.nodes = [levels[i] for i in order]
        self.position = {levels_: at for at, levels_ in enumerate(self.nodes)}
        self.all = (1 << len(order)) - 1
        self._at_least = [self._thresholds(c, top) for c, top in enumerate(lattice.tops)]

    def _thresholds(self, column: int, top: int) -> list[int]:
        """Give, a level, the set of nodes at least that coarse in one column."""
        exact = [bytearray((len(self.nodes) + 7) // 8) for _ in range(top + 1)]
        for at, levels in enumerate(self.nodes):
            exact[levels[column]][at >> 3] |= 1 << (at & 7)
        sets = [int.from_bytes(bits, "little") for bits in exact]
        for level in range(top - 1, -1, -1):
            sets[level] |= sets[level + 1]
        return sets

    def up(self, levels: tuple[int, ...]) -> int:
        """Give the node and everything coarser."""
        found = self.all
        for column, level in enumerate(levels):
            if level:
                found &= self._at_least[column][level]
        return found

    def down(self, levels: tuple[int, ...]) -> int:
        """Give the node and everything finer."""
        finer = 0
        for column, level in enumerate(levels):
            sets = self._at_least[column]
            if level + 1 < len(sets):
                finer |= sets[level + 1]
        return self.all & ~finer

    def within(self, cost: Cost) -> int:
        """Give the nodes whose floor does not exceed a cost."""
        return (1 << bisect_right(self.floors, cost)) - 1

    def node(self, at: int) -> Node:
        return Node(self.nodes[at])


def lowest(bits: int) -> int:
    """Give the position of the lowest member of a set that is not empty."""
    return (bits & -bits).bit_length() - 1
