"""`init` gives dates of birth steps up to forty years, so that few people keep something of theirs at k = 11."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter

import pandas as pd
import pytest
import yaml

import kanon_sql
from kanon_sql.policy.hierarchies.specs import DateUnit, day_of

ROWS = 1_200


def people(first, last):
    take = random.Random(2)
    days = (dt.date(last, 1, 1) - dt.date(first, 1, 1)).days
    born = [dt.date(first, 1, 1) + dt.timedelta(days=take.randrange(days)) for _ in range(ROWS)]
    return pd.DataFrame(
        {
            "patient_id": range(ROWS),
            "sex": [take.choice("fm") for _ in born],
            "birth": born,
            "zip": [
                f"0{take.choice((2130, 2138, 2139, 2142, 2445, 2446)) + take.randrange(3)}"
                for _ in born
            ],
            "education": [
                take.choice(("none", "primary", "secondary", "bachelor", "master")) for _ in born
            ],
            "disease": [take.choice(("flu", "cold", "asthma", "acne")) for _ in born],
        }
    )


def units(frame):
    return kanon_sql.suggest(frame)["columns"]["birth"]["hierarchy"]["dates"]


def test_half_of_the_rows_keep_something_of_their_birth():
    frame = people(1930, 2012)
    policy = kanon_sql.suggest(frame)
    assert policy["privacy"][0] == {"k": 11}
    assert units(frame) == ["month", "year", "decade", "20_years", "40_years"]
    kept = {}
    for name in ("as proposed", "up to decades"):
        if name == "up to decades":
            policy["columns"]["birth"]["hierarchy"] = {"dates": ["month", "year", "decade"]}
        with kanon_sql.anonymize(policy, frame) as release:
            kept[name] = 1 - Counter(release.to_pandas()["birth"])["*"] / ROWS
    assert kept["as proposed"] > 0.4
    assert kept["as proposed"] > 2 * kept["up to decades"]


def test_a_range_of_few_decades_has_none_of_these_steps():
    assert units(people(1990, 2012)) == ["month", "year", "decade"]


def test_units_of_years_that_do_not_nest_are_refused(lab):
    lab.write("people.csv", "born,ill\n1990-01-01,flu\n")
    column = {"role": "quasi", "hierarchy": {"dates": ["40_years", "century"]}}
    policy = {
        "version": 1,
        "source": "people.csv",
        "entity": "row",
        "columns": {"born": column, "ill": {"role": "sensitive"}},
        "privacy": {"k": 2},
    }
    lab.write("own.yml", yaml.safe_dump(policy))
    told = " ".join(lab.refused("lint", "own.yml").split())
    assert "columns.born.hierarchy.dates: 40_years cross the borders of centuries: say one" in told


@pytest.mark.parametrize(("unit", "label"), [("20_years", "1960-1979"), ("40_years", "1960-1999")])
def test_a_day_is_made_up_within_a_label(unit, label):
    first, last = label.split("-")
    assert int(first) <= int(day_of(DateUnit(unit), label)[:4]) <= int(last)
    assert day_of(DateUnit(unit), "1960-12") is None
    assert day_of(DateUnit(unit), "*") is None
