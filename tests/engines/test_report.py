"""A table of any engine is reported with the figures that DuckDB counts."""

from __future__ import annotations

from dataclasses import fields

import pyarrow as pa
import pytest

import kanon_sql

pytestmark = pytest.mark.rare(on="spark")

AGE = 'age "x"'
ROWS = [
    (
        n % 37,
        (None, "", "a'b", "ß 😀", "NULL")[n * 7 % 5],
        ("flu", "cold", None)[n * 31 % 11 % 3],
        f"p{n % 41}",
    )
    for n in range(120)
]
POLICY = {
    "version": 1,
    "source": "reported",
    "entity": "row",
    "columns": {
        AGE: {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
        "z": {"role": "quasi", "hierarchy": "suppress"},
        "d": {"role": "sensitive"},
        "who": {"role": "identifying", "action": "drop"},
    },
    "privacy": {"k": 3},
    "suppression": "30%",
}
CHANGES = {
    "one node": {},
    "several nodes": {"search": {"recoding": "local"}},
    "regions": {"search": {"algorithm": "mondrian"}},
    "people": {"entity": "who"},
}
OF_THE_RUN = {"name", "engine", "policy", "plan", "plan_digest", "search", "quality"}
"""What has the words of an engine, or its time: a plan holds the SQL of its engine."""


def frame():
    columns = zip((AGE, "z", "d", "who"), zip(*ROWS, strict=True), strict=True)
    return pa.table({name: pa.array(values) for name, values in columns})


@pytest.fixture
def reported(place):
    place.put("reported", frame())
    yield place
    for name in ("reported", "reported_k3"):
        place.drop(name)


@pytest.mark.parametrize("change", CHANGES)
def test_a_report_is_that_of_duckdb(reported, change):
    policy = {**POLICY, **CHANGES[change]}
    own = {"connection": reported.connection}
    plan = kanon_sql.plan(policy, **own)
    kanon_sql.apply(plan, policy=policy, release="reported_k3", **own)
    there = {
        "plan": kanon_sql.report(plan, policy=policy, search=False, **own),
        "release": kanon_sql.report("reported_k3", plan=plan, policy=policy, search=False, **own),
    }
    on_duckdb = kanon_sql.plan(policy, frame())
    release = kanon_sql.apply(on_duckdb, frame(), policy=policy).frame()
    given = {"policy": policy, "search": False}
    here = {
        "plan": kanon_sql.report(on_duckdb, frame(), **given),
        "release": kanon_sql.report(release, frame(), plan=on_duckdb, **given),
    }
    for kind, found in there.items():
        for each in fields(found):
            if each.name not in OF_THE_RUN:
                assert getattr(found, each.name) == getattr(here[kind], each.name), each.name
        assert found.quality.columns == here[kind].quality.columns
        assert "<main" in found.to_html()


def test_other_limits_are_searched_as_on_duckdb(reported):
    own = {"connection": reported.connection}
    found = kanon_sql.report(kanon_sql.plan(POLICY, **own), policy=POLICY, **own)
    here = kanon_sql.report(kanon_sql.plan(POLICY, frame()), frame(), policy=POLICY)
    assert found.search.of_k == here.search.of_k
