"""Columns of every type that frames have end in a release that says something of them, or in a sentence with the way on."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kanon_sql

ROWS = 400
DRAW = random.Random(11)
NUMBERS = [round(DRAW.gauss(50, 12), 2) for _ in range(ROWS)]
BANDS = ["low", "mid", "high", "very high"]
DRAWN = [DRAW.choice(BANDS) for _ in range(ROWS)]
HOURS = [dt.time(DRAW.randrange(24), DRAW.randrange(60)) for _ in range(ROWS)]


def of_pandas(values):
    return pd.DataFrame({"x": values, "sex": ["f", "m"] * (ROWS // 2)})


def infinite():
    values = pd.Series(NUMBERS)
    values[:2], values[2:4] = np.inf, -np.inf
    return values


FRAMES = {
    "inf": lambda: of_pandas(infinite()),
    "cut": lambda: of_pandas(pd.cut(pd.Series(NUMBERS), 12)),
    "ordered": lambda: of_pandas(pd.Categorical(DRAWN, categories=BANDS, ordered=True)),
    "time": lambda: of_pandas(HOURS),
    "period": lambda: of_pandas(
        pd.PeriodIndex(pd.date_range("2015-01-03", periods=ROWS), freq="W")
    ),
    "sparse": lambda: of_pandas(pd.arrays.SparseArray([n if n > 55 else 0.0 for n in NUMBERS])),
    "polars enum": lambda: pl.DataFrame(
        {"x": pl.Series(DRAWN, dtype=pl.Enum(BANDS)), "sex": ["f", "m"] * (ROWS // 2)}
    ),
    "polars nan": lambda: pl.DataFrame(
        {"x": [float("nan"), *NUMBERS[1:]], "sex": ["f", "m"] * (ROWS // 2)}
    ),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_release_says_something_of_the_column(name):
    frame = FRAMES[name]()
    with kanon_sql.anonymize(frame, quasi=["x", "sex"], k=5) as release:
        rows = release.relation.fetchall()
    labels = Counter(str(row[0]) for row in rows)
    assert len(rows) == ROWS
    assert min(Counter(rows).values()) >= 5
    assert labels["*"] < 0.3 * ROWS
    assert len(labels) >= 4
    assert not any("left" in each for each in labels)


def hierarchy(frame):
    return kanon_sql.suggest(frame, quasi=["x"], keep=["sex"])["columns"]["x"]["hierarchy"]


@pytest.mark.parametrize("name", ["ordered", "polars enum"])
def test_an_order_that_a_type_has_groups_neighbours(name):
    groups = {"low to mid": ["low", "mid"], "high to very high": ["high", "very high"]}
    assert hierarchy(FRAMES[name]()) == {"tree": {"*": groups}}


def test_no_order_is_made_up_for_categories_without_one():
    assert hierarchy(of_pandas(pd.Categorical(DRAWN))) == "suppress"


def test_the_groups_of_intervals_are_intervals():
    frame = of_pandas(pd.cut(pd.Series(range(ROWS)), [-1, 50, 100, 200, 400]))
    assert list(hierarchy(frame)["tree"]["*"]) == ["(-1, 100]", "(100, 400]"]


def test_times_are_masked_to_minutes_and_hours():
    assert hierarchy(of_pandas(HOURS)) == {"mask": {"length": 8, "steps": [3, 6]}}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (pd.to_timedelta(range(ROWS), unit="min"), "make it a number, such as of minutes"),
        ([1e16, *NUMBERS[1:]], "1 row has numbers from 10^15 on, which no interval holds"),
        ([n * 1e-9 for n in range(ROWS)], "too close or too far apart for intervals: scale them"),
    ],
    ids=["duration", "huge", "tiny"],
)
def test_what_is_kept_or_removed_as_a_whole_says_why(values, said):
    policy = kanon_sql.suggest(of_pandas(values), quasi=["x"], keep=["sex"])
    (line,) = [each for each in policy.text.splitlines() if each.startswith("  x: ")]
    assert "hierarchy: suppress" in line
    assert said in line


def test_a_frame_is_left_as_it_was():
    frame = FRAMES["sparse"]()
    before = frame.dtypes.to_dict()
    kanon_sql.suggest(frame, quasi=["x"], keep=["sex"])
    assert frame.dtypes.to_dict() == before
