"""TDS on the database against itself in plain Python on the rows."""

from __future__ import annotations

import duckdb
from cutting import parts_of, put, read, tables
from hypothesis import event, given, settings
from hypothesis import strategies as st
from top_down_oracle import all_smallest, candidates, holds
from top_down_oracle import top_down as by_rounds

from kanon_sql.engine.duckdb import DuckDB
from kanon_sql.engine.scratch import scratch
from kanon_sql.model.cutting import AnonymityRequirement, Average, Score
from kanon_sql.search.sql_specializations import SqlSpecializations
from kanon_sql.search.top_down import top_down

NAMES = ("q0", "q1", "q2")


def searched(problem, *, score=Score.GAIN_PER_LOSS, average=Average.AFFECTED):
    """What the search found, and the parts that it left in the table."""
    with duckdb.connect() as connection, scratch(engine := DuckDB(connection)) as tables_:
        places, trees = put(connection, problem)
        requirements = [AnonymityRequirement(*each) for each in problem.requirements]
        table = SqlSpecializations(
            engine, tables_, places=places, trees=trees,
            requirements=requirements, entity=problem.entity,
        )  # fmt: skip
        found = top_down(table, requirements, NAMES, score=score, average=average)
        if found is None:
            return None
        return found, read(connection, table.cuts())


def told(step):
    return (
        step.column, step.low, step.high, step.information, step.anonymity, step.score,
        step.smallest,
    )  # fmt: skip


def expected(step):
    node = step["node"]
    return (
        NAMES[step["at"]], node.low, node.high, float(step["gain"]), float(step["loss"]),
        float(step["score"]), step["after"],
    )  # fmt: skip


@settings(max_examples=120)
@given(problem=tables(), score=st.sampled_from(Score), average=st.sampled_from(Average))
def test_tds_takes_the_steps_that_counting_every_candidate_anew_takes(problem, score, average):
    found, wanted = (
        searched(problem, score=score, average=average),
        by_rounds(problem, score.value, average.value),
    )
    if wanted is None:
        assert found is None
        return
    steps, cut = wanted
    event(f"steps: {min(len(steps), 4)}")
    assert [told(step) for step in found[0].steps] == [expected(step) for step in steps]
    assert found[1] == parts_of(cut)
    sizes = all_smallest(problem, cut)
    assert found[0].smallest == sizes
    assert holds(problem, sizes)
    left = candidates(problem, cut, score.value, average.value)
    assert not [each for each in left if each["valid"] and each["gain"] > 0]
