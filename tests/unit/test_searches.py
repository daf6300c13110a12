"""The searches over a checker that counts in Python, against brute force."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, Problem, cost_of, optimum_of, problems

from kanon_sql.counting.lattice.result import LeastCost, offer
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.search_options import Preference
from kanon_sql.recoding.searches.binary_searches import samarati
from kanon_sql.recoding.searches.incognito import incognito
from kanon_sql.recoding.searches.lightning import lightning
from kanon_sql.recoding.searches.optimal import breadth_first, exhaustive, optimal

searches = st.sampled_from(AT_ONE_NODE)
batches = st.sampled_from((1, 2, 16))
PROVING = {
    "optimal": optimal,
    "lightning": lightning,
    "incognito": incognito,
    "exhaustive": exhaustive,
    "breadth_first": breadth_first,
}


def approx(cost):
    return pytest.approx(cost, rel=1e-7, abs=1e-7)  # logarithms have nine places


@pytest.mark.parametrize("name", PROVING)
@given(problem=problems(full_suppression=True), search=searches, batch=batches)
def test_the_proven_cost_is_the_least(*, name, fake_checker, metric, problem, search, batch):
    found = PROVING[name](fake_checker(problem, metric(search), batch=batch))
    if not problem.feasible:
        assert found is None
        return
    least = min(cost_of(problem, node, search) for node in problem.feasible)
    assert found.optimal
    assert found.verdict.feasible
    assert found.cost == approx(least)
    assert cost_of(problem, found.verdict.node.levels, search) == approx(least)


@given(problem=problems(), search=searches, batch=batches)
def test_all_algorithms_choose_the_same_node_among_equals(
    fake_checker, metric, problem, search, batch
):
    chosen = {
        name: run(fake_checker(problem, metric(search), batch=batch))
        for name, run in PROVING.items()
    }
    assert len({found and (found.verdict.node, found.cost) for found in chosen.values()}) == 1


@pytest.mark.parametrize("name", ["incognito", "exhaustive"])
@given(problem=problems(full_suppression=True), batch=batches)
def test_all_feasible_and_minimal_nodes_are_enumerated(name, fake_checker, metric, problem, batch):
    found = PROVING[name](fake_checker(problem, metric({"metric": "height"}), batch=batch))
    if not problem.feasible:
        assert found is None
        return
    assert [node.levels for node in found.feasible] == sorted(problem.feasible)
    assert [node.levels for node in found.minimal] == sorted(problem.minimal)


@pytest.mark.parametrize("preference", [p for p in Preference if p is not Preference.COST])
@given(problem=problems(full_suppression=True), search=searches, batch=batches)
def test_samarati_finds_the_least_height_and_prefers_within_its_layer(
    *, preference, fake_checker, metric, problem, search, batch
):
    found = samarati(fake_checker(problem, metric(search), batch=batch), preference)
    if not problem.feasible:
        assert found is None
        return
    levels = found.verdict.node.levels
    assert sum(levels) == problem.least_height
    assert levels == min(problem.preferred(preference.value))
    assert levels in problem.minimal
    assert found.cost == approx(cost_of(problem, levels, search))
    assert found.optimal == (search["metric"] == "height")


@given(problem=problems(most_rows=12), search=searches, batch=batches, data=st.data())
def test_without_monotony_optimal_still_finds_the_least(
    *, fake_checker, metric, problem, search, batch, data
):
    allowed = data.draw(st.sets(st.sampled_from(problem.nodes)))
    verdicts = {node: node in allowed for node in problem.nodes}
    found = [
        run(fake_checker(problem, metric(search), batch=batch, monotone=False, verdicts=verdicts))
        for run in (optimal, exhaustive)
    ]
    if not allowed:
        assert found == [None, None]
        return
    least = min(cost_of(problem, node, search) for node in allowed)
    assert all(each.optimal and each.cost == approx(least) for each in found)
    assert {node.levels for node in found[1].feasible} == allowed


@given(problems(), searches, batches)
def test_no_search_checks_a_node_twice(fake_checker, metric, problem, search, batch):
    runs = [*PROVING.values(), lambda checker: samarati(checker, Preference.ABSOLUTE)]
    for run in runs:
        checker = fake_checker(problem, metric(search), batch=batch)
        run(checker)
        assert len(checker.checked) == len(set(checker.checked))


@given(problem=problems(), search=searches, batch=batches, late_after=st.integers(1, 6))
def test_a_search_cut_short_gives_a_feasible_node_and_claims_no_proof(
    *, fake_checker, metric, problem, search, batch, late_after
):
    runs = [*PROVING.values(), lambda checker: samarati(checker, Preference.ABSOLUTE)]
    for run in runs:
        checker = fake_checker(problem, metric(search), batch=batch, late_after=late_after)
        found = run(checker)
        if found is None:
            assert not problem.feasible
            continue
        assert found.verdict.feasible
        if found.optimal and search["metric"] != "height":
            assert found.cost == approx(optimum_of(problem, search))


@given(problem=problems(), batch=batches, late_after=st.integers(1, 6))
def test_samarati_looks_at_the_clock_within_a_layer(
    fake_checker, metric, problem, batch, late_after
):
    checker = fake_checker(
        problem, metric({"metric": "height"}), batch=batch, late_after=late_after
    )
    samarati(checker, Preference.ABSOLUTE)
    assert len(checker.checked) < late_after + max(batch, 2)


@given(problem=problems(), search=searches)
def test_of_offered_nodes_only_those_are_priced_that_can_still_win(
    fake_checker, metric, problem, search
):
    """One at a time: none is priced whose floor is above the least cost before it."""
    checker = fake_checker(problem, metric(search), batch=1)
    best, able = LeastCost(), checker.check([Node(levels) for levels in sorted(problem.feasible)])
    priced = offer(checker, best, able)
    if not able:
        assert best.verdict is None
        return
    assert best.cost == min(checker.costs(able))
    floor = checker.metric.floor
    least = priced[0][1]
    for verdict, cost in priced[1:]:
        assert floor(checker.stats, verdict.node, verdict.counts.suppressed) <= least
        least = min(least, cost)


@pytest.mark.parametrize("run", PROVING.values(), ids=PROVING)
def test_a_proof_needs_the_time_to_make_it(run, fake_checker, metric):
    problem = Problem(
        [(a, b) for a in "abcd" for b in "wxyz"] * 2,
        [{v: ["ab" if v in "ab" else "cd", "*"] for v in "abcd"},
         {v: ["wx" if v in "wx" else "yz", "*"] for v in "wxyz"}],
        k=9,
    )  # fmt: skip
    search = {"metric": "loss"}
    late = run(fake_checker(problem, metric(search), batch=1, late_after=1))
    assert late.verdict.feasible
    in_time = run(fake_checker(problem, metric(search), batch=1))
    assert in_time.optimal
    assert not late.optimal


# Of a lattice of height 10, layer 5 is mixed: one of its nodes is feasible, the last in order.
MIXED = {(a, b): a + b > 5 or (a, b) == (5, 0) for a in range(6) for b in range(6)}


def test_samarati_moves_its_bounds_once_a_layer(fake_checker, metric):
    """Moving them inside the loop over a layer stops one layer too high when it is mixed."""
    tree = {"x": ["1", "2", "3", "4", "*"]}
    problem = Problem([("x", "x")], [tree, dict(tree)])
    checker = fake_checker(problem, metric({"metric": "height"}), batch=1, verdicts=MIXED)
    found = samarati(checker, Preference.ABSOLUTE)
    assert found.verdict.node == Node((5, 0))


def test_optimal_checks_fewer_nodes_than_there_are(fake_checker, metric):
    tree = {v: [f"{v // 2}", f"{v // 4}", f"{v // 8}", "*"] for v in range(16)}
    random = Random(2012)
    rows = [tuple(random.randrange(16) for _ in range(3)) for _ in range(64)]
    problem = Problem(rows, [dict(tree) for _ in range(3)], k=3, max_suppressed=3)
    checker = fake_checker(problem, metric({"metric": "loss"}), batch=1)
    found = optimal(checker)
    assert found.cost == approx(optimum_of(problem, {"metric": "loss"}))
    assert len(checker.checked) < len(problem.nodes) / 2
