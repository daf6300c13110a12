"""A series whose rows or people are written in another type: no release takes them for new ones."""

from __future__ import annotations

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
