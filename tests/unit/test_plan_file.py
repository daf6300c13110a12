"""Reading a plan: it survives its file, and nothing raises but InputError."""

from __future__ import annotations

import contextlib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from policies import WORDS
from tiers import examples

from kanon_sql.counting.plans.plan import Plan
from kanon_sql.errors import InputError

PLAN = {
    "kanon_sql_plan": 1,
    "policy": {"file": "p.yml", "sha256": "0", "overrides": {}},
    "source": {"rows": 1, "fingerprint": "x:1"},
    "hierarchies": {"a": "in the policy"},
    "privacy": ["2-anonymity"],
    "search": {"algorithm": "optimal", "metric": "loss (geometric mean)", "optimal": True, "cost": 0.0,
               "lattice_nodes": 1, "checks_in_time": 3, "feasible_nodes": 4, "minimal_nodes": 2},
    "recoding": {"levels": {"a": 1}, "heights": {"a": 1}, "max_suppressed": 0, "suppressed_rows": 0},
    "figures": {"classes": 1, "smallest_class": 1},
    "sql": "SELECT 1",
}  # fmt: skip


def test_a_plan_survives_its_file():
    plan = Plan.from_yaml(yaml.safe_dump(PLAN), "plan")
    assert Plan.from_yaml(plan.to_yaml(), "plan") == plan
    assert plan.document()["search"] == PLAN["search"]


@pytest.mark.parametrize(
    "content",
    ["a: &a [*a]", "[" * 5000, "!!int ''", "!!bool maybe", "k: !!timestamp x", "!!set {a, b}", ""],
)
def test_odd_yaml_is_no_plan(content):
    with pytest.raises(InputError):
        Plan.from_yaml(content, "plan")


@examples(200)
@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join)))
def test_any_plan_text_gives_a_plan_or_an_input_error(content):
    for each in (content, f"kanon_sql_plan: 1\n{content}"):
        with contextlib.suppress(InputError):
            Plan.from_yaml(each, "plan")


SIMPLE = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.dates()
    ),
    lambda v: st.lists(v, max_size=2) | st.dictionaries(st.text(max_size=3), v, max_size=2),
    max_leaves=4,
)


@examples(200)
@given(
    st.sampled_from(sorted(PLAN)), st.sampled_from([None, "a", "levels", "cost", "rows"]), SIMPLE
)
def test_any_change_of_a_plan_gives_a_plan_or_an_input_error(key, below, value):
    document = dict(PLAN)
    if below is not None and isinstance(document[key], dict):
        document[key] = {**document[key], below: value}
    else:
        document[key] = value
    with contextlib.suppress(InputError):
        Plan.from_yaml(yaml.safe_dump(document), "plan")


def test_a_huge_cost_is_no_plan():
    document = {**PLAN, "search": {**PLAN["search"], "cost": [10**400]}}
    with pytest.raises(InputError):
        Plan.from_yaml(yaml.safe_dump(document), "plan")


# ---- the JSON Schema ---------------------------------------------------------------------


OF_REGIONS = {
    "regions": 40, "highest_levels": {"a": 1}, "max_suppressed": 0, "suppressed_rows": 0,
    "depth": 6, "digest": "md5:40:1", "boundaries": "md5:1:1", "overlapping": True,
}  # fmt: skip
IN_OLDER_WORDS = {
    "boxes": 40, "heights": {"a": 1}, "max_suppressed": 0, "suppressed_rows": 0,
    "depth": 6, "digest": "md5:40:1", "sides": "md5:1:1", "runs": True,
}  # fmt: skip


def test_a_plan_of_an_earlier_version_is_the_same_plan_and_keeps_its_text():
    now, older = (
        Plan.from_yaml(yaml.safe_dump({**PLAN, "recoding": each}, sort_keys=False), "plan")
        for each in (OF_REGIONS, IN_OLDER_WORDS)
    )
    assert older == now
    assert older.document() == now.document()
    assert older.summary() == now.summary()
    assert older.recoding_hash == now.recoding_hash
    assert yaml.safe_load(older.to_yaml())["recoding"] == IN_OLDER_WORDS
    assert yaml.safe_load(now.to_yaml())["recoding"] == OF_REGIONS
    assert Plan.from_yaml(older.to_yaml(), "plan").to_yaml() == older.to_yaml()
    both = {**OF_REGIONS, "boxes": 40}
    with pytest.raises(InputError):
        Plan.from_yaml(yaml.safe_dump({**PLAN, "recoding": both}), "plan")
