"""Greedy walks from the bottom of the lattice to its top, one level of one column a step: of textbooks, and Datafly.

Cost of both: at most one check for each level, no scan of the source.

The greedy algorithm of textbooks raises columns in a fixed order, each to its top before the next. Guarantee: the node
is the first on that path within the suppression limit; another node may keep far more, as `compare` shows. Per record, a
row stays at the first node of the same path at which its class fits, and only the others are generalized further.

Sweeney's core Datafly (1997; as in IJUFKS 10(5), 2002, section 5.2): while more than k rows are in classes that are too
small, the column with the most distinct values is raised a level. The rows that are still in such classes are
suppressed; if they are fewer than k, the smallest class that fits is suppressed too. Guarantee: the suppressed rows are
within the limit, and none or at least k. Nothing is claimed of information loss: Datafly tends to generalize more than
it must.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from kanon_sql.counting.lattice.result import Chain, SearchResult, SearchStep
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.search_options import Per

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.counting.lattice.checker import Checker, Enforcing, Verdict
    from kanon_sql.policy.metrics.node import Lattice
    from kanon_sql.policy.metrics.statistics import TableStatistics
    from kanon_sql.policy.search_options import Greedy


def greedy(checker: Checker, options: Greedy, names: Sequence[str]) -> SearchResult | None:
    """Walk the fixed path until a node is feasible; None if not even its end is."""
    nodes = fixed_path(checker.lattice, names, options.order)
    if options.per is Per.RECORD:
        (first,) = checker.check(nodes[:1])
        (cost,) = checker.costs([first])
        return SearchResult(first, cost, optimal=False, then=Chain(tuple(nodes[1:])))
    seen: list[Verdict] = []
    for verdict in checked_in_order(checker, nodes):
        seen.append(verdict)
        if verdict.feasible:
            (cost,) = checker.costs([verdict])
            path = steps(checker.stats, names, seen)
            return SearchResult(verdict, cost, optimal=False, steps=path)
    return None


def fixed_path(lattice: Lattice, names: Sequence[str], order: Sequence[str]) -> list[Node]:
    """Return the nodes from the bottom to the top; columns that `order` leaves out come last.

    >>> from kanon_sql.policy.metrics.node import Lattice
    >>> [str(node) for node in fixed_path(Lattice((1, 2)), ("age", "zip"), ("zip",))]
    ['[0,0]', '[0,1]', '[0,2]', '[1,2]']
    """
    found = [lattice.bottom]
    for name in [*order, *(name for name in names if name not in order)]:
        at = names.index(name)
        for level in lattice.ranges[at][1:]:
            before = found[-1].levels
            found.append(Node((*before[:at], level, *before[at + 1 :])))
    return found


def checked_in_order(checker: Checker, nodes: Sequence[Node]) -> Iterator[Verdict]:
    """Yield the verdicts of nodes in their order, as many checked at once as is best."""
    for start in range(0, len(nodes), checker.batch):
        yield from checker.check(nodes[start : start + checker.batch])


def distinct(stats: TableStatistics, node: Node) -> tuple[int, ...]:
    """Return the number of values of each column at a node, from the statistics of the levels."""
    return tuple(
        column.levels[level].values
        for column, level in zip(stats.columns, node.levels, strict=True)
    )


def steps(
    stats: TableStatistics, names: Sequence[str], seen: Sequence[Verdict]
) -> tuple[SearchStep, ...]:
    first = [
        SearchStep(None, 0, distinct(stats, each.node), each.counts.suppressed) for each in seen[:1]
    ]
    rest = [
        SearchStep(
            names[at], each.node.levels[at], distinct(stats, each.node), each.counts.suppressed
        )
        for before, each in pairwise(seen)
        for at in range(len(names))
        if before.node.levels[at] < each.node.levels[at]
    ]
    return (*first, *rest)


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
