"""A regression on the checks so far: how many rows a node suppresses, or its set would hold.

It decides only where a search looks next. Feasibility is decided by checks alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.lattice.statistics import TableStatistics

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
