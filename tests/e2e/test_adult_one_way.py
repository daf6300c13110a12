"""Adult with the algorithms that promise no optimum: feasible, verified, and no better than the optimum."""

from __future__ import annotations

from pathlib import Path

import pytest

import kanon_sql
from kanon_sql.counting.plans.recodings import Enforced, FullDomain

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "adult"
pytestmark = pytest.mark.skipif(
    not (SHARED / "adult.csv").is_file(),
    reason="the shared folder with Adult is not beside this repository",
)
NAMES = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation", "salary-class"]  # fmt: skip
SEARCHES = {
    "datafly": {"algorithm": "datafly"},
    "greedy": {"algorithm": "greedy", "order": ["age", "native-country"]},
    "per record": {"algorithm": "greedy", "order": ["age", "native-country"], "per": "record"},
    "mu-Argus": {"algorithm": "mu_argus", "repair": "records",
                 "sets": {"more": ["race", "education"], "most": ["age", "native-country"]},
                 "generalize": {"age": 2}},
}  # fmt: skip
SUPPRESSION = {"mu-Argus": "100%"}


def policy(search, suppression="2%"):
    columns = {
        name: {"role": "quasi", "hierarchy": {"csv": str(SHARED / f"hierarchy_{name}.csv")}}
        for name in NAMES
    }
    return {
        "version": 1,
        "source": {"path": str(SHARED / "adult.csv"), "delimiter": ";"},
        "entity": "row",
        "columns": columns,
        "privacy": {"k": 5},
        "suppression": suppression,
        "search": search,
    }


@pytest.fixture(scope="module")
def optimum():
    return kanon_sql.plan(policy({}))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SEARCHES)
def test_adult_is_feasible_and_verified(optimum, name):
    with kanon_sql.anonymize(policy(SEARCHES[name], SUPPRESSION.get(name, "2%"))) as release:
        plan, found = release.plan, release.verification
    assert found.passed
    assert found.smallest_class == plan.smallest_class >= 5
    assert found.classes == plan.classes
    assert found.rows == 30_162 - plan.suppressed_rows
    assert plan.suppressed_rows <= plan.max_suppressed
    assert not plan.optimal
    if isinstance(plan.recoding, FullDomain | Enforced):
        assert plan.cost >= optimum.cost


def test_datafly_s_steps_on_adult_raise_the_column_with_most_values():
    plan = kanon_sql.plan(policy({"algorithm": "datafly"}))
    for before, after in zip(plan.steps, plan.steps[1:], strict=False):
        raised = NAMES.index(after.column)
        below = [n for n, name in enumerate(NAMES) if before.distinct[n] > 1]
        assert before.distinct[raised] == max(before.distinct[n] for n in below)
    assert plan.steps[0].distinct[NAMES.index("age")] == 72
    assert plan.suppressed_rows == 0 or plan.suppressed_rows >= 5
    assert plan.steps[-1].short_rows <= 5


def test_mu_argus_on_adult_without_repair_releases_nothing():
    search = {key: value for key, value in SEARCHES["mu-Argus"].items() if key != "repair"}
    with pytest.raises(kanon_sql.InfeasibleError, match="fall short of 5-anonymity"):
        kanon_sql.plan(policy(search))
