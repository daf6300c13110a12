"""One test a server in the default tier: the same plan and the same release as on DuckDB."""

from __future__ import annotations

import pytest
from people import comparable, people, shown, small_policy

import kanon_sql


@pytest.mark.smoke
def test_the_same_plan_and_the_same_release(places, server):
    policy, found = small_policy(), []
    for place in (places("duckdb"), server):
        place.put("people_of_the_test", people())
        plan = kanon_sql.plan(policy, connection=place.connection)
        made = kanon_sql.apply(
            plan, policy=policy, connection=place.connection, release="people_k3"
        )
        assert made.verification.passed
        found.append((comparable(plan), shown(place.read("people_k3")), place.names("people_k3")))
        place.drop("people_k3")
    assert found[0] == found[1]
