"""The decided nodes of a lattice, kept as few nodes: the cost does not depend on the lattice's size.

Everything at or below an infeasible node is infeasible, everything at or above a feasible one is feasible. Only these
nodes are kept, as bits of one integer a column and level. To see whether a node is decided then takes one AND a column,
for 10^4 nodes as for 10^15.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Levels = tuple[int, ...]

FEWEST = 64
"""The bits are written anew once the superseded members outnumber the others by more than this."""


class DownSet:
    """Everything at or below the nodes added, stored as the maximal ones among them.

    >>> known = DownSet((2, 2))
    >>> known.add((1, 0)), known.add((1, 1)), (0, 1) in known, (2, 0) in known
    (None, None, True, False)
    >>> list(known.above((0, 0)))
    [(1, 1)]
    """

    def __init__(self, tops: Levels) -> None:
        self._tops = tops
        self._members: list[Levels] = []
        self._live = 0
        self._at_least = [[0] * (top + 2) for top in tops]

    def __len__(self) -> int:
        return self._live.bit_count()

    def __contains__(self, levels: Levels) -> bool:
        return bool(self._above(levels))

    def _above(self, levels: Levels) -> int:
        found = self._live
        for column, level in zip(self._at_least, levels, strict=True):
            found &= column[level]
            if not found:
                break
        return found

    def above(self, levels: Levels) -> Iterator[Levels]:
        """Yield the members that are at or above a node."""
        found = self._above(levels)
        while found:
            lowest = found & -found
            found ^= lowest
            yield self._members[lowest.bit_length() - 1]

    def add(self, levels: Levels) -> None:
        """Add a node and everything below it."""
        if levels in self:
            return
        below = self._live
        for column, level in zip(self._at_least, levels, strict=True):
            below &= ~column[level + 1]
        self._live &= ~below
        if len(self._members) > 2 * len(self) + FEWEST:
            self._rewrite()
        self._write(levels)

    def _write(self, levels: Levels) -> None:
        bit = 1 << len(self._members)
        self._members.append(levels)
        self._live |= bit
        for column, level in zip(self._at_least, levels, strict=True):
            for lower in range(level + 1):
                column[lower] |= bit

    def _rewrite(self) -> None:
        kept = [m for at, m in enumerate(self._members) if self._live >> at & 1]
        self._members, self._live = [], 0
        self._at_least = [[0] * (top + 2) for top in self._tops]
        for each in kept:
            self._write(each)


class UpSet:
    """Everything at or above the nodes added, stored as a down-set of the lattice upside down.

    >>> known = UpSet((2, 2))
    >>> known.add((1, 1)), (2, 1) in known, (2, 0) in known
    (None, True, False)
    """

    def __init__(self, tops: Levels) -> None:
        self._tops = tops
        self._down = DownSet(tops)

    def __len__(self) -> int:
        return len(self._down)

    def __contains__(self, levels: Levels) -> bool:
        return self._turned(levels) in self._down

    def add(self, levels: Levels) -> None:
        """Add a node and everything above it."""
        self._down.add(self._turned(levels))

    def _turned(self, levels: Levels) -> Levels:
        return tuple(top - level for top, level in zip(self._tops, levels, strict=True))
