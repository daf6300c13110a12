"""The lattice of an explanation as a chart: a dot for each node, or its heights where the nodes are too many."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kanon_sql.charts.trees import HeightCount, LatticeDot, lattice_dots, lattice_heights
from kanon_sql.explanation.lattice_picture import described, kind_of_node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kanon_sql.charts.chart import Chart
    from kanon_sql.explanation.explanation import Explanation

MOST_DOTS = 2000
"""Nodes of a lattice that are drawn each by itself."""


def lattice_chart(explanation: Explanation) -> Chart:
    """Draw the whole lattice of an explanation that was made with its nodes.

    A lattice of up to 2,000 nodes has a dot for each; of a larger one the nodes of each height are counted, and those that
    the explanation does not have are not checked.
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
    """Count the nodes of each height, from the levels that each column can have.

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
