"""Lower bounds of the cost of nodes, from the checks of other nodes."""

from __future__ import annotations

from bisect import insort
from typing import TYPE_CHECKING

from kanon_sql.lattice.result import suppressed_below
from kanon_sql.lattice.statistics import NOTHING_FINER, Finer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kanon_sql.lattice.checker import Checker, Verdict
    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.statistics import Cost


class Bounds:
    """Lower bounds of the cost of nodes, from checked ones above and below them.

    All nodes below a checked one suppress at least its rows, or those of them that are unavoidable where models are not
    monotone. A metric of the classes has two more bounds. The squares of all classes only grow on the way up. And, for
    monotone models, each class that fits at a node contains a class that fits at a finer one, or else at least
    `class_size` rows that are suppressed at the finer node and not at this one: so many suppressed rows may become one
    class.

    Each bound stands beside its node, the tightest first, so that the first of those that apply to a node is the one to
    take. Nodes are integers, their levels side by side, each below a guard bit. A subtraction borrows that bit where a
    level is less: so one subtraction compares two nodes.
    """

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._bits = max(checker.lattice.tops, default=0).bit_length() + 1
        self._guard = self._packed([1 << (self._bits - 1)] * len(checker.lattice.tops))
        self._rows: list[tuple[int, int]] = []
        self._room: list[tuple[int, int]] = []
        self._squares: list[tuple[int, int]] = []

    def learn(self, verdict: Verdict) -> None:
        """Record the bounds of a check; for monotone models those below an infeasible node are not needed."""
        counts, at = verdict.counts, self._packed(verdict.node.levels)
        monotone = self._checker.monotone
        below = suppressed_below(self._checker, verdict)
        if below and (verdict.feasible or not monotone):
            insort(self._rows, (-below, at | self._guard))
        if not self._checker.metric.of_classes:
            return
        # Where a model of the whole table suppresses classes that fit, rows that this node keeps may be among these.
        if monotone and counts.smallest_suppressed is None:
            least = self._checker.class_size
            insort(self._room, (least * counts.classes + counts.suppressed, at))
        if counts.squares is not None and counts.failing_squares is not None:
            insort(self._squares, (-counts.squares - counts.failing_squares, at))

    def floor(self, node: Node) -> Cost | None:
        """Return a lower bound of the cost of a node; None where no check bounds it."""
        guard, at = self._guard, self._packed(node.levels)
        suppressed = next((-n for n, up in self._rows if (up - at) & guard == guard), 0)
        finer = self._finer(at | guard, suppressed)
        if not suppressed and finer is NOTHING_FINER:
            return None
        return self._checker.metric.floor(self._checker.stats, node, suppressed, finer)

    def _finer(self, at: int, suppressed: int) -> Finer:
        guard = self._guard
        squares = next((-n for n, down in self._squares if (at - down) & guard == guard), 0)
        room = next((n for n, down in self._room if (at - down) & guard == guard), None)
        if room is None:
            return Finer(None, squares) if squares else NOTHING_FINER
        return Finer((room - suppressed) // self._checker.class_size, squares)

    def _packed(self, levels: Iterable[int]) -> int:
        packed = 0
        for level in levels:
            packed = packed << self._bits | level
        return packed
