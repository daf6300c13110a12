"""Finds out whether suppressing a few more rows would keep a column at a finer level.

A value with fewer rows than k raises its column, for every row of the table, until the value shares a label. So each
raised column is checked alone at a finer level, with all others at their roots: the rows that are suppressed there are
suppressed at every node with that level. If they are few, a short walk looks for a cheaper node without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from kanon_sql.late_dataclass import dataclass
from kanon_sql.lattice.checker import Checker
from kanon_sql.lattice.node import Node

if TYPE_CHECKING:
    from kanon_sql.lattice.checker import Verdict
    from kanon_sql.lattice.statistics import Cost

ENOUGH, FEW = 100, 1000
"""`spared` does not search if the policy allows one row in `ENOUGH`. Few rows are one in `FEW`."""
CHEAPER = 0.9
"""A cheaper node is reported only if its cost is below this share of the chosen node's."""
MOST_CHECKS = 64


class Allowing(Checker, Protocol):
    """A checker that can be copied with another suppression limit, on the same frequency sets."""

    def allowing(self, rows: int) -> Self: ...


@dataclass(frozen=True, slots=True)
class Spared:
    """The verdict and cost of a node that is cheaper than the chosen one.

    `column` is a column with a finer level there: the one that the fewest rows raise. `alone` is their number.
    """

    verdict: Verdict
    cost: Cost
    column: int
    alone: int


def spared(checker: Allowing, chosen: Verdict, cost: Cost) -> Spared | None:
    """Find a cheaper node that the fewest additional suppressed rows make feasible; None if there is none.

    Checks two nodes per raised column. Each limit that it then tries takes at most the rest of `MOST_CHECKS` checks.
    """
    rows, limit, lattice = checker.stats.rows, checker.max_suppressed, checker.lattice
    most = limit + max(rows // FEW, 1)
    if limit * ENOUGH >= rows or most >= rows or not cost or checker.late():
        return None
    lenient = checker.allowing(most)
    alone = {}  # a column's finest level that few rows stop, with how many
    levels, finest = chosen.node.levels, lattice.bottoms
    raised = [at for at, level in enumerate(levels) if level > finest[at]]
    below = [{at: levels[at] - 1 for at in raised}, {at: finest[at] for at in raised}]
    for lower in below:
        asked = {at: lattice.of_columns({at: level}) for at, level in lower.items()}
        for at, found in zip(asked, lenient.check(list(asked.values())), strict=True):
            if limit < found.counts.suppressed <= most:
                alone[at] = (found.counts.suppressed, found.node.levels[at])
    for least in sorted({stopped for stopped, _ in alone.values()}):
        walk = _Walk(checker.allowing(least), MOST_CHECKS - 2 * len(raised))
        start = list(levels)
        for at, (stopped, level) in alone.items():
            if stopped <= least:
                start[at] = level
        better = walk.descend(walk.ascend(Node(tuple(start))))
        if better is None or better[1][0] >= CHEAPER * cost[0]:
            continue
        verdict, less = better
        lowered = [
            at
            for at, (stopped, _) in alone.items()
            if stopped <= least and verdict.node.levels[at] < levels[at]
        ]
        if lowered and verdict.counts.suppressed > limit:
            at = min(lowered, key=lambda one: alone[one][0])
            return Spared(verdict, less, at, alone[at][0])
    return None


class _Walk:
    """A walk up to a feasible node and down to cheaper ones, with at most `checks` checks in total."""

    def __init__(self, checker: Checker, checks: int) -> None:
        self._checker = checker
        self._left = checks

    def _check(self, nodes: list[Node]) -> list[Verdict]:
        self._left -= len(nodes)
        return self._checker.check(nodes) if nodes and self._left >= 0 else []

    def ascend(self, node: Node) -> Verdict | None:
        """Raise the column that leaves the fewest rows to suppress, until a node is feasible or checks end."""
        found = self._check([node])
        while found and not found[0].feasible:
            above = self._check(list(found[0].node.parents(self._checker.lattice.tops)))
            found = sorted(above, key=lambda each: (each.counts.suppressed, each.node.levels))
        return found[0] if found else None

    def descend(self, verdict: Verdict | None) -> tuple[Verdict, Cost] | None:
        """Lower the column that reduces the cost most, while the node stays feasible and gets cheaper."""
        if verdict is None:
            return None
        (cost,) = self._checker.costs([verdict])
        while below := [
            v
            for v in self._check(list(verdict.node.children(self._checker.lattice.bottoms)))
            if v.feasible
        ]:
            costs = self._checker.costs(below)
            at = min(range(len(below)), key=lambda n: (costs[n], below[n].node.levels))
            if costs[at] >= cost:
                break
            verdict, cost = below[at], costs[at]
        return verdict, cost
