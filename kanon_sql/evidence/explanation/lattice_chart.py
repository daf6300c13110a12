"""Draws an explanation's lattice as a chart: a dot per node, or a bar per height of a large lattice."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kanon_sql.base.charts.trees import HeightCount, LatticeDot, lattice_dots, lattice_heights
from kanon_sql.evidence.explanation.lattice_picture import described, kind_of_node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kanon_sql.base.charts.chart import Chart
    from kanon_sql.evidence.explanation.explanation import Explanation

MOST_DOTS = 2000
"""The most nodes of a lattice that is drawn with a dot per node."""


def lattice_chart(explanation: Explanation) -> Chart:
    """Draw the whole lattice of an explanation that has nodes.

    A lattice of up to 2,000 nodes has a dot for each. A larger one has counts by height, where nodes that the
    explanation lacks count as not checked.
    """
    nodes = explanation.nodes or ()
    whole = explanation.plan.lattice_nodes
    if len(nodes) <= MOST_DOTS and len(nodes) == whole:
        kinds = {"open": "not checked"}
        return lattice_dots(
            [
                LatticeDot(
                    each.levels,
                    kinds.get(kind_of_node(each), kind_of_node(each)),
                    described(explanation, each),
                )
                for each in nodes
            ]
        )
    of_height = nodes_by_height(explanation.plan.lattice.ranges)
    found = Counter((each.height, kind_of_node(each, of_search=True)) for each in nodes)
    chosen = {each.height for each in nodes if each.chosen}
    heights = []
    for height, number in of_height.items():
        feasible, minimal, infeasible = (
            found[height, kind] for kind in ("feasible", "minimal", "infeasible")
        )
        unchecked = number - feasible - minimal - infeasible
        heights.append(
            HeightCount(height, feasible, minimal, infeasible, unchecked, height in chosen)
        )
    return lattice_heights(heights)


def nodes_by_height(ranges: Iterable[range]) -> dict[int, int]:
    """Count the lattice's nodes of each height, given the range of each column's levels.

    >>> nodes_by_height([range(2), range(3)])
    {0: 1, 1: 2, 2: 2, 3: 1}
    """
    found = Counter({0: 1})
    for levels in ranges:
        wider: Counter[int] = Counter()
        for height, number in found.items():
            for level in levels:
                wider[height + level] += number
        found = wider
    return dict(sorted(found.items()))
