"""Types in a series: no release takes rows or people of another type for new ones, and texts of rows to come fit."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

import kanon_sql

ROW, PERSON = 'the "row"', "it's a person"


def policy_of(entity):
    return {
        "version": 1,
        "source": {"table": "rows"},
        "entity": entity,
        "columns": {
            ROW: {"role": "identifying", "action": "drop"},
            PERSON: {"role": "identifying", "action": "drop"},
            "age": {"role": "quasi", "hierarchy": "suppress", "levels": {"most": 0}},
        },
        "privacy": {"k": 2},
        "suppression": "100%",
        "release": {"table": "released"},
        "series": {"ledger": {"table": "ledger"}, "key_env": "SERIES_KEY", "row": ROW},
    }


def fill(connection, people, *, row="INTEGER", person="INTEGER"):
    connection.execute(
        f'CREATE OR REPLACE TABLE rows AS SELECT CAST(CAST(i AS VARCHAR) AS {row}) AS "the ""row""", '
        f'CAST(i AS {person}) AS "it\'s a person", 30 AS age FROM range({people}) AS t (i)'
    )


@pytest.fixture
def connection(monkeypatch):
    monkeypatch.setenv("SERIES_KEY", "a key that is long enough; it's")
    with duckdb.connect() as made:
        yield made


def begun(connection, policy, **types):
    fill(connection, 6, **types)
    plan = kanon_sql.plan(policy, connection=connection)
    kanon_sql.apply(plan, policy=policy, connection=connection)
    return plan


@pytest.mark.parametrize("kind", ["DOUBLE", "DECIMAL(10, 2)", "VARCHAR"])
@pytest.mark.parametrize("changed", ["row", "person"])
def test_another_type_is_refused_and_release_and_ledger_stay(connection, changed, kind):
    policy = policy_of(PERSON)
    plan = begun(connection, policy)
    before = [
        connection.execute(f"FROM {t} ORDER BY ALL").fetchall() for t in ("released", "ledger")
    ]
    fill(connection, 9, **{changed: kind})
    with pytest.raises(kanon_sql.InputError, match=r"series\.row: .* other types than in the last"):
        kanon_sql.apply(plan, policy=policy, connection=connection)
    after = [
        connection.execute(f"FROM {t} ORDER BY ALL").fetchall() for t in ("released", "ledger")
    ]
    assert after == before


@pytest.mark.parametrize(("first", "then"), [("INTEGER", "BIGINT"), ("VARCHAR", "ENUM ('0', '1', '2', '3', '4', '5', '6')")])  # fmt: skip
def test_a_wider_type_has_the_same_texts_and_the_same_rows(connection, first, then):
    policy = policy_of("row")
    plan = begun(connection, policy, row=first)
    fill(connection, 7, row=then)
    found = kanon_sql.apply(plan, policy=policy, connection=connection).new
    assert (found.born, found.left, found.withheld, found.shown) == (0, 0, 1, 6)


def test_a_text_of_a_row_that_is_withheld_leaves_its_column_texts(monkeypatch, tmp_path):
    """One row has a zip that is no number. It is alone and withheld, until another one comes."""
    monkeypatch.setenv("SERIES_KEY", "a key that is long enough; it's")
    monkeypatch.chdir(tmp_path)
    policy = policy_of("row")
    del policy["columns"][PERSON]
    policy["columns"]["age"] = {"role": "insensitive"}
    policy["columns"]["zip"] = {"role": "quasi", "hierarchy": "suppress", "levels": {"most": 0}}
    policy |= {"source": "rows.csv", "release": "out.parquet"}
    policy["series"] |= {"ledger": {"path": "ledger"}}
    rows = [f"{n},3{n % 2},1000{n % 2}" for n in range(6)]
    plan, shown = None, []
    for more in (["6,30,SW1A"], ["6,30,SW1A", "7,31,SW1A"]):
        Path("rows.csv").write_text("\n".join(['"the ""row""",age,zip', *rows, *more]), encoding="utf-8")  # fmt: skip
        plan = plan or kanon_sql.plan(policy)
        kanon_sql.apply(plan, policy=policy)
        shown.append(duckdb.sql("SELECT zip, SUM(age), typeof(ANY_VALUE(age)) FROM 'out.parquet' GROUP BY zip ORDER BY zip").fetchall())  # fmt: skip
    assert shown[0] == [("10000", 90, "BIGINT"), ("10001", 93, "BIGINT")]
    assert shown[1] == [*shown[0], ("SW1A", 61, "BIGINT")]
