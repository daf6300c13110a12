"""The algorithms with steps of their own for what does not fit: the same on every engine."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from people import in_bytes, shown

import kanon_sql

WARDS = ["Zürich", "zebra", "Ähre", None]
"""Texts that a locale puts in another order than their bytes, and none."""
CELLS = [
    *[(ward, age, sex) for ward in WARDS for age in (3, 20, 100) for sex in "fm"] * 3,
    *[(ward, age, sex) for ward, age in (("Zürich", 3), ("zebra", 20), ("Ähre", 100)) for sex in "xyz"],
    (None, 3, "x"),
]  # fmt: skip
CROWD = pa.table(
    {
        "who": pa.array(range(len(CELLS)), pa.int64()),
        "ward": [ward for ward, _, _ in CELLS],
        "age": pa.array([age for _, age, _ in CELLS], pa.int64()),
        "sex": [sex for _, _, sex in CELLS],
        "disease": ["abc"[i // 7 % 3] for i in range(len(CELLS))],
    }
)
FEW = pa.concat_tables([CROWD.slice(0, 72), CROWD.slice(72, 1)])
"""One row falls short of classes that all have three: which of them goes with it is a tie."""

QUASI = ("ward", "age", "sex")
SEARCHES = {
    "datafly": (FEW, {"algorithm": "datafly"}),
    "greedy": (CROWD, {"algorithm": "greedy", "order": ["sex", "age"]}),
    "per record": (CROWD, {"algorithm": "greedy", "order": ["sex", "age"], "per": "record"}),
    "mu-Argus": (
        CROWD,
        {"algorithm": "mu_argus", "sets": {"more": ["age"], "most": ["ward"]}, "repair": "records"},
    ),
    "mu-Argus, all combinations": (CROWD, {"algorithm": "mu_argus", "repair": "records"}),
}


def policy_of(search, **changes):
    columns = {
        "who": {"role": "identifying", "action": "drop"},
        "ward": {"role": "quasi", "hierarchy": "suppress"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [50]}, "output": "bounds"},
        "sex": {"role": "quasi", "hierarchy": {"tree": {"*": {"known": ["f", "m"], "other": ["x", "y", "z"]}}}},
        "disease": {"role": "sensitive"},
    }  # fmt: skip
    return {
        "version": 1,
        "source": "crowd_of_the_test",
        "entity": "who",
        "columns": columns,
        "privacy": [{"k": 3}],
        "suppression": "20%",
        "search": {"metric": "entropy", "suppressed": "counted", **search},
        **changes,
    }


@pytest.fixture(scope="module")
def known(places):
    """What DuckDB plans and releases, by the name of the search."""
    own, found = places("duckdb"), {}
    for name, (table, search) in SEARCHES.items():
        own.put("crowd_of_the_test", table)
        policy = policy_of(search)
        plan = kanon_sql.plan(policy, connection=own.connection, portable=True)
        kanon_sql.apply(plan, policy=policy, connection=own.connection, release="crowd_k3")
        found[name] = plan, own.read("crowd_k3")
        own.drop("crowd_k3")
    own.drop("crowd_of_the_test")
    return found


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", SEARCHES)
def test_every_engine_plans_and_releases_the_same(place, known, name):
    table, search = SEARCHES[name]
    plan, rows = known[name]
    place.put("crowd_of_the_test", table)
    before = place.left()
    own = kanon_sql.plan(policy_of(search), connection=place.connection)
    assert in_bytes(own) == in_bytes(plan)
    made = kanon_sql.apply(
        own, policy=policy_of(search), connection=place.connection, release="crowd_k3"
    )
    assert shown(place.read("crowd_k3")) == shown(rows)
    assert made.verification.passed
    assert made.verification.classes == plan.classes
    place.drop("crowd_k3")
    assert place.left() == before
    place.drop("crowd_of_the_test")


def test_the_searches_do_what_they_are_tested_for(known):
    """Else the engines agree on nothing of interest."""
    datafly, rows = known["datafly"]
    assert (datafly.recoding.least, datafly.suppressed_rows, len(rows)) == (3, 4, 69)
    gone = Counter((w, a, s) for w, a, s in CELLS[:72]) - Counter((r[0], r[1], r[3]) for r in rows)
    assert list(gone) == [(None, 100, "f")]  # NULL first, then 100 before 20 and 3 by their bytes
    assert len(known["per record"][0].recoding.released_nodes) > 1
    assert any(known["mu-Argus"][0].recoding.suppressed_cells.released)


@pytest.mark.rare(on="spark")
def test_mu_argus_counts_what_the_policy_counts(place):
    place.put("crowd_of_the_test", CROWD)
    diverse = [{"k": 2}, {"distinct_l": {"column": "disease", "l": 2}}]
    policy = policy_of(
        SEARCHES["mu-Argus"][1], privacy=diverse, entity="disease", suppression="30%"
    )
    policy["columns"]["disease"]["linkable"] = "accept"
    found = kanon_sql.anonymize(policy, connection=place.connection, release="crowd_k3")
    assert found.verification.passed
    assert found.verification.smallest_class >= 2
    place.drop("crowd_k3")
    place.drop("crowd_of_the_test")


@pytest.mark.rare(on="spark")
def test_a_view_leaves_out_the_class_that_goes_with_the_others(place, known):
    place.put("crowd_of_the_test", FEW)
    before = place.left()
    policy = policy_of({"algorithm": "datafly"}, release={"table": "crowd_seen", "view": True})
    kanon_sql.anonymize(policy, connection=place.connection)
    assert shown(place.read("crowd_seen")) == shown(known["datafly"][1])
    place.execute("DROP VIEW crowd_seen")
    for name in set(place.left()) - set(before):
        place.drop(name)
    place.drop("crowd_of_the_test")


@pytest.mark.parametrize("name", ["per record", "mu-Argus"])
def test_a_view_of_rows_at_levels_of_their_own_is_refused(place, name):
    place.put("crowd_of_the_test", CROWD)
    before = place.left()
    policy = policy_of(SEARCHES[name][1], release={"table": "crowd_seen", "view": True})
    with pytest.raises(kanon_sql.InputError, match="a view cannot release rows"):
        kanon_sql.anonymize(policy, connection=place.connection)
    assert place.left() == before
    place.drop("crowd_of_the_test")
