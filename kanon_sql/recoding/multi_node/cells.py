"""Cell generalization: each class that does not fit is generalized only as far as it must be.

Nodes are visited once, in ascending order of cost; a node at which classes of the remainder fit releases them. One pass
suffices, as the remainder only shrinks: a node without a fitting class has none later, nor has any finer one (for
monotone models; for others each node is visited).

Guarantee: no class of the remainder fits at a cheaper node than the one returned. Cost: each statement checks the
cheapest open nodes, and for each a coarser one, which closes many nodes if no class fits there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.searches.node_set import NodeSets, lowest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.lattice.checker import Checker, Verdict
    from kanon_sql.lattice.node import Lattice, Node
    from kanon_sql.lattice.statistics import TableStatistics
    from kanon_sql.metrics.metric import Metric


MOST_CHECKS = 20_000
"""The most checks of a pass: it ends early on lattices that are too large to be visited whole."""


class Cells:
    """The nodes of a lattice by their cost, and the open ones, at which classes may still fit."""

    def __init__(self, lattice: Lattice, metric: Metric, stats: TableStatistics) -> None:
        self._order = NodeSets(lattice, metric.floors(stats, lattice))
        self._tops = lattice.tops
        self._open = self._order.all
        self._fitted = 0
        self._checked = 0

    @property
    def spent(self) -> bool:
        """Whether the pass has made all checks that it may."""
        return self._checked >= MOST_CHECKS

    def close(self, node: Node, *, finer: bool) -> None:
        """Rule a node out, and with it all finer ones where that is sound."""
        if finer:
            self._open &= ~self._order.down(node.levels)
        else:
            self._open &= ~(1 << self._order.position[node.levels])

    def next(self, checker: Checker) -> Verdict | None:
        """Return the cheapest node at which a class of the remainder fits; None if none is found in time."""
        while self._open and not self.spent and not checker.late():
            cheapest = list(self._cheapest(max(checker.batch // 2, 1)))
            candidates = dict.fromkeys(cheapest)
            if checker.monotone:
                candidates.update(dict.fromkeys(self._above(at) for at in cheapest))
            self._checked += len(candidates)
            found = {}
            nodes = [self._order.node(at) for at in candidates]
            for at, verdict in zip(candidates, checker.check(nodes), strict=True):
                found[at] = verdict
                if verdict.counts.classes:
                    self._fitted |= self._order.up(verdict.node.levels)
                else:
                    self.close(verdict.node, finer=checker.monotone)
            for at in cheapest:
                if found[at].counts.classes:
                    return found[at]
        return None

    def _cheapest(self, most: int) -> Iterator[int]:
        left = self._open
        while left and most:
            at = lowest(left)
            left &= ~(1 << at)
            most -= 1
            yield at

    def _above(self, at: int) -> int:
        """Walk upward through open nodes where no class was found to fit; return the middle of the path."""
        path = [at]
        while above := self._parents(path[-1]):
            below = [
                (self._order.down(self._order.nodes[p]) & self._open).bit_count() for p in above
            ]
            path.append(
                max(zip(below, above, strict=True), key=lambda pair: (pair[0], -pair[1]))[1]
            )
        return path[len(path) // 2]

    def _parents(self, at: int) -> list[int]:
        parents = self._order.node(at).parents(self._tops)
        positions = [self._order.position[parent.levels] for parent in parents]
        return [p for p in positions if (self._open & ~self._fitted) >> p & 1]
