"""Each algorithm, on the database, against brute force on the rows."""

from __future__ import annotations

import re
from functools import partial
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, Problem, cost_of, optimum_of, problems
from tiers import examples

import kanon_sql
from kanon_sql.policy.search_options import Preference, Variant
from kanon_sql.recoding.searches.algorithms import ALGORITHMS, LatticeAlgorithm
from kanon_sql.recoding.searches.binary_searches import all_min, flash, ola
from kanon_sql.recoding.searches.incognito import incognito
from kanon_sql.recoding.searches.optimal import breadth_first, exhaustive

searches = st.sampled_from(AT_ONE_NODE)
kinds = st.lists(st.sampled_from(("query", "csv", "tree")), min_size=3, max_size=3)
PROVING = ("optimal", "incognito", "lightning", "breadth_first", "exhaustive")
INCOGNITO = {variant.value: partial(incognito, variant=variant) for variant in Variant}
ENUMERATING = {
    **INCOGNITO,
    "exhaustive": exhaustive,
    "breadth_first": breadth_first,
    "all_min": all_min,
    "ola": ola,
    "flash": flash,
}


OF_A_SEARCH = {"frequency_set", "rolled_up", "items", "weights"}
OF_A_SEARCH |= {"levels", "candidates", "edges", "failed", "survivors"}
"""The tables that Incognito may read, by the word that their names end with."""


def approx(cost):
    return pytest.approx(cost, rel=1e-9, abs=1e-7)


def planned(writer, problem, search, *, kinds=(), small=50_000):
    """Plan with one algorithm; None where the policy cannot be satisfied."""
    policy = writer.policy(problem, search, kinds=kinds)
    with patch("kanon_sql.counting.lattice.sql_checker.SMALL", small):
        try:
            return kanon_sql.plan(policy, writer.frame(problem))
        except kanon_sql.InfeasibleError:
            return None


def node_of(plan):
    return tuple(plan.levels.values())


@pytest.mark.parametrize("algorithm", PROVING)
@examples(20)
@given(problem=problems(), search=searches, kinds=kinds, small=st.sampled_from((0, 50_000)))
def test_the_plan_has_the_least_cost(*, algorithm, writer, problem, search, kinds, small):
    search = {**search, "algorithm": algorithm}
    plan = planned(writer, problem, search, kinds=kinds, small=small)
    if not problem.feasible:
        assert plan is None
        return
    node = node_of(plan)
    assert plan.optimal
    assert node in problem.feasible
    assert plan.cost == approx(optimum_of(problem, search))
    assert plan.cost == approx(cost_of(problem, node, search))


@pytest.mark.parametrize("algorithm", PROVING)
def test_suppressed_rows_that_have_one_value_have_no_entropy(writer, algorithm):
    """At [0,0] two rows go, both v3: nothing is lost, though ln 2 was rounded to nine places."""
    rows = [("v0",) * 29, ("v1",) * 6, ("v2",) * 8, ("v3",) * 2, ("v4",) * 3, ("v5",) * 7]
    values = [(value, "b") for each in rows for value in each]
    hierarchies = [{f"v{n}": ["*"] for n in range(6)}, {"b": ["*"]}]
    problem = Problem(values, hierarchies, 3, 11)
    search = {"algorithm": algorithm, "metric": "entropy", "suppressed": "counted"}
    plan = planned(writer, problem, search)
    assert (node_of(plan), plan.cost, plan.optimal) == ((0, 0), (0.0,), True)


@pytest.mark.slow
@examples(20)
@given(problem=problems(), search=searches)
def test_the_algorithms_that_prove_agree_on_the_node(writer, problem, search):
    plans = [planned(writer, problem, {**search, "algorithm": name}) for name in PROVING]
    assert len({plan and (node_of(plan), plan.cost) for plan in plans}) == 1


@examples(20)
@given(problem=problems(), search=searches)
def test_the_plan_s_figures_are_the_oracle_s(writer, problem, search):
    plan = planned(writer, problem, search)
    if plan is None:
        return
    node = node_of(plan)
    out = problem.outcome(node)
    assert plan.source_rows == len(problem.rows)
    assert plan.max_suppressed == problem.max_suppressed
    assert plan.suppressed_rows == out.suppressed
    assert plan.classes == len(out.kept)
    assert plan.smallest_class == min(out.sizes[key] for key in out.kept)
    assert tuple(plan.heights.values()) == problem.tops
    kept = len(problem.rows) - out.suppressed
    expected = {
        "height": sum(node),
        "precision": 1 - float(problem.distortion(node)),
        "loss": problem.loss(node, "geometric_mean")[0],
        "discernibility": problem.discernibility(node),
        "aecs": problem.cost(node, "class_size")[0],
        "entropy": problem.entropy(node),
        "c_avg": kept / len(out.kept) / problem.k,
    }
    assert {name: plan.figures[name] for name in expected} == pytest.approx(expected, abs=1e-7)


@examples(20)
@given(problem=problems())
def test_the_plan_counts_the_classes_there_were_before(writer, problem):
    plan = planned(writer, problem, None)
    if plan is not None:
        assert plan.figures["classes_before"] == len(set(problem.rows))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("run", ENUMERATING.values(), ids=ENUMERATING)
@examples(20)
@given(
    problem=problems(full_suppression=True),
    kinds=kinds,
    small=st.sampled_from((0, 50_000)),
    limited=st.booleans(),
)
def test_all_feasible_and_minimal_nodes_are_found(
    *, run, sql_check, writer, problem, kinds, small, limited
):
    problem.max_suppressed *= limited
    with (
        patch("kanon_sql.counting.lattice.sql_checker.SMALL", small),
        sql_check(writer.policy(problem, kinds=kinds), writer.frame(problem)) as (checker, _, _),
    ):
        found = run(checker)
    if not problem.feasible:
        assert found is None
        return
    assert {n.levels for n in found.feasible} == problem.feasible
    assert {n.levels for n in found.minimal} == problem.minimal


@pytest.mark.parametrize("run", INCOGNITO.values(), ids=INCOGNITO)
@examples(10)
@given(problem=problems(), small=st.sampled_from((0, 50_000)), room=st.sampled_from((0, 1, 2, 100)))
def test_incognito_reads_the_source_once_and_leaves_no_set(
    *, run, sql_check, writer, problem, small, room
):
    with (
        patch("kanon_sql.counting.lattice.result.ROOM", room),
        patch("kanon_sql.counting.lattice.sql_checker.SMALL", small),
        sql_check(writer.policy(problem), writer.frame(problem)) as (checker, encoded, session),
    ):
        journal = session.engine.journal
        journal.keep_text = True
        found = run(checker)
        tables = session.engine.connection.execute("SELECT table_name FROM duckdb_tables()")
        assert not any("rolled_up" in name for (name,) in tables.fetchall())
    named = {
        kind for text in journal.texts for kind in re.findall(r'"_kanon_\w+?_\d+_(\w+)"', text)
    }
    assert named <= OF_A_SEARCH
    assert (found is None) == (not problem.feasible)
    if found is not None:
        assert {node.levels for node in found.feasible} == problem.feasible
        effort = found.effort
        passes = effort.first_set_scans + effort.rolled_up_scans
        assert passes == effort.counted + effort.sets_made
        assert effort.rows_read <= passes * encoded.set_rows


OF_SAMARATI = st.sampled_from([each for each in Preference if each is not Preference.COST])


@examples(25)
@given(problem=problems(), search=searches)
def test_the_preference_for_the_least_cost_asks_the_metric(writer, problem, search):
    """Among the nodes of least height, all minimal nodes, and those of the highest precision."""
    if not problem.feasible:
        return
    for among, options in (
        (problem.lowest, {"algorithm": "samarati"}),
        (problem.minimal, {"algorithm": "samarati", "among": "all_minimal"}),
        (problem.least_distorted(), {"algorithm": "mingen"}),
    ):
        said = {**search, **options, "preference": "minimum_cost"}
        plan = planned(writer, problem, said)
        assert node_of(plan) in problem.cheapest(among, search)
        assert plan.cost == approx(cost_of(problem, node_of(plan), search))


@examples(25)
@given(problem=problems(), preference=OF_SAMARATI, search=searches)
def test_samarati_has_the_least_height_and_the_preferred_node(writer, problem, preference, search):
    search = {**search, "algorithm": "samarati", "preference": preference.value}
    plan = planned(writer, problem, search)
    if not problem.feasible:
        assert plan is None
        return
    node = node_of(plan)
    assert sum(node) == problem.least_height
    assert node == min(problem.preferred(preference.value))
    assert plan.optimal == (search["metric"] == "height")


@pytest.mark.parametrize("algorithm", ["all_min", "ola", "flash"])
@examples(20)
@given(problem=problems(), search=searches)
def test_the_searches_for_minimal_nodes_claim_what_they_prove(writer, algorithm, problem, search):
    plan = planned(writer, problem, {**search, "algorithm": algorithm})
    if not problem.feasible:
        assert plan is None
        return
    always = {"height", "normalized_entropy"}
    ignored = search.get("suppressed") == "ignored"
    monotone = search["metric"] in always or search == {"metric": "entropy"} or ignored
    assert plan.optimal == (monotone or not problem.max_suppressed)
    assert set(plan.minimal_nodes) == problem.minimal
    assert plan.cost == approx(cost_of(problem, node_of(plan), search))
    if plan.optimal:
        assert plan.cost == approx(optimum_of(problem, search))


@examples(20)
@given(problem=problems(), preference=OF_SAMARATI)
def test_what_is_preferred_among_all_minimal_nodes(writer, problem, preference):
    search = {"metric": "height", "preference": preference.value}
    plans = [
        planned(writer, problem, {**search, **options})
        for options in ({"algorithm": "samarati", "among": "all_minimal"}, {"algorithm": "mingen"})
    ]
    if not problem.feasible:
        assert plans == [None, None]
        return
    among = [problem.minimal, problem.least_distorted()]
    wanted = [min(problem.preferred(preference.value, nodes)) for nodes in among]
    assert [node_of(plan) for plan in plans] == wanted


@pytest.mark.parametrize(
    "algorithm", [n for n, each in ALGORITHMS.items() if isinstance(each, LatticeAlgorithm)]
)
def test_a_policy_that_some_release_satisfies_is_not_called_infeasible(writer, algorithm):
    """Where MaxSup allows all rows, a node that keeps none is not the only answer there is."""
    tree = {"x": ["*"], "y": ["*"]}
    problem = Problem([("x", "x"), ("y", "y"), ("x", "y")], [tree, dict(tree)], 3, 3)
    plan = planned(writer, problem, {"metric": "height", "algorithm": str(algorithm)})
    assert plan is not None
    assert node_of(plan) == (1, 1)
    assert plan.classes == 1


HEURISTICS = [
    {"algorithm": "greedy"},
    {"algorithm": "greedy", "per": "record"},
    {"algorithm": "greedy", "per": "record", "recoding": "local"},
    {"algorithm": "datafly"},
    {"algorithm": "datafly", "metric": "height"},
    {"algorithm": "mu_argus", "repair": "records"},
    {"algorithm": "lightning", "recoding": "cells"},
    {"algorithm": "samarati", "recoding": "local"},
]


@examples(40)
@given(problem=problems(spread=True), search=st.sampled_from(HEURISTICS))
def test_no_policy_is_blamed_for_what_a_search_did_not_find(writer, problem, search):
    """'No recoding satisfies the policy' is said where brute force finds none, and only there."""
    said = ""
    try:
        kanon_sql.plan(writer.policy(problem, search), writer.frame(problem))
    except kanon_sql.InfeasibleError as error:
        said = str(error)
    own = "mu-Argus does not promise k" in said
    assert ("no recoding satisfies the policy" in said) == (not problem.feasible and not own)
    if problem.feasible and not own:
        assert not said or "use algorithm: optimal" in said


def test_a_search_that_fell_short_says_so_and_what_to_use(writer):
    """Two rows are released as they are, and the third is alone at every other node."""
    problem = Problem([("a",), ("a",), ("b",)], [{"a": ["*"], "b": ["*"]}], 2, 0)
    policy = writer.policy(problem, {"algorithm": "greedy", "per": "record"})
    with pytest.raises(kanon_sql.InfeasibleError) as caught:
        kanon_sql.plan(policy, writer.frame(problem))
    assert str(caught.value) == (
        "greedy, per: record, found no recoding that satisfies the policy: it leaves 1 row to suppress "
        "(33.3333%), the policy allows 0. Another search does, as the top of the lattice satisfies it: "
        "use algorithm: optimal"
    )
    assert planned(writer, problem, {"algorithm": "optimal"}).suppressed_rows == 0
