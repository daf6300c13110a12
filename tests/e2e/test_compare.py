"""`kanon-sql compare`: every algorithm of one policy on one frequency set, as a table and as data."""

from __future__ import annotations

import json

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import SEARCHES, optimum_of, problems
from tiers import examples

import kanon_sql
from kanon_sql.explanation.compare_searches import KNOWN
from kanon_sql.plans.guarantee import Guarantee
from kanon_sql.plans.recodings import FullDomain
from kanon_sql.policy.search_options import Algorithm, Preference
from kanon_sql.searches.algorithms import ALGORITHMS

PROVING = [name for name, each in ALGORITHMS.items() if each.promise is Guarantee.OPTIMUM]

UNABLE = {
    "mu_argus": "not released",
    "top_down": "needs target",
    "bottom_up": "needs target",
    "k_optimize": "has no order",
}
"""What the lab's policy cannot be released by, and why."""


def compared(lab, *args, **changes):
    lab.policy(**changes)
    return json.loads(lab.done("compare", "policy.yml", "--json", *args))


def test_every_algorithm_and_recoding_is_compared():
    assert set(KNOWN) == {*Algorithm, "local", "cells"}
    assert set(ALGORITHMS) == set(Algorithm)


@pytest.mark.slow
def test_all_are_compared_and_agree_with_their_own_plans(lab):
    found = compared(lab)
    assert [each["searched_by"] for each in found["searches"]] == list(KNOWN)
    for each in found["searches"]:
        if not each["feasible"]:
            assert UNABLE[each["searched_by"]] in each["error"]
            continue
        name = each["searched_by"]
        search = {"recoding": name} if name in ("local", "cells") else {"algorithm": name}
        lab.policy(search=search)
        own = json.loads(lab.done("plan", "policy.yml", "--json"))
        assert each.get("checks") == own.get("checks")
        assert each["suppressed_rows"] == own["suppressed_rows"] <= found["max_suppressed_rows"]
        assert each["figures"] == own["figures"]
        assert each["classes"] == own["classes"]
        assert each["optimal"] == own["optimal"]
        assert each["cost"] == own["cost"]


def test_what_several_columns_lack_is_said_once(lab):
    (found,) = compared(lab, "--algorithms", "k_optimize")["searches"]
    assert found["error"].count("has no order") == 1
    assert found["error"].count("columns.") > 1


def test_the_source_is_scanned_once_for_all(lab):
    lab.policy()
    alone = kanon_sql.compare(lab.folder / "policy.yml", algorithms=["exhaustive"])
    twice = kanon_sql.compare(lab.folder / "policy.yml", algorithms=["exhaustive", "optimal"])
    assert twice.searches[0].statements == alone.searches[0].statements
    said = {each.searched_by: each.statements for each in twice.searches}
    assert all(count > 0 for count in said.values())


def test_what_a_search_made_is_dropped_when_it_ends(lab):
    with duckdb.connect() as connection:
        source = connection.read_csv(str(lab.folder / "people.csv"), all_varchar=True)
        before = connection.sql("SELECT table_name FROM duckdb_tables()").fetchall()
        policy = lab.mapping(source=None, release=None)
        policy["columns"]["sex"]["hierarchy"] = "suppress"
        kanon_sql.compare(policy, source, connection=connection)
        assert connection.sql("SELECT table_name FROM duckdb_tables()").fetchall() == before


def test_the_table_is_whole_and_holds_no_value_of_the_data(lab):
    lab.policy()
    before = lab.files()
    told = lab.done(
        "compare", "policy.yml", "--algorithms", "optimal,datafly", "--algorithms", "local"
    )
    lines = told.splitlines()
    for heading in ("released at", "feasible", "proven", "checks", "statements", "seconds", "suppressed",
                    "LM (geometric mean)", "C_DM", "C_AVG", "Prec", "entropy"):  # fmt: skip
        assert any(heading in line for line in lines)
    assert [line.split()[0] for line in lines if line.split()[:1] in (["optimal"], ["datafly"], ["local"])] == [
        "optimal", "datafly", "local",
    ]  # fmt: skip
    assert "…" not in told
    assert "anary" not in told
    assert lab.files() == before


def test_a_policy_that_nothing_satisfies_says_why_for_each(lab):
    found = compared(lab, privacy={"k": 3, "distinct_l": {"column": "disease", "l": 9}})
    assert not any(each["feasible"] for each in found["searches"])
    assert all(each["error"] for each in found["searches"])


def test_algorithms_of_one_set_say_so_beside_those_that_can(lab):
    privacy = [{"k": 3}, {"k": 5, "over": ["sex"]}]
    found = compared(lab, "--algorithms", "optimal,datafly", privacy=privacy)
    optimal, datafly = found["searches"]
    assert optimal["feasible"]
    assert "single set" in datafly["error"]


@pytest.mark.parametrize("algorithm", ["datafly", "mu_argus"])
def test_recodings_do_not_go_with_an_algorithm_that_has_its_own(lab, algorithm):
    found = compared(lab, "--algorithms", "local,cells,optimal", search={"algorithm": algorithm})
    local, cells, optimal = found["searches"]
    assert f"cannot be combined with {algorithm}" in local["error"]
    assert f"cannot be combined with {algorithm}" in cells["error"]
    assert optimal["feasible"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--algorithms", "optimal,flahs"), "did you mean flash?"),
        (("--algorithms", "nothing"), "supported: all, optimal"),
        (("--time-limit", "soon"), "such as 60s"),
        (("--time-limit", "0s"), "such as 60s"),
        (("-k", "0"), "at least 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(lab, args, words):
    lab.policy()
    assert words in lab.refused("compare", "policy.yml", *args)


@pytest.mark.parametrize("option", [{"preference": "minimum_suppression"}, {}])
def test_options_go_with_the_policy_s_own_algorithm(lab, option):
    search = {"algorithm": "samarati", **option}
    found = compared(lab, "--algorithms", "samarati,optimal", search=search)
    own = json.loads(lab.done("plan", "policy.yml", "--json"))
    assert found["searches"][0]["levels"] == own["levels"]
    assert Preference.SUPPRESSION in Preference


@pytest.mark.slow
@examples(10)
@given(problem=problems(), search=st.sampled_from(SEARCHES))
def test_all_are_feasible_and_none_is_better_than_those_that_prove(writer, problem, search):
    found = kanon_sql.compare(writer.policy(problem, search), writer.frame(problem))
    least = optimum_of(problem, search)
    for each in found.searches:
        if each.plan is None:
            assert least is None or each.searched_by in UNABLE
            continue
        assert each.plan.suppressed_rows <= problem.max_suppressed
        if isinstance(each.plan.recoding, FullDomain):
            node = tuple(each.plan.levels.values())
            assert node in problem.feasible
        if each.searched_by in PROVING:
            assert each.plan.optimal
            assert each.plan.cost == pytest.approx(least, rel=1e-9, abs=1e-7)
