"""Estimates of population uniques: published figures, and each model's formulas summed term by term."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from kanon_sql.policy.privacy.population_uniques import Estimator, digamma, estimate_uniques

ADULT = {
    1: 15512, 2: 2098, 3: 754, 4: 375, 5: 189, 6: 155, 7: 97, 8: 73, 9: 39, 10: 37, 11: 29, 12: 18, 13: 23,
    14: 14, 15: 15, 16: 9, 17: 11, 18: 10, 19: 10, 20: 5, 21: 3, 22: 4, 23: 3, 24: 2, 25: 1, 26: 3, 27: 5,
    29: 1, 30: 2, 32: 1, 34: 1, 35: 1, 36: 1, 45: 1,
}  # fmt: skip
"""The class sizes of Adult (UCI, CC BY 4.0; 30,162 rows) over its nine quasi-identifiers, as they are."""

SIZES = st.dictionaries(st.integers(1, 60), st.integers(1, 40), min_size=1, max_size=12)
FRACTIONS = st.sampled_from([0.001, 0.05, 0.1, 0.3, 0.5, 0.9, 1.0])


def test_adult_has_the_figures_of_arx():
    """ARX's own test of its estimators on this table, at a sampling fraction of a tenth."""
    found = estimate_uniques(ADULT, 0.1)
    assert found.population == 301_620
    assert found.pitman == pytest.approx(0.27685, abs=5e-6)
    assert found.zayatz == pytest.approx(0.32074, abs=5e-6)
    assert (found.chosen, found.dankar) == (Estimator.PITMAN, found.pitman)


def likelihood(sizes, theta, alpha):
    """The logarithm of Pitman's sampling formula, without what depends on neither parameter."""
    rows = sum(size * many for size, many in sizes.items())
    found = sum(math.log(theta + i * alpha) for i in range(1, sum(sizes.values())))
    found -= sum(math.log(theta + i) for i in range(1, rows))
    return found + sum(
        many * math.log(i - alpha) for size, many in sizes.items() for i in range(1, size)
    )


def climbed(sizes):
    """The theta and alpha of the greatest likelihood, by ever smaller steps uphill."""
    at, step = (10.0, 0.5), (5.0, 0.2)
    while step[0] > 1e-3:
        around = [
            (theta, alpha)
            for theta in (at[0] - step[0], at[0], at[0] + step[0])
            for alpha in (at[1] - step[1], at[1], at[1] + step[1])
            if theta > 0 and 0 < alpha < 1
        ]
        best = max(around, key=lambda each: likelihood(sizes, *each))
        step = step if best != at else (step[0] / 2, step[1] / 2)
        at = best
    return at


@pytest.mark.parametrize(
    "sizes", [{1: 60, 2: 9, 3: 4, 5: 2, 9: 1, 14: 1}, {1: 100, 2: 10, 3: 9, 20: 2}]
)
def test_pitman_is_at_the_greatest_likelihood(sizes):
    rows = sum(size * many for size, many in sizes.items())
    theta, alpha = climbed(sizes)
    uniques = math.gamma(theta + 1) / math.gamma(theta + alpha) * (20 * rows) ** alpha
    assert estimate_uniques(sizes, 0.05).pitman == pytest.approx(uniques / (20 * rows), rel=1e-3)


@examples(60)
@given(sizes=SIZES, sampling=FRACTIONS)
def test_zayatz_is_a_quotient_of_hypergeometric_probabilities(sizes, sampling):
    rows = sum(size * many for size, many in sizes.items())
    population = max(round(rows / sampling), rows)
    found = estimate_uniques(sizes, sampling)
    assert found.population == population
    alone = sizes.get(1, 0)
    if alone == 0:
        assert found.zayatz == 0
        return

    def one_drawn(size):
        ways = size * math.comb(population - size, rows - 1)
        return ways / math.comb(population, rows)

    if population < 3_000:
        drawn = sum(many * one_drawn(size) for size, many in sizes.items())
        expected = alone * one_drawn(1) / drawn * alone * (population / rows) / population
        assert found.zayatz == pytest.approx(min(expected, 1))


@examples(60)
@given(sizes=SIZES, sampling=FRACTIONS)
def test_estimates_are_shares_and_the_rule_chooses_among_them(sizes, sampling):
    found = estimate_uniques(sizes, sampling)
    shares = {each: found.share(each) for each in Estimator}
    assert all(share is None or 0 <= share <= 1 for share in shares.values())
    zayatz, snb = shares[Estimator.ZAYATZ], shares[Estimator.SNB]
    if sampling <= 0.1:
        first = shares[Estimator.PITMAN]
        expected = zayatz if first is None else first
    else:
        expected = zayatz if snb is None else min(snb, zayatz)
    assert found.dankar == expected == shares[found.chosen]


def negative_binomial(drawn, alpha, beta):
    """Draw from a negative binomial distribution: a Poisson whose mean is gamma distributed."""
    bound, many, product = (
        math.exp(-drawn.gammavariate(alpha, (1 - beta) / beta)),
        0,
        drawn.random(),
    )
    while product > bound:
        many, product = many + 1, product * drawn.random()
    return many


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.3), (1, 0.5), (2, 0.5), (0.2, 0.1)])
@pytest.mark.parametrize("sampling", [0.5, 0.8])
def test_snb_recovers_a_population_of_its_own_model(alpha, beta, sampling):
    drawn = random.Random(5)
    population = [1 + negative_binomial(drawn, alpha, beta) for _ in range(20_000)]
    sample = [sum(drawn.random() < sampling for _ in range(size)) for size in population]
    found = estimate_uniques(Counter(size for size in sample if size), sampling)
    assert found.snb == pytest.approx(population.count(1) / sum(population), abs=0.01)


def test_of_the_whole_population_its_uniques_are_counted():
    found = estimate_uniques({1: 30, 2: 10, 7: 2}, 1.0)
    assert found.population == 64
    assert found.zayatz == found.snb == found.dankar == 30 / 64


def test_without_sample_uniques_there_are_none():
    found = estimate_uniques({2: 10, 7: 2}, 0.1)
    assert {found.share(each) for each in Estimator} == {0.0}


def test_where_an_estimator_has_no_solution_the_rule_takes_zayatz():
    found = estimate_uniques({1: 50}, 0.1)
    assert found.pitman is found.snb is None
    assert (found.chosen, found.dankar) == (Estimator.ZAYATZ, 1.0)


def test_a_table_of_a_hundred_million_rows_takes_no_time():
    sizes = {1: 10_000_000, 2: 2_000_000, 3: 900_000, 1000: 5_000, 50_000: 1_000, 20_000_000: 1}
    found = estimate_uniques(sizes, 0.01)
    assert 0 < found.dankar < 10_000_000 / sum(s * n for s, n in sizes.items())


@pytest.mark.parametrize("x", [1e-3, 0.5, 1, 7.25, 1e3, 1e12])
def test_digamma_is_the_slope_of_the_logarithm_of_gamma(x):
    assert digamma(x + 1) == pytest.approx(digamma(x) + 1 / x, rel=1e-12)
    if x < 1e6:
        step = x * 1e-5
        slope = (math.lgamma(x + step) - math.lgamma(x - step)) / (2 * step)
        assert digamma(x) == pytest.approx(slope, rel=1e-6, abs=1e-6)
