"""Levels within bounds, hierarchies of several roots, weights and factors, on the database, against brute force."""

from __future__ import annotations

import pytest
from bounded import BoundedLayers, bounded, weighed_searches
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import not_above
from tiers import examples

import kanon_sql
from kanon_sql.policy.search_options import Algorithm, default_options

PROVING = ("optimal", "incognito", "lightning", "breadth_first", "exhaustive")
LATTICE = [each.value for each in Algorithm if not default_options(each).cuts_axes]
STRICT = ("samarati", "all_min", "mingen", "ola", "flash", *PROVING)
"""Those that find a node wherever one is feasible, if nothing else is said."""


def planned(writer, problem, search):
    """Plan with one algorithm; None where the policy cannot be satisfied."""
    if search["metric"] == "discernibility" or search["metric"] == "class_size":
        problem.weights = []
    try:
        return kanon_sql.plan(
            problem.columns_of(writer.policy(problem, search)), writer.frame(problem)
        )
    except kanon_sql.InfeasibleError:
        return None


def approx(cost):
    return pytest.approx(cost, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("algorithm", PROVING)
@examples(20)
@given(problem=bounded(), search=weighed_searches())
def test_the_plan_has_the_least_cost_of_the_nodes_allowed(algorithm, writer, problem, search):
    plan = planned(writer, problem, {**search, "algorithm": algorithm})
    if not problem.feasible:
        assert plan is None
        return
    node = tuple(plan.levels.values())
    assert plan.optimal
    assert node in problem.feasible
    assert plan.cost == approx(problem.least_cost(search))
    assert plan.cost == approx(problem.arx(node, search))
    assert plan.lattice_nodes == len(problem.nodes)
    assert plan.heights == {f"q{at}": top for at, top in enumerate(problem.tops)}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("algorithm", STRICT)
@examples(12)
@given(problem=bounded())
def test_every_search_stays_within_the_levels(algorithm, writer, problem):
    plan = planned(writer, problem, {"algorithm": algorithm, "metric": "height"})
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert tuple(plan.levels.values()) in problem.feasible
        if algorithm == "samarati":
            assert sum(plan.levels.values()) == problem.least_height


def rows_at(released, problem):
    """The labels of each row of a release, in the order of the source."""
    columns = [released.column(f"q{at}").to_pylist() for at in range(len(problem.tops))]
    return dict(zip(released.column("id").to_pylist(), zip(*columns, strict=True), strict=True))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "search",
    [
        *({"algorithm": name} for name in ("datafly", "greedy", "mu_argus")),
        {"algorithm": "greedy", "per": "record"},
        {"recoding": "local"},
        {"recoding": "cells"},
        {"recoding": "cells", "algorithm": "flash", "metric": "entropy"},
    ],
    ids=lambda search: "-".join(map(str, search.values())),
)
@examples(15)
@given(data=st.data())
def test_every_row_is_released_at_a_level_that_its_column_may_have(search, data, writer):
    """Suppressed cells of mu-Argus alone are no level: their columns have a root, and they say nothing."""
    argus = search.get("algorithm") == "mu_argus"
    problem = data.draw(bounded(forests=not argus))
    policy = problem.columns_of(writer.policy(problem, search))
    try:
        release = kanon_sql.anonymize(policy, writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return
    allowed = [
        set(levels) | ({top} if argus else set())
        for levels, top in zip(problem.ranges, problem.tops, strict=True)
    ]
    assert release.plan.recoding.nodes
    for node in release.plan.recoding.nodes:
        assert all(level in of for level, of in zip(node.levels, allowed, strict=True))
    for at, row in rows_at(release.relation.to_arrow_table(), problem).items():
        for column, (label, value) in enumerate(zip(row, problem.rows[at], strict=True)):
            labels = {problem.label(column, value, level) for level in allowed[column]}
            assert label in labels or str(label) in map(str, labels)


@examples(60)
@given(problem=bounded(), search=weighed_searches(), at_least=st.integers(0, 40))
def test_no_floor_is_above_a_cost(problem, search, at_least, sql_check, writer):
    """Nor does one without suppressed rows fall on the way up: the searches rest on both."""
    if search["metric"] in {"discernibility", "class_size"}:
        problem.weights = []
    policy = problem.columns_of(writer.policy(problem, search))
    with sql_check(policy, writer.frame(problem)) as (checker, _, _):
        metric, stats, lattice = checker.metric, checker.stats, checker.lattice
        nodes = list(lattice.nodes())
        assert [node.levels for node in nodes] == problem.nodes
        floors = dict(zip(nodes, metric.floors(stats, lattice), strict=True))
        verdicts = checker.check(nodes)
        for verdict, cost in zip(verdicts, checker.costs(verdicts), strict=True):
            node, gone = verdict.node, verdict.counts.suppressed
            assert floors[node] == metric.floor(stats, node)
            if not verdict.counts.classes:
                continue
            assert cost == approx(problem.arx(node.levels, search))
            assert not_above(floors[node], cost)
            assert not_above(metric.floor(stats, node, gone), cost)
            assert not_above(metric.floor(stats, node, min(at_least, gone)), cost)
        for node in nodes:
            for above in node.parents(lattice.tops):
                assert not_above(floors[node], floors[above])


@pytest.mark.parametrize("recoding", ["local", "cells"])
@examples(25)
@given(problem=bounded(full_suppression=True, most_rows=60), search=weighed_searches())
def test_several_nodes_cost_what_their_rows_do(recoding, problem, search, writer):
    low = search.get("generalization_factor", 0.5) < 0.5
    assume(not (low and search["metric"] == "loss"))
    plan = planned(writer, problem, {**search, "recoding": recoding})
    if plan is None:
        return
    layers = BoundedLayers(problem, [node.levels for node in plan.recoding.nodes])
    assert set(layers.nodes) <= set(problem.nodes)
    assert plan.suppressed_rows == len(layers.suppressed)
    assert plan.cost == approx(layers.arx(search))


@examples(20)
@given(problem=bounded(several=True))
def test_sets_of_columns_are_counted_without_the_others(problem, writer):
    """A column that is in no set is counted at a root, whatever levels it may have."""
    plan = planned(writer, problem, {"metric": "height"})
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert plan.cost == approx(problem.least_cost({"metric": "height"}))


@examples(15)
@given(problem=bounded())
def test_an_explanation_keeps_to_the_levels(problem, writer):
    policy = problem.columns_of(writer.policy(problem, {}))
    try:
        plan = kanon_sql.plan(policy, writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return
    explained = kanon_sql.explain(plan, writer.frame(problem), policy=policy, lattice="json")
    assert {each.levels for each in explained.nodes} == set(problem.nodes)
    assert {each.levels for each in explained.neighbours} <= set(problem.nodes)
    optima = [explained.optimum, *(each.optimum for each in explained.frontier)]
    assert {each.levels for each in optima if each.levels} <= set(problem.nodes)
    for each in explained.columns:
        if each.raw.levels:
            at = list(plan.levels).index(each.name)
            assert each.raw.levels[at] == problem.ranges[at][0]
