"""TDS and bottom-up generalization from the policy to the release."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.locations import Format
from kanon_sql.recoding.single_dimensional import column_cuts, k_optimize
from kanon_sql.recoding.single_dimensional.k_optimize_table import KOptimizeTable

pytestmark = pytest.mark.sampled(3)

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
    assert len(plan.recoding.starts[1]) == len(expected["final_cut"]["Sex"])
    assert plan.smallest_class == expected["final_anonymity"]
    assert [step.information for step in plan.steps] == [0, 0]


@pytest.mark.parametrize("levels", [None, {"most": 2}, {"least": 1}])
def test_without_a_target_each_step_removes_the_loss_that_it_says(people, levels):
    """The loss of whole columns, less that of all steps, is the loss that the release is measured to have."""
    given = policy({"k": 2}, algorithm="top_down")
    del given["search"]["target"]
    given["columns"]["hours"] = {"role": "quasi", "order": "number"}
    if levels is not None:
        given["columns"]["edu"]["levels"] = levels
    people.execute("INSERT INTO people (edu, sex, class) SELECT edu, sex, class FROM people")
    with kanon_sql.anonymize(given, "people", connection=people) as release:
        plan = release.plan
        classes = Counter(release.relation.project("edu, sex, hrs, hours").fetchall())
    assert min(classes.values()) >= 2
    assert len({each.column for each in plan.steps}) > 2
    assert all(each.loss > 0 and each.information is None for each in plan.steps)
    whole = 1 if levels != {"most": 2} else 1 - (1 - part_of_roots(people)) / 4
    gcp = plan.figures["gcp"]
    assert gcp == pytest.approx(whole - sum(each.loss for each in plan.steps), abs=1e-8)
    stated = {**given, "search": {**given["search"], "score": "loss"}}
    assert kanon_sql.plan(stated, "people", connection=people).steps == plan.steps
    assert kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan").steps == plan.steps


def part_of_roots(people):
    """The mean share of the values of `edu` under the nodes of level 2, of which there are two."""
    rows = people.execute("SELECT edu, COUNT(*) FROM people GROUP BY edu").fetchall()
    below = {name: [*leaves_of(tree)] for name, tree in EDU["ANY_Edu"].items()}
    of = {leaf: len(leaves) for leaves in below.values() for leaf in leaves}
    return sum(of[edu] * n for edu, n in rows) / len(of) / sum(n for _, n in rows)


def leaves_of(tree):
    for each in tree.values() if isinstance(tree, dict) else tree:
        yield from [each] if isinstance(each, str) else leaves_of(each)


def test_a_plan_is_read_back_and_carried_out(people):
    given = policy(TWO, algorithm="top_down")
    plan = kanon_sql.plan(given, "people", connection=people)
    again = kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan")
    assert again == plan
    made = kanon_sql.apply(again, "people", policy=given, connection=people, release="parted")
    assert made.verification.rows == 34
    other = replace(again, recoding=replace(again.recoding, starts=((0,), (0,), (0,))))
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
    fewer["columns"]["class"]["linkable"] = "accept"
    with pytest.raises(
        kanon_sql.InfeasibleError,
        match="has 2 entities, and the policy asks for at least 9 in every class",
    ):
        kanon_sql.plan(fewer, "people", connection=people)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"search": {"algorithm": "top_down", "score": "gain"}}, "needs target.*score: loss"),
        (
            {"search": {"algorithm": "top_down", "target": "class", "score": "loss"}},
            "is not used by score: loss",
        ),
        ({"search": {"algorithm": "bottom_up"}}, "needs target"),
        ({"search": {"algorithm": "top_down", "target": "sex"}}, "sensitive or insensitive"),
        ({"search": {"algorithm": "top_down", "target": "none"}}, "sensitive or insensitive"),
        (
            {"search": {"algorithm": "bottom_up", "target": "class", "score": "gain"}},
            "goes with algorithm",
        ),
        (
            {"search": {"algorithm": "top_down", "target": "class", "time_limit": 9}},
            "always runs to its end",
        ),
        (
            {"search": {"algorithm": "top_down", "target": "class", "recoding": "cells"}},
            "cannot be combined with",
        ),
        (
            {"privacy": [{"k": 2}, {"entropy_l": {"column": "class", "l": 2}}]},
            "leave out entropy_l",
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
        assert len({*rows}) == len(release.plan.recoding.starts[2]) > 1
    given["search"] = {"algorithm": "bottom_up", "target": "class"}
    with pytest.raises(kanon_sql.PolicyError, match="bottom_up needs a hierarchy"):
        kanon_sql.plan(given, "people", connection=people)


@pytest.fixture
def nine(examples):
    """The nine rows of the slides, of race and ZIP code."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE nine (race TEXT, zip TEXT, asked BOOLEAN)")
        for race, code in examples["k_optimize"]["rows"]:
            connection.execute("INSERT INTO nine VALUES (?, ?, ?)", [race, code, race == "asian"])
        yield connection


def orders(k, **search):
    columns = {
        "race": {"role": "quasi", "order": ["asian", "black", "white"]},
        "zip": {"role": "quasi", "order": "text"},
        "asked": {"role": "sensitive"},
    }
    search = {"algorithm": "k_optimize", **search}
    whole = {"version": 1, "entity": "row", "columns": columns, "search": search}
    return {**whole, "privacy": {"k": k}, "suppression": "100%"}


@pytest.mark.parametrize("k", [2, 3])
def test_the_parts_of_least_cost_are_proven(examples, nine, k):
    expected = examples["k_optimize"]["expected"]["spdp9_costs_DM"][str(k)]
    with kanon_sql.anonymize(orders(k), "nine", connection=nine) as release:
        plan, rows = release.plan, release.relation.project("race, zip").fetchall()
    assert plan.optimal
    assert plan.cost == (expected["best"],)
    assert plan.figures["lower_bound"] == plan.figures["discernibility"] == expected["best"]
    letters = {(0, 1): 2, (0, 2): 3, (1, 1): 5, (1, 2): 6, (1, 3): 7}
    head = [
        letters[at, first]
        for at, each in enumerate(plan.recoding.starts)
        for first in each
        if first
    ]
    assert head in expected["argmin"]
    assert len(rows) == 9 - plan.suppressed_rows
    assert len({*rows}) == plan.classes


def test_rows_may_be_kept_from_being_suppressed(nine):
    free, bound = (
        kanon_sql.plan({**orders(2), "suppression": most}, "nine", connection=nine)
        for most in ("100%", 0)
    )
    assert bound.optimal
    assert bound.suppressed_rows == 0
    assert bound.cost >= free.cost


def test_the_classification_metric_counts_who_is_of_the_smaller_part(nine):
    given = orders(2, minimize="classification", target="asked")
    plan = kanon_sql.plan(given, "nine", connection=nine)
    assert (plan.optimal, plan.metric, plan.cost) == (True, "classification", (0.0,))
    made = kanon_sql.apply(plan, "nine", policy=given, connection=nine, release="cut")
    assert made.verification.passed


def test_out_of_time_the_best_so_far_is_told_with_its_bound(nine, monkeypatch):
    monkeypatch.setattr(KOptimizeTable, "late", lambda _: True)
    plan = kanon_sql.plan({**orders(2), "suppression": 0}, "nine", connection=nine)
    assert not plan.optimal
    assert plan.checks_in_time is not None
    assert plan.figures["lower_bound"] <= plan.cost[0]
    again = kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan")
    made = kanon_sql.apply(
        again, "nine", policy={**orders(2), "suppression": 0}, connection=nine, release="cut"
    )
    assert made.verification.rows == 9


@pytest.fixture
def hurried(monkeypatch):
    """Searches that are late after so many looks at the clock; without any they have all the time."""

    def limit(looks=None):
        left = [looks]

        def late(_):
            if left[0] is not None:
                left[0] -= 1
            return left[0] == -1

        monkeypatch.setattr(KOptimizeTable, "late", late)

    return limit


def test_a_search_is_gone_on_with_from_its_plan(nine, hurried):
    """Again and again, through the plan's file, with the time limits and the end of one search."""
    given = orders(2)
    whole = kanon_sql.plan(given, "nine", connection=nine)
    assert whole.state is None
    hurried(2)
    plan = kanon_sql.plan(given, "nine", connection=nine)
    assert (plan.optimal, plan.state is None) == (False, False)
    text = plan.to_yaml()
    assert "asian" not in text
    assert "94138" not in text
    rounds = 0
    while plan.state is not None:
        plan = kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan")
        hurried(3)
        plan = kanon_sql.plan(
            given, "nine", connection=nine, overrides={"time_limit": "9m"}, resume=plan
        )
        rounds += 1
    assert rounds > 1
    assert (plan.optimal, plan.cost, plan.recoding) == (True, whole.cost, whole.recoding)
    with pytest.raises(kanon_sql.InputError, match="no search to go on with"):
        kanon_sql.plan(given, "nine", connection=nine, resume=plan)


def test_a_search_is_gone_on_with_only_where_all_is_as_it_was(nine, hurried):
    given = orders(2)
    hurried(2)
    plan = kanon_sql.plan(given, "nine", connection=nine)
    reversed_ = {"role": "quasi", "order": ["white", "black", "asian"]}
    for change in ({"privacy": {"k": 3}}, {"columns": {**given["columns"], "race": reversed_}}):
        with pytest.raises(kanon_sql.StalePlanError, match="not the one whose search was left"):
            kanon_sql.plan({**given, **change}, "nine", connection=nine, resume=plan)
    for key, value in {
        "letters": [1, 1],
        "open": "node 0 fff 1",
        "best": {**plan.state["best"], "cost": 1},
    }.items():
        edited = replace(plan, state={**plan.state, key: value})
        with pytest.raises(kanon_sql.StalePlanError, match="state"):
            kanon_sql.plan(given, "nine", connection=nine, resume=edited)
    nine.execute("UPDATE nine SET race = 'asian' WHERE zip = '94138'")
    with pytest.raises(kanon_sql.StalePlanError, match=r"source \S+: changed since"):
        kanon_sql.plan(given, "nine", connection=nine, resume=plan)


def test_what_is_left_of_a_search_is_carried_out_like_any_plan(nine, hurried):
    hurried(2)
    plan = kanon_sql.plan(orders(2), "nine", connection=nine)
    again = kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan")
    assert again == plan
    made = kanon_sql.apply(again, "nine", policy=orders(2), connection=nine, release="cut")
    assert made.verification.passed


def test_a_search_tells_how_it_improves(nine):
    told = []
    plan = kanon_sql.plan(orders(2), "nine", connection=nine, progress=told.append)
    lines = [line for line in told if "best cost" in line]
    assert lines[0].startswith("after 0 s: best cost ")
    assert f"best cost {plan.cost[0]:.0f}, none below {plan.cost[0]:.0f} (gap 0.0%)" in lines[-1]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"search": {"algorithm": "k_optimize", "minimize": "classification"}}, "needs target"),
        ({"privacy": [{"k": 2}, {"k": 3, "over": ["zip"]}]}, "supports a single set"),
        ({"columns": {"race": {"role": "quasi", "hierarchy": "suppress"}}}, "has no order"),
    ],
)
def test_what_k_optimize_cannot_do_is_a_fault(nine, change, told):
    with pytest.raises(kanon_sql.PolicyError, match=told):
        kanon_sql.plan({**orders(2), **change}, "nine", connection=nine)


def test_a_release_without_rows_is_none(nine):
    given = {**orders(3), "entity": "asked"}
    given["columns"]["asked"]["linkable"] = "accept"
    with pytest.raises(
        kanon_sql.InfeasibleError,
        match="has 2 entities, and the policy asks for at least 3 in every class",
    ):
        kanon_sql.plan(given, "nine", connection=nine)


def test_a_target_of_too_many_values_is_refused(nine, monkeypatch):
    monkeypatch.setattr(k_optimize, "MOST_TARGETS", 1)
    with pytest.raises(kanon_sql.InputError, match="has 2 values"):
        kanon_sql.plan(
            orders(2, minimize="classification", target="asked"), "nine", connection=nine
        )


def test_more_places_than_it_can_hold_are_refused(nine, monkeypatch):
    monkeypatch.setattr(k_optimize, "MOST_LETTERS", 4)
    with pytest.raises(kanon_sql.InputError, match="5 places to cut at"):
        kanon_sql.plan(orders(2), "nine", connection=nine)


def test_more_parts_than_a_plan_can_name_are_refused(nine, people, monkeypatch):
    monkeypatch.setattr(column_cuts, "MOST_INTERVALS", 2)
    with pytest.raises(kanon_sql.InputError, match="parts, more than the 2 that a plan can name"):
        kanon_sql.plan(orders(2), "nine", connection=nine)
    with pytest.raises(kanon_sql.InputError, match="hierarchies of 21 nodes, more than the 2"):
        kanon_sql.plan(policy([{"k": 4}], algorithm="bottom_up"), "people", connection=people)


def test_a_view_shows_parts(people):
    """Each value is shown as its part, as long as its class is one of those released."""
    given = policy([{"k": 4}], algorithm="top_down")
    made = kanon_sql.anonymize(
        given,
        "people",
        connection=people,
        release=kanon_sql.Destination(Format.TABLE, "seen", view=True),
    )
    shown = people.execute("SELECT edu, sex, hrs FROM seen ORDER BY ALL").fetchall()
    kanon_sql.anonymize(given, "people", connection=people, release="cut")
    assert shown == people.execute("SELECT edu, sex, hrs FROM cut ORDER BY ALL").fetchall()
    assert made.verification.classes == len(set(shown)) > 1
