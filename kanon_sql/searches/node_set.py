"""Sets of lattice nodes as bits of one integer, in the order of the nodes' floors, or another.

The nodes that can still beat a cost are then a prefix, the cheapest of a set is its lowest bit,
and tagging everything above or below a node is one AND a column.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING

from kanon_sql.lattice.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.lattice.node import Lattice
    from kanon_sql.lattice.statistics import Cost, TableStatistics


class NodeSets:
    """All nodes of a lattice by ascending floor (then height, then levels), as bit positions.

    Where costs do not matter, the floors are any figures that order the nodes.
    """

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
        """Return the node and everything coarser."""
        found = self.all
        for column, level in enumerate(levels):
            if level:
                found &= self._at_least[column][level]
        return found

    def down(self, levels: tuple[int, ...]) -> int:
        """Return the node and everything finer."""
        finer = 0
        for column, level in enumerate(levels):
            sets = self._at_least[column]
            if level + 1 < len(sets):
                finer |= sets[level + 1]
        return self.all & ~finer

    def within(self, cost: Cost) -> int:
        """Return the nodes whose floor does not exceed a cost."""
        return (1 << bisect_right(self.floors, cost)) - 1

    def node(self, at: int) -> Node:
        return Node(self.nodes[at])


def by_stability(lattice: Lattice, stats: TableStatistics) -> NodeSets:
    """Order a lattice as Flash does (Kohlmayer et al. 2012), whatever the order of the columns.

    By height, then by the mean of the columns' relative heights, then by how few of their distinct
    values are left, all ascending.
    """
    heights, columns = stats.heights, stats.columns
    whole = math.lcm(*(top for top in heights if top))  # integers, so that equal heights are ties
    relative = [[whole * i // top if top else 0 for i in range(top + 1)] for top in heights]
    lost = [[1 - at.values / c.levels[0].values for at in c.levels] for c in columns]
    keys: list[Cost] = []
    for node in lattice.nodes():
        at = [*enumerate(node.levels)]
        keys.append(
            (
                node.height,
                sum(relative[column][level] for column, level in at),
                math.fsum(lost[column][level] for column, level in at),
            )
        )
    return NodeSets(lattice, keys)


def lowest(bits: int) -> int:
    """Return the position of the lowest member of a set that is not empty."""
    return (bits & -bits).bit_length() - 1


def members(bits: int) -> Iterator[int]:
    """Return the positions of the members of a set, ascending.

    >>> list(members(0b1101))
    [0, 2, 3]
    """
    text = bin(bits)[:1:-1]
    at = text.find("1")
    while at >= 0:
        yield at
        at = text.find("1", at + 1)
