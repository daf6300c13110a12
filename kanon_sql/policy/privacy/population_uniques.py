"""Estimates how many rows of a population are unique, from the class sizes of a sample of it.

An estimator reads only the number of classes of each size: at most sqrt(2 * rows) numbers. The sample is assumed
to be drawn at random, without replacement.
"""

from __future__ import annotations

import math
from enum import StrEnum
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, assert_never

from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LOW_FRACTION = 0.1
"""Up to this sampling fraction the rule of Dankar et al. takes Pitman's estimate."""
NOTHING = 1e-30
"""A probability that adds nothing to a sum that is at least 1."""
STEPS = 200
"""The most halvings of an interval to find a root: more than the digits of a number of 64 bits."""


class Estimator(StrEnum):
    """The estimators of population uniques."""

    PITMAN = "pitman"
    ZAYATZ = "zayatz"
    SNB = "snb"
    DANKAR = "dankar"


@dataclass(frozen=True, slots=True)
class PopulationUniques:
    """Estimated uniques of a population, as shares of its rows; None where an estimator has no solution.

    `chosen` is the estimator that the rule of Dankar et al. takes.
    """

    sampling: float
    population: int
    pitman: float | None
    zayatz: float
    snb: float | None
    chosen: Estimator

    @property
    def dankar(self) -> float:
        """Return the estimate that the rule of Dankar et al. chooses."""
        return self.share(self.chosen) or 0.0

    def share(self, estimator: Estimator) -> float | None:
        """Return the estimate of one estimator."""
        found: float | None = getattr(self, estimator.value)
        return found

    def document(self) -> dict[str, object]:
        """Return the estimates as plain values for JSON."""
        return {
            "sampling": self.sampling,
            "population": self.population,
            **{each.value: self.share(each) for each in Estimator},
            "chosen": self.chosen.value,
        }


def estimate_uniques(classes: Mapping[int, int], sampling: float) -> PopulationUniques:
    """Estimate the share of a population's rows that are unique, by all estimators.

    `classes` counts the classes of each size in the sample, which has at least one row; `sampling` is the share
    of the population that is in the sample, above 0 and at most 1. The rule is Dankar, El Emam, Neisa and
    Roffey's (BMC Medical Informatics and Decision Making 12:66, 2012): up to a tenth Pitman's estimate, if there
    is one, else Zayatz'; above it the lower one of SNB's and Zayatz'.
    """
    rows = sum(size * many for size, many in classes.items())
    shares = {
        each: share_of_uniques(classes, sampling, each)
        for each in (Estimator.PITMAN, Estimator.ZAYATZ, Estimator.SNB)
    }
    zayatz = shares[Estimator.ZAYATZ] or 0.0
    preferred = Estimator.PITMAN if sampling <= LOW_FRACTION else Estimator.SNB
    other = shares[preferred]
    lower = other is not None and (preferred is Estimator.PITMAN or other <= zayatz)
    return PopulationUniques(
        sampling=sampling,
        population=max(round(rows / sampling), rows),
        pitman=shares[Estimator.PITMAN],
        zayatz=zayatz,
        snb=shares[Estimator.SNB],
        chosen=preferred if lower else Estimator.ZAYATZ,
    )


def share_of_uniques(
    classes: Mapping[int, int], sampling: float, estimator: Estimator
) -> float | None:
    """Estimate the share of a population's rows that are unique as `estimate_uniques` does, by one estimator alone."""
    if estimator is Estimator.DANKAR:
        preferred = Estimator.PITMAN if sampling <= LOW_FRACTION else Estimator.SNB
        found = share_of_uniques(classes, sampling, preferred)
        if found is not None and preferred is Estimator.PITMAN:
            return found
        zayatz = share_of_uniques(classes, sampling, Estimator.ZAYATZ)
        return zayatz if found is None or zayatz is None else min(found, zayatz)
    rows = sum(size * many for size, many in classes.items())
    population = max(round(rows / sampling), rows)
    match estimator:
        case Estimator.PITMAN:
            uniques = _pitman(classes, rows, population)
        case Estimator.ZAYATZ:
            uniques = _zayatz(classes, rows, population)
        case Estimator.SNB:
            uniques = _snb(classes, rows / population)
        case _:
            assert_never(estimator)
    return None if uniques is None else min(max(uniques / population, 0.0), 1.0)


def _zayatz(classes: Mapping[int, int], rows: int, population: int) -> float:
    """Estimate the uniques after Zayatz (Census/SRD/RR-91/08, 1991).

    The sizes of classes in the population are taken to be distributed as in the sample. The share of the unique
    rows of the sample that are unique in the population is then a quotient of hypergeometric probabilities.
    """
    alone = classes.get(1, 0)
    if alone == 0:
        return 0.0
    # The probability that exactly one row of a class of this size is drawn, times population / rows.
    drawn, size, expected = 1.0, 1, 0.0
    for at in sorted(classes):
        while size < at and drawn > NOTHING:
            drawn *= (size + 1) / size * max(population - rows - size + 1, 0) / (population - size)
            size += 1
        expected += classes[at] * drawn if size == at else 0.0
    return alone / expected * alone * population / rows


def _pitman(classes: Mapping[int, int], rows: int, population: int) -> float | None:
    """Estimate the uniques by Pitman's model (Hoshino, Journal of Official Statistics 17(4), 2001).

    The parameters theta and alpha are those of the greatest likelihood. None where that is at no alpha between
    0 and 1, as in a sample without repeated or without unique rows.
    """
    many = sum(classes.values())
    if not 0 < classes.get(1, 0) < rows or many < 2:
        return 0.0 if classes.get(1, 0) == 0 else None

    def inverses(theta: float, alpha: float) -> float:
        """Sum 1 / (theta + i * alpha) for i from 1 to the number of classes - 1."""
        return (digamma(theta / alpha + many) - digamma(theta / alpha + 1)) / alpha

    def theta_of(alpha: float) -> float:
        def slope(above: float) -> float:
            theta = above - alpha
            return inverses(theta, alpha) - digamma(theta + rows) + digamma(theta + 1)

        most = 1.0
        while slope(most) > 0 and most < 1e15:
            most *= 4
        return _root(slope, 0.0, most) - alpha

    def slope(alpha: float) -> float:
        theta = theta_of(alpha)
        inside = sum(
            count * (digamma(size - alpha) - digamma(1 - alpha))
            for size, count in classes.items()
            if size > 1
        )
        return (many - 1 - theta * inverses(theta, alpha)) / alpha - inside

    least, most = 1e-6, 1 - 1e-9
    if slope(least) <= 0 or slope(most) >= 0:
        return None
    alpha = _root(slope, least, most)
    theta = theta_of(alpha)
    return math.exp(
        math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(population)
    )


def _snb(classes: Mapping[int, int], sampling: float) -> float | None:
    """Estimate the uniques by the shifted negative binomial model (Chen and Keller-McNulty, JOS 14(1), 1998).

    The size of a class in the population, less 1, has a negative binomial distribution. Its alpha and beta are those
    with which as many classes of one and of two rows are expected as the sample has; None if there are no such alpha
    and beta.
    """
    alone, pairs = classes.get(1, 0), classes.get(2, 0)
    if alone == 0:
        return 0.0
    if sampling >= 1:
        return float(alone)
    all_classes = _all_classes(classes, sampling)
    if all_classes is None or pairs == 0:
        return None
    wanted = alone / (all_classes * sampling)
    if not 0 < wanted < 1:
        return None

    def alpha_of(beta: float) -> float | None:
        """Find the alpha with which as many classes of one row are expected as there are."""
        left = (1 - sampling) * (1 - beta)

        def excess(alpha: float) -> float:
            shrink = math.exp(alpha * math.log(beta / (1 - left)))
            return shrink * (alpha * left / (1 - left) + 1) - wanted

        most = 1.0
        while excess(most) > 0 and most < 1e12:
            most *= 2
        return None if excess(most) > 0 else _root(excess, most / 2 if most > 1 else 0.0, most)

    def excess_pairs(beta: float) -> float | None:
        alpha = alpha_of(beta)
        if alpha is None:
            return None
        left = (1 - sampling) * (1 - beta)
        log = alpha * math.log(beta) - (alpha + 2) * math.log(1 - left)
        expected = all_classes * sampling**2 / 2 * alpha * (1 - beta) * math.exp(log)
        return expected * (2 - (1 - alpha) * left) - pairs

    grid = [1 / (1 + math.exp(-at / 4)) for at in range(-60, 61)]
    found = [(beta, excess) for beta in grid if (excess := excess_pairs(beta)) is not None]
    for (low, first), (high, last) in pairwise(found):
        if (first > 0) != (last > 0):
            sign = math.copysign(1, first)
            beta = _root(partial(_signed, excess_pairs, sign), low, high)
            alpha = alpha_of(beta)
            return None if alpha is None else all_classes * beta**alpha
    return None


def _signed(function: Callable[[float], float | None], sign: float, at: float) -> float:
    return sign * (function(at) or 0.0)


def _all_classes(classes: Mapping[int, int], sampling: float) -> float | None:
    """Estimate how many classes the population has (Haas and Stokes, JASA 93(444), 1998: modified Shlosser)."""
    kept, square = 1 - sampling, sampling**2
    weighted = sum(s * square * (1 - square) ** (s - 1) * n for s, n in classes.items())
    grown = sum(((1 - square) ** s - kept**s) * n for s, n in classes.items())
    missed = sum(kept**s * n for s, n in classes.items())
    single = sum(s * sampling * kept ** (s - 1) * n for s, n in classes.items())
    if grown <= 0 or single <= 0:
        return None
    return sum(classes.values()) + classes.get(1, 0) * weighted / grown * (missed / single) ** 2


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Find where a function that is positive at `low` and negative at `high` crosses 0."""
    for _ in range(STEPS):
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def digamma(x: float) -> float:
    """Return the derivative of the logarithm of the gamma function, for a number above 0, to about 1e-14.

    >>> round(digamma(1.0), 12)
    -0.577215664902
    """
    shifted = 0.0
    while x < 12:
        shifted -= 1 / x
        x += 1
    inverse = 1 / (x * x)
    series = inverse * (
        1 / 12
        - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse * (1 / 132))))
    )
    return shifted + math.log(x) - 0.5 / x - series
