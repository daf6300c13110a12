"""Optimal Lattice Anonymization (El Emam et al., JAMIA 16(5), 2009): halving sublattices.

Between an infeasible and a feasible node, the nodes half-way up are checked one by one. Below a feasible one of them,
and above an infeasible one, lies a sublattice of half the height, which is searched alike.

Guarantee: every node is decided, so all minimal ones are found. The cheapest of the nodes checked is chosen; it is the
optimum where the metric is monotone along the lattice. Sound for monotone models only. Cost: one check after another. A
sublattice of which every node is decided is skipped: this replaces both the paper's list of solutions and its test of
whether a sublattice was seen before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.searches.node_set import by_stability, members
from kanon_sql.searches.predictive_tagging import Border

if TYPE_CHECKING:
    from kanon_sql.lattice.checker import Checker
    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.result import SearchResult


def ola(checker: Checker) -> SearchResult | None:
    """Decide every node and choose by cost; None when no node is feasible."""
    lattice = checker.lattice
    search = _Halving(checker)
    search.halve(lattice.bottom, lattice.top)
    return search.border.cheapest(complete=search.complete)


class _Halving:
    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.border = Border(checker, by_stability(checker.lattice, checker.stats))
        self.layers = [0] * (checker.lattice.height + 1)
        for at, levels in enumerate(self.border.order.nodes):
            self.layers[sum(levels)] |= 1 << at
        self.complete = True

    def halve(self, bottom: Node, top: Node) -> None:
        """Decide all nodes between two nodes, of which the upper one is feasible.

        Only the top of the whole lattice may be infeasible: it is checked if nothing below it was feasible.
        """
        border, order = self.border, self.border.order
        inside = order.up(bottom.levels) & order.down(top.levels)
        if not inside & border.undecided or not self.in_time():
            return
        if top.height - bottom.height <= 1:
            if border.undecided >> order.position[bottom.levels] & 1:
                border.check([bottom])
            return
        middle = (bottom.height + top.height) // 2
        for at in members(inside & self.layers[middle]):
            node = order.node(at)
            if border.undecided >> at & 1 and self.in_time():
                border.check([node])
            if border.feasible >> at & 1:
                self.halve(bottom, node)
            else:
                self.halve(node, top)

    def in_time(self) -> bool:
        self.complete = self.complete and not self.checker.late()
        return self.complete
