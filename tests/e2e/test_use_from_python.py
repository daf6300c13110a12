"""What `init --for` asks is an argument from Python, too: `use`."""

from __future__ import annotations

import random

import pandas as pd
import pytest

import kanon_sql

ROWS, K = 400, 5


@pytest.fixture(scope="module")
def people():
    take = random.Random(9)
    return pd.DataFrame(
        {
            "nr": range(ROWS),
            "sex": [take.choice("fm") for _ in range(ROWS)],
            "my age": [take.randint(18, 80) for _ in range(ROWS)],
            "illness": [take.choice(["flu", "cold", "asthma"]) for _ in range(ROWS)],
        }
    )


ROLES = {"quasi": ["sex", "my age"], "sensitive": "illness", "drop": "nr", "k": K}


def ages(release):
    return release.to_pandas()["my age"]


@pytest.mark.parametrize("hierarchies", [None, {"my age": {"intervals": [5, 20, 40]}}])
def test_counts_release_values_and_records_release_labels(people, hierarchies):
    with kanon_sql.anonymize(people, **ROLES, hierarchies=hierarchies, use="counts") as release:
        shown = release.to_pandas()
    assert pd.api.types.is_integer_dtype(shown["my age"])
    assert shown.groupby(["sex", "my age"]).size().min() >= K
    assert abs(shown["my age"].mean() - people["my age"].mean()) < 1
    for use in ("records", None):
        with kanon_sql.anonymize(people, **ROLES, hierarchies=hierarchies, use=use) as release:
            assert ages(release).str.contains(", ", regex=False).any()  # of intervals


def test_suggest_and_plan_take_it_as_well(people):
    policy = kanon_sql.suggest(people, **ROLES, use="counts")
    assert policy["output"] == "apportioned"
    assert "output" not in kanon_sql.suggest(people, **ROLES, use="records")
    plan = kanon_sql.plan(people, **ROLES, use="counts")
    with kanon_sql.apply(plan) as release:
        assert pd.api.types.is_integer_dtype(ages(release))


def test_another_use_and_another_name_are_refused_in_words(people):
    with pytest.raises(kanon_sql.InputError, match=r"use: must be 'records' or 'counts' or None$"):
        kanon_sql.anonymize(people, **ROLES, use="dashboards")
    with pytest.raises(TypeError, match=r"no argument for_=; did you mean use=\?"):
        kanon_sql.anonymize(people, **ROLES, for_="counts")
    with pytest.raises(
        TypeError,
        match=r"no argument output=; what cells show is of a policy: .*; release= says where",
    ):
        kanon_sql.anonymize(people, **ROLES, output="safe.parquet")
    with pytest.raises(kanon_sql.InputError, match="use: goes with quasi="):
        kanon_sql.anonymize({"version": 1}, people, use="counts")
