"""What is shown of a release, and what verify counts of a failure, is the same in every database."""

from __future__ import annotations

from people import people, small_policy

import kanon_sql


def test_examples_and_failing_classes_are_as_on_duckdb(places, server):
    policy, shown, failing = small_policy(), [], []
    for place in (places("duckdb"), server):
        place.put("people_of_the_test", people())
        plan = kanon_sql.plan(policy, connection=place.connection, examples=True)
        shown.append(plan.examples)
        for who in ({}, {"entity": "who"}, {"signature": "who"}):
            found = kanon_sql.verify(
                "people_of_the_test",
                qi=["age", "member", "disease"],
                k=4,
                connection=place.connection,
                **who,
            )
            failing.append((found.short_classes, found.short_rows, found.short_people))
    assert shown[0] == shown[1]
    assert shown[0].classes
    assert failing[:3] == failing[3:]
    assert all(classes > 0 and rows > 0 for classes, rows, _ in failing)
    assert [people is None for *_, people in failing[:3]] == [True, False, False]
