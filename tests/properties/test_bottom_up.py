"""Bottom-up generalization on the database against itself in plain Python on the rows."""

from __future__ import annotations

import duckdb
import pytest
from bottom_up_oracle import bottom_up as by_rounds
from cutting import Table, parts_of, put, read, tables
from hypothesis import event, given, settings
from top_down_oracle import all_smallest, holds

from kanon_sql.engine.duckdb import DuckDB
from kanon_sql.engine.scratch import scratch
from kanon_sql.model.cutting import AnonymityRequirement
from kanon_sql.search.bottom_up import bottom_up
from kanon_sql.search.sql_generalizations import SqlGeneralizations

NAMES = ("q0", "q1", "q2")


def searched(problem):
    """What the search found, and the parts that it left in the table."""
    with duckdb.connect() as connection, scratch(engine := DuckDB(connection)) as tables_:
        places, trees = put(connection, problem)
        requirements = [AnonymityRequirement(*each) for each in problem.requirements]
        table = SqlGeneralizations(
            engine, tables_, places=places, trees=trees,
            requirements=requirements, entity=problem.entity,
        )  # fmt: skip
        found = bottom_up(table, requirements, NAMES)
        return None if found is None else (found, read(connection, table.cuts()))


def told(step):
    return (
        step.column, step.low, step.high, step.information, step.anonymity, step.score,
        step.smallest,
    )  # fmt: skip


def expected(step):
    node = step["node"]
    return (
        NAMES[step["at"]], node.low, node.high, float(step["loss"]), float(step["gain"]),
        float(step["score"]), step["after"],
    )  # fmt: skip


@settings(max_examples=120)
@given(problem=tables(lines=False))
def test_the_steps_are_those_that_counting_every_candidate_anew_takes(problem):
    found, wanted = searched(problem), by_rounds(problem)
    event(f"steps: {'none' if wanted is None else min(len(wanted[0]), 4)}")
    if wanted is None:
        assert found is None
        return
    steps, cut = wanted
    assert [told(step) for step in found[0].steps] == [expected(step) for step in steps]
    assert found[1] == parts_of(cut)
    assert found[0].smallest == all_smallest(problem, cut)
    assert holds(problem, found[0].smallest)


def test_a_line_is_refused():
    problem = Table((None,), (((0,), 0, 0),), (((0,), 1),))
    with pytest.raises(ValueError, match="needs a tree for each column; one is a line"):
        searched(problem)
