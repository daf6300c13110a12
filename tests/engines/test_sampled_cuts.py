"""The first cuts of a large table are chosen on one sample of its rows, whichever engine has it."""

from __future__ import annotations

import random
from collections import Counter
from unittest.mock import patch

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.recoding.multidimensional import mondrian, region_cuts_sql, samples

K, ROWS = 3, 1_500
NAMES = ("a", "b", "c")
SMALL = {"LEAST_ROWS": ROWS, "ONE_IN": 4, "SAMPLED_ROWS": 24}
"""By which a table of a test is large."""


def people():
    """Skewed numbers, some below zero or missing, a tuple that many rows have, and texts."""
    draw = random.Random(11)
    rows = [
        (
            draw.choice([None, *range(-4, 9)]),
            int(draw.expovariate(0.05)),
            draw.choice("klmnopqrst"),
        )
        for _ in range(ROWS - 200)
    ]
    rows += [(3, 7, "m")] * 200
    kinds = (pa.int64(), pa.int64(), pa.string())
    return pa.table(
        {
            name: pa.array(column, kind)
            for name, column, kind in zip(NAMES, zip(*rows, strict=True), kinds, strict=True)
        }
    )


def policy():
    orders = {"a": "number", "b": "number", "c": "text"}
    return {
        "version": 1,
        "source": "many_people",
        "entity": "row",
        "columns": {name: {"role": "quasi", "order": order} for name, order in orders.items()},
        "privacy": {"k": K},
        "search": {"algorithm": "mondrian"},
    }


def released(place):
    """What a place's own release has, each with how many rows."""
    place.put("many_people", people())
    plan = kanon_sql.plan(policy(), connection=place.connection)
    kanon_sql.apply(plan, policy=policy(), connection=place.connection, release="few_people")
    found = Counter(place.read("few_people"))
    place.drop("few_people")
    place.drop("many_people")
    assert plan.classes == len(found)
    return found


def test_a_release_of_sampled_cuts_is_the_same_on_every_engine(places, server):
    with patch.multiple(samples, **SMALL):
        found = released(server)
        assert found == released(places("duckdb"))
    assert found.total() == ROWS
    assert min(found.values()) >= K


def test_cuts_of_a_sample_are_not_those_of_all_rows(places):
    """So that the tests of this file see a sample at all."""
    exact = released(places("duckdb"))
    with patch.multiple(samples, **SMALL):
        found = released(places("duckdb"))
    assert found.total() == exact.total() == ROWS
    assert found != exact
    assert abs(len(found) - len(exact)) <= len(exact) / 20


def test_a_region_that_does_not_fit_by_all_rows_ends_the_run(places):
    """A sample that has more rows than its table is a fault of ours, and nothing is released."""
    place = places("duckdb")
    place.put("many_people", people())

    def ninefold(_, sample, working):
        return region_cuts_sql.union_all(sample, [working] * 9)

    with (
        patch.multiple(samples, **SMALL),
        patch.object(mondrian, "sampled_tuples", ninefold),
        pytest.raises(kanon_sql.InternalError, match="does not fit"),
    ):
        kanon_sql.plan(policy(), connection=place.connection)
    place.drop("many_people")
