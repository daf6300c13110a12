"""TDS and bottom-up on tables in plain Python: what they ask suffices, whoever answers."""

from __future__ import annotations

from bottom_up_oracle import bottom_up as by_merging
from cut_searches import NAMES, expected, told
from cutting import parts_of, tables
from hypothesis import given
from hypothesis import strategies as st
from python_cuts import PythonGeneralizations, PythonSpecializations, requirements_of
from tiers import examples
from top_down_oracle import all_smallest, holds
from top_down_oracle import top_down as by_splitting

from kanon_sql.policy.cut_steps import Average, Score
from kanon_sql.recoding.single_dimensional.bottom_up import bottom_up
from kanon_sql.recoding.single_dimensional.top_down import top_down


@examples(80)
@given(problem=tables(), score=st.sampled_from(Score), average=st.sampled_from(Average))
def test_tds_takes_the_steps_of_its_loop(problem, score, average):
    table = PythonSpecializations(problem, score.value)
    found = top_down(table, requirements_of(problem), NAMES, score=score, average=average)
    wanted = by_splitting(problem, score.value, average.value)
    if wanted is None:
        assert found is None
        return
    assert told(found) == expected(wanted[0])
    assert parts_of(table.cut) == parts_of(wanted[1])
    assert not found.cut_short


@examples(60)
@given(problem=tables(), patience=st.integers(0, 4))
def test_tds_out_of_time_gives_a_cut_that_holds(problem, patience):
    table = PythonSpecializations(problem, patience=patience)
    found = top_down(table, requirements_of(problem), NAMES)
    if found is None:
        assert by_splitting(problem) is None
        return
    assert found.smallest == all_smallest(problem, table.cut)
    assert holds(problem, found.smallest)
    if not found.cut_short:
        assert told(found) == expected(by_splitting(problem)[0])


@examples(80)
@given(problem=tables(lines=False))
def test_bottom_up_takes_the_steps_of_its_loop(problem):
    table = PythonGeneralizations(problem)
    found, wanted = bottom_up(table, requirements_of(problem), NAMES), by_merging(problem)
    if wanted is None:
        assert found is None
        return
    assert told(found) == expected(wanted[0])
    assert parts_of(table.cut) == parts_of(wanted[1])
