"""Every algorithm finds the same on every engine, by the same checks."""

from __future__ import annotations

import pytest
from people import in_bytes, people, small_policy

import kanon_sql
from kanon_sql.search.algorithms import ALGORITHMS


def policy(search):
    given = small_policy(search=search, suppression="4%")
    hierarchies = {
        "age": {"intervals": [10, 40]},
        "born": {"dates": ["year", "century"]},
        "member": "suppress",
    }
    for name, hierarchy in hierarchies.items():
        given["columns"][name] = {"role": "quasi", "hierarchy": hierarchy}
    return given


SEARCHES = [
    *({"algorithm": name.value} for name in ALGORITHMS),
    {"algorithm": "samarati", "among": "all_minimal", "preference": "maximum_distribution"},
]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: "-".join(search.values()))
def test_the_same_plan_by_the_same_checks(server, places, search):
    plans = []
    for place in (places("duckdb"), server):
        place.put("people_of_the_test", people(60))
        plans.append(kanon_sql.plan(policy(search), connection=place.connection))
        place.drop("people_of_the_test")
    first, second = plans
    assert in_bytes(first) == in_bytes(second)
    assert first.checks == second.checks
