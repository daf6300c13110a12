"""Nodes over a subset of the quasi-identifiers: Incognito's candidates as values, without a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.lattice.node import Node

Family = tuple[int, ...]
"""Column numbers, ascending. All candidates over the same columns are a family."""


@dataclass(frozen=True, slots=True, order=True)
class PartialNode:
    """One level for each of `columns`.

    `node` is the node of the whole lattice with the same classes: it has every other column at its root. So a candidate
    with one of its own columns at the root has the classes of the candidate without that column.

    >>> from kanon_sql.lattice.node import Node
    >>> PartialNode((0, 2), Node((0, 1, 2))).height
    2
    >>> PartialNode((0, 2), Node((0, 1, 2))).ends(roots=(1, 1, 2))
    True
    """

    columns: Family
    node: Node

    @property
    def height(self) -> int:
        return sum(self.node.levels[column] for column in self.columns)

    def ends(self, roots: tuple[int, ...]) -> bool:
        """Return True if one of the candidate's own columns stands at its root."""
        return any(self.node.levels[column] == roots[column] for column in self.columns)


Graph = dict[PartialNode, tuple[PartialNode, ...]]
"""Candidates over subsets of one size, each with its direct generalizations in the graph."""


def specializations(graph: Mapping[PartialNode, tuple[PartialNode, ...]]) -> Graph:
    """Invert the edges of a graph: return each candidate with its direct specializations."""
    found: dict[PartialNode, list[PartialNode]] = {candidate: [] for candidate in graph}
    for finer, above in graph.items():
        for coarser in above:
            found[coarser].append(finer)
    return {candidate: tuple(finer) for candidate, finer in found.items()}
