"""Sets of lattice nodes as bits of one integer, in the order of the nodes' floors or of other keys.

The nodes that can still beat a cost are then a prefix, the cheapest of a set is its lowest bit, and tagging everything
above or below a node is one AND a column.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING

from kanon_sql.lattice.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.lattice.node import Lattice
    from kanon_sql.lattice.statistics import Cost, TableStatistics


class NodeSets:
    """All nodes of a lattice by ascending floor (then height, then levels), as bit positions.

    Where costs do not matter, the floors are any figures that order the nodes.
    """

    def __init__(self, lattice: Lattice, floors: list[Cost]) -> None:
        levels = list(lattice.all_levels())  # in their own order, which sorting keeps among equals
        keys = [(*floor, sum(at)) for floor, at in zip(floors, levels, strict=True)]
        order = sorted(range(len(levels)), key=keys.__getitem__)
        self.floors = [floors[i] for i in order]
        self.nodes = [levels[i] for i in order]
        self.position = {levels_: at for at, levels_ in enumerate(self.nodes)}
        self.all = (1 << len(order)) - 1
        self._tops = lattice.tops
        columns = zip(*self.nodes, strict=True)
        self._at_least = [_thresholds(of, top) for of, top in zip(columns, self._tops, strict=True)]
        self._at_most = [
            [*(self.all & ~bits for bits in sets[1:]), self.all] for sets in self._at_least
        ]

    def up(self, levels: tuple[int, ...]) -> int:
        """Return the set of the node and everything coarser."""
        found = self.all
        for column, level in enumerate(levels):
            if level:
                found &= self._at_least[column][level]
        return found

    def down(self, levels: tuple[int, ...], of: int | None = None) -> int:
        """Return the set of the node and everything finer, within `of` if given (fast for few, low bits)."""
        found = self.all if of is None else of
        for at_most, level in zip(self._at_most, levels, strict=True):
            found &= at_most[level]
        return found

    def parents(self, at: int) -> Iterator[int]:
        """Yield the positions of the nodes one level coarser, in the order of the columns."""
        levels = self.nodes[at]
        for column, (level, top) in enumerate(zip(levels, self._tops, strict=True)):
            if level < top:
                yield self.position[*levels[:column], level + 1, *levels[column + 1 :]]

    def within(self, cost: Cost) -> int:
        """Return the set of nodes whose floor does not exceed a cost."""
        return (1 << bisect_right(self.floors, cost)) - 1

    def node(self, at: int) -> Node:
        return Node(self.nodes[at])


def _thresholds(levels: Sequence[int], top: int) -> list[int]:
    """Return, for each level, the set of nodes at or above it; `levels` has each node's level of a column."""
    last_first = bytes(levels)[::-1]
    # The digits of a number of base 2, so that no loop sets its bits one by one.
    return [
        int(last_first.translate(b"0" * level + b"1" * (256 - level)), 2)
        for level in range(top + 1)
    ]


def by_stability(lattice: Lattice, stats: TableStatistics) -> NodeSets:
    """Order a lattice as Flash does (Kohlmayer et al. 2012), whatever the order of the columns.

    The keys are the height, the mean of the columns' relative heights, and the mean share of their distinct values that
    is lost, all ascending.
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
    """Yield the positions of the members of a set, ascending.

    >>> list(members(0b1101))
    [0, 2, 3]
    """
    text = bin(bits)[:1:-1]
    at = text.find("1")
    while at >= 0:
        yield at
        at = text.find("1", at + 1)
