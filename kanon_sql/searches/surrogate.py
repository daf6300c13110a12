"""Where a search that cannot see the whole lattice looks next: guesses only, learnt from its checks.

From the entropies of single columns and the checks so far it guesses how many rows a node
suppresses and what it costs, and so how much of a better node is to be expected of checking it
(expected improvement; Jones, Schonlau and Welch 1998). What is feasible, and what is known of
costs, is decided elsewhere.
"""

from __future__ import annotations

import heapq
import math
from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.lattice.node import Node
from kanon_sql.lattice.suppression_model import SuppressionModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kanon_sql.lattice.checker import Checker, Verdict
    from kanon_sql.lattice.statistics import Cost
    from kanon_sql.searches.antichain import Levels

    Allowed = Callable[[Levels], bool]
    Sparse = dict[int, float]

LATER = 0.5
"""What each further figure of a ranked cost counts for, against the one before it."""

PLATEAU = 1e-3
"""What the columns' own weights count for beside the cost. Some metrics see one column only, so that
many moves must be made before the cost falls: among nodes that cost the same there is a way down."""

TINY = 1e-9
SLOPE = 0.8
"""How the log odds of suppression grow with the entropy, before anything is known."""

ERROR = 0.25
"""Variance of a check around the guess, in squared log odds. On a generated census of 15 columns 0.05,
as of rows in a `SuppressionModel`, ended with costlier nodes for more metrics than not."""

FORGETS = 0.9
"""How much of the last errors is remembered when guesses are judged."""

SURE = 0.1
"""The least error, in log odds, that a guess is taken to have."""

CLIMB = 4
"""Steps to the better neighbour, by guess alone, before nodes are proposed."""

KEPT = 16
"""Neighbours that are looked at closely, for each one that is proposed."""

WORTH = 1e-9
"""The part of the highest cost that a check must be expected to save."""


@dataclass(frozen=True, slots=True)
class Centre:
    """A feasible node that was checked, from which better ones are looked for."""

    cost: Cost
    levels: Levels
    suppressed: int

    def rank(self) -> tuple[Cost, int, Levels]:
        """Order nodes as the best one is chosen."""
        return self.cost, sum(self.levels), self.levels


@dataclass(frozen=True, slots=True)
class _Move:
    """One column put to another level: by how much the guesses change, and how sure that is."""

    column: int
    level: int
    odds: float
    cost: float
    variance: float
    change: Sparse
    covariances: list[float]


@dataclass(frozen=True, slots=True)
class _Bias:
    """What the guesses get wrong at the centre, carried over to the nodes around it."""

    odds: float
    factor: float


class Surrogate:
    """What was learnt from the checks of one search."""

    def __init__(self, checker: Checker) -> None:
        stats = checker.stats
        rows, limit = stats.rows, checker.max_suppressed
        self._stats = stats
        self._metric = checker.metric
        self._tops = checker.lattice.tops
        self._bottoms = checker.lattice.bottoms
        self._rows, self._limit = rows, limit
        self._threshold = math.log((limit + 1) / max(rows - limit, 1))
        entropy = sum(math.log(rows) - c.levels[0].entropy / rows for c in stats.columns)
        middle = SLOPE * (entropy / 2 - math.log(rows))
        self._odds = SuppressionModel(stats, middle=middle, slope=SLOPE, noise=ERROR)
        self._gap = SuppressionModel(stats, middle=0.0, slope=0.0, noise=ERROR)
        self._scale = 1.0
        self._top = self._floor(self._tops, 0) + TINY
        self._weights = self._column_weights()

    def learn(self, verdict: Verdict) -> None:
        """Take in how many rows a node suppresses, unless that says no more than the guess."""
        levels, rows = verdict.node.levels, verdict.counts.suppressed
        guess, found = self._odds.log_rows(levels), self._log_odds(rows)
        if (rows == self._rows and guess >= found) or (not rows and guess <= found):
            return
        error = (found - guess) ** 2 / self._odds.variance(levels)
        self._scale = FORGETS * self._scale + (1 - FORGETS) * min(error, 4.0)
        self._odds.learn_log(levels, found)

    def _log_odds(self, rows: int) -> float:
        return math.log((rows + 0.5) / (self._rows - rows + 0.5))

    def learn_cost(self, verdict: Verdict, cost: Cost) -> None:
        """Learn by how much a cost exceeds what is known of it without a statement."""
        floor = self._floor(verdict.node.levels, verdict.counts.suppressed)
        self._gap.learn_log(verdict.node.levels, math.log((_figure(cost) + TINY) / (floor + TINY)))

    def _floor(self, levels: Levels, suppressed: int) -> float:
        return _figure(self._metric.floor(self._stats, Node(levels), suppressed))

    def _column_weights(self) -> list[list[float]]:
        """Guess what each level of each column adds to the cost of a node.

        Some metrics say so near the bottom of the lattice and some near its top: both are asked.
        """
        bottom, top = self._bottoms, self._tops
        low, high = self._floor(bottom, 0), self._top
        return [
            [
                (self._floor(_with(bottom, column, max(level, bottom[column])), 0) - low) / high
                + math.log((self._floor(_with(top, column, level), 0) + TINY) / high)
                for level in range(last + 1)
            ]
            for column, last in enumerate(self._tops)
        ]

    def way_up(self) -> list[Levels]:
        """Return a path from the bottom to the top: each step merges most for what it costs."""
        shares, at = self._odds.shares(), self._bottoms
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
        """Return the node of an interval that is likely the last infeasible one on a path from its lowest.

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
        guesses = [self._odds.log_rows(levels) for levels in path]
        return path[max((n for n, g in enumerate(guesses) if g > self._threshold), default=0)]

    def promising(self, centre: Centre, best: Centre, allowed: Allowed, most: int) -> list[Levels]:
        """Propose nodes one or two columns away from a centre, or a few such steps.

        Those come first of which it is to be expected that they save most against the best.
        None of them is at or below another, whose verdict would likely be its own.
        """
        bias = self._bias(centre)
        target = self._figure_of(best)
        scores: dict[Levels, float] = {}
        at, reached = centre.levels, 0.0
        for _ in range(CLIMB):
            found = self._scored(at, centre.levels, bias, target, KEPT * most)
            scores.update((levels, score) for score, levels in found)
            score, at = next((each for each in found if allowed(each[1])), (0.0, at))
            if score <= reached:
                break
            reached = score
        chosen: list[Levels] = []
        for levels in sorted(scores, key=lambda levels: (-scores[levels], levels)):
            if len(chosen) == most:
                break
            if not any(comparable(levels, other) for other in chosen) and allowed(levels):
                chosen.append(levels)
        return chosen

    def _bias(self, centre: Centre) -> _Bias:
        guess, rows = self._odds.log_rows(centre.levels), centre.suppressed
        found = self._log_odds(rows) if rows else min(guess, self._threshold)
        plain = self._plain_cost(centre.levels, found)
        return _Bias(found - guess, _figure(centre.cost) / max(plain, TINY))

    def _plain_cost(self, levels: Levels, odds: float) -> float:
        rows = min(int(self._rows / (1 + math.exp(min(-odds, 60.0)))), self._limit)
        return math.exp(self._gap.log_rows(levels)) * self._floor(levels, rows)

    def _cost(self, levels: Levels, odds: float, bias: _Bias) -> float:
        return bias.factor * self._plain_cost(levels, odds) + self._slope(levels)

    def _figure_of(self, centre: Centre) -> float:
        return _figure(centre.cost) + self._slope(centre.levels)

    def _slope(self, levels: Levels) -> float:
        weights = (of[level] for of, level in zip(self._weights, levels, strict=True))
        return PLATEAU * self._top * sum(weights) / len(levels)

    def _scored(
        self, at: Levels, centre: Levels, bias: _Bias, best: float, most: int
    ) -> list[tuple[float, Levels]]:
        """Return the neighbours by how much is to be expected of them, the best first.

        Costs of two moves together are taken to be those of each by itself.
        """
        odds = self._odds.log_rows(at) + bias.odds
        cost = self._cost(at, odds, bias)
        away = self._odds.change(centre, at)
        around = self._odds.covariances(away)
        variance = _dot(around, away)

        def expected(to: float, guess: float, variance: float) -> float:
            spread = math.sqrt(2 * (self._scale * max(variance, 0.0) + SURE * SURE))
            feasible = 0.5 * math.erfc((to - self._threshold) / spread)
            return feasible * (best - guess) / self._top

        scored = []
        moves = list(self._moves(at, odds, cost, bias))
        for one in moves:
            if cost + one.cost < best:
                much = variance + one.variance + 2 * _dot(around, one.change)
                score = expected(odds + one.odds, cost + one.cost, much)
                scored.append((score, _with(at, one.column, one.level)))
        for one, two in combinations(moves, 2):
            guess = cost + one.cost + two.cost
            if one.column != two.column and guess < best:
                much = variance + one.variance + two.variance
                much += 2 * _dot(one.covariances, two.change)
                score = expected(odds + one.odds + two.odds, guess, much)
                if score > WORTH:
                    to = _with(_with(at, one.column, one.level), two.column, two.level)
                    scored.append((score, to))
        return heapq.nlargest(most, (each for each in scored if each[0] > WORTH))

    def _moves(self, at: Levels, odds: float, cost: float, bias: _Bias) -> Iterable[_Move]:
        for column, (bottom, top) in enumerate(zip(self._bottoms, self._tops, strict=True)):
            for level in range(bottom, top + 1):
                if level == at[column]:
                    continue
                to = _with(at, column, level)
                change = self._odds.change(at, to)
                covariances = self._odds.covariances(change)
                then = self._odds.log_rows(to) + bias.odds
                yield _Move(
                    column,
                    level,
                    then - odds,
                    self._cost(to, then, bias) - cost,
                    _dot(covariances, change),
                    change,
                    covariances,
                )


def comparable(one: Levels, other: Levels) -> bool:
    """Whether one node is at or below the other.

    >>> comparable((0, 1), (1, 1)), comparable((0, 1), (1, 0))
    (True, False)
    """
    apart = {(a > b) - (a < b) for a, b in zip(one, other, strict=True)}
    return not {-1, 1} <= apart


def _dot(row: list[float], change: Sparse) -> float:
    return sum(row[at] * x for at, x in change.items())


def _figure(cost: Cost) -> float:
    """Compute one figure of a cost."""
    return sum(part * LATER**n for n, part in enumerate(cost))


def _with(levels: Levels, column: int, level: int) -> Levels:
    return (*levels[:column], level, *levels[column + 1 :])
