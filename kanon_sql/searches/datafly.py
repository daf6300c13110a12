"""Sweeney's core Datafly (1997; as in IJUFKS 10(5), 2002, section 5.2).

While more than k rows are in classes that are too small, the column with the most distinct values is raised a level.
The rows that are still in such classes are suppressed; if they are fewer than k, the smallest class that fits is
suppressed too. Guarantee: the suppressed rows are within the limit, and none or at least k. Nothing is claimed of
information loss: Datafly tends to generalize more than it must. Cost: at most one check for each level, no scan of the
source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.lattice.node import Node
from kanon_sql.lattice.result import SearchResult
from kanon_sql.searches.greedy import checked_in_order, distinct, steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.lattice.checker import Enforcing, Verdict
    from kanon_sql.lattice.node import Lattice
    from kanon_sql.lattice.statistics import TableStatistics


def datafly(checker: Enforcing, names: Sequence[str]) -> SearchResult | None:
    """Raise columns until at most k rows fall short and may be suppressed; None if they nowhere may.

    The original has no suppression limit. Here the walk goes on where the limit does not allow all rows that would be
    suppressed, those of the smallest class included.
    """
    seen: list[Verdict] = []
    for verdict in checked_in_order(checker, path_by_values(checker.lattice, checker.stats)):
        seen.append(verdict)
        short = verdict.counts.suppressed - checker.stats.left_out
        if not verdict.feasible or short > checker.class_size:
            continue
        enforced = checker.enforced(verdict)
        if enforced.feasible:
            (cost,) = checker.costs([enforced])
            path = steps(checker.stats, names, seen)
            return SearchResult(enforced, cost, optimal=False, steps=path)
    return None


def path_by_values(lattice: Lattice, stats: TableStatistics) -> list[Node]:
    """Return the nodes from the bottom to the top: always the column with the most values is raised.

    Ties go to the first column; one that is at its top is never raised. A column's values depend
    on its own level only, so the path is known before anything is counted.
    """
    found = [lattice.bottom]
    while found[-1] != lattice.top:
        levels = found[-1].levels
        counts = distinct(stats, found[-1])
        below = [at for at, top in enumerate(lattice.tops) if levels[at] < top]
        most = max(below, key=lambda at: (counts[at], -at))
        found.append(Node((*levels[:most], levels[most] + 1, *levels[most + 1 :])))
    return found
