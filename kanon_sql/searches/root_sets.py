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

    The first frequency set takes the place of the paper's table. Basic rolls every root up from it. Super-roots rolls
    up one set a family, at the finest node that all its roots can be rolled up from (their meet). Cube rolls up the
    family's set without any generalization, from that of a family with one more column. The paper makes all sets of the
    cube; this class makes only those that families need, and those they are rolled up from.
    """

    def __init__(self, checker: Keeping, variant: Variant) -> None:
        self._checker = checker
        self._variant = variant
        self._of: dict[Family, Node] = {}
        self._cube: set[Node] = set()
        stats = checker.stats.columns
        self._widest_first = sorted(range(len(stats)), key=lambda q: -stats[q].levels[0].values)

    def start(self, columns: Family, roots: Sequence[Node]) -> None:
        """Create the set on which the family's roots are counted, if any are to be counted."""
        if not roots or self._variant is Variant.BASIC:
            return
        if self._variant is Variant.CUBE:
            self._make_cube(columns)
            self._of[columns] = self._ungeneralized(columns)
        else:
            self._of[columns] = reduce(Node.meet, roots)
        self._checker.keep(self._of[columns])

    def of_root(self, root: PartialNode) -> Node:
        """Return the node whose set a root is counted on: its family's, or else its own."""
        return self._of.get(root.columns, root.node)

    def stays(self, node: Node) -> bool:
        """Return True if a set is kept until its family is done."""
        return node in self._of.values()

    def drop(self, columns: Family) -> None:
        node = self._of.pop(columns, None)
        if self._variant is Variant.CUBE:
            node = self._ungeneralized(columns)
            self._cube.discard(node)
        if node is not None:
            self._checker.let_go(node)

    def drop_all(self) -> None:
        """Drop the sets that were made for families that were not searched."""
        for node in self._cube:
            self._checker.let_go(node)
        self._cube.clear()

    def _ungeneralized(self, columns: Family) -> Node:
        lattice = self._checker.lattice
        return lattice.of_columns({quasi: lattice.bottoms[quasi] for quasi in columns})

    def _make_cube(self, columns: Family) -> None:
        """Create the sets that lead to a family's, leaving out the column of most values first.

        Families share these sets. A set that was dropped to make room is not made again.
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
