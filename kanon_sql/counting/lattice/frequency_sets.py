"""The frequency sets that nodes are counted on, and the rule by which another one is made.

A regression on the checks so far guesses how many rows a node suppresses. It decides only where a search looks next:
feasibility is decided by checks alone.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import field
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import PreparedStatement
    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.policy.metrics.statistics import TableStatistics


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


SPREAD = (4.0, 1.0, 0.3)
"""Variances of the intercept, the slope and one level's own effect around their start, before any check."""

NOISE = 0.05
"""Variance of a check around the line, in squared logarithms."""


class SuppressionModel:
    """Recursive least squares on the logarithm of a number of rows.

    The features of a node are the summed entropy of its columns, which bounds that of its classes, and the levels at
    which it stands. Correlated columns have more rows alike than their entropies say; the levels' own effects learn
    that.
    """

    def __init__(
        self, stats: TableStatistics, *, middle: float, slope: float = 0.8, noise: float = NOISE
    ) -> None:
        """Start with a guess, a logarithm, for a node of half the source's entropy, and its slope by entropy."""
        rows = math.log(stats.rows)
        self._entropies = [
            [rows - at.entropy / stats.rows for at in column.levels] for column in stats.columns
        ]
        self._own: dict[tuple[int, int], int] = {}
        for quasi, column in enumerate(stats.columns):
            for level in range(1, len(column.levels)):
                self._own[quasi, level] = 2 + len(self._own)
        size = 2 + len(self._own)
        spreads = [SPREAD[0], SPREAD[1], *[SPREAD[2]] * (size - 2)]
        self._noise = noise
        self._middle = sum(column[0] for column in self._entropies) / 2
        self._weights = [middle, slope, *[0.0] * (size - 2)]
        self._covariance = [
            [spread if i == j else 0.0 for j in range(size)] for i, spread in enumerate(spreads)
        ]
        self.seen = 0

    def _features(self, levels: Sequence[int]) -> list[tuple[int, float]]:
        entropy = sum(c[level] for c, level in zip(self._entropies, levels, strict=True))
        own = [(self._own[q, level], 1.0) for q, level in enumerate(levels) if level]
        return [(0, 1.0), (1, entropy - self._middle), *own]

    def log_rows(self, levels: Sequence[int]) -> float:
        return sum(self._weights[i] * x for i, x in self._features(levels))

    def shares(self) -> list[list[float]]:
        """Return the term of each level of each column in the guess."""
        own = [[0.0] * len(levels) for levels in self._entropies]
        for (quasi, level), at in self._own.items():
            own[quasi][level] = self._weights[at]
        return [
            [
                self._weights[1] * entropy + effect
                for entropy, effect in zip(of, effects, strict=True)
            ]
            for of, effects in zip(self._entropies, own, strict=True)
        ]

    def change(self, before: Sequence[int], after: Sequence[int]) -> dict[int, float]:
        """Return how two nodes differ in their features, by the feature's number."""
        found = dict(self._features(after))
        for at, x in self._features(before):
            found[at] = found.get(at, 0.0) - x
        return {at: x for at, x in found.items() if x}

    def covariances(self, change: dict[int, float]) -> list[float]:
        """Return the covariance of the guess of a change with each weight."""
        return [sum(row[at] * x for at, x in change.items()) for row in self._covariance]

    def variance(self, levels: Sequence[int]) -> float:
        """Return the expected squared error of the guess of a node, with the noise of a check."""
        features = dict(self._features(levels))
        around = self.covariances(features)
        return self._noise + sum(around[at] * x for at, x in features.items())

    def learn(self, levels: Sequence[int], rows: int) -> None:
        self.learn_log(levels, math.log(max(rows, 0.5)))

    def learn_log(self, levels: Sequence[int], found: float) -> None:
        features = self._features(levels)
        gain = [sum(row[i] * x for i, x in features) for row in self._covariance]
        scale = self._noise + sum(gain[i] * x for i, x in features)
        error = found - sum(self._weights[i] * x for i, x in features)
        for at, part in enumerate(gain):
            self._weights[at] += part * error / scale
            row = self._covariance[at]
            self._covariance[at] = [
                cell - part * other / scale for cell, other in zip(row, gain, strict=True)
            ]
        self.seen += 1
