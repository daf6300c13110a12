"""Policies that ask for several things at once, each found by drawing policies at random: search and release agree."""

from __future__ import annotations

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.policy.policy_rules import uncounted_problems
from kanon_sql.policy.privacy.privacy_model import Channel
from kanon_sql.policy.read_policy import read_policy

KEPT = {"hierarchy": "suppress", "levels": {"most": 0}}
DIFFERENCES = {
    "t_closeness": {"column": "value", "t": 0.9},
    "beta_likeness": {"column": "value", "beta": 5},
    "delta_disclosure": {"column": "value", "delta": 5, "absent": "ignored"},
}


def table_of(*rows):
    person, ward, value = zip(*rows, strict=True)
    text = pa.string()
    return pa.table(
        {"person": person, "ward": pa.array(ward, text), "value": pa.array(value, text)}
    )


def policy_of(*privacy, quasi=KEPT, **changes):
    return {
        "version": 1,
        "source": "people",
        "entity": "row",
        "columns": {
            "person": {"role": "identifying", "action": "drop"},
            "ward": {"role": "quasi", **quasi},
            "value": {"role": "sensitive"},
        },
        "privacy": list(privacy),
        **changes,
    }


def released(policy, table):
    """The released rows; the search and the release have agreed on how many are suppressed."""
    with kanon_sql.anonymize(policy, table) as release:
        rows = release.relation.fetchall()
        assert release.plan.suppressed_rows == table.num_rows - len(rows)
    return rows


@pytest.mark.parametrize("entity", ["row", "person"])
@pytest.mark.parametrize(
    "model",
    [
        {"entropy_l": {"column": "value", "l": 1.2}},
        {"t_closeness": {"column": "value", "t": 0.9}},
        {"alpha": {"column": "value", "alpha": 0.8}},
        *({key: {**said, "reference": "source"}} for key, said in DIFFERENCES.items()),
    ],
    ids=str,
)
def test_a_class_without_a_known_value_does_not_fit(model, entity):
    people = [("p1", "a", "x"), ("p2", "a", "y"), ("p3", "a", "x"), ("p4", "b", None)]
    rows = released(policy_of(model, suppression=1, entity=entity), table_of(*people))
    assert {ward for ward, _ in rows} == {"a"}
    with pytest.raises(kanon_sql.InfeasibleError):
        kanon_sql.plan(policy_of(model, entity=entity), table_of(*people))


@pytest.mark.parametrize("key", DIFFERENCES)
@pytest.mark.parametrize("nulls", ["category", "suppress"])
def test_people_are_compared_with_a_source_of_which_rows_are_left_out(key, nulls):
    """The people of the rows with NULL are among those of the source: without p4, p1 would have all of x."""
    people = [
        ("p1", "a", "x"),
        ("p1", "a", "x"),
        ("p2", "a", "y"),
        ("p3", "b", "x"),
        ("p3", "b", "y"),
    ]
    said = {key: {**DIFFERENCES[key], "reference": "source"}}
    policy = policy_of(said, suppression=2, entity="person", nulls=nulls)
    rows = released(policy, table_of(*people, ("p4", None, "x"), ("p4", None, "y")))
    assert sum(ward is None for ward, _ in rows) == (2 if nulls == "category" else 0)
    assert len(rows) == (7 if nulls == "category" else 5)


def test_the_share_of_people_is_that_of_all_rows_of_a_source():
    """Of four people three have x, so that it is at most a third more frequent in a class; of three, half more."""
    people = [("p1", "a", "x"), ("p2", "a", "x"), ("p3", "a", "y")]
    left_out = [("p4", None, "x"), ("p4", None, "x")]
    for beta, fits in ((0.12, False), (0.34, True)):
        # y: one of three people here, one of four in the source: a third more
        model = {"beta_likeness": {"column": "value", "beta": beta, "reference": "source"}}
        policy = policy_of(model, suppression=2, entity="person", nulls="suppress")
        if fits:
            assert len(released(policy, table_of(*people, *left_out))) == len(people)
        else:
            with pytest.raises(kanon_sql.InfeasibleError):
                kanon_sql.plan(policy, table_of(*people, *left_out))


@pytest.mark.parametrize("key", DIFFERENCES)
def test_a_set_whose_models_compare_with_the_release_alone(key):
    """No class over such a set is suppressed by it, and the other sets' are."""
    people = [("p1", "a", "x"), ("p2", "a", "y"), ("p3", "a", "x"), ("p4", "b", "x")]
    policy = policy_of(
        {"k": 2},
        {key: {**DIFFERENCES[key], "reference": "release"}, "over": ["ward"]},
        suppression=1,
    )
    policy["columns"]["person"] = {"role": "quasi", "hierarchy": "suppress", "levels": {"least": 1}}
    assert len(released(policy, table_of(*people))) == 3
    policy["privacy"] = policy["privacy"][1:]
    assert len(released({**policy, "suppression": 0}, table_of(*people))) == 4


@pytest.mark.parametrize("metric", ["loss", "entropy", "precision"])
def test_costs_of_several_nodes_where_null_matches_any_value(metric):
    """Two nodes suppress a row each, and are asked for their costs together."""
    wards = ["a", "d", "d", "d", "d", "d", "c", "c", "d", "c", "d", None, "c", None]
    ages = [1, 2, 2, 1, 1, 2, 0, 1, 1, 1, 1, 2, 1, 1]
    table = pa.table({"age": ages, "ward": wards})
    tree = {"all": {"ab": ["a", "b"], "cd": ["c", "d"]}}
    policy = policy_of({"k": 3}, nulls="wildcard", suppression=1)
    policy["columns"] = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [2]}},
        "ward": {"role": "quasi", "hierarchy": {"tree": tree}},
    }
    plans = [
        kanon_sql.plan({**policy, "search": {"algorithm": each, "metric": metric}}, table)
        for each in ("exhaustive", "optimal")
    ]
    assert plans[0].cost == pytest.approx(plans[1].cost)
    assert released(policy, table)


@pytest.mark.parametrize(
    ("model", "left"), [({"average_risk": 0.5}, 4), ({"sample_uniqueness": 0}, 4), ({"k": 1}, 5)]
)
def test_a_table_is_without_rows_with_null(model, left):
    """The row with NULL is suppressed before any class that a bound of the whole table takes."""
    people = [(f"p{n}", ward, "x") for n, ward in enumerate(["a", "a", "b", "b", "c", None])]
    rows = released(policy_of(model, nulls="suppress", suppression=2), table_of(*people))
    assert len(rows) == left
    assert all(ward is not None for ward, _ in rows)
    if left < 5:
        with pytest.raises(kanon_sql.InfeasibleError):
            kanon_sql.plan(policy_of(model, nulls="suppress", suppression=1), table_of(*people))


@pytest.mark.parametrize("channel", [Channel.REGIONS, Channel.DBT])
def test_what_weighs_the_values_of_rows_refuses_those_of_people(channel):
    alpha = {"alpha": {"column": "value", "alpha": 0.8}}
    asked = policy_of({"k": 2}, alpha, entity="person")
    assert not uncounted_problems(read_policy({**asked, "entity": "row"}), channel)
    (fault,) = uncounted_problems(read_policy(asked), channel)
    assert "is of the values of people" in str(fault)
    if channel is Channel.REGIONS:
        with pytest.raises(kanon_sql.PolicyError, match="is of the values of people"):
            read_policy({**asked, "search": {"algorithm": "mondrian"}})


def test_regions_are_not_the_source_where_rows_were_left_out():
    asked = policy_of(
        {"k": 2}, {"t_closeness": {"column": "value", "t": 0.5}}, quasi={"hierarchy": "suppress"},
        search={"algorithm": "mondrian"}, nulls="suppress",
    )  # fmt: skip
    with pytest.raises(kanon_sql.PolicyError, match="leaves rows out of the regions"):
        read_policy(asked)
