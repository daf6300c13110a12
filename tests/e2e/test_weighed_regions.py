"""What regions of Mondrian are not counted by, beside the search: scripts and new rows refuse, before anything is read."""

from __future__ import annotations

import duckdb
import pytest

import kanon_sql

POLICY = {
    "version": 1,
    "source": "people",
    "entity": "row",
    "columns": {
        "x": {"role": "quasi", "order": "number"},
        "d": {"role": "sensitive"},
    },
    "privacy": [{"k": 2}, {"entropy_l": {"column": "d", "l": 2}}],
    "search": {"algorithm": "mondrian"},
}


@pytest.fixture
def people():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT n // 2 AS x, CASE n % 2 WHEN 0 THEN 'flu' ELSE 'cold' END AS d "
            "FROM range(8) AS r (n)"
        )
        yield connection


def test_a_plan_is_carried_out_and_new_rows_and_scripts_are_refused(people, tmp_path):
    stem = str(tmp_path / "boundaries")
    plan = kanon_sql.plan(POLICY, connection=people, boundaries=stem)
    assert plan.classes == 4
    kanon_sql.apply(plan, policy=POLICY, connection=people, release="out")
    given = {"policy": POLICY, "connection": people, "release": "new"}
    with pytest.raises(kanon_sql.InputError, match="not counted by entropy 2-diversity of d"):
        kanon_sql.apply(plan, to_new_rows=True, boundaries=stem, **given)
    with pytest.raises(kanon_sql.InputError, match="not counted by entropy 2-diversity of d"):
        kanon_sql.compile_sql(plan, boundaries=stem, **given)
    assert people.execute("SHOW TABLES").fetchall() == [("out",), ("people",)]
