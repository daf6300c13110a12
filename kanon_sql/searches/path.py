"""Walks from the bottom of the lattice to its top, one level of one column a step."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from kanon_sql.lattice.result import SearchStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.lattice.checker import Checker, Verdict
    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.statistics import TableStatistics


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
