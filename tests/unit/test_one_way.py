"""The searches that walk one way, Datafly and the greedy, against themselves in plain Python on rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import SEARCHES, Problem, cost_of, problems
from twins import by_datafly, by_greed, told

from kanon_sql.policy.metrics.node import Lattice
from kanon_sql.policy.search_options import Greedy
from kanon_sql.recoding.searches.optimal import datafly, fixed_path, greedy

searches = st.sampled_from(SEARCHES)
batches = st.sampled_from((1, 2, 16))
NAMES = ("q0", "q1", "q2")


def names_of(problem):
    return NAMES[: len(problem.tops)]


@given(problem=problems(full_suppression=True), search=searches, batch=batches)
def test_datafly_does_what_its_loop_does_on_the_rows(
    *, fake_checker, metric, python_counts, problem, search, batch
):
    checker = fake_checker(problem, metric(search), batch=batch)
    found = datafly(checker, names_of(problem))
    expected = by_datafly(problem)
    if expected is None:
        assert found is None
        return
    seen, gone = expected
    assert found.verdict.node.levels == seen[-1]
    assert [(step.distinct, step.short_rows) for step in found.steps] == told(problem, seen)
    assert found.verdict.counts == python_counts(problem, seen[-1], gone)
    assert found.verdict.feasible
    assert not found.optimal
    missing = problem.size(sorted(gone))
    assert missing == 0 or missing >= problem.k


@given(problem=problems(full_suppression=True))
def test_datafly_finds_a_node_wherever_there_is_one(fake_checker, metric, problem):
    checker = fake_checker(problem, metric({"metric": "height"}))
    assert (datafly(checker, names_of(problem)) is None) == (not problem.feasible)


@given(
    problem=problems(full_suppression=True),
    search=searches,
    batch=batches,
    order=st.lists(st.integers(0, 1), unique=True),
)
def test_the_greedy_takes_its_columns_in_order(
    *, fake_checker, metric, problem, search, batch, order
):
    checker = fake_checker(problem, metric(search), batch=batch)
    found = greedy(checker, Greedy(order=tuple(NAMES[c] for c in order)), names_of(problem))
    seen = by_greed(problem, order)
    if seen is None:
        assert found is None
        assert not problem.feasible
        return
    node = found.verdict.node.levels
    assert node == seen[-1]
    assert [(step.distinct, step.short_rows) for step in found.steps] == told(problem, seen)
    assert found.cost == pytest.approx(cost_of(problem, node, search), rel=1e-9, abs=1e-9)
    assert not found.optimal


def test_the_steps_name_what_was_raised_to_which_level(fake_checker, metric):
    trees = [{v: ["*"] for v in "ab"}, {v: [v // 2, "*"] for v in range(4)}]
    problem = Problem([("a", 0), ("b", 1), ("a", 2), ("b", 3)], trees, k=2)
    found = datafly(fake_checker(problem, metric({"metric": "loss"})), ("x", "y"))
    assert [(s.column, s.level, s.distinct, s.short_rows) for s in found.steps] == [
        (None, 0, (2, 4), 4),
        ("y", 1, (2, 2), 4),
        ("x", 1, (1, 2), 0),
    ]


def test_datafly_raises_the_first_of_two_columns_with_as_many_values(fake_checker, metric):
    trees = [{v: ["*"] for v in "ab"} for _ in range(2)]
    problem = Problem([("a", "a"), ("b", "a"), ("b", "b")], trees, k=3)
    found = datafly(fake_checker(problem, metric({"metric": "height"})), ("x", "y"))
    assert [step.column for step in found.steps] == [None, "x", "y"]


def test_datafly_stops_where_as_many_rows_as_k_fall_short(fake_checker, metric):
    """The loop runs while more than k do; `k or more` would generalize once more."""
    tree = {v: ["*"] for v in "abc"}
    problem = Problem([(v,) for v in "aaabbcc"], [tree], k=3, max_suppressed=7)
    assert datafly(fake_checker(problem, metric({"metric": "height"})), ("x",)).steps[-1].level == 1
    problem = Problem([(v,) for v in "aaabcc"], [tree], k=3, max_suppressed=7)
    found = datafly(fake_checker(problem, metric({"metric": "height"})), ("x",))
    assert [(s.level, s.short_rows) for s in found.steps] == [(0, 3)]
    assert found.verdict.counts.suppressed == 3


def test_datafly_suppresses_a_class_more_where_fewer_than_k_rows_would_be_missing(
    fake_checker, metric
):
    tree = {v: ["*"] for v in "abcd"}
    problem = Problem([(v,) for v in "aaabbbcccc" + "d"], [tree], k=3, max_suppressed=4)
    found = datafly(fake_checker(problem, metric({"metric": "height"})), ("x",))
    assert found.verdict.enforced
    assert (found.verdict.counts.suppressed, found.verdict.counts.classes) == (4, 2)
    assert found.steps[-1].short_rows == 1
    within = Problem(problem.rows, [tree], k=3, max_suppressed=3)
    found = datafly(fake_checker(within, metric({"metric": "height"})), ("x",))
    assert found.verdict.node.levels == (1,)


def test_the_greedy_puts_columns_that_are_not_named_last():
    nodes = fixed_path(Lattice((1, 1, 1)), ("a", "b", "c"), ("c",))
    assert [node.levels for node in nodes] == [(0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1)]
