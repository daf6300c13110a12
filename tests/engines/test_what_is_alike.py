"""What is released alike is one class of the plan, on every engine: it counts what a reader counts."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from people import shown

import kanon_sql

NUMBERS = [float("nan"), float("inf"), float("-inf"), None, 3.0, 4.0, 17.0, 1e14]
ODD = pa.table(
    {
        "q": pa.array([number for number in NUMBERS for _ in range(3)], pa.float64()),
        "n": pa.array(range(3 * len(NUMBERS)), pa.int64()),
    }
)


def policy(**changes):
    columns = {
        "q": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}, "output": "bounds"},
        "n": {"role": "insensitive"},
    }
    return {"version": 1, "source": "odd_of_the_test", "entity": "row", "columns": columns,
            "privacy": {"k": 5}, "suppression": "40%", **changes}  # fmt: skip


@pytest.fixture
def odd(place):
    place.put("odd_of_the_test", ODD)
    yield place
    place.drop("odd_k5")
    place.drop("odd_of_the_test")


def test_what_has_no_bounds_is_one_class(odd):
    """NaN, the infinities and NULL have no bounds: a reader of the release cannot tell which is which."""
    plan = kanon_sql.plan(policy(), connection=odd.connection)
    made = kanon_sql.apply(plan, policy=policy(), connection=odd.connection, release="odd_k5")
    rows = [row[:2] for row in odd.read("odd_k5")]
    assert shown(rows) == Counter({(None, None): 12, ("0", "5"): 6})
    assert plan.classes == len(set(rows)) == made.verification.classes == 2
    assert plan.levels == {"q": 1}
    assert plan.suppressed_rows == 6
    assert plan.smallest_class == min(Counter(rows).values())


def test_labels_of_what_has_no_bounds_stay_apart(odd):
    columns = {**policy()["columns"], "q": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}}}
    plan = kanon_sql.plan(policy(columns=columns, privacy={"k": 3}), connection=odd.connection)
    assert plan.classes == len(NUMBERS)
