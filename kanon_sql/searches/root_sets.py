"""The frequency sets that Incognito's roots are counted on, by variant (section 3.3 of its paper)."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from kanon_sql.lattice.node import Node
from kanon_sql.policy.search_options import Variant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.lattice.checker import Keeping
    from kanon_sql.lattice.partial_node import Family, PartialNode


class RootSets:
    """Makes the sets of families, and drops each when its family is done.

    Where the paper scans the table, the first frequency set is read. Basic rolls every root up
    from it. Super-roots does so once a family, to the finest node that its roots have in common.
    Cube has the set of a family without any generalization, made of that of a family with one
    column more; the paper makes all of these, here those that are asked for and what they are made of.
    """

    def __init__(self, checker: Keeping, variant: Variant) -> None:
        self._checker = checker
        self._variant = variant
        self._of: dict[Family, Node] = {}
        self._cube: set[Node] = set()
        stats = checker.stats.columns
        self._widest_first = sorted(range(len(stats)), key=lambda q: -stats[q].levels[0].values)

    def start(self, columns: Family, roots: Sequence[Node]) -> None:
        """Create what a family needs for the roots that are to be counted."""
        if not roots or self._variant is Variant.BASIC:
            return
        if self._variant is Variant.CUBE:
            self._make_cube(columns)
            self._of[columns] = self._ungeneralized(columns)
        else:
            self._of[columns] = reduce(Node.meet, roots)
        self._checker.keep(self._of[columns])

    def of_root(self, root: PartialNode) -> Node:
        """Return the node whose set a root is counted on: its own, where the family has none."""
        return self._of.get(root.columns, root.node)

    def stays(self, node: Node) -> bool:
        """Whether a set is kept until a family is done."""
        return node in self._of.values()

    def drop(self, columns: Family) -> None:
        node = self._of.pop(columns, None)
        if self._variant is Variant.CUBE:
            node = self._ungeneralized(columns)
            self._cube.discard(node)
        if node is not None:
            self._checker.let_go(node)

    def drop_all(self) -> None:
        """Let go of what was made for families that were not searched."""
        for node in self._cube:
            self._checker.let_go(node)
        self._cube.clear()

    def _ungeneralized(self, columns: Family) -> Node:
        lattice = self._checker.lattice
        return lattice.of_columns({quasi: lattice.bottoms[quasi] for quasi in columns})

    def _make_cube(self, columns: Family) -> None:
        """Create the sets that a family's is made of, leaving out the column of most values first.

        Families have these in common. What had to make room for others is not made again.
        """
        remaining = set(range(len(self._widest_first)))
        for quasi in self._widest_first:
            if quasi in columns:
                continue
            remaining.remove(quasi)
            node = self._ungeneralized(tuple(remaining))
            if node not in self._cube:
                self._cube.add(node)
                self._checker.keep(node)
