"""A source with a weight: each algorithm and model finds what it finds on the rows, and a wrong weight is refused."""

from __future__ import annotations

import duckdb
import pytest

import kanon_sql

ROWS = """
    CREATE TABLE rows AS
    SELECT
      18 + (i * 7919) % 41 AS age,
      CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN 'F' ELSE 'M' END AS sex,
      lpad(CAST((i * 31) % 23 * 100 AS VARCHAR), 5, '0') AS zip,
      ['flu', 'cold', 'gout'][1 + (i * i) % 3] AS disease,
      i % 90 AS person
    FROM range(900) AS r(i)
"""
COLUMNS = {
    "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}},
    "sex": {"role": "quasi", "hierarchy": "suppress"},
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    "disease": {"role": "sensitive"},
}
PERSON = {"person": {"role": "identifying", "action": "drop"}}
LINES = {
    "age": {"role": "quasi", "order": "number"},
    "zip": {"role": "quasi", "order": "text", "hierarchy": {"mask": 5}},
}
CASES = {
    "optimal": {},
    "datafly": {"search": {"algorithm": "datafly"}},
    "several nodes": {"search": {"recoding": "local"}},
    "cells": {"search": {"algorithm": "mu_argus", "sets": {"most": "zip", "more": "age"}}},
    "regions": {"search": {"algorithm": "mondrian"}, "columns": COLUMNS | LINES},
    "parts": {"search": {"algorithm": "top_down", "target": "disease"}},
    "t-closeness": {"privacy": [{"k": 5}, {"t_closeness": {"column": "disease", "t": 0.3}}]},
    "several sets": {"privacy": [{"k": 5}, {"k": 9, "over": "age"}]},
    "people": {"entity": "person", "columns": COLUMNS | PERSON},
    "a condition": {"where": "sex = 'M'"},
    "without NULL": {"nulls": "suppress", "suppression": "20%"},
}


@pytest.fixture
def connection():
    with duckdb.connect() as made:
        made.execute(ROWS)
        yield made


def policy_of(source, **changes):
    where = changes.pop("where", None)
    source = source if where is None else {**source, "where": where}
    return {
        "version": 1,
        "source": source,
        "entity": "row",
        "columns": COLUMNS,
        "privacy": {"k": 5},
        "suppression": "4%",
        **changes,
    }


def without_source(plan):
    document = plan.document()
    return {key: each for key, each in document.items() if key not in {"policy", "source"}}


@pytest.mark.parametrize("case", CASES)
def test_the_plan_and_its_release_are_those_of_the_rows(connection, case):
    columns = ", ".join({**COLUMNS, **CASES[case].get("columns", {})})
    connection.execute(f"CREATE TABLE alone AS SELECT {columns} FROM rows")
    connection.execute(
        f"CREATE TABLE counted AS SELECT {columns}, COUNT(*) AS n FROM rows GROUP BY ALL"
    )
    weighed = policy_of({"table": "counted", "weight": "n"}, **CASES[case])
    alone = policy_of({"table": "alone"}, **CASES[case])
    assert without_source(kanon_sql.plan(weighed, connection=connection)) == without_source(
        kanon_sql.plan(alone, connection=connection)
    )
    for policy, name in ((weighed, "a"), (alone, "b")):
        kanon_sql.anonymize(policy, connection=connection, release=name)
    released = [
        connection.execute(f"SELECT *, COUNT(*) FROM {name} GROUP BY ALL ORDER BY ALL").fetchall()
        for name in "ab"
    ]
    assert released[0] == released[1] != []


def test_a_plan_reads_tuples_and_not_the_rows_that_they_stand_for(connection):
    """9 * 10^11 rows are planned in the time of 900: no statement of a plan repeats them."""
    text = "CREATE TABLE counted AS SELECT age, sex, zip, disease, 1000000000 AS n FROM rows"
    connection.execute(text)
    plan = kanon_sql.plan(policy_of({"table": "counted", "weight": "n"}), connection=connection)
    assert plan.source_rows == 900 * 10**9
    assert plan.smallest_class >= 10**9


@pytest.mark.parametrize(
    ("weight", "says"),
    [
        ("CASE WHEN age = 18 THEN 0 ELSE 2 END", "no whole number of at least 1 in"),
        ("CASE WHEN age = 18 THEN -7391 ELSE 2 END", "no whole number of at least 1 in"),
        ("CASE WHEN age = 18 THEN NULL ELSE 2 END", "no whole number of at least 1 in"),
        ("CASE WHEN age = 18 THEN 1.5 ELSE 2 END", "no whole number of at least 1 in"),
        ("10000000000000", "stand for more than 1,000,000,000,000,000 rows"),
        ("'7391'", "weight: n is VARCHAR, and a number of rows is a whole number"),
        ("CAST(1 AS DOUBLE)", "weight: n is DOUBLE, and a number of rows is a whole number"),
    ],
)
def test_a_weight_that_counts_no_rows_is_refused(connection, weight, says):
    connection.execute(f"CREATE TABLE counted AS SELECT * EXCLUDE person, {weight} AS n FROM rows")
    with pytest.raises(kanon_sql.InputError, match=says) as caught:
        kanon_sql.plan(policy_of({"table": "counted", "weight": "n"}), connection=connection)
    assert "7391" not in str(caught.value)


def test_a_weight_is_a_column_of_the_source_and_of_no_role(connection):
    with pytest.raises(kanon_sql.InputError, match="weight: m is not a column of the source"):
        kanon_sql.plan(policy_of({"table": "rows", "weight": "m"}), connection=connection)
    with pytest.raises(kanon_sql.PolicyError, match="a weight is no attribute"):
        kanon_sql.read_policy(policy_of({"table": "rows", "weight": "age"}))
    condition = policy_of({"table": "rows", "weight": "person", "where": "person > 1"})
    with pytest.raises(kanon_sql.InputError, match="person is not a column of the source"):
        kanon_sql.plan(condition, connection=connection)


def test_a_plan_is_of_one_weight(connection):
    """Other weights of the same sum are other rows."""
    connection.execute("CREATE TABLE counted AS SELECT * EXCLUDE person, 2 AS n FROM rows")
    policy = policy_of({"table": "counted", "weight": "n"})
    plan = kanon_sql.plan(policy, connection=connection)
    other = policy_of({"table": "counted", "weight": "m"})
    with pytest.raises(kanon_sql.StalePlanError, match="policy: changed"):
        kanon_sql.apply(plan, policy=other, connection=connection, release="out")
    connection.execute(
        "UPDATE counted SET n = n + CASE rowid WHEN 0 THEN 1 WHEN 1 THEN -1 ELSE 0 END"
    )
    with pytest.raises(kanon_sql.StalePlanError, match="changed since the plan was made"):
        kanon_sql.apply(plan, policy=policy, connection=connection, release="out")
