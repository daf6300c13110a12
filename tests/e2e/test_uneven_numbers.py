"""Numbers with outliers, heavy tails or a small range keep intervals in a release of a first policy, with round bounds."""

from __future__ import annotations

import random
import re
from decimal import Decimal

import duckdb
import pytest

import kanon_sql
from kanon_sql.apps.getting_started.column_profiles import ColumnProfile, Spread
from kanon_sql.apps.getting_started.propose_hierarchies import recoding_of

ROWS = 400
COLUMNS = {
    "outliers": lambda draw: 50_000.0 if draw.random() < 0.01 else draw.gauss(340, 90),
    "tail": lambda draw: draw.lognormvariate(3, 2.5),
    "score": lambda draw: draw.betavariate(2, 5),
    "rate": lambda draw: draw.uniform(0.001, 0.009),
    "signed": lambda draw: draw.gauss(0, 1) / (abs(draw.gauss(0, 1)) + 1e-6),
}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uneven")
    draw = random.Random(7)
    rows = [[make(draw) for make in COLUMNS.values()] for _ in range(ROWS)]
    with duckdb.connect(str(folder / "measured.duckdb")) as connection:
        columns = ", ".join(f"{name} DOUBLE" for name in COLUMNS)
        connection.execute(f"CREATE TABLE measured ({columns})")
        connection.executemany(f"INSERT INTO measured VALUES ({', '.join('?' * 5)})", rows)
        policy = kanon_sql.suggest("measured", quasi=list(COLUMNS), connection=connection)
        kanon_sql.anonymize({**policy, "release": "released"}, connection=connection)
        labels = connection.sql("FROM released").fetchall()
    return policy, dict(zip(COLUMNS, zip(*labels, strict=True), strict=True))


@pytest.mark.parametrize("name", COLUMNS)
def test_few_rows_lose_a_column_as_a_whole(released, name):
    _, labels = released
    assert labels[name].count("*") < 0.1 * ROWS
    assert len(set(labels[name])) >= 5


@pytest.mark.parametrize("name", COLUMNS)
def test_every_bound_is_a_multiple_of_a_round_width(released, name):
    policy, labels = released
    stated = policy["columns"][name]["hierarchy"]["intervals"]
    widths = stated["widths"] if isinstance(stated, dict) else stated
    assert re.fullmatch(r"0?[125]0*", str(widths[0]).replace(".", "").lstrip("0"))
    finest = Decimal(str(widths[0]))
    found = {each for text in labels[name] for each in re.findall(r"-?\d+(?:\.\d+)?", text)}
    assert found
    assert not [bound for bound in found if Decimal(bound) % finest]


def proposed(*numbers, whole=True):
    counts = [1000, 1000, 500, 0, 0, 500, 500, 1000, 1000, 0 if whole else 900, 0, 0, 1, 6]
    profile = ColumnProfile(
        "n", "DOUBLE", "number", *counts, family="float", spread=Spread(*numbers)
    )
    return recoding_of(profile, None)


def test_between_open_ends_the_coarsest_interval_is_all():
    entry = proposed(-500, 1500, -25, -5, 2, 90, 250)
    widths = "[2, 10, 20, 40, 80, 160, 320, 640]"
    assert entry.endswith(f"{{widths: {widths}, offset: -160, bottom: -160, top: 320}}}}")


def test_a_long_tail_has_no_more_levels_than_a_lattice_bears():
    entry = proposed(0, 1e9, 1e-6, 1e-5, 0.001, 1e4, 1e5, whole=False)
    assert 5 <= entry.count(",") <= 16


@pytest.mark.parametrize(
    ("whole", "expected"), [(True, "suppress"), (False, "{intervals: [0.05, 0.1, 0.2, 0.4, 0.8]}")]
)
def test_two_whole_numbers_are_categories_and_fractions_between_them_are_not(whole, expected):
    assert proposed(0, 1, 0, 0.05, 0.5, 0.95, 1, whole=whole) == f"hierarchy: {expected}"


@pytest.mark.parametrize(
    "values",
    [
        [
            0.19,
            0.22,
            0.27,
            0.32,
            0.37,
            0.42,
            0.47,
            0.52,
            0.57,
            0.62,
            0.67,
            0.72,
        ],  # ages in centuries
        [
            20,
            25,
            30,
            35,
            40,
            45,
            50,
            55,
            60,
            65,
            70,
            75,
            80,
        ],  # ages of people who are asked for groups
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    ],
)
def test_the_narrowest_intervals_hold_several_of_few_values(values):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE measured (age DOUBLE, n INTEGER)")
        rows = [(each, n) for each in values for n in range(40)]
        connection.executemany("INSERT INTO measured VALUES (?, ?)", rows)
        policy = kanon_sql.suggest("measured", quasi=["age"], connection=connection)
    stated = policy["columns"]["age"]["hierarchy"]["intervals"]
    widths = stated["widths"] if isinstance(stated, dict) else stated
    labels = [len({Decimal(str(v)) // Decimal(str(width)) for v in values}) for width in widths]
    assert labels == sorted(set(labels), reverse=True)
    assert labels[0] < len(values)
