"""Models of the whole table are counted alike by every engine: the same plan, the same rows, the same figures."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pyarrow as pa
import pytest
from table_models import Bounds

import kanon_sql
from kanon_sql.counting.plans.recodings import WithoutSmallest

ROWS = [(n * n % 23, "xyzÄ"[n * 7919 % 101 % 4], n) for n in range(120)]
ROWS += [(30 + n, "xyzÄ"[n % 4], 200 + n) for n in range(9)]
BOUNDS = {
    "average risk": Bounds(risk=Fraction(3, 10)),
    "sample uniqueness": Bounds(unique=Fraction(1, 50)),
    "population uniqueness": Bounds(there=Fraction(1, 1000)),
    "all of them": Bounds(Fraction(3, 10), Fraction(1, 50), Fraction(1, 1000)),
}


@pytest.fixture
def people(place):
    columns = dict(zip(("a", "z", "id"), zip(*ROWS, strict=True), strict=True))
    types = {"a": pa.int64(), "z": pa.string(), "id": pa.int64()}
    frame = pa.table({name: pa.array(cells, types[name]) for name, cells in columns.items()})
    place.put("people_of_tables", frame)
    yield place, frame
    place.drop("people_out")
    place.drop("people_of_tables")


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.sampled(2)
def test_the_release_keeps_the_bounds_and_is_the_same_everywhere(people, name):
    place, frame = people
    bounds = BOUNDS[name]
    policy = {
        "version": 1,
        "source": "people_of_tables",
        "entity": "row",
        "columns": {
            "a": {"role": "quasi", "hierarchy": {"intervals": [2, 6]}},
            "z": {"role": "quasi", "hierarchy": "suppress"},
            "id": {"role": "insensitive"},
        },
        "privacy": bounds.privacy,
        "suppression": "20%",
        "search": {"algorithm": "exhaustive"},
    }
    made = kanon_sql.anonymize(policy, connection=place.connection, release="people_out")
    released = place.read("people_out")
    assert bounds.kept(list(Counter((a, z) for a, z, _ in released).values()))
    here = kanon_sql.plan(policy, frame)
    assert isinstance(made.plan.recoding, WithoutSmallest)
    assert (made.plan.recoding, made.plan.cost) == (here.recoding, here.cost)
    with kanon_sql.anonymize(policy, frame) as again:
        assert made.verification.summary() == again.verification.summary()
        ids = {row[0] for row in again.relation.project("id").fetchall()}
    assert {row[-1] for row in released} == ids
    asked = {"quasi": ["a", "z"], "privacy": bounds.privacy, "connection": place.connection}
    assert kanon_sql.verify("people_out", **asked).of_all == made.verification.of_all
    assert not kanon_sql.verify("people_of_tables", **asked).passed
