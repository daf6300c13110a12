"""Releases are measured alike on every engine, and as their plans say."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pytest

import kanon_sql

pytestmark = pytest.mark.rare(on="spark")

AGE = 'age "x"'
ROWS = [
    (
        n % 23,
        date(1970 + n % 31, 2, 3) if n % 9 else None,
        (None, "", "a'b", "ß 😀", "NULL")[n * 7 % 5],
        ("flu", "cold", None)[n * 31 % 11 % 3],
    )
    for n in range(90)
]
POLICY = {
    "version": 1,
    "source": "measured",
    "entity": "row",
    "columns": {
        AGE: {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
        "day": {"role": "quasi", "hierarchy": {"dates": ["year", "decade"]}},
        "z": {"role": "quasi", "hierarchy": "suppress"},
        "class": {"role": "insensitive"},
    },
    "privacy": {"k": 3},
    "suppression": "30%",
}


def frame():
    ages, days, texts, classes = zip(*ROWS, strict=True)
    return pa.table(
        {
            AGE: pa.array(ages, pa.int64()),
            "day": pa.array(days, pa.date32()),
            "z": pa.array(texts, pa.string()),
            "class": pa.array(classes, pa.string()),
        }
    )


@pytest.fixture
def measured(place):
    place.put("measured", frame())
    yield place
    for name in ("measured", "measured_k3"):
        place.drop(name)


@pytest.mark.parametrize("recoding", ["full_domain", "local"])
def test_a_release_is_measured_as_on_duckdb(measured, recoding):
    policy = {**POLICY, "search": {"recoding": recoding}}
    own = {"connection": measured.connection}
    plan = kanon_sql.plan(policy, **own)
    kanon_sql.apply(plan, policy=policy, release="measured_k3", **own)
    asked = {"policy": policy, "class_column": "class", "queries": [{"z": "z IS NOT NULL"}]}
    found = kanon_sql.quality("measured_k3", plan=plan, **asked, **own)
    assert found.warnings == ()
    ((true, _),) = found.queries.counts
    assert true == sum(text is not None for *_, text, _ in ROWS)
    for key, stated in plan.figures.items():
        if found.figures.get(key) is not None:
            assert found.figures[key] == pytest.approx(stated, rel=1e-9), key
    drawn = {**asked, "queries": None, "workload": 30}
    there = kanon_sql.quality("measured_k3", plan=plan, **drawn, **own)
    on_duckdb = kanon_sql.plan(policy, frame())
    release = kanon_sql.apply(on_duckdb, frame(), policy=policy).frame()
    here = kanon_sql.quality(release, frame(), plan=on_duckdb, **drawn)
    assert there.figures == {
        key: value if value is None else pytest.approx(value, rel=1e-9)
        for key, value in here.figures.items()
    }
    assert here.figures["count_error"] > 0  # ages and years are in bands
    assert there.reasons == here.reasons
    assert there.columns == here.columns
    assert [true for true, _ in there.queries.counts] == [true for true, _ in here.queries.counts]
    assert there.queries.mean == pytest.approx(here.queries.mean, rel=1e-7)
