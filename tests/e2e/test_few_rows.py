"""`plan` says where one suppressed row would spare a column."""

from __future__ import annotations

import json
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
    [([(None, "a")], "1 row with NULL in age forces it to level 3 of 3 (*) for all rows"), ([(999, "a")], "1 row with a rare value of age forces it to level ")],
    ids=["NULL", "rare"],
)  # fmt: skip
def test_a_row_that_takes_a_column_is_told_with_what_its_suppression_would_spare(more, who):
    """What is said is held against the plan that the policy would then have."""
    frame = table(*more)
    said = remark(policy(), frame)
    assert who in said
    before = kanon_sql.plan(policy(), frame)
    was, limit = map(int, re.search(
        r"forces it to level (\d) of 3.* allow 1 suppressed row \(suppression: (\d+) instead of 0\), and age stays exact",
        said,
    ).groups())  # fmt: skip
    after = kanon_sql.plan(policy(suppression=limit), frame)
    assert limit == 1
    assert (after.levels["age"], before.levels["age"]) == (0, was)
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


def test_a_column_that_does_not_become_exact_is_told_with_its_level():
    """Each ward has three rows, four of one age: without the NULL, intervals of 10 suffice."""
    frame = pa.table(
        {"age": pa.array([*(n // 3 for n in range(600)), None], pa.int64()), "ward": ["a"] * 601}
    )
    said = remark(policy(), frame)
    after = kanon_sql.plan(policy(suppression=1), frame).levels["age"]
    assert after > 0
    assert f"(suppression: 1 instead of 0), and age is released at level {after} of 3 (" in said


def test_anonymize_says_it_too(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from kanon_sql.apps.cli.command_line import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("age,ward\n" + "20,a\n" * 400 + ",a\n", encoding="utf-8")
    (tmp_path / "p.yml").write_text(
        json.dumps(policy(source="t.csv", release="out.csv")), encoding="utf-8"
    )
    said = CliRunner().invoke(main, ["anonymize", "p.yml"]).stdout
    assert (
        "warning: 1 row with NULL in age forces it to level 3 of 3 (*) for all rows: allow 1 suppressed row"
        in said
    )
