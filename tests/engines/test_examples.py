"""What is shown of a release, and what verify counts of a failure, is the same in every database."""

from __future__ import annotations

from people import people, small_policy

import kanon_sql
from kanon_sql.recoding import second_look


def test_examples_and_failing_classes_are_as_on_duckdb(places, server):
    policy, shown, failing = small_policy(), [], []
    for place in (places("duckdb"), server):
        place.put("people_of_the_test", people())
        plan = kanon_sql.plan(policy, connection=place.connection, examples=True)
        shown.append(plan.examples)
        for who in ({}, {"entity": "who"}, {"signature": "who"}):
            found = kanon_sql.verify(
                "people_of_the_test",
                quasi=["age", "member", "disease"],
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


def test_of_many_classes_those_are_shown_that_have_a_few_labels_of_one_column(
    places, server, monkeypatch
):
    """The labels are the first by their hash, so that every database shows the same."""
    monkeypatch.setattr(second_look, "MANY_ROWS", 1)
    monkeypatch.setattr(second_look, "SHOWN_LABELS", 2)
    entry = {"role": "quasi", "order": "number"}
    policy = {
        "version": 1,
        "source": "people_of_the_test",
        "entity": "row",
        "columns": {
            **{each: {"role": "identifying", "action": "drop"} for each in people().column_names},
            "age": entry,
            "height": entry,
        },
        "privacy": {"k": 3},
        "search": {"algorithm": "mondrian", "choose": "width", "grouping": "cuts"},
    }
    shown = []
    for place in (places("duckdb"), server):
        place.put("people_of_the_test", people())
        shown.append(kanon_sql.plan(policy, connection=place.connection, examples=True).examples)
    assert shown[0] == shown[1]
    assert 1 < len(shown[0].classes) <= 5
    assert len({labels[0] for labels in (each.labels for each in shown[0].classes)}) <= 2
    assert all(each.rows >= 3 for each in shown[0].classes)
