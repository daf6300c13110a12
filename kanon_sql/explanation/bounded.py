"""The best node that a search of so many checks finds, in a lattice that is too large to hold.

Lightning (see `lightning.py`) until its checks or its time are used up, beside the best of the nodes
that other searches counted before. Guarantee: that of Lightning: the node is feasible, and
`optimal` only where it was proven. Cost: at most so many nodes are counted, and one batch more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.lattice.result import least_cost
from kanon_sql.searches.lightning import lightning

if TYPE_CHECKING:
    from kanon_sql.explanation.scenarios import Scenario
    from kanon_sql.lattice.result import SearchResult


def best_in(trial: Scenario, *, checks: int, until: float) -> SearchResult | None:
    """Find the best node in so many checks, before `until`; None when no node is feasible.

    Raises InfeasibleError where none was found, and one may be there: only if the models are not
    monotone.
    """
    limited = trial.limited(checks=checks, until=until)
    known = {verdict.node: verdict for verdict in trial.known() if verdict.feasible}
    before, _ = least_cost(limited, known, known)
    found = lightning(limited)
    if found is None or found.optimal or before.verdict is None or before.cost is None:
        return found
    ours = (found.cost, found.verdict.node.height, found.verdict.node.levels)
    node = before.verdict.node
    if (before.cost, node.height, node.levels) >= ours:
        return found
    return replace(found, verdict=before.verdict, cost=before.cost)
