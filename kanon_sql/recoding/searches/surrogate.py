"""For lattices that are too large to list: guesses of where to check next, and the nodes that checks have decided.

From the entropies of single columns and the checks so far, the surrogate guesses how many rows a node suppresses and
what it costs, and from these the improvement to expect of checking it (expected improvement; Jones, Schonlau and Welch
1998). It decides neither which nodes are feasible nor which can win.

Everything at or below an infeasible node is infeasible, everything at or above a feasible one is feasible. Only these
nodes are kept, as bits of one integer a column and level. To see whether a node is decided then takes one AND a column,
for 10^4 nodes as for 10^15.
"""

from __future__ import annotations

import heapq
import math
from itertools import combinations
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice.result import SuppressionModel
from kanon_sql.policy.metrics.node import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kanon_sql.counting.lattice.result import Checker, Verdict
    from kanon_sql.policy.metrics.statistics import Cost

    Allowed = Callable[["Levels"], bool]
    Sparse = dict[int, float]


Levels = tuple[int, ...]

FEWEST = 64
"""The bits are written anew once the superseded members outnumber the others by more than this."""


LATER = 0.5
"""The weight of each further figure of a ranked cost, relative to the one before it."""

PLATEAU = 1e-3
"""The weight of the columns' own terms beside the cost. Some metrics depend on one column only, so that many moves must
be made before the cost falls: the terms show a way down among nodes of equal cost."""

TINY = 1e-9
SLOPE = 0.8
"""How the log odds of suppression grow with the entropy, before any check."""

ERROR = 0.25
"""Variance of a check around the guess, in squared log odds. On a generated census of 15 columns 0.05,
as of rows in a `SuppressionModel`, ended with costlier nodes for more metrics than not."""

FORGETS = 0.9
"""The weight of the past when the error of guesses is averaged; the latest error has the rest."""

SURE = 0.1
"""The least error, in log odds, that is assumed of a guess."""

CLIMB = 4
"""Steps to the better neighbor, by guesses alone, before nodes are proposed."""

KEPT = 16
"""The best neighbors that are kept in a step, for each node to propose."""

WORTH = 1e-9
"""The least improvement to expect of a check, as a share of the highest cost."""


@dataclass(frozen=True, slots=True)
class Centre:
    """A feasible node that was checked, around which better ones are searched."""

    cost: Cost
    levels: Levels
    suppressed: int

    def rank(self) -> tuple[Cost, int, Levels]:
        """Return the key by which the best node is chosen."""
        return self.cost, sum(self.levels), self.levels


@dataclass(frozen=True, slots=True)
class _Move:
    """One column moved to another level: how the guesses change, and with what variance."""

    column: int
    level: int
    odds: float
    cost: float
    variance: float
    change: Sparse
    covariances: list[float]


@dataclass(frozen=True, slots=True)
class _Bias:
    """The error of the guesses at a center, by which those of the nodes around it are corrected."""

    odds: float
    factor: float


class Surrogate:
    """Guesses of the suppressed rows and the cost of nodes, learnt from the checks of one search."""

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
        """Learn how many rows a node suppresses; all or none teach nothing where the guess was as extreme."""
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
        """Learn by what factor a cost exceeds its floor, which takes no statement."""
        floor = self._floor(verdict.node.levels, verdict.counts.suppressed)
        self._gap.learn_log(verdict.node.levels, math.log((_figure(cost) + TINY) / (floor + TINY)))

    def _floor(self, levels: Levels, suppressed: int) -> float:
        return _figure(self._metric.floor(self._stats, Node(levels), suppressed))

    def _column_weights(self) -> list[list[float]]:
        """Return what each level of each column adds to the cost of a node, by the floors.

        Some metrics show it near the bottom of the lattice and some near its top: both are used.
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
        """Return a path from the bottom to the top: each step merges most rows for the cost that it adds."""
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
        """Return the node that is likely the last infeasible one on a path up from an interval's lowest.

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
        """Propose nodes that differ from a center in one or two columns, or by a few such steps.

        The nodes of greatest expected improvement over the best come first. None of them is above or below another,
        whose verdict would likely be the same.
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
        """Return the neighbors with the improvement to expect of each, the greatest first.

        The cost of two moves together is taken to be the sum of the cost of each.
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
    """Return True if one node is at or below the other.

    >>> comparable((0, 1), (1, 1)), comparable((0, 1), (1, 0))
    (True, False)
    """
    apart = {(a > b) - (a < b) for a, b in zip(one, other, strict=True)}
    return not {-1, 1} <= apart


def _dot(row: list[float], change: Sparse) -> float:
    return sum(row[at] * x for at, x in change.items())


def _figure(cost: Cost) -> float:
    """Return a cost as one number."""
    return sum(part * LATER**n for n, part in enumerate(cost))


def _with(levels: Levels, column: int, level: int) -> Levels:
    return (*levels[:column], level, *levels[column + 1 :])


class DownSet:
    """Everything at or below the nodes added, stored as the maximal ones among them.

    >>> known = DownSet((2, 2))
    >>> known.add((1, 0)), known.add((1, 1)), (0, 1) in known, (2, 0) in known
    (None, None, True, False)
    >>> list(known.above((0, 0)))
    [(1, 1)]
    """

    def __init__(self, tops: Levels) -> None:
        self._tops = tops
        self._members: list[Levels] = []
        self._live = 0
        self._at_least = [[0] * (top + 2) for top in tops]

    def __len__(self) -> int:
        return self._live.bit_count()

    def __contains__(self, levels: Levels) -> bool:
        return bool(self._above(levels))

    def _above(self, levels: Levels) -> int:
        found = self._live
        for column, level in zip(self._at_least, levels, strict=True):
            found &= column[level]
            if not found:
                break
        return found

    def above(self, levels: Levels) -> Iterator[Levels]:
        """Yield the members that are at or above a node."""
        found = self._above(levels)
        while found:
            lowest = found & -found
            found ^= lowest
            yield self._members[lowest.bit_length() - 1]

    def add(self, levels: Levels) -> None:
        """Add a node and everything below it."""
        if levels in self:
            return
        below = self._live
        for column, level in zip(self._at_least, levels, strict=True):
            below &= ~column[level + 1]
        self._live &= ~below
        if len(self._members) > 2 * len(self) + FEWEST:
            self._rewrite()
        self._write(levels)

    def _write(self, levels: Levels) -> None:
        bit = 1 << len(self._members)
        self._members.append(levels)
        self._live |= bit
        for column, level in zip(self._at_least, levels, strict=True):
            for lower in range(level + 1):
                column[lower] |= bit

    def _rewrite(self) -> None:
        kept = [m for at, m in enumerate(self._members) if self._live >> at & 1]
        self._members, self._live = [], 0
        self._at_least = [[0] * (top + 2) for top in self._tops]
        for each in kept:
            self._write(each)


class UpSet:
    """Everything at or above the nodes added, stored as a down-set of the lattice upside down.

    >>> known = UpSet((2, 2))
    >>> known.add((1, 1)), (2, 1) in known, (2, 0) in known
    (None, True, False)
    """

    def __init__(self, tops: Levels) -> None:
        self._tops = tops
        self._down = DownSet(tops)

    def __len__(self) -> int:
        return len(self._down)

    def __contains__(self, levels: Levels) -> bool:
        return self._turned(levels) in self._down

    def add(self, levels: Levels) -> None:
        """Add a node and everything above it."""
        self._down.add(self._turned(levels))

    def _turned(self, levels: Levels) -> Levels:
        return tuple(top - level for top, level in zip(self._tops, levels, strict=True))
