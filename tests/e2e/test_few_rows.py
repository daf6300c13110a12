"""`plan` says where one suppressed row would spare a column."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

import kanon_sql

AGES = [20 + i % 5 * 2 for i in range(400)]


def policy(**changes):
    return {
        "version": 1,
        "entity": "row",
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 40]}},
            "ward": {"role": "quasi", "hierarchy": "suppress"},
        },
        "privacy": {"k": 5},
        "suppression": 0,
        **changes,
    }


def table(*more):
    ages = [*AGES, *(age for age, _ in more)]
    wards = [*("ab"[i // 5 % 2] for i in range(400)), *(ward for _, ward in more)]
    return pa.table({"age": pa.array(ages, pa.int64()), "ward": wards})


def remark(given, frame):
    told = [w for w in kanon_sql.plan(given, frame).warnings if "suppression:" in w]
    assert len(told) <= 1
    return told[0] if told else None


@pytest.mark.parametrize(
    ("more", "who"),
    [([(None, "a")], "1 row with NULL in age raises"), ([(999, "a")], "1 row with rare values of age raises")],
    ids=["NULL", "rare"],
)  # fmt: skip
def test_a_row_that_takes_a_column_is_told_with_what_its_suppression_would_spare(more, who):
    """What is said is held against the plan that the policy would then have."""
    frame = table(*more)
    said = remark(policy(), frame)
    assert who in said
    before = kanon_sql.plan(policy(), frame)
    limit, level, was = map(int, re.search(
        r"suppression: (\d+) instead of 0, age is released at level (\d+) instead of (\d+)", said
    ).groups())  # fmt: skip
    after = kanon_sql.plan(policy(suppression=limit), frame)
    assert limit == 1
    assert (
        (after.levels["age"], before.levels["age"])
        == (level, was)
        == (0, 3 if None in more[0] else was)
    )
    cheap, dear = map(
        float, re.search(r"loss \(geometric mean\) ([\d.e-]+) instead of ([\d.e-]+)", said).groups()
    )
    assert cheap == pytest.approx(after.cost[0], rel=1e-4)
    assert dear == pytest.approx(before.cost[0], rel=1e-4)


@pytest.mark.parametrize(
    ("given", "frame"),
    [
        (policy(), table()),
        (policy(suppression="1%"), table((None, "a"))),
        (policy(privacy={"k": 60}), table()),
        (policy(), table(*[(200 + n, "a") for n in range(40)])),
    ],
    ids=["nothing is raised", "it is allowed", "k raises it", "many rows raise it"],
)
def test_nothing_is_said_where_few_rows_would_not_help(given, frame):
    assert remark(given, frame) is None


def test_the_remark_is_no_part_of_the_plan_and_of_its_checks():
    frame = table((None, "a"))
    plan = kanon_sql.plan(policy(), frame)
    assert "suppression:" not in plan.to_yaml().partition("\nsql:")[0]
