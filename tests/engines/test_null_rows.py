"""NULL in quasi-identifiers is suppressed, or matches any value, alike on every engine."""

from __future__ import annotations

import pyarrow as pa
import pytest

import kanon_sql

ROWS = [(n % 5 or None, "xyz"[n % 3] if n % 7 else None, "ab"[n % 2]) for n in range(60)]
ASKED = {
    "suppress": [{"k": 3}, {"t_closeness": {"column": "s", "t": 0.3}}],
    "wildcard": [{"k": 5}],
}


@pytest.fixture
def people(place):
    types = {"a": pa.int64(), "z": pa.string(), "s": pa.string()}
    columns = zip(types.items(), zip(*ROWS, strict=True), strict=True)
    frame = pa.table({name: pa.array(cells, kind) for (name, kind), cells in columns})
    place.put("people_with_nulls", frame)
    yield place, frame
    place.drop("people_out")
    place.drop("people_with_nulls")


@pytest.mark.parametrize("nulls", ASKED)
def test_the_release_is_the_same_everywhere(people, nulls):
    place, frame = people
    policy = {
        "version": 1,
        "source": "people_with_nulls",
        "entity": "row",
        "columns": {
            "a": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
            "z": {"role": "quasi", "hierarchy": "suppress"},
            "s": {"role": "sensitive"},
        },
        "privacy": ASKED[nulls],
        "suppression": "40%",
        "nulls": nulls,
    }
    made = kanon_sql.anonymize(policy, connection=place.connection, release="people_out")
    here = kanon_sql.plan(policy, frame)
    assert (made.plan.levels, made.plan.figures) == (here.levels, here.figures)
    assert (made.plan.suppressed_rows, made.plan.smallest_class) == (
        here.suppressed_rows,
        here.smallest_class,
    )
    released = place.read("people_out")
    assert len(released) == len(ROWS) - here.suppressed_rows
    with_null = [row for row in released if None in row[:2]]
    assert bool(with_null) == (nulls == "wildcard")
    for a, z, _ in released:
        same = [r for r in released if r[0] in {a, None} or a is None]
        assert sum(r[1] in {z, None} or z is None for r in same) >= ASKED[nulls][0]["k"]
    found = kanon_sql.verify(
        "people_out",
        quasi=["a", "z"],
        k=ASKED[nulls][0]["k"],
        nulls="wildcard" if nulls == "wildcard" else "category",
        connection=place.connection,
    )
    assert (found.passed, found.smallest_class) == (True, here.smallest_class)
