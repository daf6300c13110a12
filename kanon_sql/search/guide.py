"""Where a search that cannot see the whole lattice looks next: guesses only, learnt from its checks.

From the entropies of single columns and the checks so far it guesses how many rows a node
suppresses and what it costs, and so how much of a better node is to be expected of checking it
(expected improvement; Jones, Schonlau and Welch 1998). What is feasible, and what is known of
costs, is decided elsewhere.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.model.lattice import Node
from kanon_sql.search.forecast import Forecast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kanon_sql.model.metric import Cost
    from kanon_sql.search.antichain import Levels
    from kanon_sql.search.checker import Checker, Verdict

    Allowed = Callable[[Levels], bool]

LATER = 0.25
"""What each further figure of a ranked cost counts for, against the one before it."""

TINY = 1e-9
SATURATED = 0.9
"""The share of all rows beyond which a number of suppressed rows says only that it is large."""

FORGETS = 0.9
"""How much of the last errors is remembered when a guess is judged."""

SURE = 0.1
"""The least error, in logarithms of rows, that a guess is taken to have."""

CLIMB = 4
"""Steps to the better neighbour, by guess alone, before nodes are proposed."""

KEPT = 16
"""Neighbours that are looked at closely, for each one that is proposed."""

WORTH = 1e-4
"""The part of the best cost that a check must be expected to save."""


@dataclass(frozen=True, slots=True)
class _Here:
    """What is guessed of a node: the logarithm of its suppressed rows, and its cost."""

    levels: Levels
    log_rows: float
    cost: float


@dataclass(frozen=True, slots=True)
class _Bias:
    """What the guesses get wrong near the best node, carried over to its neighbours."""

    log_rows: float
    factor: float


class Guide:
    """What was learnt from the checks of one search."""

    def __init__(self, checker: Checker) -> None:
        self._facts = checker.facts
        self._metric = checker.metric
        self._tops = checker.lattice.tops
        self._limit = checker.max_suppressed
        self._threshold = math.log(self._limit + 0.7)  # no rows count as half of one
        self._suppressed = Forecast(self._facts, middle=math.log(self._facts.rows) - 6.0)
        self._gap = Forecast(self._facts, middle=0.0, slope=0.0)
        self._variance = 1.0
        self._weights = self._column_weights()

    def learn(self, verdict: Verdict) -> None:
        """Take in how many rows a node suppresses, unless that says no more than the guess."""
        levels, rows = verdict.node.levels, verdict.counts.suppressed
        guess = self._suppressed.log_rows(levels)
        most = SATURATED * self._facts.rows
        if (rows >= most and guess >= math.log(most)) or (not rows and guess <= self._threshold):
            return
        error = math.log(max(rows, 0.5)) - guess
        self._variance = FORGETS * self._variance + (1 - FORGETS) * min(error * error, 4.0)
        self._suppressed.learn(levels, rows)

    def learn_cost(self, verdict: Verdict, cost: Cost) -> None:
        """Take in by how much a cost exceeds what could be said of it without a statement."""
        floor = self._floor(verdict.node.levels, verdict.counts.suppressed)
        self._gap.learn(verdict.node.levels, (_figure(cost) + TINY) / (floor + TINY))

    def _floor(self, levels: Levels, suppressed: int) -> float:
        return _figure(self._metric.floor(self._facts, Node(levels), suppressed))

    def _column_weights(self) -> list[list[float]]:
        """Guess what each level of each column adds to the cost of a node.

        Some metrics say so near the bottom of the lattice and some near its top: both are asked.
        """
        bottom, top = (0,) * len(self._tops), self._tops
        low, high = self._floor(bottom, 0), self._floor(top, 0) + TINY
        return [
            [
                (self._floor(_with(bottom, column, level), 0) - low) / high
                + math.log((self._floor(_with(top, column, level), 0) + TINY) / high)
                for level in range(last + 1)
            ]
            for column, last in enumerate(self._tops)
        ]

    def way_up(self) -> list[Levels]:
        """Give a path from the bottom to the top: each step merges most for what it costs."""
        shares, at = self._suppressed.shares(), (0,) * len(self._tops)
        path = [at]
        while at != self._tops:
            worth = [
                ((shares[c][level] - shares[c][level + 1]) / self._price(c, level), -c)
                for c, level in enumerate(at)
                if level < self._tops[c]
            ]
            column = -max(worth)[1]
            at = _with(at, column, at[column] + 1)
            path.append(at)
        return path

    def _price(self, column: int, level: int) -> float:
        weights = self._weights[column]
        return max(weights[level + 1] - weights[level], TINY)

    def border(self, low: Levels, high: Levels, open_: Allowed) -> Levels:
        """Give the node of a box that is likely the last infeasible one on a path from its lowest.

        The path goes through open nodes, each step the one that adds least to the cost.
        """
        path = [low]
        while steps := [
            (self._price(c, level), c)
            for c, level in enumerate(path[-1])
            if level < high[c] and open_(_with(path[-1], c, level + 1))
        ]:
            column = min(steps)[1]
            path.append(_with(path[-1], column, path[-1][column] + 1))
        guesses = [self._suppressed.log_rows(levels) for levels in path]
        return path[max((n for n, g in enumerate(guesses) if g > self._threshold), default=0)]

    def promising(self, best: Verdict, cost: Cost, allowed: Allowed, most: int) -> list[Levels]:
        """Propose nodes one or two columns away from the best one, or a few such steps.

        Those come first of which it is to be expected that they save most.
        """
        bias = self._bias(best, _figure(cost))
        scores: dict[Levels, float] = {}
        at, reached = best.node.levels, 0.0
        for _ in range(CLIMB):
            found = self._scored(self._here(at, bias), bias, _figure(cost), KEPT * most)
            scores.update((levels, score) for score, levels in found)
            score, at = next((each for each in found if allowed(each[1])), (0.0, at))
            if score <= reached:
                break
            reached = score
        chosen: list[Levels] = []
        for levels in sorted(scores, key=lambda levels: (-scores[levels], levels)):
            if len(chosen) == most or scores[levels] < WORTH:
                break
            if allowed(levels):
                chosen.append(levels)
        return chosen

    def _bias(self, best: Verdict, cost: float) -> _Bias:
        levels, rows = best.node.levels, best.counts.suppressed
        guess = self._suppressed.log_rows(levels)
        found = math.log(rows) if rows else min(guess, self._threshold)
        plain = self._here(levels, _Bias(found - guess, 1.0))
        return _Bias(found - guess, cost / max(plain.cost, TINY))

    def _here(self, levels: Levels, bias: _Bias) -> _Here:
        log_rows = self._suppressed.log_rows(levels) + bias.log_rows
        rows = int(min(math.exp(min(log_rows, 60.0)), self._limit))
        gap = math.exp(self._gap.log_rows(levels))
        return _Here(levels, log_rows, bias.factor * gap * self._floor(levels, rows))

    def _scored(
        self, at: _Here, bias: _Bias, cost: float, most: int
    ) -> list[tuple[float, Levels]]:
        """Give the neighbours by how much is to be expected of them, the best first.

        What two moves do together is taken to be what each does by itself.
        """
        spread = math.sqrt(2 * max(self._variance, SURE * SURE))

        def expected(log_rows: float, guess: float) -> float:
            feasible = 0.5 * (1 + math.erf((self._threshold - log_rows) / spread))
            return feasible * (cost - guess) / max(cost, TINY)

        moves = [
            (column, level, self._here(_with(at.levels, column, level), bias))
            for column, top in enumerate(self._tops)
            for level in range(top + 1)
            if level != at.levels[column]
        ]
        scored = [(expected(to.log_rows, to.cost), to.levels) for _, _, to in moves]
        for (column, level, one), (other, much, two) in combinations(moves, 2):
            guess = one.cost + two.cost - at.cost
            if other != column and guess < cost:
                score = expected(one.log_rows + two.log_rows - at.log_rows, guess)
                if score > WORTH:
                    scored.append((score, _with(_with(at.levels, column, level), other, much)))
        return heapq.nlargest(most, scored)


def _figure(cost: Cost) -> float:
    """Make one figure of a cost."""
    return sum(part * LATER**n for n, part in enumerate(cost))


def _with(levels: Levels, column: int, level: int) -> Levels:
    return (*levels[:column], level, *levels[column + 1 :])
