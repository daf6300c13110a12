"""Searches layer by layer or of every node: the simplest ones, and the oracle in tests of the others.

`exhaustive` checks every node. Guarantee: the optimum under the metric, every feasible node, every minimal one, for any
privacy model. Cost: one check a node, so for small lattices only.

`breadth_first`, with which LeFevre et al. (SIGMOD 2005) compare Incognito, goes layer by layer from the bottom, and
checks no node above a feasible one. Guarantee: all feasible and all minimal nodes, and the optimum, proven. Where the
metric is not monotone along the lattice, feasible nodes that could cost less than the best are checked as well. Sound
for monotone models only. Cost: a check for every infeasible and every minimal node.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from kanon_sql.counting.lattice.result import (
    LeastCost,
    SearchResult,
    least_cost,
    minimal,
    offer,
    optimum_is_minimal,
)

if TYPE_CHECKING:
    from kanon_sql.counting.lattice.checker import Checker, Verdict
    from kanon_sql.policy.metrics.node import Node


def exhaustive(checker: Checker) -> SearchResult | None:
    """Check all nodes; None when none is feasible."""
    nodes = checker.lattice.nodes()
    best = LeastCost()
    feasible = []
    complete = True
    while batch := list(islice(nodes, checker.batch * 8)):
        if best.verdict is not None and checker.late():
            complete = False
            break
        checked = checker.check(batch)
        feasible += [verdict.node for verdict in checked if verdict.feasible]
        offer(checker, best, checked)
    if best.verdict is None or best.cost is None:
        return None
    if not complete:
        return SearchResult(best.verdict, best.cost, optimal=False)
    return SearchResult(
        best.verdict,
        best.cost,
        optimal=True,
        feasible=tuple(feasible),
        minimal=minimal(feasible),
    )


def breadth_first(checker: Checker) -> SearchResult | None:
    """Search layer by layer; None when no node is feasible."""
    known: dict[Node, Verdict] = {}
    feasible: list[Node] = []
    tagged: set[Node] = set()
    for height in range(checker.lattice.bottom.height, checker.lattice.height + 1):
        layer = list(checker.lattice.layer(height))
        fresh = [node for node in layer if node not in tagged]
        for start in range(0, len(fresh), checker.batch):
            if checker.late():
                return _cut_short(checker, known)
            checked = checker.check(fresh[start : start + checker.batch])
            known.update((verdict.node, verdict) for verdict in checked)
        found = [node for node in layer if node in tagged or known[node].feasible]
        feasible += found
        tagged = {parent for node in found for parent in node.parents(checker.lattice.tops)}
    if not feasible:
        return None
    lowest = minimal(feasible)
    best, finished = LeastCost(), True
    if optimum_is_minimal(checker):
        offer(checker, best, [known[node] for node in lowest])
    else:
        best, finished = least_cost(checker, feasible, known)
    if best.verdict is None or best.cost is None:
        return None
    return SearchResult(best.verdict, best.cost, finished, tuple(sorted(feasible)), lowest)


def _cut_short(checker: Checker, known: dict[Node, Verdict]) -> SearchResult | None:
    """Choose among the nodes that were checked; if none of them is feasible, check the top."""
    best = LeastCost()
    offer(checker, best, known.values())
    if best.verdict is None:
        offer(checker, best, checker.check([checker.lattice.top]))
    if best.verdict is None or best.cost is None:
        return None
    return SearchResult(best.verdict, best.cost, optimal=False)
