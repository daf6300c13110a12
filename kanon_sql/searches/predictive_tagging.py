"""The border between infeasible and feasible nodes: the nodes tagged so far, and where to check next.

For monotone models, every check tags the whole lattice above a feasible node or below an infeasible one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kanon_sql.lattice.frequency_sets import SuppressionModel
from kanon_sql.lattice.result import (
    LeastCost,
    SearchResult,
    offer,
    optimum_is_minimal,
    suppressed_below,
)
from kanon_sql.searches.node_set import lowest, members

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kanon_sql.lattice.checker import Checker, Verdict
    from kanon_sql.lattice.node import Node
    from kanon_sql.searches.node_set import NodeSets

SHARE = 0.45
"""How far up its path a node is checked, as a share, while there are too few checks for a forecast."""

ENOUGH = 4
"""The number of checks from which a forecast is worth more than `SHARE`."""

CAUTION = 0.7
"""The last node of a path that is forecast to suppress this share of the suppression limit is checked. On Adult and on
generated censuses 0.7 needed the fewest checks: a fifth to a half fewer than `SHARE` alone."""


class Border:
    """The nodes known to be feasible or infeasible, as bit sets in the order of `order`.

    For models that are not monotone, a check tags no node as feasible. It tags the nodes below it as infeasible if more
    rows than the limit are unavoidable there. If not, the nodes above hardly have more that are: these become
    `open_above`. No path leads through them, and each is checked by itself.
    """

    def __init__(self, checker: Checker, order: NodeSets) -> None:
        self.order = order
        self.known: dict[Node, Verdict] = {}
        self.feasible = 0
        self.infeasible = 0
        self.open_above = 0
        self._checker = checker
        self._forecast = SuppressionModel(checker.stats, middle=math.log(checker.stats.rows) - 6.0)
        self._likely = math.log(max(checker.max_suppressed, 0.5) * CAUTION)

    @property
    def undecided(self) -> int:
        return self.order.all & ~self.feasible & ~self.infeasible & ~self.open_above

    @property
    def room(self) -> int:
        """The number of nodes to check at once: no more than were checked before.

        The first verdicts change most where the next checks are best made. On Adult this saves up to a third of the
        checks for a few statements more.
        """
        return min(self._checker.batch, max(1, len(self.known)))

    def check(self, nodes: list[Node]) -> list[Verdict]:
        """Check nodes and tag what their verdicts decide."""
        return self.learn(self._checker.check(nodes))

    def learn(self, checked: list[Verdict]) -> list[Verdict]:
        """Tag the nodes that verdicts decide, from checks of this search or an earlier one."""
        for verdict in checked:
            levels = verdict.node.levels
            self.known[verdict.node] = verdict
            below = suppressed_below(self._checker, verdict)
            self._forecast.learn(levels, verdict.counts.suppressed if below is None else below)
            if below is None:
                continue
            if self._checker.monotone and verdict.feasible:
                self.feasible |= self.order.up(levels)
            elif self._checker.monotone or below > self._checker.max_suppressed:
                self.infeasible |= self.order.down(levels)
            else:
                self.open_above |= self.order.up(levels)
        return checked

    def probe(self, at: int, target: int) -> int:
        """Walk upward through undecided nodes; return the node that is likely the last infeasible one.

        Each step is to the generalization that has most of `target` below it: if it is infeasible, it decides all of
        those at once.
        """
        path = [at]
        while above := self.undecided_parents(path[-1]):
            below = (self.order.down(self.order.nodes[p], target) for p in above)
            gains = [bits.bit_count() for bits in below]
            path.append(
                min(zip(above, gains, strict=True), key=lambda pair: (-pair[1], pair[0]))[0]
            )
        if self._forecast.seen < ENOUGH:
            return path[int(len(path) * SHARE)]
        guesses = (self._forecast.log_rows(self.order.nodes[p]) for p in path)
        last = max((n for n, guess in enumerate(guesses) if guess >= self._likely), default=0)
        return path[last]

    def probes(self) -> list[Node]:
        """Return a batch of undecided nodes, none of which can decide the node where another's path began."""
        batch: list[Node] = []
        free = self.undecided
        while free and len(batch) < self.room:
            node = self.order.node(self.probe(lowest(free), free))
            batch.append(node)
            free &= ~(self.order.up(node.levels) | self.order.down(node.levels))
        return batch

    def path(self, at: int) -> list[int]:
        """Walk to the top through undecided nodes, each time to the first in order."""
        path = [at]
        while above := self.undecided_parents(path[-1]):
            path.append(min(above))
        return path

    def undecided_parents(self, at: int) -> list[int]:
        undecided = self.undecided
        return [parent for parent in self.order.parents(at) if undecided >> parent & 1]

    def minimal(self) -> list[Verdict]:
        """Return the checked feasible nodes below which no node is known to be feasible.

        Once every node is decided these are all minimal nodes: only the check of a minimal node tags it as feasible.
        """
        feasible = [verdict for verdict in self.known.values() if verdict.feasible]
        lowest_ = [
            verdict
            for verdict in feasible
            if (self.order.down(verdict.node.levels) & self.feasible).bit_count() == 1
        ]
        return sorted(lowest_, key=lambda verdict: verdict.node)

    def cheapest(self, *, complete: bool) -> SearchResult | None:
        """Choose by cost among the feasible nodes that were checked; None where none is feasible.

        If a search was cut short before it met a feasible node, the top is checked.
        """
        if not self.feasible and self.undecided:
            self.check([self._checker.lattice.top])
        return self.cheapest_of(self.known.values(), complete=complete)

    def cheapest_of(self, verdicts: Iterable[Verdict], *, complete: bool) -> SearchResult | None:
        """Choose by cost; None where none is feasible."""
        best = LeastCost()
        offer(self._checker, best, verdicts)
        return None if best.verdict is None else self.found(best.verdict, complete=complete)

    def found(self, chosen: Verdict, *, complete: bool) -> SearchResult:
        """Return the result of a choice: proven if the optimum must be minimal and no minimal node costs less."""
        (cost,) = self._checker.costs([chosen])
        if not complete:
            return SearchResult(chosen, cost, optimal=False)
        minimal = self.minimal()
        proven = optimum_is_minimal(self._checker) and not any(
            other < cost for other in self._checker.costs(minimal)
        )
        feasible = (self.order.node(at) for at in members(self.feasible))
        return SearchResult(
            chosen,
            cost,
            proven,
            tuple(sorted(feasible)),
            tuple(verdict.node for verdict in minimal),
        )
