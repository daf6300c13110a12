"""TDS and bottom-up generalization from the policy to the release."""

from __future__ import annotations

import json
from dataclasses import replace

import duckdb
import pytest

import kanon_sql

EDU = {"ANY_Edu": {"Secondary": {"Junior Sec.": ["9th", "10th"], "Senior Sec.": ["11th", "12th"]},
                   "University": {"Bach.": ["Bachelors"], "Grad School": ["Masters", "Doctorate"]}}}  # fmt: skip
HRS = {"[1-99)": {"[1-37)": ["[1-35)", "[35-37)"], "only": ["[37-99)"]}}
"""The published trees, whose leaves are all of one level here: a node with one child is none."""


@pytest.fixture(scope="module")
def examples(shared):
    listed = json.loads((shared / "EXAMPLES.json").read_text(encoding="utf-8"))["examples"]
    return {each["id"]: each for each in listed}


@pytest.fixture
def people(examples):
    """The published table, a row for each person."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE people (edu TEXT, sex TEXT, hrs TEXT, hours INTEGER, class TEXT)"
        )
        for edu, sex, hours, yes, no in examples["tds_severance"]["rows"]:
            hrs = "[1-35)" if hours < 35 else "[35-37)" if hours < 37 else "[37-99)"
            for label in ["Y"] * yes + ["N"] * no:
                row = [edu, sex, hrs, hours, label]
                connection.execute("INSERT INTO people VALUES (?, ?, ?, ?, ?)", row)
        yield connection


def policy(privacy, **search):
    columns = {
        "edu": {"role": "quasi", "hierarchy": {"tree": EDU}},
        "sex": {"role": "quasi", "hierarchy": {"tree": {"ANY_Sex": ["M", "F"]}}},
        "hrs": {"role": "quasi", "hierarchy": {"tree": HRS}},
        "hours": {"role": "insensitive"},
        "class": {"role": "sensitive"},
    }
    search = {"target": "class", **search}
    return {"version": 1, "entity": "row", "columns": columns, "privacy": privacy, "search": search}


TWO = [{"k": 4, "over": ["edu", "sex"]}, {"k": 11, "over": ["sex", "hrs"]}]


@pytest.mark.parametrize(
    ("score", "key"),
    [
        ("gain_per_loss", "icde05_IG_over_AL"),
        ("gain_per_loss_plus_one", "tkde07_IG_over_AL_plus_1"),
    ],
)
def test_the_published_table_is_specialized_round_by_round(examples, people, score, key):
    expected = examples["tds_severance"]["expected"][key]
    given = policy(TWO, algorithm="top_down", score=score)
    with kanon_sql.anonymize(given, "people", connection=people) as release:
        labels = {
            name: {row[0] for row in release.relation.project(name).fetchall()}
            for name in ("edu", "sex", "hrs")
        }
        plan, over = release.plan, release.verification.over
    assert labels["edu"] == {*expected["final_cut"]["Edu"]}
    assert labels["sex"] == {*expected["final_cut"]["Sex"]}
    assert labels["hrs"] == {*expected["final_cut"]["Hrs"]}
    rounds = [step for step in expected["steps"] if "chosen" in step]
    for step, told in zip(plan.steps, rounds, strict=False):
        best = next(each for each in told["candidates"] if each["value"] == told["chosen"])
        assert step.score == pytest.approx(best["score"], abs=1e-6)
        assert step.information == pytest.approx(best["infogain"], abs=1e-6)
        assert step.anonymity == best["anonyloss_related"]
        assert list(step.smallest) == list(best["A_after"].values())
    assert len(plan.steps) == len(rounds)
    assert {columns: found.passed for columns, found in over.items()} == {
        ("edu", "sex"): True,
        ("sex", "hrs"): True,
    }
    assert [each.smallest_class for each in plan.over] == [4, 12]
    assert plan.suppressed_rows == 0


def test_the_constructed_table_is_generalized_from_below(examples, people):
    expected = examples["bottom_up_generalization_constructed"]["expected"]
    given = policy({"k": 4}, algorithm="bottom_up")
    with kanon_sql.anonymize(given, "people", connection=people) as release:
        found = {row[0] for row in release.relation.project("edu").fetchall()}
        plan = release.plan
    assert found == {*expected["final_cut"]["Edu"]}
    assert len(plan.recoding.parts[1]) == len(expected["final_cut"]["Sex"])
    assert plan.smallest_class == expected["final_anonymity"]
    assert [step.information for step in plan.steps] == [0, 0]


def test_a_plan_is_read_back_and_carried_out(people):
    given = policy(TWO, algorithm="top_down")
    plan = kanon_sql.plan(given, "people", connection=people)
    again = kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan")
    assert again == plan
    made = kanon_sql.apply(again, "people", policy=given, connection=people, release="parted")
    assert made.verification.rows == 34
    other = replace(again, recoding=replace(again.recoding, parts=((0,), (0,), (0,))))
    with pytest.raises(kanon_sql.StalePlanError, match=r"recoding\.parts"):
        kanon_sql.apply(other, "people", policy=given, connection=people, release="parted again")
    assert "9th" not in plan.to_yaml()
    assert "Bachelors" not in plan.to_yaml()


@pytest.mark.parametrize("algorithm", ["top_down", "bottom_up"])
def test_what_is_asked_cannot_be_reached(people, algorithm):
    given = policy({"k": 34}, algorithm=algorithm)
    with kanon_sql.anonymize(given, "people", connection=people) as release:
        assert release.plan.classes == 1
    fewer = {**policy({"k": 9}, algorithm=algorithm), "entity": "class"}
    with pytest.raises(kanon_sql.InfeasibleError, match="fewer than 9 entities"):
        kanon_sql.plan(fewer, "people", connection=people)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"search": {"algorithm": "top_down"}}, "needs target"),
        ({"search": {"algorithm": "top_down", "target": "sex"}}, "sensitive or insensitive"),
        ({"search": {"algorithm": "top_down", "target": "none"}}, "sensitive or insensitive"),
        (
            {"search": {"algorithm": "bottom_up", "target": "class", "score": "gain"}},
            "goes with algorithm",
        ),
        (
            {"search": {"algorithm": "top_down", "target": "class", "time_limit": 9}},
            "ends by itself",
        ),
        (
            {"search": {"algorithm": "top_down", "target": "class", "recoding": "cells"}},
            "does not go with",
        ),
        (
            {"privacy": [{"k": 2}, {"distinct_l": {"column": "class", "l": 2}}]},
            "leave out distinct_l",
        ),
    ],
)
def test_what_cannot_be_is_a_fault_of_the_policy(people, change, told):
    given = {**policy({"k": 2}, algorithm="top_down"), **change}
    with pytest.raises(kanon_sql.PolicyError, match=told):
        kanon_sql.plan(given, "people", connection=people)


def test_a_line_is_cut_from_above_and_has_no_nodes_below(people):
    given = policy({"k": 5}, algorithm="top_down")
    given["columns"]["hours"] = {"role": "quasi", "order": "number", "output": "bounds"}
    given["columns"]["hrs"] = {"role": "insensitive"}
    with kanon_sql.anonymize(given, "people", connection=people) as release:
        rows = release.relation.project("hours_low, hours_high").fetchall()
        assert len({*rows}) == len(release.plan.recoding.parts[2]) > 1
    given["search"] = {"algorithm": "bottom_up", "target": "class"}
    with pytest.raises(kanon_sql.PolicyError, match="bottom_up needs a hierarchy"):
        kanon_sql.plan(given, "people", connection=people)
