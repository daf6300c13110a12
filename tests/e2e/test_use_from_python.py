"""What `init --for` asks is an argument from Python, too: `use`."""

from __future__ import annotations

import random
from typing import get_args

import numpy as np
import pandas as pd
import pytest

import kanon_sql
from kanon_sql.apps.getting_started.propose_hierarchies import USES
from kanon_sql.counting.run.arguments import Use

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


def test_means_keep_a_slope_and_suppress_the_rows_without_a_number(people):
    rng = np.random.default_rng(5)
    x = rng.normal(26, 4, 2000).round(1)
    frame = pd.DataFrame(
        {"x": x, "sex": rng.choice(["f", "m"], 2000), "flag": rng.integers(0, 2, 2000)}
    )
    frame["score"] = (0.5 * x + rng.normal(0, 2, 2000)).round(2)
    frame.loc[::40, "x"] = np.nan
    roles = {"quasi": ["x", "sex", "flag"], "drop": [], "keep": "score", "k": K}
    policy = kanon_sql.suggest(frame, **roles, use="means")
    assert policy["columns"]["x"]["output"] == "mean"
    assert not {"output", "order"} & {*policy["columns"]["sex"], *policy["columns"]["flag"]}
    assert (policy["nulls"], policy["suppression"]) == ("suppress", "4%")
    with kanon_sql.anonymize(frame, **roles, use="means") as release:
        shown = release.to_pandas()
    assert len(shown) == frame["x"].notna().sum()
    slope, _ = np.polyfit(shown["x"], shown["score"], 1)
    assert slope == pytest.approx(0.5, abs=0.03)
    assert shown.groupby(["x", "sex", "flag"]).size().min() >= K
    full = kanon_sql.suggest(frame.dropna(), **roles, use="means")
    assert (full["nulls"], full["suppression"]) == ("category", "1%")
    assert kanon_sql.suggest(frame, **roles, use="means", suppression=0)["suppression"] == 0


def test_every_use_has_one_home():
    assert set(get_args(Use)) == set(USES)
    assert all(key == each.key for key, each in USES.items())


def test_another_use_and_another_name_are_refused_in_words(people):
    with pytest.raises(
        kanon_sql.InputError, match=r"use: must be 'counts', 'means' or 'records' or None$"
    ):
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
