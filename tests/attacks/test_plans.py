"""A plan that was edited by hand, in every channel that takes a plan: refused, or its release holds all the same."""

from __future__ import annotations

import pytest

from tests.attacks.channels import HERE, Lab, compiled, through
from tests.attacks.reader import hold, tells_nothing
from tests.attacks.table import CHANNELS, RARE, Attack, texts

OF_PLANS = {name: run for name, run in HERE.items() if name != "relation"} | {"SQLMesh": compiled}
CANNOT = {
    "relation": "it takes a policy, and no plan",
    "dbt": "its macro is made with the plan; `dbt check` names a file that is edited: tests/dbt/test_dbt_plan.py",
}
SOURCE = Attack(
    "plans",
    texts(("0213", 4), ("0214", 1), ("0219", 1), ("03", 4), (RARE, 1)),
    {"q": {"mask": 12}},
    policy={"suppression": 1},
    classes=1,
)
BLIND = ("new rows",)
"""Where what a plan says of its own rows is not asked: others are counted."""
SCRIPTS = ("script", "SQLMesh")
"""What is compiled counts when it runs; what a plan says of the source is not asked before."""


def set_(part, key, value):
    def edit(document):
        assert document[part][key] != value
        document[part][key] = value

    return edit


def whole(key, value):
    def edit(document):
        assert document[key] != value
        document[key] = value

    return edit


EDITS = {
    "levels": (set_("recoding", "levels", {"q": 0}), BLIND),
    "the suppression limit": (set_("recoding", "max_suppressed", 9), BLIND),
    "the suppressed rows": (set_("recoding", "suppressed_rows", 0), (*BLIND, *SCRIPTS)),
    "figures": (set_("figures", "smallest_class", 50), (*BLIND, *SCRIPTS)),
    "its SQL": (whole("sql", "DROP TABLE t_plans"), ()),
    "its privacy": (whole("privacy", ["k = 1"]), ()),
    "the policy's hash": (set_("policy", "sha256", "0" * 64), ()),
    "a hierarchy's hash": (whole("hierarchies", {"q": "0" * 64}), SCRIPTS),
    "its rows": (set_("source", "rows", 7), (*BLIND, *SCRIPTS)),
}


@pytest.mark.parametrize("channel", OF_PLANS)
@pytest.mark.parametrize("key", EDITS)
def test_an_edited_plan_releases_nothing_that_does_not_hold(key, channel, tmp_path):
    lab = Lab(SOURCE, tmp_path)
    lab.edit, blind = EDITS[key]
    outcome = through(channel, lab, OF_PLANS)
    tells_nothing(outcome.words)
    assert outcome.rows is None or channel in blind, "an edited plan was carried out"
    if outcome.rows:
        hold(SOURCE, outcome.rows, lab.source())


@pytest.mark.parametrize("channel", OF_PLANS)
def test_a_plan_of_another_policy_is_refused(channel, tmp_path, monkeypatch):
    lab = Lab(SOURCE, tmp_path)
    given = lab.plan
    monkeypatch.setattr(lab, "plan", lambda *args, **more: _weaker(given(*args, **more)))
    assert through(channel, lab, OF_PLANS).rows is None


def _weaker(planned):
    path, policy = planned
    return path, {**policy, "privacy": [{"k": 2}]}


def test_every_channel_is_named():
    assert {*OF_PLANS, *CANNOT} == {*CHANNELS}
