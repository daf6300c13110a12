"""The weights of columns, of generalization and of suppression in a cost, as in ARX.

A column's weight is a share of the greatest one. The generalization factor g is ARX's gs-factor: at 0.5 both count in
full, below it a suppressed row counts only 2g, above it the loss of a kept row counts only 1 - 2(g - 0.5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from kanon_sql.metrics.metric import Metric

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

EVEN = 0.5
"""The factor at which generalization and suppression both count in full."""


def generalization(factor: float) -> float:
    """Return the weight of the loss of a kept row.

    >>> [generalization(factor) for factor in (0.25, 0.5, 0.75, 1)]
    [1.0, 1.0, 0.5, 0.0]
    """
    return 1.0 if factor <= EVEN else 1 - 2 * (factor - EVEN)


def suppression(factor: float) -> float:
    """Return the weight of a suppressed row.

    >>> [suppression(factor) for factor in (0, 0.25, 0.5, 1)]
    [0.0, 0.5, 1.0, 1.0]
    """
    return 2.0 * factor if factor < EVEN else 1.0


def weighed(weights: Sequence[float], factor: float = EVEN) -> str:
    """Return the end of a metric's label: the weights and the factor, where they are not the defaults.

    >>> weighed((1.0, 0.5)), weighed((), 0.7), weighed(())
    (', weighted', ', factor 0.7', '')
    """
    of_factor = "" if factor == EVEN else f", factor {factor:g}"
    return f"{', weighted' if weights else ''}{of_factor}"


class Weighted(Metric, Protocol):
    """A metric that adds up columns, each by its weight; without `weights` all count the same.

    A dataclass that derives from it has `weights` as a field.
    """

    def of_weights(self, weights: tuple[float, ...]) -> Self:
        """Return the same metric with other weights."""
        ...

    def of_columns(self, columns: Iterable[int]) -> Self:
        return self.of_weights(tuple(self.weights[at] for at in columns)) if self.weights else self

    def shares(self, columns: int) -> Sequence[float]:
        """Return the weight of each of so many columns."""
        return self.weights or (1.0,) * columns
