"""TDS on the database against itself in plain Python on the rows."""

from __future__ import annotations

from itertools import product

import pytest
from cut_searches import expected, from_above, told
from cutting import Node, parts_of, tables
from hypothesis import HealthCheck, event, given
from hypothesis import strategies as st
from tiers import examples
from top_down_oracle import all_smallest, candidates, holds, top_down

from kanon_sql.policy.cut_steps import Average, Score
from kanon_sql.recoding.single_dimensional import top_down as top_down_table


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


def cuts_of(node):
    """Every cut of a tree: the node itself, or a cut of each of its children."""
    yield [node]
    if node.children:
        for parts in product(*(list(cuts_of(child)) for child in node.children)):
            yield [part for of_child in parts for part in of_child]


def finer(cut, than):
    """Whether each part of a cut lies in one of another, column by column, and the two differ."""
    within = all(
        any(outer.low <= part.low and part.high <= outer.high for outer in others)
        for parts, others in zip(cut, than, strict=True)
        for part in parts
    )
    return within and list(map(len, cut)) != list(map(len, than))


@examples(25)
@given(problem=tables(lines=False, most=15, depth=1))
def test_of_all_cuts_none_that_is_valid_is_finer_than_the_one_by_loss(problem):
    """Counted over every cut that there is, whatever steps lead to it."""
    found = from_above(problem, score=Score.LOSS)
    every = [list(cut) for cut in product(*(list(cuts_of(root)) for root in problem.roots))]
    valid = [cut for cut in every if holds(problem, all_smallest(problem, cut))]
    if found is None:
        assert not valid
        return
    (own,) = [cut for cut in valid if parts_of(cut) == found[1]]
    event(f"valid cuts: {min(len(valid), 3)}")
    assert not [cut for cut in valid if finer(cut, own)]


@pytest.fixture
def one_a_statement(monkeypatch):
    monkeypatch.setattr(top_down_table, "AT_ONCE", 1)


@examples(15, suppress_health_check=list(HealthCheck))
@given(problem=tables(), score=st.sampled_from((Score.GAIN_PER_LOSS, Score.LOSS)))
def test_how_many_parts_a_statement_names_changes_nothing(one_a_statement, problem, score):
    found, wanted = from_above(problem, score=score), top_down(problem, score.value)
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
