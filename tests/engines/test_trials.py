"""A trial draws the same sample on every engine, measures the same losses of it and shows the same rows."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.apps.getting_started.trial import try_recodings

AGE = 'age "x"'
ROWS = [
    (
        f"p{n // 3}",
        None if n % 19 == 0 else n * 7 % 50,
        (None, "", "a'b", "ß 😀", "NULL")[n * 11 % 5],
        None if n % 23 == 0 else dt.date(2020, 1, 1) + dt.timedelta(days=n * 13 % 400),
    )
    for n in range(240)
]
POLICY = {
    "version": 1,
    "source": "tried",
    "entity": "row",
    "columns": {
        "who": {"role": "identifying", "action": "drop"},
        AGE: {"role": "quasi", "hierarchy": {"intervals": [5, 10]}, "order": "number"},
        "z": {"role": "quasi", "hierarchy": "suppress"},
        "day": {"role": "quasi", "hierarchy": {"dates": ["month", "year"]}, "order": "date"},
    },
    "privacy": {"k": 3},
    "suppression": "10%",
}


def frame():
    who, ages, texts, days = zip(*ROWS, strict=True)
    return pa.table(
        {
            "who": pa.array(who, pa.string()),
            AGE: pa.array(ages, pa.int64()),
            "z": pa.array(texts, pa.string()),
            "day": pa.array(days, pa.date32()),
        }
    )


@pytest.fixture
def tried(place):
    place.put("tried", frame())
    yield place
    place.drop("tried")


@pytest.mark.parametrize("entity", ["row", "who"])
def test_a_trial_on_a_sample_is_as_on_duckdb(tried, entity):
    policy = {**POLICY, "entity": entity}
    there = try_recodings(policy, connection=tried.connection, sample=160, time_limit=2000)
    here = try_recodings(policy, frame(), sample=160, time_limit=2000)
    assert there.rows == here.rows < there.of_rows == len(ROWS)
    assert there.sample == here.sample
    for far, near in zip(there.tried, here.tried, strict=True):
        assert far.found.error is near.found.error is None
        assert far.found.ncp == near.found.ncp
        assert far.found.plan.classes == near.found.plan.classes
        assert far.rows == near.rows
        assert len(far.rows) == 5


def test_the_loss_of_all_rows_is_as_on_duckdb(tried):
    algorithms = ["optimal", "local", "datafly", "mondrian"]
    asked = {
        "algorithms": algorithms,
        "time_limit": 900,
    }  # a search that is ended finds something else
    there = kanon_sql.compare(POLICY, connection=tried.connection, **asked)
    here = kanon_sql.compare(POLICY, frame(), **asked)
    losses = [each.ncp for each in there.searches]
    assert losses == [each.ncp for each in here.searches]
    assert all(0 < loss < 1 for loss in losses)
