"""A column that a plan releases under one label is named with counts and a way on, and so is what was read as NULL."""

from __future__ import annotations

import random
import re
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


@pytest.mark.parametrize(
    ("values", "pattern"),
    [
        (
            (4, 4, 4, 40),
            r"(\w+): .*; to keep more of it, drop (.*), or give coarser labels to it: (\d+) rows would be",
        ),
        (
            (5, 5, 60),
            r"(\w+): .* one label()?, although (\d+) rows are in classes of at least 10, large",
        ),
    ],
)
def test_what_would_keep_more_is_counted_over_the_released_classes(
    connection, table, values, pattern
):
    draw = random.Random(5)
    wide = table[["sex", "age"]].copy()
    for number, different in enumerate(values):
        wide[f"q{number}"] = [f"v{draw.randrange(different)}" for _ in range(ROWS)]
    names = list(wide.columns)
    plain = {"role": "quasi", "hierarchy": "suppress"}
    columns = {**dict.fromkeys(names, plain), "age": POLICY["columns"]["age"]}
    policy = {**POLICY, "columns": columns, "source": "wide"}
    connection.register("given_wide", wide)
    connection.execute("CREATE TABLE wide AS FROM given_wide")
    plan = kanon_sql.plan(policy, connection=connection, examples=True)
    kanon_sql.anonymize(policy, connection=connection)
    rows = connection.sql("FROM released").fetchall()
    released = [dict(zip(names, row, strict=True)) for row in rows]
    named = [found for each in plan.remarks if (found := re.match(pattern, each))]
    assert named
    for lost, out, counted in (each.groups() for each in named):
        rest = [name for name in names if name not in {lost, out}]
        classes = Counter(tuple(row[name] for name in rest) for row in released)
        assert int(counted) == sum(size for size in classes.values() if size >= 2 * K)
        assert 2 * int(counted) >= ROWS


def test_a_column_that_has_one_value_by_nature_is_not_lost(connection):
    connection.execute("UPDATE visits SET code = 'same' WHERE code <> 'c1'")
    plan = kanon_sql.plan(POLICY, connection=connection, examples=True)
    assert not [each for each in plan.remarks if "one label" in each]


@pytest.mark.parametrize(("days", "order"), [(False, "number"), (True, "date")])
def test_a_lost_column_of_numbers_or_dates_is_kept_by_the_order_that_is_advised(
    connection, table, days, order
):
    wide = table[["sex", "age"]].rename(columns={"age": 'the "age"'})
    hierarchy = {"intervals": [100]}
    if days:
        wide['the "age"'] = pd.to_datetime("1940-01-01") + pd.to_timedelta(wide['the "age"'], "D")
        hierarchy = {"dates": ["year"]}
    draw = random.Random(7)
    wide["other"] = [draw.randrange(100) for _ in range(ROWS)]
    lost = {"role": "quasi", "hierarchy": hierarchy}
    plain = {"role": "quasi", "hierarchy": "suppress"}
    columns = {"sex": plain, 'the "age"': lost, "other": {"role": "quasi", "order": "number"}}
    connection.register("given_wide", wide)
    connection.execute("CREATE TABLE wide AS FROM given_wide")
    policy = {k: v for k, v in POLICY.items() if k != "release"}
    policy |= {"columns": columns, "source": "wide"}

    def shown(entry):
        made = {**policy, "columns": {**columns, 'the "age"': entry}}
        plan = kanon_sql.plan(made, connection=connection, examples=True)
        rows = kanon_sql.anonymize(made, connection=connection).to_pandas()
        labels = Counter(str(label) for label in rows['the "age"'])
        said = [each for each in plan.remarks if each.startswith('the "age"')]
        return labels.most_common(1)[0][1], said

    most, (said,) = shown(lost)
    assert 2 * most > ROWS
    assert f"say order: {order} in place of its hierarchy" in said
    kept, nothing = shown({"role": "quasi", "order": order})
    assert 2 * kept < ROWS
    assert not nothing
