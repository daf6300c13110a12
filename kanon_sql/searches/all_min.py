"""AllMin: every k-minimal node (Samarati, TKDE 2001, section 3), by tagging in both directions.

Guarantee: the feasible nodes below which none is feasible are found, all of them, and the one of
least cost is chosen. It is the optimum where the metric is monotone along the lattice; under any
other a coarser node that suppresses less may cost less, and nothing is claimed. Sound for
monotone models only. Cost: each minimal and each maximal infeasible node must be checked; few
others are, as paths are cut where the border is forecast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.searches.node_set import by_stability
from kanon_sql.searches.predictive_tagging import Border

if TYPE_CHECKING:
    from kanon_sql.lattice.checker import Checker
    from kanon_sql.lattice.result import SearchResult


def all_min(checker: Checker) -> SearchResult | None:
    """Find all minimal nodes and choose by cost; None when no node is feasible."""
    border, complete = find_border(checker)
    return border.cheapest_of(border.minimal(), complete=complete)


def find_border(checker: Checker) -> tuple[Border, bool]:
    """Decide every node; says whether it got there before the time limit.

    The top is checked first: it alone shows that nothing is feasible, and there is some node to return.
    """
    border = Border(checker, by_stability(checker.lattice, checker.stats))
    border.check([checker.lattice.top])
    while batch := border.probes():
        if checker.late():
            return border, False
        border.check(batch)
    return border, True
