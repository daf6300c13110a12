"""A node over some of the quasi-identifiers, as Incognito grows them; a value without a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.lattice.node import Node

Family = tuple[int, ...]
"""The numbers of some columns, ascending: all candidates over them are a family."""


@dataclass(frozen=True, slots=True, order=True)
class PartialNode:
    """Levels of some columns.

    `node` is the node of the whole lattice that has the same classes: the columns left out stand
    at their root in it. So a candidate with one of its own columns at the root has the classes
    of the candidate without it.

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
        """Whether one of its own columns stands at the root."""
        return any(self.node.levels[column] == roots[column] for column in self.columns)


Graph = dict[PartialNode, tuple[PartialNode, ...]]
"""Candidates over so many columns each, with their direct generalizations among them."""


def specializations(graph: Mapping[PartialNode, tuple[PartialNode, ...]]) -> Graph:
    """Turn the edges of a graph around: what each candidate directly generalizes."""
    found: dict[PartialNode, list[PartialNode]] = {candidate: [] for candidate in graph}
    for finer, above in graph.items():
        for coarser in above:
            found[coarser].append(finer)
    return {candidate: tuple(finer) for candidate, finer in found.items()}
