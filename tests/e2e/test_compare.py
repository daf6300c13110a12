"""`kanon-sql compare`: every algorithm of one policy on one frequency set, as a table and as data."""

from __future__ import annotations

import json

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from oracle import SEARCHES, optimum_of, problems
from tiers import examples

import kanon_sql
from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.cli.commands.understand import _row
from kanon_sql.apps.python.compare_searches import KNOWN
from kanon_sql.counting.lattice.result import Guarantee
from kanon_sql.counting.plans.recodings import FullDomain
from kanon_sql.policy.search_options import Algorithm, Preference
from kanon_sql.recoding.searches.algorithms import ALGORITHMS

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
    found = compared(lab, "--algorithms", "all")
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
        kanon_sql.compare(policy, source, connection=connection, algorithms=["all"])
        assert connection.sql("SELECT table_name FROM duckdb_tables()").fetchall() == before


def test_the_wide_table_is_whole_and_holds_no_value_of_the_data(lab):
    lab.policy()
    before = lab.files()
    told = lab.done(
        "compare",
        "policy.yml",
        "--wide",
        "--algorithms",
        "optimal,datafly",
        "--algorithms",
        "local",
    )
    lines = told.splitlines()
    for heading in ("released at", "feasible", "proven", "checks", "statements", "seconds", "suppressed",
                    "loss", "loss (geometric mean)", "discernibility", "class size over k", "precision", "entropy"):  # fmt: skip
        assert any(heading in line for line in lines)
    assert [line.split()[0] for line in lines if line.split()[:1] in (["optimal"], ["datafly"], ["local"])] == [
        "optimal", "datafly", "local",
    ]  # fmt: skip
    assert "…" not in told
    assert "anary" not in told
    assert lab.files() == before


def test_by_default_one_of_each_kind_of_recoding_is_compared_by_one_loss_in_80_columns(lab):
    lab.policy(search={"algorithm": "mondrian"})
    told = lab.done("compare", "policy.yml").splitlines()
    assert told[0].split()[:3] == ["searched", "by", "loss"]
    rows = {line.split()[0]: line.split()[1:] for line in told[1:5]}
    assert list(rows) == ["optimal", "cells", "local", "mondrian"]
    assert all(0 < float(ncp) < 1 for ncp, *_ in rows.values())
    assert all(len(line) <= 80 for line in told)


def test_a_recoding_of_many_columns_goes_on_below_itself():
    cells = (
        "breadth_first",
        "0.1234",
        "5.1",
        "1,234,567,890",
        "1",
        "1.00",
        "yes",
        "10," * 24 + "1",
    )
    lines = _row(cells).split("\n")
    assert len(lines) > 1
    assert all(len(line) <= 80 for line in lines)
    assert "".join(line.strip() for line in lines[1:]) in cells[-1]


def test_the_same_recoding_has_the_same_loss(lab):
    found = compared(lab, "--algorithms", "optimal,exhaustive,datafly")
    by_levels = {}
    for each in found["searches"]:
        by_levels.setdefault((*each["levels"], each["suppressed_rows"]), set()).add(each["ncp"])
    assert all(len(losses) == 1 for losses in by_levels.values())


def test_rows_are_printed_when_they_are_found_and_an_interrupt_keeps_them(lab, monkeypatch):
    lab.policy()
    ended = []

    def compare(*_, on_found, **__):
        full = run(lab.folder / "policy.yml", algorithms=["optimal"])
        on_found(full.searches[0])
        raise KeyboardInterrupt

    run = kanon_sql.compare
    monkeypatch.setattr(kanon_sql, "compare", compare)
    monkeypatch.chdir(lab.folder)
    for args in ([], ["--wide"], ["--json"]):
        result = CliRunner().invoke(main, ["compare", "policy.yml", *args])
        assert result.exit_code == 130
        assert "searches that had ended: 1" in result.stderr
        assert "optimal" in result.stdout
        ended.append(result.stdout)
    assert json.loads(ended[-1])["searches"][0]["searched_by"] == "optimal"


def test_a_sample_is_of_so_many_rows_by_lot_and_of_whole_people():
    rows = 400
    table = pa.table(
        {
            "who": [n // 4 for n in range(rows)],
            "age": [n % 40 for n in range(rows)],
            "x": ["a"] * rows,
        }
    )
    policy = {
        "version": 1,
        "source": "not.parquet",
        "entity": "row",
        "columns": {
            "who": {"role": "insensitive", "linkable": "accept"},
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}, "order": "number"},
            "x": {"role": "insensitive"},
        },
        "privacy": {"k": 2},
        "suppression": 20,
    }
    found = kanon_sql.compare(policy, table, algorithms=["optimal"], sample=100)
    again = kanon_sql.compare(
        policy, table.take([*range(rows)][::-1]), algorithms=["optimal"], sample=100
    )
    assert (found.rows, found.sampled_from, found.max_suppressed) == (100, rows, 5)
    assert found.searches[0].ncp == again.searches[0].ncp
    policy["columns"]["who"] = {"role": "identifying", "action": "drop"}
    of_people = kanon_sql.compare(
        {**policy, "entity": "who"}, table, algorithms=["optimal"], sample=100
    )
    assert of_people.rows % 4 == 0
    assert 40 <= of_people.rows <= 180
    whole = kanon_sql.compare(policy, table, algorithms=["optimal"], sample=1000)
    assert (whole.rows, whole.max_suppressed) == (rows, 20)


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
    found = kanon_sql.compare(
        writer.policy(problem, search), writer.frame(problem), algorithms=["all"]
    )
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
