"""t-closeness is counted alike by every engine: the same plan, the same release, in decimals of 38 digits."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pyarrow as pa
import pytest

import kanon_sql

ROWS = [
    (n % 7, "xyz"[n % 3], ("flu", "cold", None, "flu", "ulcer")[n * 7919 % 101 % 5])
    for n in range(210)
]


@pytest.fixture
def people(place):
    columns = dict(zip(("a", "z", "d"), zip(*ROWS, strict=True), strict=True))
    types = {"a": pa.int64(), "z": pa.string(), "d": pa.string()}
    frame = pa.table({name: pa.array(cells, types[name]) for name, cells in columns.items()})
    place.put("people_of_t", frame)
    yield place
    place.drop("people_t")
    place.drop("people_of_t")


@pytest.mark.parametrize("nulls", ["not_counted", "value"])
def test_the_release_is_as_close_as_fractions_say(people, nulls):
    policy = {
        "version": 1,
        "source": "people_of_t",
        "entity": "row",
        "columns": {
            "a": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
            "z": {"role": "quasi", "hierarchy": "suppress"},
            "d": {"role": "sensitive"},
        },
        "privacy": {"k": 3, "t_closeness": {"column": "d", "t": 0.125}},
        "suppression": "20%",
        "sensitive_nulls": nulls,
    }
    made = kanon_sql.anonymize(policy, connection=people.connection, release="people_t")
    known = [d for *_, d in ROWS if nulls == "value" or d is not None]
    table = {d: Fraction(n, len(known)) for d, n in Counter(known).items()}
    classes: dict[object, list[object]] = {}
    for a, z, d in people.read("people_t"):
        if nulls == "value" or d is not None:
            classes.setdefault((a, z), []).append(d)
    worst = max(
        sum(abs(Fraction(cells.count(d), len(cells)) - share) for d, share in table.items()) / 2
        for cells in classes.values()
    )
    assert worst <= Fraction(1, 8)
    assert 0 <= made.verification.worst["largest_distance"]["d"] - float(worst) <= 1e-9
    assert len(classes) == made.plan.classes
    assert made.plan.levels == {"a": 0, "z": 1}, "the same on every engine"
