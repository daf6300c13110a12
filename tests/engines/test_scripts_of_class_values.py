"""A script that cuts a column of one dimension, and chooses one of its values for each class, as apply does."""

from __future__ import annotations

from collections import Counter

import duckdb

import kanon_sql

SEEN = "it's seen"


def test_the_script_has_the_classes_of_apply_and_one_value_in_each(tmp_path):
    """Days are in units of their cuts, and in units of the values that are chosen."""
    policy = {
        "version": 1,
        "source": {"table": "visits"},
        "entity": "row",
        "columns": {
            SEEN: {"role": "quasi", "order": "date", "output": "representative"},
            "ward": {"role": "quasi", "order": "text"},
        },
        "privacy": {"k": 5},
        "suppression": "10%",
        "search": {"algorithm": "k_optimize"},
        "release": {"table": "released"},
    }
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE visits AS SELECT DATE '2020-01-01' + CAST(i * 37 % 40 AS INTEGER) AS \"it's seen\", 'w' || i % 3 AS ward FROM range(120) AS t (i)")  # fmt: skip
        plan = kanon_sql.plan(policy, connection=connection, boundaries=str(tmp_path / "b.parquet"))
        script = kanon_sql.compile_sql(plan, policy=policy, dialect="duckdb", connection=connection)
        connection.execute(script)
        made = Counter(connection.execute("FROM released").fetchall())
        connection.execute("DROP TABLE released")
        kanon_sql.apply(plan, policy=policy, connection=connection)
        applied = Counter(connection.execute("FROM released").fetchall())
    assert sum(made.values()) == plan.released_rows
    assert sorted(made.values()) == sorted(applied.values())
    assert min(made.values()) >= 5
    assert len(made) == plan.classes > 1
