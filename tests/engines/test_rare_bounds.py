"""Bounds of boxes and parts that are values of few: what `plan` says, against a count in plain Python."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import date, timedelta

import pyarrow as pa
import pytest
from mondrian import STRICT

import kanon_sql

K = 3
COLUMNS = ("person", "income", "word", "born", "ill")
SEARCHES = {
    "mondrian": STRICT,
    "relaxed": {"algorithm": "mondrian", "cuts": "relaxed"},
    "top_down": {"algorithm": "top_down", "target": "ill"},
    "k_optimize": {"algorithm": "k_optimize", "time_limit": "1s"},
}


def rows_of(seed):
    draw = random.Random(seed)
    return [
        (
            draw.randrange(90),
            None if draw.random() < 0.05 else int(draw.gauss(50, 8)),
            draw.choice("aaabbbbbcdddddefg"),
            date(1950, 1, 1) + timedelta(days=draw.randrange(20_000)),
            draw.choice("yn"),
        )
        for _ in range(200)
    ]


def put(place, rows):
    columns = [list(column) for column in zip(*rows, strict=True)]
    types = (pa.int64(), pa.int64(), pa.string(), pa.date32(), pa.string())
    arrays = [pa.array(each, kind) for each, kind in zip(columns, types, strict=True)]
    place.put("people", pa.table(arrays, names=list(COLUMNS)))


def policy(search, entity, *, snap=None):
    number = {"role": "quasi", "order": "number", "output": "bounds"}
    return {
        "version": 1,
        "source": "people",
        "entity": entity,
        "columns": {
            "person": {"role": "identifying", "action": "drop"},
            "income": {**number, **({"snap": snap} if snap else {})},
            "word": {"role": "insensitive"} if snap else {"role": "quasi", "order": "text"},
            "born": {"role": "quasi", "order": "date", "snap": "year"},
            "ill": {"role": "insensitive"},
        },
        "privacy": {"k": K},
        "suppression": "10%" if search == "k_optimize" else 0,
        "search": SEARCHES[search],
    }


def sides(label):
    return {label} if label[0] != "[" else set(label[1:-1].split(", "))


def counted(rows, released, names, *, by_person):
    """Of the numbers and words that bound anything released: how many there are, and how many are rare."""
    at = [names.index(name) for name in ("income_low", "income_high", "word")]
    lows, highs, labels = ([row[n] for row in released] for n in at)
    bounds = {
        "income": {each for each in (*lows, *highs) if each is not None},
        "word": {side for label in labels if label != "*" for side in sides(label)},
    }
    for n, name in enumerate(("income", "word"), start=1):
        holders = defaultdict(set)
        for number, row in enumerate(rows):
            holders[row[n]].add(row[0] if by_person else number)
        rare = [each for each in bounds[name] if len(holders[each]) < K]
        yield name, len(rare), len(bounds[name])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("entity", ["row", "person"])
@pytest.mark.parametrize(
    ("engine", "search"),
    [*(("duckdb", each) for each in SEARCHES), ("postgres", "mondrian"), ("postgres", "top_down")],
)
def test_bounds_that_few_have_are_counted(places, engine, search, entity):
    place, rows = places(engine), rows_of(0)
    put(place, rows)
    try:
        asked = policy(search, entity)
        plan = kanon_sql.plan(asked, connection=place.connection)
        kanon_sql.apply(plan, policy=asked, connection=place.connection, release="people_k3")
        names, released = place.names("people_k3"), place.read("people_k3")
    finally:
        place.drop("people_k3")
        place.drop("people")
    who = "rows" if entity == "row" else "people"
    told = {
        f"columns.{name}: {few} of the {many} values that bound what is released have fewer "
        f"than {K} {who} each"
        for name, few, many in counted(rows, released, names, by_person=entity == "person")
        if few
    }
    assert {note.split(";")[0] for note in plan.notes if "that bound" in note} == told
    assert told or search == "k_optimize"  # which ends by the clock; else nothing was tested
    assert "that bound" not in plan.to_yaml()


@pytest.mark.parametrize("search", SEARCHES)
def test_whole_steps_are_nobody_s(places, search):
    place = places("duckdb")
    put(place, rows_of(0))
    plan = kanon_sql.plan(policy(search, "row", snap=5), connection=place.connection)
    place.drop("people")
    assert not [note for note in plan.notes if "that bound" in note]


def test_bounds_that_many_have_are_not_told_of(places):
    place = places("duckdb")
    put(place, [(n, n // 30, "ab"[n % 2], date(2000, 1, 1), "y") for n in range(90)])
    plan = kanon_sql.plan(policy("mondrian", "row"), connection=place.connection)
    place.drop("people")
    assert not [note for note in plan.notes if "that bound" in note]
