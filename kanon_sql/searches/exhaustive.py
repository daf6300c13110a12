"""A check of every node: for small lattices, and the oracle in tests of the other searches.

Guarantee: the optimum under the metric, every feasible node, every minimal one, for any privacy model. Cost: one check
a node.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from kanon_sql.lattice.result import (
    LeastCost,
    SearchResult,
    minimal,
    offer,
)

if TYPE_CHECKING:
    from kanon_sql.lattice.checker import Checker


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
