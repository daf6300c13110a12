"""Rows that are counted before they are read: the same plan, release and verdict as of the rows, on every engine."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

import kanon_sql

WEIGHT = 'n "of" x'
TUPLES = [
    (n % 5 or None, "xyz"[n % 3] if n % 7 else None, "ab"[n % 2], 1 + n * n % 9) for n in range(60)
]
HEAVY = (4, "y", "a", 4097)
"""More rows than two blocks of the view in which it is repeated."""
TYPES = {"a": pa.int64(), "z": pa.string(), "s": pa.string(), WEIGHT: pa.int64()}
COLUMNS = {
    "a": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
    "z": {"role": "quasi", "hierarchy": "suppress"},
    "s": {"role": "sensitive"},
}
MODELS = {
    "category": [{"k": 20}, {"distinct_l": {"column": "s", "l": 2}}],
    "suppress": [{"k": 9}, {"t_closeness": {"column": "s", "t": 0.4}}],
    "wildcard": [{"k": 12}],
}


def framed(rows, names):
    cells = dict(zip(names, zip(*rows, strict=True), strict=True))
    return pa.table({name: pa.array(cells[name], TYPES[name]) for name in names})


def test_the_release_is_that_of_the_rows(place):
    compare(place, "category")


@pytest.mark.rare(on="spark")
@pytest.mark.parametrize("nulls", ["suppress", "wildcard"])
def test_rows_with_null_are_counted_before_too(place, nulls):
    compare(place, nulls)


def compare(place, nulls):
    tuples = [*TUPLES, HEAVY] if nulls == "category" else TUPLES
    rows = [each[:3] for each in tuples for _ in range(each[3])]
    policy = {
        "version": 1,
        "source": {"table": "counted_people", "weight": WEIGHT},
        "entity": "row",
        "columns": COLUMNS,
        "privacy": MODELS[nulls],
        "suppression": "40%",
        "nulls": nulls,
    }
    place.put("counted_people", framed(tuples, list(TYPES)))
    here = kanon_sql.plan({**policy, "source": "rows"}, framed(rows, list(COLUMNS)))
    made = kanon_sql.anonymize(policy, connection=place.connection, release="people_out")
    for of in ("levels", "cost", "figures", "source_rows", "suppressed_rows", "classes", "risk"):
        assert getattr(made.plan, of) == getattr(here, of)
    assert made.plan.document()["recoding"] == here.document()["recoding"]
    released = place.read("people_out")
    assert len(released) == len(rows) - here.suppressed_rows
    if nulls == "category":
        classes = Counter(row[:2] for row in released)
        assert (len(classes), min(classes.values())) == (here.classes, here.smallest_class)
    known = Counter(row[2] for row in rows)
    assert all(count <= known[value] for value, count in Counter(r[2] for r in released).items())
    place.drop("people_out")
    place.drop("counted_people")
