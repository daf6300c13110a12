"""TDS on the database against itself in plain Python on the rows."""

from __future__ import annotations

from cut_searches import expected, from_above, told
from cutting import parts_of, tables
from hypothesis import event, given, settings
from hypothesis import strategies as st
from top_down_oracle import all_smallest, candidates, holds, top_down

from kanon_sql.model.cutting import Average, Score


@settings(max_examples=100)
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
