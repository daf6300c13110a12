"""Attacks find the same on every engine: figures to the last bit, and the same values where these are asked for."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

import kanon_sql

pytestmark = pytest.mark.rare(on="spark")

AGE, ILL = 'age "x"', "di'sease"
ROWS = [
    (
        f"p{n}",
        None if n % 13 == 5 else n % 4,
        (None, "", "NULL", "ß 😀")[n % 7 % 4],
        (None, "flu", "cold", "gout", "flu")[n * 31 % 11 % 5],
    )
    for n in range(60)
]
LATER = [
    (who, None if age is None else 3 - age, zip_, ill)
    for who, age, zip_, ill in ROWS
    if int(who[1:]) % 3
]


def frame(rows):
    who, age, zip_, ill = zip(*rows, strict=True)
    return pa.table(
        {
            "who": pa.array(who, pa.string()),
            AGE: pa.array(age, pa.int64()),
            "z": pa.array(zip_, pa.string()),
            ILL: pa.array(ill, pa.string()),
        }
    )


@pytest.fixture
def attacked(place):
    place.put("attacked", frame(ROWS))
    place.put("attacked_later", frame(LATER))
    yield place
    for name in ("attacked", "attacked_later", "attacked_k3"):
        place.drop(name)


def test_links_are_those_of_rows(attacked):
    own = {"connection": attacked.connection, "on": [AGE, "z"]}
    found = kanon_sql.attack_link("attacked", "attacked_later", **own)
    there = Counter(row[1:3] for row in ROWS)
    candidates = Counter(there[row[1:3]] for row in LATER)
    assert {n: c for n, c in found.target.candidates.items() if c} == candidates
    people = kanon_sql.attack_link("attacked", "attacked_later", entity="who", **own)
    assert people.target == found.target, "each person has one row"
    assert people.summary()["average"] == found.summary()["average"] > 0


@pytest.mark.parametrize("nulls", ["not_counted", "value"])
def test_inferred_values_and_compositions_are_those_of_duckdb(attacked, nulls):
    asked = {
        "quasi": [AGE, "z"], "sensitive": ILL, "sensitive_nulls": nulls, "show_values": True,
    }  # fmt: skip
    own = {"connection": attacked.connection, **asked}
    for excluding in (0, 1):
        found = kanon_sql.attack_background("attacked", excluding=excluding, **own)
        assert found == kanon_sql.attack_background(frame(ROWS), excluding=excluding, **asked)
        assert 0 < found.highest <= 1
        assert found.exposed_rows or not excluding
    both = kanon_sql.attack_composition("attacked", "attacked_later", person="who", **own)
    assert both == kanon_sql.attack_composition(frame(ROWS), frame(LATER), person="who", **asked)
    assert both.in_both.persons == len(LATER)
    assert both.only_first.persons == len(ROWS) - len(LATER)
    assert both.everyone.exposed > 0


def test_known_values_are_raised_to_the_labels_of_a_release(attacked):
    policy = {
        "version": 1,
        "source": "attacked",
        "entity": "row",
        "columns": {
            "who": {"role": "identifying", "action": "drop"},
            AGE: {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
            "z": {"role": "quasi", "hierarchy": "suppress"},
            ILL: {"role": "sensitive"},
        },
        "privacy": {"k": 3},
        "suppression": "20%",
    }
    own = {"connection": attacked.connection}
    plan = kanon_sql.plan(policy, **own)
    kanon_sql.apply(plan, policy=policy, release="attacked_k3", **own)
    classes = Counter(row[:2] for row in attacked.read("attacked_k3"))
    found = kanon_sql.attack_link(
        "attacked", "attacked", released="attacked_k3", on=[AGE, "z"], plan=plan, policy=policy, **own
    )  # fmt: skip
    assert found.released.matched == sum(classes.values())
    assert found.released.unique == 0
    assert found.released.candidates == {
        **{size: size * n for size, n in Counter(classes.values()).items()},
        0: len(ROWS) - sum(classes.values()),
    }
    assert plan.levels[AGE] > 0 or plan.levels["z"] > 0
    composed = kanon_sql.attack_composition(
        "attacked_k3", "attacked_k3", person="who", quasi=[AGE, "z"], sensitive=ILL,
        first_known="attacked", second_known="attacked", first_plan=plan, second_plan=plan,
        first_policy=policy, second_policy=policy, **own,
    )  # fmt: skip
    assert composed.in_both.persons == sum(classes.values())
    assert composed.changed_signatures == 0
