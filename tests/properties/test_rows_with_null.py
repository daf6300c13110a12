"""`nulls: suppress` against brute force: rows with NULL are in no class, and suppressed at every node."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import class_models
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, SEARCHES, cost_of, optimum_of, problems
from tiers import examples

import kanon_sql

COUNTED = "counted"


@st.composite
def with_nulls(draw, **options):
    """A problem of which some rows, but not all, have NULL in a quasi-identifier."""
    drawn = draw(problems(full_suppression=True, **options))
    problem = replace(
        drawn,
        leaves_out_nulls=True,
        hierarchies=[dict(each) for each in drawn.hierarchies],
        without_entry=set(),
        _seen={},
    )
    for column in drawn.without_entry:
        del problem.hierarchies[column][None]
    assume(len(problem.in_classes) >= problem.k)
    assume(problem.l <= len(problem.in_classes))
    return problem


def planned(writer, problem, search):
    try:
        return kanon_sql.plan(writer.policy(problem, search), writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return None


@pytest.mark.parametrize("algorithm", ["optimal", "exhaustive", "lightning"])
@pytest.mark.sampled(2)
@examples(40)
@given(data=st.data(), search=st.sampled_from(AT_ONE_NODE))
def test_the_plan_has_the_least_cost(algorithm, writer, data, search):
    assume(search.get("suppressed") != COUNTED)
    problem = data.draw(with_nulls())
    search = {**search, "algorithm": algorithm}
    plan = planned(writer, problem, search)
    event("feasible" if problem.feasible else "infeasible")
    event("some left out" if problem.left_out else "none left out")
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert plan.cost == pytest.approx(optimum_of(problem, search), rel=1e-9, abs=1e-7)
        out = problem.outcome(tuple(plan.levels.values()))
        assert (plan.suppressed_rows, plan.classes) == (out.suppressed, len(out.kept))
        assert plan.source_rows == len(problem.rows)


@pytest.mark.sampled(2)
@examples(30)
@given(data=st.data(), search=st.sampled_from(SEARCHES))
def test_no_bound_of_a_node_is_above_its_cost(sql_check, writer, data, search):
    """The floors by which searches leave nodes out count the rows that are left out, too."""
    assume(search.get("suppressed") != COUNTED)
    problem = data.draw(with_nulls())
    policy, frame = writer.policy(problem, search), writer.frame(problem)
    with sql_check(policy, frame, limit=len(problem.rows)) as (checker, _, _):
        nodes = list(checker.lattice.nodes())
        verdicts = checker.check(nodes)
        floors = checker.metric.floors(checker.stats, checker.lattice)
        for verdict, cost, floor in zip(verdicts, checker.costs(verdicts), floors, strict=True):
            gone = verdict.counts.suppressed
            own = checker.metric.floor(checker.stats, verdict.node, gone)
            assert gone == problem.outcome(verdict.node.levels).suppressed
            assert cost == pytest.approx(
                cost_of(problem, verdict.node.levels, search), rel=1e-9, abs=1e-7
            )
            for bound in (floor, own):
                assert bound <= tuple(x + abs(x) * 1e-9 + 1e-7 for x in cost)


@pytest.mark.parametrize("references", [("source",), ("release",), ("source", "release")])
@pytest.mark.sampled(2)
@examples(20)
@given(data=st.data())
def test_values_of_rows_with_null_are_of_the_source(references, writer, data):
    """A class is compared with all rows of the source, and with what is released of them."""
    problem = data.draw(with_nulls(entity=False))
    values = st.sampled_from(("a", "b", "c"))
    count = len(problem.rows)
    t = data.draw(st.integers(0, 19).map(lambda n: Fraction(n, 20)))
    rule = class_models.equal_distance(t, *references)
    spread = data.draw(st.lists(values, min_size=count, max_size=count))
    problem = replace(problem, spread=spread, l=1, rule=rule, _seen={})
    plan = planned(writer, problem, {"algorithm": "exhaustive"})
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        released = kanon_sql.anonymize(
            writer.policy(problem, {"algorithm": "exhaustive"}), writer.frame(problem)
        )
        assert released.verification.rows == count - plan.suppressed_rows
