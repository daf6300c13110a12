"""People who are compared by all their rows, against brute force: searches, releases, and the recount of any table."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, optimum_of, problems
from tiers import examples

import kanon_sql

PROVING = ("optimal", "exhaustive", "incognito", "lightning", "breadth_first")
FEASIBLE = ("flash", "ola", "all_min", "samarati", "mingen", "greedy")


@st.composite
def of_people(draw):
    """A problem whose classes are people with the same rows; most people have few."""
    problem = draw(problems(entity=False))
    people = st.integers(0, draw(st.sampled_from((3, 9, 40))))
    count = len(problem.rows)
    entities = draw(st.lists(people, min_size=count, max_size=count))
    return replace(problem, entities=entities, signature=True, _seen={})


def planned(writer, problem, search):
    try:
        return kanon_sql.plan(writer.policy(problem, search), writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return None


@pytest.mark.parametrize("algorithm", PROVING)
@examples(25)
@given(problem=of_people(), search=st.sampled_from(AT_ONE_NODE))
def test_the_plan_has_the_least_cost_of_all_nodes(writer, problem, search, algorithm):
    search = {**search, "algorithm": algorithm}
    plan = planned(writer, problem, search)
    event("feasible" if problem.feasible else "infeasible")
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert plan.cost == pytest.approx(optimum_of(problem, search), rel=1e-9, abs=1e-7)
        out = problem.outcome(tuple(plan.levels.values()))
        assert (plan.suppressed_rows, plan.classes) == (out.suppressed, len(out.kept))
        assert plan.smallest_class == min(out.sizes[each] for each in out.kept)


@pytest.mark.parametrize("algorithm", FEASIBLE)
@pytest.mark.sampled(3)
@examples(10)
@given(problem=of_people())
def test_other_searches_find_a_feasible_node_where_there_is_one(writer, problem, algorithm):
    plan = planned(writer, problem, {"algorithm": algorithm})
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert tuple(plan.levels.values()) in problem.feasible


@examples(100)
@given(problem=of_people())
def test_it_is_monotone(problem):
    """Merging labels only merges signatures: no coarser node keeps fewer rows."""
    for node in problem.nodes:
        for at, top in enumerate(problem.tops):
            if node[at] < top:
                coarser = (*node[:at], node[at] + 1, *node[at + 1 :])
                finer = problem.outcome(node).suppressed_rows
                assert problem.outcome(coarser).suppressed_rows <= finer


@examples(30)
@given(problem=of_people(), search=st.sampled_from(AT_ONE_NODE))
def test_all_rows_of_a_person_are_released_or_none_and_k_people_have_the_same(
    writer, problem, search
):
    try:
        release = kanon_sql.anonymize(writer.policy(problem, search), writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return
    names = [f"q{n}" for n in range(len(problem.tops))]
    with release:
        rows = release.relation.to_arrow_table().to_pylist()
    had = defaultdict(list)
    for row in rows:
        had[row["person"]].append(tuple(row[name] for name in names))
    alike = Counter(tuple(sorted(own, key=repr)) for own in had.values())
    assert min(alike.values()) >= problem.k
    assert len(alike) == release.verification.classes == release.plan.classes
    before = Counter(problem.entities)
    assert all(len(own) == before[person] for person, own in had.items())
    assert [each.unique for each in release.verification.linked] == [alike.total() and 0] * (
        problem.k > 1
    ) or problem.k == 1


@examples(20)
@given(problem=of_people())
def test_verify_counts_any_table_like_python(writer, problem):
    bottom = problem.outcome((0,) * len(problem.tops))
    found = kanon_sql.verify(
        writer.frame(problem),
        quasi=[f"q{c}" for c in range(len(problem.tops))],
        k=problem.k,
        signature="person",
        distinct_l=None if problem.spread is None else {"s": problem.l},
        sensitive_nulls="value" if problem.counts_null else "not_counted",
    )
    assert (found.classes, found.rows) == (len(bottom.rows_of), len(problem.rows))
    assert found.smallest_class == min(bottom.sizes.values())
    assert found.short_classes == len(bottom.rows_of) - len(bottom.kept)
