"""A small table of people who do not exist, and later rows of the same columns.

Of what the generator gives only `random()` is used: its sequence is the same in every version of Python.
"""

from __future__ import annotations

import datetime as dt
import random
from decimal import Decimal

import pyarrow as pa

CITIES = ["Zürich", "Genève", "São Paulo", "東京", "naïve 😀", "O'Brien; --", "", None]
SCHOOLS = ["none", "primary", "secondary", "bachelor", "doctorate"]
DISEASES = ["flu", "asthma", "angina", "gastritis", "Grippe é", None]
SEXES = ["f", "m", "f", "m", "f", "m", "d", None]
FIRST_DAY = dt.date(1931, 1, 1)
FIRST_MOMENT = dt.datetime(2023, 11, 28, 22, 15)

SCHEMA = pa.schema(
    {
        "person": pa.int64(),
        "name": pa.string(),
        "card": pa.string(),
        "sex": pa.string(),
        "age": pa.int64(),
        "zip code": pa.string(),
        "city": pa.string(),
        "school": pa.string(),
        "weight": pa.decimal128(6, 2),
        "born": pa.date32(),
        "seen": pa.timestamp("us"),
        "smoker": pa.bool_(),
        "disease": pa.string(),
        "cost": pa.float64(),
        "visit": pa.int64(),
    }
)


def people(count=120, *, seed=18):
    """Some three rows a person, with NULLs in most columns; the first six rows are there twice."""
    take = random.Random(seed).random

    def below(limit):
        return int(take() * limit)

    rows = []
    for person in range(count):
        age = None if below(25) == 0 else below(45) + below(45)
        same = {
            "person": person,
            "name": f"Ünï {person} ${{y}} \\ '",
            "card": f"{person:03}-{below(10**6):06}",
            "sex": SEXES[below(8)],
            "age": age,
            "zip code": f"0{21 + below(2)}{below(3)}{below(4) * 2}",
            "city": CITIES[min(below(8), below(8))],
            "school": SCHOOLS[below(5)],
            "born": None if below(20) == 0 else FIRST_DAY + dt.timedelta(days=below(27000)),
        }
        rows += [
            {
                **same,
                "weight": Decimal(4000 + below(60) * 125) / 100,
                "seen": FIRST_MOMENT + dt.timedelta(hours=below(3000)),
                "smoker": None if below(12) == 0 else below(3) == 0,
                "disease": DISEASES[min(below(6), below(6))],
                "cost": below(400) / 4,
                "visit": 10 * person + visit,
            }
            for visit in range(1 + below(5))
        ]
    return pa.Table.from_pylist([*rows, *rows[:6]], schema=SCHEMA)


def later_people():
    """Others of the same columns, some of whose values the first table has not."""
    return people(40, seed=81)
