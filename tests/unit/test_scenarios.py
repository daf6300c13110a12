"""Searches that share their checks, over a checker that counts in Python."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, Problem, optimum_of, problems

from kanon_sql.counting.lattice.result import Guarantee
from kanon_sql.evidence.explanation.explanation import Certainty
from kanon_sql.evidence.explanation.lattice_picture import lattice_nodes
from kanon_sql.evidence.explanation.scenarios import (
    FIRST_CHECKS,
    Analysis,
    Scenarios,
    relaxed_by_one,
    with_k,
)
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.privacy.l_diversity import DistinctDiversity
from kanon_sql.policy.privacy.privacy_model import SensitiveNulls
from kanon_sql.recoding.searches.optimal import optimal

searches = st.sampled_from(AT_ONE_NODE)
KS = (2, 3, 5)
LIMITS = (0, 2, 4)


class CountingChecker:
    """Counts nodes under several thresholds by brute force, and records which."""

    def __init__(self, problem, checker, metric, *, one_pass=True, late_after=None):
        self.problem, self._checker, self._metric = problem, checker, metric
        self.checker = checker(problem, metric)
        self.checker.late = lambda: late_after is not None and len(self.asked) >= late_after
        self.one_pass = one_pass
        self.asked = []

    @property
    def counted(self):
        return len(self.asked)

    def __getattr__(self, name):
        return getattr(self.checker, name)

    def under(self, thresholds):
        diverse = next((each.bound for each in thresholds[0].requirements[1:]), 1)
        problem = replace(self.problem, k=thresholds[0].class_size, l=diverse, _seen={})
        under = self._checker(problem, self._metric)
        under.suppressed_figures = lambda verdicts, _: [under._figures(v) for v in verdicts]
        return under

    def count_under(self, nodes, several):
        self.asked += [node.levels for node in nodes]
        each = [self.under(thresholds).check(nodes) for thresholds in several]
        return [[verdict.counts for verdict in of] for of in zip(*each, strict=True)]


def bar_of(problem):
    models = [KAnonymity(problem.k)]
    if problem.spread is not None:
        nulls = SensitiveNulls("value" if problem.counts_null else "not_counted")
        models.append(DistinctDiversity("s", problem.l, nulls=nulls))
    return demands(tuple(models))


def asked_of(problem, checker, metric, *, monotone=True, **options):
    """Scenarios of a problem under its own thresholds, those relaxed by one, and some with other k."""
    bar = bar_of(problem)
    bars = [bar, *(less for *_, less in relaxed_by_one(bar)), *(with_k(bar, k) for k in KS)]
    counting = CountingChecker(problem, checker, metric, **options)
    return counting, Scenarios(counting, bars, lambda _: monotone)


def analysis_of(scenarios, problem, most_nodes=10**6):
    names = [f"q{n}" for n in range(len(problem.tops))]
    return Analysis(
        scenarios,
        names=names,
        max_suppressed=problem.max_suppressed,
        most_nodes=most_nodes,
        searches=len(names),
        deadline=time.monotonic() + 600,
    )


@pytest.mark.parametrize("monotone", [True, False])
@given(problem=problems(most_rows=20), search=searches)
def test_each_scenariofinds_what_a_search_by_itself_finds(
    *, monotone, fake_checker, metric, problem, search
):
    _, scenarios = asked_of(problem, fake_checker, metric(search), monotone=monotone)
    for k in KS:
        for limit in LIMITS:
            other = replace(problem, k=k, max_suppressed=limit, _seen={})
            found = scenarios.best(scenarios.scenario(with_k(scenarios.variants[0], k), limit))
            alone = optimal(fake_checker(other, metric(search), monotone=monotone))
            assert (found and found.verdict.node) == (alone and alone.verdict.node)
            assert found is None or found.optimal
            assert (found and found.cost) == (alone and alone.cost)


@given(problem=problems(most_rows=20), search=searches)
def test_no_node_is_counted_twice_by_any_number_of_scenarios(fake_checker, metric, problem, search):
    counting, scenarios = asked_of(problem, fake_checker, metric(search))
    asked = analysis_of(scenarios, problem)
    optimum = asked.optimum()
    asked.frontier(KS, LIMITS, optimum)
    list(asked.columns(optimum))
    lattice_nodes(asked.own, [Node(problem.tops)], most=10**6, looked_at=True)
    assert sorted(counting.asked) == sorted(problem.nodes)


def broad():
    tree = {v: [f"{v // 2}", f"{v // 4}", f"{v // 8}", "*"] for v in range(16)}
    rows = [(i * 7 % 16, i * 5 % 16, i * 3 % 16) for i in range(64)]
    return Problem(rows, [dict(tree) for _ in range(3)], k=3, max_suppressed=3)


def test_what_one_scenariofound_is_not_asked_by_the_next(fake_checker, metric):
    problem = broad()
    counting, scenarios = asked_of(problem, fake_checker, metric({"metric": "loss"}))
    asked = analysis_of(scenarios, problem)
    asked.frontier(KS, LIMITS, asked.optimum())
    alone = 0
    for k in KS:
        for limit in LIMITS:
            checker = fake_checker(
                replace(problem, k=k, max_suppressed=limit, _seen={}), metric({"metric": "loss"})
            )
            optimal(checker)
            alone += len(checker.checked)
    assert len(counting.asked) < alone / 2
    assert len(counting.asked) < len(problem.nodes)


def test_a_search_that_is_told_all_verdicts_asks_for_the_top_alone(fake_checker, metric):
    problem = broad()
    checker = fake_checker(problem, metric({"metric": "loss"}))
    known = checker.check([Node(levels) for levels in problem.nodes])
    checker.checked.clear()
    found = optimal(checker, known=known)
    assert found.optimal
    assert found.cost == pytest.approx(optimum_of(problem, {"metric": "loss"}))
    assert checker.checked == [problem.tops]


def test_where_passes_are_not_shared_only_the_bar_that_is_asked_is_counted(fake_checker, metric):
    problem = broad()
    counting, scenarios = asked_of(
        problem, fake_checker, metric({"metric": "loss"}), one_pass=False
    )
    scenarios.counts(scenarios.variants[0], [Node(problem.tops)])
    assert scenarios.known(scenarios.variants[0])
    assert not scenarios.known(scenarios.variants[1])
    assert counting.counted == 1


def test_what_was_not_reached_in_time_says_so(fake_checker, metric):
    problem = broad()
    _, scenarios = asked_of(problem, fake_checker, metric({"metric": "loss"}), late_after=12)
    asked = analysis_of(scenarios, problem)
    node = Node((4, 4, 3))
    cost = asked.own.costs(asked.own.check([node]))[0]
    beside = list(
        asked.neighbours(node, cost=cost, algorithm="optimal", promise=Guarantee.FEASIBLE)
    )
    assert {each.levels for each in beside} == {(3, 4, 3), (4, 3, 3), (4, 4, 2), (4, 4, 4)}
    cells = asked.frontier(KS, LIMITS, asked.optimum())
    known = {cell.optimum.known for cell in cells}
    assert Certainty.NOT_REACHED in known
    assert not any(c.pareto for c in cells if c.optimum.known is Certainty.NOT_REACHED)
    members = lattice_nodes(asked.own, [node], most=10**6, looked_at=True)
    assert len(members) == len(problem.nodes)
    assert any(each.feasible is None for each in members)
    for each in members:
        if each.feasible is not None:
            assert each.suppressed_rows == problem.outcome(each.levels).suppressed
        if each.minimal is not None:
            assert each.minimal == (each.levels in problem.minimal)


def test_a_lattice_too_large_to_hold_is_searched_for_a_while(fake_checker, metric):
    problem = broad()
    counting, scenarios = asked_of(problem, fake_checker, metric({"metric": "loss"}))
    found = analysis_of(scenarios, problem, most_nodes=10).optimum()
    assert found.known in {Certainty.PROVEN, Certainty.BEST_FOUND}
    assert problem.outcome(found.levels).suppressed <= problem.max_suppressed
    assert len(counting.asked) <= FIRST_CHECKS


def test_of_a_large_lattice_what_lies_around_and_what_was_looked_at_is_given(fake_checker, metric):
    problem = broad()
    counting, scenarios = asked_of(problem, fake_checker, metric({"metric": "loss"}))
    asked = analysis_of(scenarios, problem)
    found = asked.optimum()
    looked_at = set(counting.asked)
    members = {
        each.levels: each
        for each in lattice_nodes(asked.own, [Node((2, 2, 2))], most=60, looked_at=True)
    }
    assert len(members) < len(problem.nodes)
    assert looked_at <= members.keys()
    near = {n for n in problem.nodes if sum(abs(a - 2) for a in n) <= 2}
    assert near <= members.keys()
    assert members[found.levels].feasible
    assert members[2, 2, 2].chosen


@given(problem=problems(most_rows=12), data=st.data())
def test_minimal_means_no_feasible_node_below_whatever_the_models(
    *, fake_checker, metric, problem, data
):
    allowed = data.draw(st.sets(st.sampled_from(problem.nodes)))
    _, scenarios = asked_of(problem, fake_checker, metric({"metric": "height"}), monotone=False)
    asked = analysis_of(scenarios, problem)
    own = asked.own._verdict
    asked.own._verdict = lambda node, counts: replace(
        own(node, counts), feasible=node.levels in allowed
    )
    minimal = {
        node
        for node in allowed
        if not any(
            other != node and all(a <= b for a, b in zip(other, node, strict=True))
            for other in allowed
        )
    }
    assert {
        m.levels
        for m in lattice_nodes(asked.own, [Node(problem.tops)], most=10**6, looked_at=True)
        if m.minimal
    } == minimal
