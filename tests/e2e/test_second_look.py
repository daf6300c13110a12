"""A column that a plan releases under one label is named with counts and a way on, and so is what was read as NULL."""

from __future__ import annotations

import random
from collections import Counter

import duckdb
import pandas as pd
import pytest

import kanon_sql

ROWS = 600
K = 5
POLICY = {
    "version": 1,
    "source": "visits",
    "entity": "row",
    "columns": {
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20, 40]}},
        "code": {"role": "quasi", "hierarchy": "suppress"},
        "ward": {"role": "insensitive", "linkable": "accept", "missing": ["NA"]},
    },
    "privacy": {"k": K},
    "search": {"algorithm": "mondrian", "choose": "loss"},
    "release": "released",
}


def visits():
    draw = random.Random(3)
    rows = range(ROWS)
    return pd.DataFrame(
        {
            "sex": [draw.choice("fm") for _ in rows],
            "age": [draw.randrange(18, 90) for _ in rows],
            "code": [f"c{draw.randrange(400)}" for _ in rows],
            "ward": ["NA" if n % 50 == 0 else f"w{n % 3}" for n in rows],
        }
    )


@pytest.fixture(scope="module")
def table():
    return visits()


@pytest.fixture
def connection(table):
    with duckdb.connect() as opened:
        opened.register("given", table)
        opened.execute("CREATE TABLE visits AS FROM given")
        yield opened


def test_lint_names_values_that_can_only_be_the_root(connection, table):
    sizes = Counter(table["code"])
    rare = sum(rows for rows in sizes.values() if rows < K)
    assert 2 * rare > ROWS
    warnings = kanon_sql.lint(POLICY, connection=connection)
    (named,) = [each for each in warnings if "columns.code.hierarchy" in each]
    assert f"{rare} of {ROWS} rows have a value that fewer than {K} rows have" in named
    assert "kept or removed as a whole" in named
    assert not any("columns.sex" in each for each in warnings)


def test_lint_counts_what_is_read_as_null(connection, table):
    lost = int((table["ward"] == "NA").sum())
    assert f"columns.ward.missing: {lost} rows with 'NA' read as NULL" in kanon_sql.lint(
        POLICY, connection=connection
    )


def test_a_plan_and_its_release_name_a_lost_column(connection):
    plan = kanon_sql.plan(POLICY, connection=connection, examples=True)
    made = kanon_sql.anonymize(POLICY, connection=connection)
    labels = Counter(label for (label,) in connection.sql("SELECT code FROM released").fetchall())
    most = labels.most_common(1)[0][1]
    said = f"code: {most} of {ROWS} rows ({most / ROWS:.0%}) are released under one label, as most"
    assert 2 * most > ROWS
    assert [each for each in plan.remarks if each.startswith(said)]
    assert not [each for each in plan.remarks if each.startswith("sex:")]
    assert made.plan.released_rows == ROWS


def test_the_columns_to_leave_out_are_counted_over_the_released_classes(connection, table):
    draw = random.Random(5)
    wide = table.drop(columns=["code", "ward"])
    for number in range(4):
        wide[f"q{number}"] = [draw.randrange(8) for _ in range(ROWS)]
    names = list(wide.columns)
    levels = {"role": "quasi", "hierarchy": "suppress"}
    columns = dict.fromkeys(names, levels) | {"age": POLICY["columns"]["age"]}
    policy = {**POLICY, "columns": columns, "source": "wide"}
    connection.register("given_wide", wide)
    connection.execute("CREATE TABLE wide AS FROM given_wide")
    plan = kanon_sql.plan(policy, connection=connection, examples=True)
    kanon_sql.anonymize(policy, connection=connection)
    released = [
        dict(zip(names, row, strict=True)) for row in connection.sql("FROM released").fetchall()
    ]
    named = [each for each in plan.remarks if " would be in classes of at least 10" in each]
    assert named
    for remark in named:
        lost = remark.split(":")[0]
        out = remark.split("without ")[1].split(", or with")[0].replace(" and ", ", ").split(", ")
        rest = [name for name in names if name not in {lost, *out}]
        classes = Counter(tuple(row[name] for name in rest) for row in released)
        rows = sum(size for size in classes.values() if size >= 2 * K)
        assert f" {rows} rows would be" in remark
        assert 2 * rows >= ROWS


def test_a_column_that_has_one_value_by_nature_is_not_lost(connection):
    connection.execute("UPDATE visits SET code = 'same' WHERE code <> 'c1'")
    plan = kanon_sql.plan(POLICY, connection=connection, examples=True)
    assert not [each for each in plan.remarks if "one label" in each]
