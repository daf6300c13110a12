"""Flash (Kohlmayer, Prasser, Eckert, Kemper and Kuhn, PASSAT 2012): binary search on greedy paths.

From the lowest undecided node a path goes to the top through undecided nodes. Binary search finds the border on it, and
the next paths start above the infeasible nodes that were checked. Nodes are ordered by the table's statistics, so that
the order of its columns does not matter (the paper's stability).

Guarantee: every node is decided, so all minimal ones are found. The cheapest of the nodes checked is chosen; it is the
optimum where the metric is monotone along the lattice. Sound for monotone models only. Cost: one check after another,
for each path the logarithm of its length.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from kanon_sql.searches.node_set import by_stability, lowest
from kanon_sql.searches.predictive_tagging import Border

if TYPE_CHECKING:
    from kanon_sql.lattice.checker import Checker
    from kanon_sql.lattice.result import SearchResult


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
