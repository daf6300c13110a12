"""Lightning: the best node that can be found within a time limit, in a lattice of any size.

Best first by floors with dives, after Prasser, Bild, Eicher, Spengler, Kohlmayer and Kuhn (Transactions on Data Privacy
9, 2016). Three things differ from the paper. The queue holds intervals of nodes and not nodes, and an infeasible node
takes everything below it out of them: no node comes up twice, though only those checked are remembered. A dive does not
check every node of its path, but only the one that is likely the last infeasible. And between dives, nodes are checked
by their expected improvement over the best node, because near the bottom, where the floors are low, everything is
infeasible.

Guarantee: the best feasible node that was checked; `optimal` only if the queue ran empty, and no interval that could
have won was forgotten for want of room. For models that are not monotone nothing is concluded from a check about other
nodes. Cost: any number of checks, until the time limit; memory for the checked nodes and for a queue of bounded length.
"""

from __future__ import annotations

import heapq
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.counting.lattice.result import LeastCost, SearchResult, offer
from kanon_sql.errors import InfeasibleError, OutOfTimeError
from kanon_sql.policy.metrics.node import Node
from kanon_sql.recoding.searches.surrogate import Centre, DownSet, Surrogate, UpSet, comparable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.counting.lattice.result import Checker, Verdict
    from kanon_sql.policy.metrics.statistics import Cost
    from kanon_sql.recoding.searches.surrogate import Levels


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


STEPPING = 5
"""Every fifth batch is a dive, even while there are promising nodes. The others look around the best node and around
another good one in turns."""

GOOD = 8
"""The number of best nodes around which is searched. Around the best alone a search got stuck: without suppression at
costs 5 % higher, on a census of 15 columns."""

TOGETHER = 4
"""Most promising nodes that are checked at once: one verdict helps to choose the next node."""

SHARES = 8
"""Steps in which the least suppression of nodes is remembered, as shares of the suppression limit."""


def lightning(checker: Checker) -> SearchResult | None:
    """Find the best node that time allows; None when no node is feasible.

    Raises OutOfTimeError if the time ran out before a feasible node was found, and InfeasibleError if the queue's room
    did, which happens only if the models are not monotone.
    """
    return _Search(checker).run()


class _Search:
    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.tops = checker.lattice.tops
        self.best = LeastCost()
        self.guide = Surrogate(checker)
        self.checked: set[Levels] = set()
        self.infeasible = DownSet(self.tops)
        self.feasible = UpSet(self.tops)
        self.unavoidable = [DownSet(self.tops) for _ in range(SHARES)]
        self.queue = IntervalQueue()
        self.queue.put(self.interval(checker.lattice.bottom.levels, self.tops))
        self.good: list[Centre] = []
        self.rounds = 0

    def run(self) -> SearchResult | None:
        self.check([self.tops])
        if self.best.verdict is None and self.checker.monotone:
            return None
        self.first_dive()
        while not self.late():
            if batch := self.improvements() or self.dives():
                self.check(batch)
            elif not self.late():
                return self.ended()
        return self.out_of_time()

    def late(self) -> bool:
        return self.checker.late()

    def ended(self) -> SearchResult | None:
        """Return the best node once the queue is empty, proven if no interval that could win was forgotten."""
        forgot = self.may_have_forgotten()
        if (found := self.found(proven=not forgot)) is not None:
            return replace(found, out_of_room=forgot)
        if not forgot:
            return None
        raise InfeasibleError(
            f"none of the {len(self.checked)} nodes that were checked is feasible, and there was no "
            f"room to look at all of them: more time would not help, give hierarchies fewer levels"
        )

    def out_of_time(self) -> SearchResult:
        if (found := self.found(proven=False)) is not None:
            return found
        raise OutOfTimeError(
            f"none of the {len(self.checked)} nodes that were checked is feasible, and not all could "
            f"be; give a longer time_limit"
        )

    def found(self, *, proven: bool) -> SearchResult | None:
        if self.best.verdict is None or self.best.cost is None:
            return None
        return SearchResult(self.best.verdict, self.best.cost, optimal=proven)

    def may_have_forgotten(self) -> bool:
        """Return True if an interval that was forgotten for want of room could hold a better node."""
        lost = self.queue.forgotten
        return lost is not None and not self.best.beats(lost)

    def check(self, nodes: Sequence[Levels]) -> list[Verdict]:
        verdicts = self.checker.check([Node(levels) for levels in nodes])
        self.checked.update(nodes)
        for verdict in verdicts:
            self.guide.learn(verdict)
            if self.checker.monotone:
                self.tag(verdict)
        for verdict, cost in offer(self.checker, self.best, verdicts):
            self.guide.learn_cost(verdict, cost)
            self.good.append(Centre(cost, verdict.node.levels, verdict.counts.suppressed))
        self.good = sorted(self.good, key=Centre.rank)[:GOOD]
        return verdicts

    def tag(self, verdict: Verdict) -> None:
        levels, limit = verdict.node.levels, self.checker.max_suppressed
        if not verdict.feasible:
            self.infeasible.add(levels)
            return
        self.feasible.add(levels)
        if limit and (share := SHARES * verdict.counts.suppressed // limit):
            self.unavoidable[share - 1].add(levels)

    def least(self, levels: Levels) -> int:
        """Return how many rows a node suppresses at least, from coarser nodes that were checked."""
        for share in range(SHARES, 0, -1):
            if levels in self.unavoidable[share - 1]:
                return -(-share * self.checker.max_suppressed // SHARES)
        return 0

    def hopeless(self, levels: Levels) -> bool:
        """Return True if a node cannot beat the best, given the rows that it suppresses at least."""
        floor = self.checker.metric.floor(self.checker.stats, Node(levels), self.least(levels))
        return self.best.beats(floor)

    def first_dive(self) -> None:
        """Find the lowest feasible node of the guide's path to the top, by cutting the path into parts."""
        path = self.guide.way_up()
        low, high = -1, len(path) - 1
        while high - low > 1 and not self.late():
            parts = min(self.checker.batch, high - low - 1) + 1
            at = [low + (high - low) * n // parts for n in range(1, parts)]
            verdicts = self.check([path[n] for n in at])
            high = min((n for n, v in zip(at, verdicts, strict=True) if v.feasible), default=high)
            low = max(
                (n for n, v in zip(at, verdicts, strict=True) if n < high and not v.feasible),
                default=low,
            )

    def improvements(self) -> list[Levels]:
        """Choose nodes that are likely better than the best; none when a dive is due."""
        self.rounds += 1
        turn = self.rounds % STEPPING
        if not turn or not self.good:
            return []
        centre = self.good[0 if turn % 2 else self.rounds // 2 % len(self.good)]
        most = min(self.checker.batch, TOGETHER)
        return self.guide.promising(centre, self.good[0], self.may_improve, most)

    def may_improve(self, levels: Levels) -> bool:
        return (
            levels not in self.checked
            and levels not in self.infeasible
            and not self.hopeless(levels)
        )

    def dives(self) -> list[Levels]:
        """Choose nodes from the intervals of least floor, and put back what remains of those intervals."""
        batch: list[Levels] = []
        again: list[LatticeInterval] = []
        while len(self.queue) and len(batch) < self.checker.batch and not self.late():
            interval = self.queue.take()
            if self.best.beats(interval.floor):
                self.queue.clear()
                break
            opened = self.open(interval.low, interval.high)
            if opened is None:
                continue
            low, high, node = opened
            again.append(self.interval(low, high))
            if not any(comparable(node, other) for other in batch):
                batch.append(node)
        for interval in again:
            self.queue.put(interval)
        return batch

    def open(self, low: Levels, high: Levels) -> tuple[Levels, Levels, Levels] | None:
        """Carve decided nodes out of an interval; return a part of it and the node to check in that part.

        The part's lowest node may still win. The other parts go to the queue. Returns None if nothing remains.
        """
        while high not in self.infeasible:
            if covering := self.covering(low, high):
                at = covering
            elif low in self.checked or self.hopeless(low):
                at = low
            elif not self.checker.monotone or low in self.feasible:
                return low, high, low
            else:
                return low, high, self.guide.border(low, high, self.undecided)
            pieces = [self.interval(*piece) for piece in carve(low, high, at)]
            pieces = [
                piece
                for piece in pieces
                if not self.best.beats(piece.floor) and piece.high not in self.infeasible
            ]
            if not pieces:
                return None
            first = min(pieces)
            for piece in pieces:
                if piece is not first:
                    self.queue.put(piece)
            low, high = first.low, first.high
        return None

    def covering(self, low: Levels, high: Levels) -> Levels | None:
        """Return the infeasible node at or above `low` that takes most out of an interval; None without one."""
        return max(
            self.infeasible.above(low),
            key=lambda at: (sum(map(min, at, high)), at),
            default=None,
        )

    def undecided(self, levels: Levels) -> bool:
        return levels not in self.feasible and levels not in self.infeasible

    def interval(self, low: Levels, high: Levels) -> LatticeInterval:
        floor = self.checker.metric.floor(self.checker.stats, Node(low))
        return LatticeInterval(floor, sum(low), low, high)
