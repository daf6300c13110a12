"""What the checks so far say of a node's cost before it is checked."""

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
    """Floors under the cost of nodes, from checked ones above and below them.

    All below a node suppress at least its rows, or what of them is unavoidable where models are not monotone; nothing
    else is known of these but squares. Of the classes that fit at a node, each holds one
    that fitted below, or else rows that were suppressed below, at least as many as a class must
    have, and not those that are suppressed still: so suppressed rows count as the classes that
    they could come to make. Squares of all classes only grow on the way up.

    Each bound stands beside the node it is of, the tightest first, so that the first of those
    that apply to a node is the one to take. Nodes are integers, their levels side by side, each
    below a bit that a subtraction borrows where the level is less: so one compares them.
    """

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._bits = max(checker.lattice.tops, default=0).bit_length() + 1
        self._guard = self._packed([1 << (self._bits - 1)] * len(checker.lattice.tops))
        self._rows: list[tuple[int, int]] = []
        self._room: list[tuple[int, int]] = []
        self._squares: list[tuple[int, int]] = []

    def learn(self, verdict: Verdict) -> None:
        """Take in a check. Nothing need be known of what lies below an infeasible node."""
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
        """Bound the cost of a node from below; None where the checks say nothing of it."""
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
