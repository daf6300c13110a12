"""t-closeness on the database against brute force in fractions; and whether it is monotone where it says so."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from oracle import SEARCHES, Problem, optimum_of, problems
from tiers import examples

import kanon_sql

BOUNDS = st.integers(0, 19).map(lambda n: Fraction(n, 20))


@st.composite
def closenesses(draw):
    """A problem with sensitive values and a t."""
    problem = draw(problems(entity=draw(st.booleans())))
    count = len(problem.rows)
    values = st.lists(st.sampled_from(("a", "b", "c", None)), min_size=count, max_size=count)
    return replace(problem, spread=draw(values), t=draw(BOUNDS), _seen={})


def planned(writer, problem, search):
    try:
        return kanon_sql.plan(writer.policy(problem, search), writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return None


@pytest.mark.parametrize("algorithm", ["optimal", "exhaustive", "lightning"])
@examples(20)
@given(problem=closenesses(), search=st.sampled_from(SEARCHES))
def test_the_plan_has_the_least_cost(*, algorithm, writer, problem, search):
    search = {**search, "algorithm": algorithm}
    plan = planned(writer, problem, search)
    event("feasible" if problem.feasible else "infeasible")
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert plan.cost == pytest.approx(optimum_of(problem, search), rel=1e-9, abs=1e-7)
        out = problem.outcome(tuple(plan.levels.values()))
        assert (plan.suppressed_rows, plan.classes) == (out.suppressed, len(out.kept))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["incognito", "flash", "ola", "breadth_first", "all_min"])
@examples(10)
@given(problem=closenesses())
def test_searches_that_prune_find_it_where_nothing_is_suppressed(*, algorithm, writer, problem):
    problem = replace(problem, max_suppressed=0, _seen={})
    plan = planned(writer, problem, {"algorithm": algorithm})
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert tuple(plan.levels.values()) in problem.feasible


@examples(300)
@given(problem=closenesses())
def test_it_is_monotone_where_nothing_is_suppressed(problem):
    """A hunt for what contradicts `Monotony.UNSUPPRESSED`: a coarser node than a feasible one that is not."""
    problem = replace(problem, max_suppressed=0, _seen={})
    for node in problem.feasible:
        for at, top in enumerate(problem.tops):
            if node[at] < top:
                coarser = (*node[:at], node[at] + 1, *node[at + 1 :])
                assert problem.outcome(coarser).feasible


def test_it_is_not_monotone_where_rows_may_be_suppressed():
    """The row of b may go; under ab it takes a with it, which alone is as the table is."""
    labels = {"a": ["ab", "*"], "b": ["ab", "*"], "c": ["c", "*"]}
    values = {"a": ["flu", "cold"] * 2, "b": ["flu"], "c": ["flu", "cold"] * 5}
    rows = [(z,) for z, diseases in values.items() for _ in diseases]
    spread = [each for diseases in values.values() for each in diseases]
    problem = Problem(rows, [labels], max_suppressed=1, spread=spread, t=Fraction(1, 20))
    assert [problem.outcome((at,)).suppressed for at in (0, 1, 2)] == [1, 5, 0]
    assert problem.feasible == {(0,), (2,)}


@pytest.mark.parametrize("recoding", ["full_domain", "local", "cells"])
@examples(15)
@given(problem=closenesses())
def test_no_released_class_is_farther_from_the_source_than_t(*, recoding, writer, problem):
    policy = writer.policy(problem, {"recoding": recoding})
    try:
        made = kanon_sql.anonymize(policy, writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return
    with made:
        names = ", ".join(f"q{n}" for n in range(len(problem.tops)))
        released = made.relation.project(f"id, {names}").fetchall()
    event(f"{len(made.plan.recoding.nodes)} nodes")
    classes = defaultdict(list)
    for row, *labels in released:
        classes[tuple(map(str, labels))].append(row)
    assert all(problem.fits(members, problem.k, problem.l) for members in classes.values())
    worst = max((problem.distance(members) for members in classes.values()), default=Fraction(0))
    (told,) = made.verification.worst["largest_distance"].values()
    assert 0 <= told - float(worst) <= 1e-9
