"""NCP and ambiguity: searched by, refused where they are not counted, and measured again of the release."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from oracle import cost_of, optimum_of, problems
from tiers import examples

import kanon_sql

NAMES = ("ncp", "ambiguity")
metrics = st.sampled_from(NAMES)


def approx(cost):
    return pytest.approx(cost, rel=1e-9, abs=1e-7)


def planned(writer, problem, search):
    try:
        return kanon_sql.plan(writer.policy(problem, search), writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return None


@examples(40)
@given(
    problem=problems(several=True),
    metric=metrics,
    algorithm=st.sampled_from(("optimal", "lightning")),
)
def test_over_several_sets_the_plan_has_the_least_cost(*, writer, problem, metric, algorithm):
    search = {"metric": metric}
    plan = planned(writer, problem, {**search, "algorithm": algorithm})
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert plan.optimal
        assert plan.cost == approx(optimum_of(problem, search))
        assert plan.cost == approx(cost_of(problem, tuple(plan.levels.values()), search))


@examples(40)
@given(problem=problems(), metric=metrics)
def test_what_the_plan_costs_is_measured_of_its_release(*, writer, problem, metric):
    policy, frame = writer.policy(problem, {"metric": metric}), writer.frame(problem)
    try:
        plan = kanon_sql.plan(policy, frame)
    except kanon_sql.InfeasibleError:
        return
    released = kanon_sql.apply(plan, frame, policy=policy).frame()
    found = kanon_sql.quality(released, frame, plan=plan, policy=policy)
    event(f"suppressed: {plan.suppressed_rows > 0}")
    assert (found.figures[metric],) == approx(plan.cost)


@examples(20)
@given(problem=problems(), metric=metrics)
def test_explaining_a_plan_finds_no_cheaper_node(*, writer, problem, metric):
    """A scenario without one of the columns costs by those that are left."""
    policy, frame = writer.policy(problem, {"metric": metric}), writer.frame(problem)
    try:
        plan = kanon_sql.plan(policy, frame)
    except kanon_sql.InfeasibleError:
        return
    assert kanon_sql.explain(plan, frame, policy=policy).plan.cost == plan.cost


def policy_of(search, **more):
    return {
        "version": 1,
        "source": "ages",
        "entity": "row",
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"csv": "ages.csv"}},
            "sex": {"role": "quasi", "hierarchy": {"suppress": True}},
        },
        "privacy": {"k": 2},
        "suppression": 1,
        "search": search,
        **more,
    }


@pytest.mark.parametrize("metric", NAMES)
@pytest.mark.parametrize(
    "search",
    [
        {"algorithm": "optimal", "recoding": "local"},
        {"algorithm": "lightning", "recoding": "cells"},
        {"algorithm": "greedy", "per": "record"},
        {"algorithm": "mu_argus"},
    ],
    ids=lambda search: "-".join(search.values()),
)
def test_where_rows_are_released_at_several_nodes_it_is_refused(metric, search):
    with pytest.raises(kanon_sql.PolicyError, match="counts the labels of one node"):
        kanon_sql.read_policy(policy_of({**search, "metric": metric}))
