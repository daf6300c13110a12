"""The default: the feasible node of least cost, proven, by tagging in both directions and floors.

Open is every node that can still win: its floor - the cost it would have if it suppressed only
what is already known to be unavoidable - does not exceed the best cost so far. The cheapest open
node starts a path upward through nodes not yet tagged, each step to the generalization that has
most open nodes below it, and the node of the path is checked that is forecast to be the last
infeasible one (Flash, Kohlmayer et al. 2012, checks the middle). Infeasible, it closes all those
open nodes at once, which is why paths leave the open nodes behind; feasible, it makes everything
coarser feasible without a check, and its exact cost closes every node with a higher floor.

Guarantee: when it ends before the time limit, no feasible node costs less; else the best found is
returned, not proven. Sound for monotone models; for others every open node is checked.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kanon_sql.search.forecast import Forecast
from kanon_sql.search.result import Best, Found, offer
from kanon_sql.search.tags import Ordered, lowest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.model.lattice import Node
    from kanon_sql.search.checker import Checker, Verdict

SHARE = 0.45
"""How far up its path a node is checked while there is too little to forecast from."""

ENOUGH = 4
"""Checks from which a forecast is worth more than `SHARE`."""

CAUTION = 0.7
"""The last node forecast to suppress this part of MaxSup is checked. On Adult and on generated
censuses 0.7 needed the fewest checks: a fifth to a half fewer than `SHARE` alone."""


def optimal(
    checker: Checker, *, known: Sequence[Verdict] = (), order: Ordered | None = None
) -> Found | None:
    """Find the optimum; None when no node is feasible.

    What is `known` of nodes is not asked again, and `order` serves all searches of one lattice
    under one metric.
    """
    return _Search(checker, order or ordered(checker)).run(known)


def ordered(checker: Checker) -> Ordered:
    """Give the nodes in the order of their floors under the checker's metric."""
    return Ordered(checker.lattice, checker.metric.floors(checker.facts, checker.lattice))


class _Search:
    def __init__(self, checker: Checker, order: Ordered) -> None:
        self.checker = checker
        self.order = order
        self.best = Best()
        self.open = self.order.all
        self.feasible = 0
        self.infeasible = 0
        self.unavoidable: list[tuple[int, int]] = []
        self.forecast = Forecast(checker.facts, middle=math.log(checker.facts.rows) - 6.0)
        self.likely = math.log(max(checker.max_suppressed, 0.5) * CAUTION)

    def run(self, known: Sequence[Verdict]) -> Found | None:
        self.settle(self.checker.check([self.checker.lattice.top]))
        if self.best.verdict is None and self.checker.monotone:
            return None
        self.recall(known)
        proven = True
        while batch := self.next_batch():
            if self.best.verdict is not None and self.checker.late():
                proven = False
                break
            self.settle(self.checker.check(batch))
        if self.best.verdict is None or self.best.cost is None:
            return None
        return Found(self.best.verdict, self.best.cost, optimal=proven)

    def recall(self, known: Sequence[Verdict]) -> None:
        """Settle what was found before: the cheapest feasible first, the coarsest infeasible."""
        floor, facts = self.checker.metric.floor, self.checker.facts
        able = sorted(
            (floor(facts, v.node, v.counts.suppressed), v.node.levels, v)
            for v in known
            if v.feasible
        )
        for start in range(0, len(able), self.checker.batch):
            batch = able[start : start + self.checker.batch]
            self.settle([v for least, _, v in batch if not self.best.beats(least)])
        unable = sorted(
            (v for v in known if not v.feasible), key=lambda v: (-v.node.height, v.node.levels)
        )
        for verdict in unable:
            if not self.infeasible >> self.order.position[verdict.node.levels] & 1:
                self.settle([verdict])

    def settle(self, checked: list[Verdict]) -> None:
        """Tag what the verdicts decide."""
        for verdict in checked:
            levels = verdict.node.levels
            self.forecast.learn(levels, verdict.counts.suppressed)
            self.open &= ~(1 << self.order.position[levels])
            if not self.checker.monotone:
                continue
            if verdict.feasible:
                self.feasible |= self.order.up(levels)
            else:
                self.infeasible |= self.order.down(levels)
            if verdict.counts.suppressed:
                self.unavoidable.append((verdict.counts.suppressed, self.order.down(levels)))
        self.open &= ~self.infeasible
        self.unavoidable.sort(reverse=True)
        offer(self.checker, self.best, checked)
        if self.best.cost is not None:
            self.open &= self.order.within(self.best.cost)

    def next_batch(self) -> list[Node]:
        """Choose nodes whose verdicts do not decide each other."""
        batch: list[Node] = []
        free = self.open
        while free and len(batch) < self.checker.batch:
            at = lowest(free)
            free &= ~(1 << at)
            if self.hopeless(at):
                self.open &= ~(1 << at)
                continue
            chosen = at if self.decided(at) else self.border(at)
            levels = self.order.nodes[chosen]
            batch.append(self.order.node(chosen))
            free &= ~(1 << chosen)
            if self.checker.monotone and not self.decided(chosen):
                free &= ~(self.order.up(levels) | self.order.down(levels))
        return batch

    def decided(self, at: int) -> bool:
        """Whether a node is known to be feasible, or tags mean nothing, so that only it matters."""
        return not self.checker.monotone or bool(self.feasible >> at & 1)

    def hopeless(self, at: int) -> bool:
        """Whether a node must suppress so much that it cannot beat the best.

        A coarser node that was checked suppresses no more than this one must.
        """
        if self.best.cost is None:
            return False
        least = next((rows for rows, below in self.unavoidable if below >> at & 1), 0)
        if not least:
            return False
        floor = self.checker.metric.floor(self.checker.facts, self.order.node(at), least)
        return self.best.beats(floor)

    def border(self, at: int) -> int:
        """Walk upward through undecided nodes, and give the one that likely is the last infeasible."""
        path = [at]
        undecided = self.order.all & ~self.feasible & ~self.infeasible
        target = self.open & ~self.feasible
        while above := [p for p in self.generalizations(path[-1]) if undecided >> p & 1]:
            below = (self.order.down(self.order.nodes[p]) & target for p in above)
            gains = [bits.bit_count() for bits in below]
            path.append(
                min(zip(above, gains, strict=True), key=lambda pair: (-pair[1], pair[0]))[0]
            )
        if self.forecast.seen < ENOUGH:
            return path[int(len(path) * SHARE)]
        guesses = (self.forecast.log_rows(self.order.nodes[p]) for p in path)
        last = max((n for n, guess in enumerate(guesses) if guess >= self.likely), default=0)
        return path[last]

    def generalizations(self, at: int) -> Iterator[int]:
        """Give the positions of the nodes one level coarser."""
        for parent in self.order.node(at).parents(self.checker.lattice.tops):
            yield self.order.position[parent.levels]
