"""Flash and OLA: every node is decided by binary searches, one check after another.

Guarantee of both: all minimal nodes are found. The cheapest of the nodes checked is chosen; it is the optimum where the
metric is monotone along the lattice. Sound for monotone models only.

Flash (Kohlmayer, Prasser, Eckert, Kemper and Kuhn, PASSAT 2012): from the lowest undecided node a path goes to the top
through undecided nodes. Binary search finds the border on it, and the next paths start above the infeasible nodes that
were checked. Nodes are ordered by the table's statistics, so that the order of its columns does not matter (the
paper's stability). Cost: for each path the logarithm of its length.

Optimal Lattice Anonymization (El Emam et al., JAMIA 16(5), 2009): between an infeasible and a feasible node, the nodes
half-way up are checked one by one. Below a feasible one of them, and above an infeasible one, lies a sublattice of half
the height, which is searched alike. A sublattice of which every node is decided is skipped: this replaces both the
paper's list of solutions and its test of whether a sublattice was seen before.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from kanon_sql.recoding.searches.predictive_tagging import Border, by_stability, lowest, members

if TYPE_CHECKING:
    from kanon_sql.counting.lattice.checker import Checker
    from kanon_sql.counting.lattice.result import SearchResult
    from kanon_sql.policy.metrics.node import Node


def flash(checker: Checker) -> SearchResult | None:
    """Decide every node and choose by cost; None when no node is feasible."""
    border = Border(checker, by_stability(checker.lattice, checker.stats))
    while border.undecided:
        starts = [lowest(border.undecided)]
        while starts:
            start = heappop(starts)
            if not border.undecided >> start & 1:
                continue
            if checker.late():
                return border.cheapest(complete=False)
            for above in _search(border, border.path(start)):
                heappush(starts, above)
    return border.cheapest(complete=True)


def _search(border: Border, path: list[int]) -> list[int]:
    """Find the border on a path; return the undecided parents of the infeasible nodes that were checked."""
    above = []
    low, high = 0, len(path) - 1
    while low <= high:
        middle = (low + high) // 2
        (verdict,) = border.check([border.order.node(path[middle])])
        if verdict.feasible:
            high = middle - 1
        else:
            low = middle + 1
            above += border.undecided_parents(path[middle])
    return above


def ola(checker: Checker) -> SearchResult | None:
    """Decide every node and choose by cost; None when no node is feasible."""
    lattice = checker.lattice
    search = _Halving(checker)
    search.halve(lattice.bottom, lattice.top)
    return search.border.cheapest(complete=search.complete)


class _Halving:
    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.border = Border(checker, by_stability(checker.lattice, checker.stats))
        self.layers = [0] * (checker.lattice.height + 1)
        for at, levels in enumerate(self.border.order.nodes):
            self.layers[sum(levels)] |= 1 << at
        self.complete = True

    def halve(self, bottom: Node, top: Node) -> None:
        """Decide all nodes between two nodes, of which the upper one is feasible.

        Only the top of the whole lattice may be infeasible: it is checked if nothing below it was feasible.
        """
        border, order = self.border, self.border.order
        inside = order.up(bottom.levels) & order.down(top.levels)
        if not inside & border.undecided or not self.in_time():
            return
        if top.height - bottom.height <= 1:
            if border.undecided >> order.position[bottom.levels] & 1:
                border.check([bottom])
            return
        middle = (bottom.height + top.height) // 2
        for at in members(inside & self.layers[middle]):
            node = order.node(at)
            if border.undecided >> at & 1 and self.in_time():
                border.check([node])
            if border.feasible >> at & 1:
                self.halve(bottom, node)
            else:
                self.halve(node, top)

    def in_time(self) -> bool:
        self.complete = self.complete and not self.checker.late()
        return self.complete
