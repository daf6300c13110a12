"""MinGen for whole columns (Sweeney, IJUFKS 10(5), 2002): the least distortion of all minimal nodes.

Guarantee: no k-minimal node has a higher precision Prec, suppressed rows counting as wholly generalized; of several
with the highest, the preferred one is chosen. The paper's algorithm generalizes cell by cell, which is infeasible for
any but tiny tables, and never suppresses. The policy's metric only states the cost of the chosen node. Sound for
monotone models only. Cost: that of `all_min`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.searches.all_min import find_border
from kanon_sql.searches.samarati import preferred, relative_height

if TYPE_CHECKING:
    from fractions import Fraction

    from kanon_sql.lattice.checker import Checker, Verdict
    from kanon_sql.lattice.result import SearchResult
    from kanon_sql.policy.search_options import Preference


def mingen(checker: Checker, preference: Preference) -> SearchResult | None:
    """Choose the least distorted of all minimal nodes; None when no node is feasible."""
    border, complete = find_border(checker)
    distortions = {verdict: _distortion(checker, verdict) for verdict in border.minimal()}
    if not distortions:
        return None
    least = min(distortions.values())
    ties = [verdict for verdict, distortion in distortions.items() if distortion == least]
    return border.found(preferred(checker, preference, ties), complete=complete)


def _distortion(checker: Checker, verdict: Verdict) -> Fraction:
    """Return 1 - Prec in cells of the table; exact, so that the preference sees every tie."""
    heights, suppressed = checker.stats.heights, verdict.counts.suppressed
    kept = checker.stats.rows - suppressed
    return kept * relative_height(verdict.node, heights) + suppressed * len(heights)
