"""AllMin: every k-minimal node (Samarati, TKDE 2001, section 3), by tagging in both directions.

Guarantee: the search finds all feasible nodes below which no node is feasible, and chooses the cheapest. This is the
optimum where the metric is monotone along the lattice. Under other metrics a coarser node that suppresses less may cost
less, and nothing is claimed. Sound for monotone models only. Cost: a check for each minimal and each maximal infeasible
node, and for few others, as paths are checked where the border is forecast.
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
    """Decide every node; return the border, and whether all was decided before the time limit.

    The top is checked first: if it is infeasible, so is every node, and if not, there is a node to return.
    """
    border = Border(checker, by_stability(checker.lattice, checker.stats))
    border.check([checker.lattice.top])
    while batch := border.probes():
        if checker.late():
            return border, False
        border.check(batch)
    return border, True
