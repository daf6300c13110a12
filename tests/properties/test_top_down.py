"""TDS on the database against itself in plain Python on the rows."""

from __future__ import annotations

import pytest
from cut_searches import expected, from_above, told
from cutting import Node, parts_of, tables
from hypothesis import HealthCheck, event, given
from hypothesis import strategies as st
from tiers import examples
from top_down_oracle import all_smallest, candidates, holds, top_down

from kanon_sql.policy.cut_steps import Average, Score
from kanon_sql.recoding.single_dimensional import specializations


@examples(50)
@given(problem=tables(), score=st.sampled_from(Score), average=st.sampled_from(Average))
def test_the_steps_are_those_that_counting_every_candidate_anew_takes(problem, score, average):
    found = from_above(problem, score=score, average=average)
    wanted = top_down(problem, score.value, average.value)
    if wanted is None:
        assert found is None
        return
    steps, cut = wanted
    event(f"steps: {min(len(steps), 4)}")
    assert told(found[0]) == expected(steps)
    assert found[1] == parts_of(cut)
    sizes = all_smallest(problem, cut)
    assert found[0].smallest == sizes
    assert holds(problem, sizes)
    left = candidates(problem, cut, score.value, average.value)
    assert not [each for each in left if each["valid"] and each["information"] > 0]


@pytest.fixture
def one_a_statement(monkeypatch):
    monkeypatch.setattr(specializations, "AT_ONCE", 1)


@examples(15, suppress_health_check=list(HealthCheck))
@given(problem=tables())
def test_how_many_parts_a_statement_names_changes_nothing(one_a_statement, problem):
    found, wanted = from_above(problem), top_down(problem)
    if wanted is None:
        assert found is None
        return
    assert told(found[0]) == expected(wanted[0])
    assert found[1] == parts_of(wanted[1])


@examples(15)
@given(problem=tables())
def test_what_was_cut_before_the_time_limit_holds(problem):
    found = from_above(problem, deadline=0.0)
    if found is None:
        assert top_down(problem) is None
        return
    result, parts = found
    cut = [
        [Node(low, high, 0) for quasi, _, low, high in parts if quasi == at]
        for at in range(len(problem.trees))
    ]
    assert result.smallest == all_smallest(problem, cut)
    assert holds(problem, result.smallest)
    assert result.cut_short == (len(result.steps) > 0)
