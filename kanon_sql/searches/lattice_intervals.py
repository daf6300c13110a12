"""The remaining part of a lattice, as disjoint intervals of nodes in a queue of bounded length.

An interval is all nodes between a low and a high one. Taking all nodes below a given one out of it leaves at most one
interval a column, so the queue grows with the nodes that were looked at, and not with the lattice.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.lattice.statistics import Cost
    from kanon_sql.searches.antichain import Levels

MOST = 50_000
"""Most intervals in the queue: some 40 MB where there are 20 columns. Beyond it the half with the highest floors is
forgotten, and a proof is no longer possible where one of them could have won."""


class LatticeInterval(NamedTuple):
    """All nodes from `low` to `high`; `floor` is that of `low`, a lower bound of the cost of them all."""

    floor: Cost
    height: int
    low: Levels
    high: Levels


def carve(low: Levels, high: Levels, at: Levels) -> Iterator[tuple[Levels, Levels]]:
    """Yield the disjoint parts of an interval without the nodes at or below `at`, which covers `low`.

    >>> list(carve((0, 0), (2, 2), (1, 0)))
    [((2, 0), (2, 2)), ((0, 1), (1, 2))]
    """
    for column, level in enumerate(at):
        if level < high[column]:
            below = tuple(map(min, high[:column], at[:column]))
            yield (
                (*low[:column], level + 1, *low[column + 1 :]),
                (*below, *high[column:]),
            )


class IntervalQueue:
    """A queue of intervals: the least floor first, then the least height."""

    def __init__(self) -> None:
        self._heap: list[LatticeInterval] = []
        self.forgotten: Cost | None = None
        """The least floor of the intervals that there was no room for."""

    def __len__(self) -> int:
        return len(self._heap)

    def put(self, interval: LatticeInterval) -> None:
        """Add an interval; where there are too many, forget the half with the highest floors."""
        heapq.heappush(self._heap, interval)
        if len(self._heap) > MOST:
            self._heap.sort()
            lost = self._heap[MOST // 2].floor
            self.forgotten = lost if self.forgotten is None else min(lost, self.forgotten)
            del self._heap[MOST // 2 :]

    def take(self) -> LatticeInterval:
        return heapq.heappop(self._heap)

    def clear(self) -> None:
        self._heap.clear()
