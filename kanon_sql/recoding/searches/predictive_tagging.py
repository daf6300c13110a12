"""Predictive tagging: sets of nodes as bits, and the border between infeasible and feasible nodes.

A set of nodes is one integer, in the order of the nodes' floors or of other keys. The nodes that can still beat a cost
are then a prefix, the cheapest of a set is its lowest bit, and tagging everything above or below a node is one AND a
column. The border is the nodes tagged so far, and where to check next: for monotone models, every check tags the whole
lattice above a feasible node or below an infeasible one.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING

from kanon_sql.counting.lattice.result import (
    LeastCost,
    SearchResult,
    SuppressionModel,
    offer,
    optimum_is_minimal,
    suppressed_below,
)
from kanon_sql.policy.metrics.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kanon_sql.counting.lattice.result import Checker, Verdict
    from kanon_sql.policy.metrics.node import Lattice
    from kanon_sql.policy.metrics.statistics import Cost, TableStatistics


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
