"""No value that only suppressed rows have stands in a release of parts: not even as a bound of one."""

from __future__ import annotations

import duckdb
from hypothesis import event, example, given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql

VALUES = st.integers(0, 9) | st.none()
OF_WHICH_ONE_IS_SUPPRESSED = [(0, 0)] * 2 + [(None, 0)] * 3 + [(None, 1)] * 2 + [(0, 2)]


@examples(15)
@given(
    rows=st.lists(st.tuples(VALUES, st.integers(0, 5)), min_size=8, max_size=40),
    k=st.integers(2, 4),
)
@example(rows=OF_WHICH_ONE_IS_SUPPRESSED, k=2)
def test_bounds_are_those_of_released_rows(rows, k):
    policy = {
        "version": 1,
        "entity": "row",
        "columns": {
            "id": {"role": "insensitive"},
            "a": {"role": "quasi", "order": "number", "output": "bounds"},
            "b": {"role": "quasi", "order": "number", "output": "bounds"},
        },
        "privacy": {"k": k},
        "suppression": "40%",
        "search": {"algorithm": "k_optimize"},
    }
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE rows (id INTEGER, a INTEGER, b INTEGER)")
        connection.executemany(
            "INSERT INTO rows VALUES (?, ?, ?)", [(n, *row) for n, row in enumerate(rows)]
        )
        plan = kanon_sql.plan(policy, "rows", connection=connection)
        if rows == OF_WHICH_ONE_IS_SUPPRESSED:
            assert plan.suppressed_rows == 1
        event(f"{plan.suppressed_rows} rows are suppressed")
        with kanon_sql.apply(plan, "rows", policy=policy, connection=connection) as made:
            columns = "id, a_low, a_high, b_low, b_high"
            released = made.relation.project(columns).fetchall()
    assert len(released) == len(rows) - plan.suppressed_rows
    kept = [rows[found[0]] for found in released]
    for column in range(2):
        known = {row[column] for row in kept}
        for found in released:
            low, high = found[1 + 2 * column : 3 + 2 * column]
            if low is not None:
                assert {low, high} <= known
                assert low <= rows[found[0]][column] <= high
