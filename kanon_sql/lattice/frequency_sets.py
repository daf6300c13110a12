"""The frequency sets that nodes are counted on, and the rule by which another one is made."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import field
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.lattice.suppression_model import SuppressionModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from kanon_sql.engines.base import PreparedStatement
    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.statistics import TableStatistics

WINDOW = 32
"""How many scans are remembered. Earlier ones say little about where a search goes next."""

PRICE = 3.0
"""A set is made when the rows that it would have saved are this many times those it is made from.

Rent or buy: with a price of one scan, no more than twice the least would be paid. But a roll-up is also written down,
and its size is only guessed. On generated censuses prices from 2 to 6 scanned half to a quarter of the rows that checks
on the first set alone do; 3 did so with few sets made."""

SMALLER = 2
"""A set is made only if it is guessed to be this many times smaller than the one it is made from."""


@dataclass(eq=False)
class FrequencySet:
    """One frequency set in the database: the node that it is rolled up to, its table, and its rows.

    `prepared` has the statements over it that were rendered, by what they count and for how many nodes.
    """

    node: Node
    table: exp.Table
    rows: int
    prepared: dict[tuple[object, ...], PreparedStatement] = field(default_factory=dict)


ROOM = 2
"""The rolled-up sets together may hold this many times the rows of the first set. Beyond that they are dropped, the
least recently used first."""


@dataclass
class Passes:
    """The reads of frequency sets: a pass for each node counted on a set, and for each set made from it."""

    first: int = 0
    rolled_up: int = 0
    made: int = 0
    rows: int = 0

    def since(self, before: Passes) -> Passes:
        return Passes(
            self.first - before.first,
            self.rolled_up - before.rolled_up,
            self.made - before.made,
            self.rows - before.rows,
        )


class FrequencySets:
    """The first frequency set, and those rolled up from it in the order of their last use."""

    def __init__(self, stats: TableStatistics, base: FrequencySet) -> None:
        self.base = base
        self.passes = Passes()
        self._rolled_up: list[FrequencySet] = []
        self._scans: deque[tuple[Node, int]] = deque(maxlen=WINDOW)
        self._guess = SuppressionModel(stats, middle=math.log(base.rows + 1) / 2)
        self._guess.learn(base.node.levels, base.rows)

    def __iter__(self) -> Iterator[FrequencySet]:
        yield self.base
        yield from self._rolled_up

    def read(self, on: FrequencySet, times: int = 1) -> int:
        """Record passes over a set; return the rows that they read."""
        if on is self.base:
            self.passes.first += times
        else:
            self.passes.rolled_up += times
        self.passes.rows += on.rows * times
        return on.rows * times

    def covering(self, node: Node) -> FrequencySet:
        """Return the smallest set on which a node can be counted."""
        return min((each for each in self if node.covers(each.node)), key=lambda each: each.rows)

    def scanned(self, node: Node, on: FrequencySet, least: int | None = None) -> None:
        """Record that a node was counted on a set; `least` bounds the rows of the node's own set from below."""
        self._scans.append((node, on.rows))
        if on is not self.base:
            self._rolled_up.remove(on)
            self._rolled_up.append(on)
        if least is not None:
            self._guess.learn(node.levels, least)

    def worth_making(self, node: Node) -> Node | None:
        """Return the node to roll up to before `node` is counted, if that set would have paid by now.

        The remembered scans stand for the next ones: sets that they share with this node are considered.
        """
        wanted = [*self._scans, (node, self.covering(node).rows)]
        best, gain = None, 0.0
        for shared in {node.meet(other) for other, _ in self._scans}:
            finer = self.covering(shared).rows
            rows = math.exp(min(self._guess.log_rows(shared.levels), math.log(finer + 1)))
            if rows * SMALLER > finer:
                continue
            saved = sum(max(0.0, paid - rows) for each, paid in wanted if each.covers(shared))
            if saved - PRICE * finer > gain:
                best, gain = shared, saved - PRICE * finer
        return best

    def add(self, made: FrequencySet) -> list[FrequencySet]:
        """Record a set that was made; return the sets to drop for it."""
        self._guess.learn(made.node.levels, made.rows)
        self.passes.made += 1
        self._rolled_up.append(made)
        self._scans = deque(
            (
                (node, min(paid, made.rows) if node.covers(made.node) else paid)
                for node, paid in self._scans
            ),
            maxlen=WINDOW,
        )
        dropped = []
        while sum(each.rows for each in self._rolled_up) > ROOM * self.base.rows:
            dropped.append(self._rolled_up.pop(0))
        return dropped

    def take(self, node: Node) -> FrequencySet | None:
        """Remove and return the set of a node, if there is one and it is not the first."""
        for each in self._rolled_up:
            if each.node == node:
                self._rolled_up.remove(each)
                return each
        return None
