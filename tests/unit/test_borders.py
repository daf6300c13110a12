"""The searches that decide every node, over a checker that counts in Python, against brute force."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import SEARCHES, Problem, close, cost_of, not_above, optimum_of, problems

from kanon_sql.counting.lattice.result import Guarantee
from kanon_sql.policy.metrics.node import Lattice
from kanon_sql.policy.search import Search
from kanon_sql.policy.search_options import Among, Preference, Samarati, default_options
from kanon_sql.recoding.searches.algorithms import ALGORITHMS, LatticeAlgorithm
from kanon_sql.recoding.searches.binary_searches import all_min, flash, mingen, ola, samarati
from kanon_sql.recoding.searches.optimal import breadth_first, exhaustive
from kanon_sql.recoding.searches.predictive_tagging import by_stability

searches = st.sampled_from(SEARCHES)
batches = st.sampled_from((1, 2, 16))
BORDERS = {"all_min": all_min, "flash": flash, "ola": ola}
ENUMERATING = {**BORDERS, "breadth_first": breadth_first}
PREFERENCES = [each.value for each in Preference if each is not Preference.COST]
ALL_MINIMAL = Search(Samarati(among=Among.ALL_MINIMAL))


def levels(nodes):
    return [node.levels for node in nodes]


OF_A_LATTICE = {n: each for n, each in ALGORITHMS.items() if isinstance(each, LatticeAlgorithm)}


@pytest.mark.parametrize("run", ENUMERATING.values(), ids=ENUMERATING)
@given(problem=problems(full_suppression=True), search=searches, batch=batches)
def test_all_feasible_and_minimal_nodes_are_found(
    *, run, fake_checker, metric, problem, search, batch
):
    found = run(fake_checker(problem, metric(search), batch=batch))
    if not problem.feasible:
        assert found is None
        return
    assert levels(found.feasible) == sorted(problem.feasible)
    assert levels(found.minimal) == sorted(problem.minimal)


@pytest.mark.parametrize("run", BORDERS.values(), ids=BORDERS)
@given(problem=problems(full_suppression=True), search=searches, batch=batches)
def test_the_optimum_is_claimed_where_the_metric_is_monotone_and_there_alone(
    *, run, fake_checker, metric, problem, search, batch
):
    checker = fake_checker(problem, metric(search), batch=batch)
    found = run(checker)
    if found is None:
        assert not problem.feasible
        return
    assert found.optimal == metric(search).monotony.holds(problem.max_suppressed)
    seen = problem.minimal if run is all_min else problem.feasible.intersection(checker.checked)
    least = min(cost_of(problem, node, search) for node in seen)
    assert close(found.cost, least)
    assert close(cost_of(problem, found.verdict.node.levels, search), least)
    if found.optimal:
        assert close(found.cost, optimum_of(problem, search))


@given(problem=problems(), search=searches)
def test_among_equals_the_node_is_that_of_the_other_searches(fake_checker, metric, problem, search):
    runs = [exhaustive, breadth_first]
    if metric(search).monotony.holds(problem.max_suppressed):
        runs += BORDERS.values()
    found = [run(fake_checker(problem, metric(search))) for run in runs]
    assert len({each and (each.verdict.node, each.cost) for each in found}) == 1


@pytest.mark.parametrize("preference", PREFERENCES)
@given(problem=problems(full_suppression=True), search=searches)
def test_samarati_prefers_among_all_minimal_nodes(
    *, preference, fake_checker, metric, problem, search
):
    found = samarati(
        fake_checker(problem, metric(search)), Preference(preference), Among.ALL_MINIMAL
    )
    if not problem.feasible:
        assert found is None
        return
    assert found.verdict.node.levels == min(problem.preferred(preference, problem.minimal))
    assert levels(found.minimal) == sorted(problem.minimal)
    assert close(found.cost, cost_of(problem, found.verdict.node.levels, search))


@pytest.mark.parametrize("preference", PREFERENCES)
@given(problem=problems(full_suppression=True), search=searches)
def test_mingen_is_most_precise_and_prefers_among_equals(
    *, preference, fake_checker, metric, problem, search
):
    found = mingen(fake_checker(problem, metric(search)), Preference(preference))
    if not problem.feasible:
        assert found is None
        return
    ties = problem.least_distorted()
    assert found.verdict.node.levels == min(problem.preferred(preference, ties))
    assert levels(found.minimal) == sorted(problem.minimal)
    assert close(found.cost, cost_of(problem, found.verdict.node.levels, search))


@pytest.mark.parametrize("name", OF_A_LATTICE)
@given(
    problem=problems(full_suppression=True), search=searches, preference=st.sampled_from(Preference)
)
def test_every_algorithm_keeps_what_the_table_promises(
    *, name, fake_checker, metric, problem, search, preference
):
    described = ALGORITHMS[name]
    names = tuple(f"q{column}" for column in range(len(problem.tops)))
    checker = fake_checker(problem, metric(search))
    options = default_options(name)
    if hasattr(options, "preference"):
        options = replace(options, preference=preference)
    found = described.run(checker, Search(options), names)
    if not problem.feasible:
        assert found is None
        return
    promise = described.promises(Search(default_options(name)))
    if promise is Guarantee.RARITY:
        return  # its node need not be feasible: cells are blanked, and what is left is recounted
    node = found.verdict.node.levels
    assert node in problem.feasible
    least = optimum_of(problem, search)
    match promise:
        case Guarantee.OPTIMUM:
            assert found.optimal
        case Guarantee.MONOTONE_OPTIMUM:
            assert found.optimal == checker.metric.monotony.holds(problem.max_suppressed)
        case Guarantee.LEAST_HEIGHT:
            assert sum(node) == problem.least_height
        case Guarantee.MINIMAL:
            assert node in problem.minimal
    if found.optimal:
        assert not_above(found.cost, least)


@pytest.mark.parametrize("among", Among)
@pytest.mark.parametrize("preference", Preference)
@given(problem=problems(full_suppression=True), search=searches)
def test_a_preference_is_called_the_optimum_only_where_it_is(
    *, preference, among, fake_checker, metric, problem, search
):
    for run in (lambda c: samarati(c, preference, among), lambda c: mingen(c, preference)):
        found = run(fake_checker(problem, metric(search)))
        if found is not None and found.optimal:
            assert close(found.cost, optimum_of(problem, search))


@given(problem=problems(), search=searches, batch=batches)
def test_no_node_is_checked_twice(fake_checker, metric, problem, search, batch):
    for name, described in OF_A_LATTICE.items():
        checker = fake_checker(problem, metric(search), batch=batch)
        names = tuple(f"q{column}" for column in range(len(problem.tops)))
        described.run(checker, Search(default_options(name)), names)
        assert len(checker.checked) == len(set(checker.checked))


@given(problem=problems(), search=searches, batch=batches, late_after=st.integers(0, 6))
def test_cut_short_they_give_a_feasible_node_and_claim_nothing(
    *, fake_checker, metric, problem, search, batch, late_after
):
    runs = [
        *ENUMERATING.values(),
        lambda checker: mingen(checker, Preference.ABSOLUTE),
        lambda checker: samarati(checker, Preference.ABSOLUTE, Among.ALL_MINIMAL),
    ]
    for run in runs:
        checker = fake_checker(problem, metric(search), batch=batch, late_after=late_after)
        found = run(checker)
        if found is None:
            assert not problem.feasible
            continue
        assert found.verdict.feasible
        if found.optimal:
            assert close(found.cost, optimum_of(problem, search))
        if found.minimal is not None:
            assert levels(found.minimal) == sorted(problem.minimal)


@given(problem=problems(full_suppression=True), batch=batches)
def test_breadth_first_checks_what_is_infeasible_or_minimal(fake_checker, metric, problem, batch):
    checker = fake_checker(problem, metric({"metric": "height"}), batch=batch)
    breadth_first(checker)
    wanted = set(problem.nodes) - problem.feasible | problem.minimal
    assert sorted(checker.checked) == sorted(wanted)


RANDOM = Random(2012)
GRID = Problem(
    [tuple(RANDOM.randrange(16) for _ in range(3)) for _ in range(64)],
    [{v: [f"{v // 2}", f"{v // 4}", f"{v // 8}", "*"] for v in range(16)} for _ in range(3)],
    k=3,
    max_suppressed=3,
)


@pytest.mark.parametrize("run", [flash, ola])
def test_what_was_published_one_check_after_another_is_so_in_batches_too(run, fake_checker, metric):
    checked = []
    for batch in (1, 16):
        checker = fake_checker(GRID, metric({"metric": "height"}), batch=batch)
        run(checker)
        checked.append(checker.checked)
    assert checked[0] == checked[1]


@pytest.mark.parametrize("run", BORDERS.values(), ids=BORDERS)
def test_tagging_both_ways_checks_few_nodes_beside_the_border(run, fake_checker, metric):
    checker = fake_checker(GRID, metric({"metric": "height"}), batch=1)
    run(checker)
    infeasible = set(GRID.nodes) - GRID.feasible
    highest = {n for n in infeasible if not any(n != m and covers(m, n) for m in infeasible)}
    border = GRID.minimal | highest
    assert border <= set(checker.checked)
    assert len(checker.checked) < 2 * len(border) < len(GRID.nodes)


def covers(coarser, finer):
    return all(a >= b for a, b in zip(coarser, finer, strict=True))


@pytest.mark.parametrize("run", [flash, ola])
def test_a_lattice_without_a_feasible_node_is_decided_by_few_checks(run, fake_checker, metric):
    """Nothing is feasible where even the top is not, which half-way up nobody knows."""
    rows = [(v, v) for v in range(3)]
    problem = Problem(rows, [{v: [f"{v // 2}", "*"] for v in range(3)}] * 2, k=4)
    checker = fake_checker(problem, metric({"metric": "height"}))
    assert run(checker) is None
    assert (2, 2) in checker.checked


def test_one_node_is_a_lattice_too(fake_checker, metric):
    for k, feasible in ((1, True), (2, False)):
        problem = Problem([("a",)], [{"a": ["*"]}], k=k)
        for run in ENUMERATING.values():
            found = run(fake_checker(problem, metric({"metric": "height"})))
            assert (found is not None) == feasible
            assert found is None or levels(found.minimal) == [(0,)]


@given(problems())
def test_the_stable_order_goes_by_what_is_generalized_and_not_by_columns(python_stats, problem):
    def key(node):
        gone = [
            1 - len({problem.label(c, row[c], level) for row in problem.rows})
            / len({row[c] for row in problem.rows})
            for c, level in enumerate(node)
        ]  # fmt: skip
        return sum(node), problem.relative_distance(node), sum(gone)

    order = by_stability(Lattice(problem.tops), python_stats(problem))
    assert sorted(order.nodes) == problem.nodes
    for before, after in pairwise(map(key, order.nodes)):
        assert not_above(before, after)
