"""A plan is explained alike on every engine."""

from __future__ import annotations

from dataclasses import replace

import pytest
from people import people, small_policy

import kanon_sql

SEVERAL = [{"k": 2}, {"k": 12, "over": ["age"]}]


def explained(place, policy):
    before = place.left()
    place.put("people_of_the_test", people())
    held = place.left()
    plan = kanon_sql.plan(policy, connection=place.connection)
    told = kanon_sql.explain(
        plan, policy=policy, connection=place.connection, time_limit=600, lattice="json"
    )
    assert place.left() in (held, before)
    return replace(
        told, plan=replace(told.plan, sql="", source_fingerprint=None)
    )  # which alone is the engine's own


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "changes",
    [{"search": {"metric": "discernibility"}}, {"privacy": SEVERAL, "suppression": "30%"}],
    ids=["squares", "several"],
)
def test_the_same_explanation(server, places, changes, monkeypatch):
    """Of the frontier a part says as much of an engine; that all of it is right, others test."""
    monkeypatch.setattr("kanon_sql.evidence.explanation.explain_plan.KS", (5,))
    monkeypatch.setattr("kanon_sql.evidence.explanation.explain_plan.PER_THOUSAND", (0, 20))
    policy = small_policy(**changes)
    own = explained(places("duckdb"), policy)
    assert explained(server, policy) == own
    assert all(cell.optimum.known != "not reached in time" for cell in own.frontier)
    assert own.checks > 0
