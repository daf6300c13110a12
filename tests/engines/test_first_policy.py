"""What `init` counts is alike on every engine, as Python counts it, and the query that it writes cleans there."""

from __future__ import annotations

import datetime as dt
import decimal
from collections import Counter

import pyarrow as pa
import pytest
import yaml

import kanon_sql
from kanon_sql.apps.getting_started.column_profiles import profile_columns
from kanon_sql.apps.getting_started.first_policy import first_policy
from kanon_sql.apps.getting_started.propose_columns import Answers
from kanon_sql.base.sql.quoting import table
from kanon_sql.engines.connect import open_engine

MANY = 600
ZIPS = ("02138", "02139 ", "2138", "unknown", "02141", "02142", "02143", "02144", None, "02145")
SEXES = ("M", "F", "m", "F ", None, "M", "F", "M", "F")
COLUMNS = {
    "mrn": [f"P{i % 150:04d}" for i in range(MANY)],
    "birth_date": [
        dt.date(1900, 1, 1)
        if i % 150 % 10 == 0
        else dt.date(1940 + i % 150 % 71, 1 + i % 150 % 12, 1 + i % 150 % 28)
        for i in range(MANY)
    ],
    "sex": [SEXES[i % 150 % 9] for i in range(MANY)],
    "zip": [
        ZIPS[i % 150 % 10] if i % 150 % 3 == 0 else f"021{38 + i % 150 % 9}" for i in range(MANY)
    ],
    "seen": [dt.datetime(2023, 1 + i % 12, 1 + i % 28, i % 24, i % 60) for i in range(MANY)],
    "charges": [decimal.Decimal(100 * i + i % 97).scaleb(-2) for i in range(MANY)],
    "steps": [str(i * i % 211) for i in range(MANY)],
    "é": ["É", "é", "x"] * (MANY // 3),
}
TYPES = {"charges": pa.decimal128(12, 2), "seen": pa.timestamp("us")}
VISITS = pa.table({name: pa.array(of, TYPES.get(name)) for name, of in COLUMNS.items()})


@pytest.fixture
def visits(place):
    place.put("raw_visits", VISITS)
    yield "raw_visits"
    place.drop("raw_visits")


def counted(values):
    there = [value for value in values if value is not None]
    texts = [str(value) for value in there]
    return {
        "rows": len(values),
        "present": len(there),
        "values": len(set(texts)),
        "unique": sum(n == 1 for n in Counter(texts).values()),
    }


def of_texts(values):
    there = [value for value in values if value is not None]
    plain = [value.strip(" ") for value in there]
    return {
        "padded": sum(a != b for a, b in zip(there, plain, strict=True)),
        "trimmed": len(set(plain)),
        "digits": sum(value.isdigit() for value in plain),
        "numbers": sum(value.strip().isdigit() and value == value.strip() for value in there),
        "shortest": min(map(len, plain)),
        "longest": max(map(len, plain)),
    }


def shape(value):
    marks = (
        "9" if c.isdigit() else "A" if c.isupper() else "a" if c.islower() else c for c in value
    )
    return "".join(marks)


def test_columns_look_alike_on_every_engine(place, visits):
    with open_engine(place.connection, None, None, writes=False) as engine:
        found = {
            each.name: each
            for each in profile_columns(engine, table(visits), engine.columns(table(visits)))
        }
    for name, values in COLUMNS.items():
        expected = counted(values)
        assert {key: getattr(found[name], key) for key in expected} == expected, name
    for name in ("mrn", "sex", "zip", "steps"):
        expected = of_texts(COLUMNS[name])
        assert {key: getattr(found[name], key) for key in expected} == expected, name
    assert found["sex"].folded == 2
    shapes = Counter(shape(value) for value in COLUMNS["zip"] if value is not None)
    assert dict(found["zip"].shapes) == dict(shapes)
    assert dict(found["é"].shapes) == {None: 2 * MANY // 3, "a": MANY // 3}
    assert found["birth_date"].sentinels == (
        ("1900-01-01", COLUMNS["birth_date"].count(dt.date(1900, 1, 1))),
    )
    days = sorted((day - dt.date(1970, 1, 1)).days for day in COLUMNS["birth_date"])
    spread = found["birth_date"].spread
    assert (spread.least, spread.median, spread.largest) == (days[0], days[MANY // 2 - 1], days[-1])
    assert found["seen"].is_date
    assert found["seen"].clocks == sum(moment.time() != dt.time() for moment in COLUMNS["seen"])
    assert found["charges"].fractions == sum(amount % 1 != 0 for amount in COLUMNS["charges"])
    steps = sorted(map(int, COLUMNS["steps"]))
    assert found["steps"].is_number
    assert found["steps"].spread.upper == steps[-(-95 * MANY // 100) - 1]


def test_the_query_of_the_first_policy_cleans_there(place, visits):
    left = place.left()
    text = first_policy(
        visits, connection=place.connection, answers=Answers(known=("seen",), sensitive=())
    )
    policy = yaml.safe_load(text)
    assert policy["entity"] == "mrn"
    assert policy["columns"]["zip"]["hierarchy"] == {"mask": 5}
    unsaid = {name for name, each in policy["columns"].items() if not each.get("why")}
    assert "seen" in unsaid  # what a user answers is no reason
    assert unsaid.isdisjoint({"mrn", "birth_date", "sex", "zip"})
    assert policy["columns"]["seen"]["hierarchy"]["dates"][0] == "month"
    query = policy["source"]["query"].rstrip()
    place.execute(f"CREATE TABLE cleaned_visits AS {query}")
    names = place.names("cleaned_visits")
    rows = [dict(zip(names, row, strict=True)) for row in place.read("cleaned_visits")]
    place.drop("cleaned_visits")
    assert policy["columns"]["birth_date"]["missing"] == ["1900-01-01"]  # NULL where it is read
    cleaned = [(row["zip"], row["sex"], row["birth_date"]) for row in rows]

    def code(value):
        plain = (value or "").strip()
        return plain.rjust(5, "0") if plain.isdigit() else None

    expected = Counter(
        (code(a), b and b.strip().upper(), c)
        for a, b, c in zip(COLUMNS["zip"], COLUMNS["sex"], COLUMNS["birth_date"], strict=True)
    )
    assert Counter(cleaned) == expected
    policy.pop("release")
    found = kanon_sql.plan({**policy, "privacy": {"k": 5}}, connection=place.connection)
    assert found.smallest_class >= 5
    assert place.left() == left
