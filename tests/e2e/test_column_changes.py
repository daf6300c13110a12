"""What a command says of each column is what a reader of source and release counts."""

from __future__ import annotations

import random

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner

import kanon_sql
from kanon_sql.apps.cli.command_line import main

ROWS = 400
AREAS = {"1010": "west", "1020": "west", "2010": "east", "2020": "east"}
POLICY = {
    "version": 1,
    "source": "people",
    "entity": "row",
    "columns": {
        "name": {"role": "identifying", "action": "drop"},
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20, 80]}},
        "zip": {"role": "quasi", "hierarchy": {"tree": {"all": {"west": ["1010", "1020"], "east": ["2010", "2020"]}}}},
        "ill": {"role": "sensitive"},
    },
    "privacy": {"k": 12},
    "suppression": "10%",
    "release": "released",
}  # fmt: skip
SEARCHES = {
    "levels": {"algorithm": "optimal"},
    "nodes": {"algorithm": "optimal", "recoding": "cells"},
    "regions": {"algorithm": "mondrian", "choose": "width", "grouping": "cuts"},
}
WHOLE = {"sex": {"*"}, "age": {"[0, 80)", "*"}, "zip": {"all", "*"}}
"""The labels of each column that stand for all of its values."""


@pytest.fixture
def connection():
    draw = random.Random(5)
    rows = range(ROWS)
    people = pd.DataFrame(
        {
            "name": [f"n{n}" for n in rows],
            "sex": [draw.choice("fm") for _ in rows],
            "age": [draw.randrange(80) for _ in rows],
            "zip": [draw.choice([*AREAS, None]) for _ in rows],
            "ill": [draw.choice("abc") for _ in rows],
        }
    )
    with duckdb.connect() as opened:
        opened.register("given", people)
        opened.execute("CREATE TABLE people AS FROM given")
        yield opened


def counted(connection, name):
    """The values and labels of a column, its rows with a value, and those released with a label of some values."""
    before = connection.execute(f"SELECT {name} FROM people").fetchall()
    after = connection.execute(f"SELECT {name} FROM released").fetchall()
    values = [value for (value,) in before if value is not None]
    labels = [str(label) for (label,) in after if label is not None]
    kept = sum(label not in WHOLE[name] for label in labels)
    return len(set(values)), len(values), len(set(labels)), kept


@pytest.mark.parametrize("way", SEARCHES)
def test_each_column_is_counted_before_and_after(connection, way):
    policy = {**POLICY, "search": SEARCHES[way]}
    plan = kanon_sql.plan(policy, connection=connection, examples=True)
    made = kanon_sql.anonymize(policy, connection=connection, examples=True)
    assert made.plan.examples.changes == plan.examples.changes
    assert [each.name for each in plan.examples.changes] == ["sex", "age", "zip"]
    for each in plan.examples.changes:
        found = (each.values, each.rows, each.labels, each.kept)
        assert found == counted(connection, each.name), each.name
    assert plan.examples.others == {"name": "dropped", "ill": "as it is"}


@pytest.mark.parametrize("way", SEARCHES)
def test_a_command_prints_the_verdict_then_the_columns_then_risk_then_what_to_do(
    connection, tmp_path, monkeypatch, way
):
    monkeypatch.chdir(tmp_path)
    connection.execute("COPY people TO 'people.csv'")
    policy = {**POLICY, "search": SEARCHES[way], "source": "people.csv", "release": "out.parquet"}
    (tmp_path / "policy.yml").write_text(str(policy), encoding="utf-8")

    def lines(*words):
        done = CliRunner().invoke(main, list(words), catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output.splitlines()

    def order(printed, *starts):
        at = [next(n for n, line in enumerate(printed) if line.startswith(each)) for each in starts]
        assert at == sorted(at)
        assert at[0] == 0

    after = ("│ sex", "re-identification risk: ", "count error: ")
    planned = lines("plan", "policy.yml")
    shown = planned[-1].partition("; ")[2]
    assert shown == "apply it with: kanon-sql apply policy.plan.yml"
    order(planned, "400 of 400 rows can be " if way == "regions" else "", *after, "wrote ")
    applied = lines("apply", "policy.plan.yml")
    assert applied[-1] == "certify it with: kanon-sql certify out.parquet --plan policy.plan.yml"
    order(applied, "released to out.parquet in ", *after, "certify it with")
    columns = [[c.strip() for c in x.split("│")] for x in planned if x.startswith("│ ")]
    assert any(cells[1:2] == ["name"] and "dropped" in cells for cells in columns)
    assert [x for x in applied if x.startswith("│ age")] == [
        x for x in planned if x.startswith("│ age")
    ]
