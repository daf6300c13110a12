"""Bottom-up generalization on the database against itself in plain Python on the rows."""

from __future__ import annotations

from bottom_up_oracle import bottom_up
from cut_searches import expected, from_below, told
from cutting import parts_of, tables
from hypothesis import event, given
from tiers import examples
from top_down_oracle import all_smallest, holds


@examples(50)
@given(problem=tables(lines=False))
def test_the_steps_are_those_that_counting_every_candidate_anew_takes(problem):
    found, wanted = from_below(problem), bottom_up(problem)
    event(f"steps: {'none' if wanted is None else min(len(wanted[0]), 4)}")
    if wanted is None:
        assert found is None
        return
    steps, cut = wanted
    assert told(found[0]) == expected(steps)
    assert found[1] == parts_of(cut)
    assert found[0].smallest == all_smallest(problem, cut)
    assert holds(problem, found[0].smallest)
