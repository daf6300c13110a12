"""What a plan by regions shows of classes, and counts by them: read from the regions, the same as its release has."""

from __future__ import annotations

import random
from collections import Counter

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.counting.plans.plan import SHOWN_CLASSES
from kanon_sql.recoding import second_look

K, ROWS = 4, 240
WORDS = [None, "", "'", '"', "a'b", "NULL", "row_count"]


def table():
    draw = random.Random(3)
    rows = [
        {
            "select": draw.choice([None, *range(-20, 40)]),
            "row_count": draw.choice(WORDS),
            'a"b c': int(draw.expovariate(0.1)),
            "ill": draw.choice("xyz"),
        }
        for _ in range(ROWS)
    ]
    return pa.Table.from_pylist(rows)


def policy(search, output):
    number = {"role": "quasi", "order": "number", **output}
    return {
        "version": 1,
        "source": "drawn",
        "entity": "row",
        "columns": {
            "select": number,
            "row_count": {"role": "quasi", "hierarchy": "suppress"},
            'a"b c': number,
            "ill": {"role": "sensitive"},
        },
        "privacy": [{"k": K}, {"distinct_l": {"column": "ill", "l": 2}}],
        "search": {"algorithm": "mondrian", **search},
    }


RUNS, VALUES = {"grouping": "order"}, {"output": "apportioned"}
CASES = {
    "runs": (RUNS, {}),
    "runs, bounds": (RUNS, {"output": "bounds"}),
    "runs, values": (RUNS, VALUES),
    "cuts": ({"grouping": "cuts"}, {}),
    "relaxed, values": ({"cuts": "relaxed"}, VALUES),
    "one sort": ({"algorithm": "order"}, {}),
}


@pytest.mark.parametrize(("search", "output"), CASES.values(), ids=CASES)
def test_what_a_plan_shows_is_what_its_release_has(monkeypatch, search, output):
    def staged(*_, **__):
        raise AssertionError("rows are staged to count them")

    monkeypatch.setattr(second_look, "stage_to_count", staged)
    rows, asked = table(), policy(search, output)
    plan = kanon_sql.plan(asked, rows, examples=True)
    found = kanon_sql.apply(plan, rows, policy=asked).to_arrow().to_pylist()
    shown = plan.examples
    texts = [
        tuple(None if row[name] is None else str(row[name]) for name in shown.columns)
        for row in found
    ]
    counts = Counter(texts)
    assert len(texts) == ROWS
    assert len(shown.classes) == min(SHOWN_CLASSES, len(counts))
    assert {each.labels: each.rows for each in shown.classes} == {
        each.labels: counts[each.labels] for each in shown.classes
    }
    for change, (first, *_) in zip(shown.changes, released_as(asked, found[0]), strict=True):
        assert change.labels == len({row[first] for row in found} - {None})


def released_as(asked, row):
    """The released columns of each quasi-identifier."""
    for name, each in asked["columns"].items():
        if each["role"] == "quasi":
            yield [of for of in row if of == name or of.startswith(f"{name}_")]
