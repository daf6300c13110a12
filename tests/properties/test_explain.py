"""Every figure of an explanation, on the database, against brute force on the rows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import SEARCHES, cost_of, optimum_of, problems
from tiers import examples

import kanon_sql
from kanon_sql.evidence.explanation.explanation import Certainty

searches = st.sampled_from(SEARCHES)
TINY = 1e-9
OF_CLASSES = ("discernibility", "class_size", "ambiguity")


def approx(cost):
    return pytest.approx(cost, rel=1e-9, abs=1e-7)


def explained(writer, problem, search=None, **options):
    """The plan of a problem and its explanation; what cannot be satisfied is another test's."""
    policy = writer.policy(problem, search)
    frame = writer.frame(problem)
    try:
        plan = kanon_sql.plan(policy, frame)
    except kanon_sql.InfeasibleError:
        assume(False)
    return plan, kanon_sql.explain(plan, frame, policy=policy, time_limit=600, **options)


def changed(problem, **fields):
    return replace(problem, **fields, _seen={})


def bounds_of(problem):
    """Each bound that asks for anything: its name, what it asks, and the problem with another."""
    found = {}
    nothing = 1 if problem.counts_null else 0  # a class has one value then, be it NULL
    different = "distinct values of s" + (
        ", NULL counted as a value" if problem.counts_null else ""
    )
    if problem.k > 1:
        found["k"] = (problem.k, lambda to: changed(problem, k=to))
    if problem.l > nothing and problem.spread is not None:
        found[different] = (problem.l, lambda to: changed(problem, l=to))
    for columns in {columns for columns, *_ in problem.over}:
        over = f" over {', '.join(f'q{c}' for c in columns)}"
        for at, name in ((1, "k"), (2, different)):
            asked = max(each[at] for each in problem.over if each[0] == columns)

            def with_bound(to, columns=columns, at=at, asked=asked):
                least = to if to > asked else None  # one entry that asks for more decides
                return changed(
                    problem,
                    over=[
                        tuple(
                            (least or min(part, to)) if n == at and each[0] == columns else part
                            for n, part in enumerate(each)
                        )
                        for each in problem.over
                    ],
                )

            if asked > (1 if name == "k" else nothing) and (
                name == "k" or problem.spread is not None
            ):
                found[name + over] = (asked, with_bound)
    return found


def without(problem, column):
    """The problem in which a column is no quasi-identifier, nor known to anyone."""

    def rest(values):
        return [*values[:column], *values[column + 1 :]]

    return changed(
        problem,
        rows=[tuple(rest(row)) for row in problem.rows],
        hierarchies=rest(problem.hierarchies),
        over=[
            (tuple(c - (c > column) for c in columns if c != column), k, least)
            for columns, k, least in problem.over
        ],
        without_entry=set(),
    )


def checked(found, problem, search, *, nodes=None):
    """An optimum is what brute force says it is, and its levels have it."""
    able = [n for n in problem.feasible if nodes is None or n in nodes]
    if not able:
        assert found.known is Certainty.INFEASIBLE
        return
    assert found.known is Certainty.PROVEN
    assert found.cost == approx(min(cost_of(problem, node, search) for node in able))
    assert found.levels in able
    assert found.cost == approx(cost_of(problem, found.levels, search))
    assert found.suppressed_rows == problem.outcome(found.levels).suppressed


def apart(problem):
    """Whether each set is another than the whole one, which then need not be joined with it."""
    return all(len(columns) < len(problem.tops) for columns, *_ in problem.over)


several = problems(most_rows=16, several=True).filter(apart)
both = st.one_of(problems(most_rows=24), several)


@pytest.mark.slow
@examples(8)
@given(problem=both, search=searches)
def test_bounds_and_their_slack_are_the_oracle_s(writer, problem, search):
    plan, told = explained(writer, problem, search)
    node = told.node
    assert told.optimal
    assert told.plan.cost == approx(plan.cost)
    checked(told.optimum, problem, search)
    expected = bounds_of(problem)
    assert {bound.name for bound in told.bounds} == {*expected, "suppression"}
    for bound in told.bounds[:-1]:
        asked, with_bound = expected[bound.name]
        assert (bound.bound, bound.relaxed) == (asked, asked - 1)
        checked(bound.optimum, with_bound(asked - 1), search)
        gained = told.plan.cost[0] - bound.optimum.cost[0] if len(told.plan.cost) == 1 else None
        if gained is not None and abs(gained) > TINY:
            assert bound.binds == (gained > 0)
        holds = [to for to in range(1, 40) if node in with_bound(to).feasible]
        assert bound.slack == max(holds)


@examples(8)
@given(problem=both, search=searches)
def test_the_next_better_max_sup_is_the_least(writer, problem, search):
    _, told = explained(writer, problem, search)
    bound = told.bounds[-1]
    assert (bound.bound, bound.slack) == (
        problem.max_suppressed,
        problem.outcome(told.node).suppressed,
    )
    better = [
        problem.outcome(node).suppressed
        for node in problem.nodes
        if problem.outcome(node).kept and less(cost_of(problem, node, search), told.plan.cost)
    ]
    if bound.relaxed is None:
        assert not bound.binds
        assert better == []
        return
    assert bound.binds
    assert bound.optimum.cost < told.plan.cost
    assert bound.relaxed > problem.max_suppressed
    assert all(rows >= bound.relaxed for rows in better)
    checked(bound.optimum, changed(problem, max_suppressed=bound.relaxed), search)


def less(one, other):
    """Whether a cost is less by more than rounding."""
    return any(
        a < b - TINY and all(abs(x - y) <= TINY for x, y in zip(one[:i], other[:i], strict=True))
        for i, (a, b) in enumerate(zip(one, other, strict=True))
    )


@pytest.mark.slow
@examples(8)
@given(problem=both, search=searches)
def test_what_columns_cost_is_the_oracle_s(writer, problem, search):
    _, told = explained(writer, problem, search)
    for at, column in enumerate(told.columns):
        raw = {node for node in problem.nodes if node[at] == 0}
        checked(column.raw, problem, search, nodes=raw)
        others = without(problem, at)
        rest = (*told.node[:at], *told.node[at + 1 :])
        levels = (*column.without.levels[:at], *column.without.levels[at + 1 :])
        assert column.without.levels[at] == problem.tops[at]
        checked(replace(column.without, levels=levels), others, search)
        if search["metric"] not in OF_CLASSES:
            others._seen[rest] = problem.outcome(told.node)  # the rows that it suppresses now
        assert column.others == approx(cost_of(others, rest, search))


@pytest.mark.slow
@examples(8)
@given(problem=both, search=searches)
def test_neighbours_are_all_nodes_one_level_beside(writer, problem, search):
    _, told = explained(writer, problem, search)
    beside = {
        node
        for node in problem.nodes
        if sum(abs(a - b) for a, b in zip(node, told.node, strict=True)) == 1
    }
    assert {each.levels for each in told.neighbours} == beside
    for each in told.neighbours:
        out = problem.outcome(each.levels)
        assert (each.feasible, each.suppressed_rows) == (out.feasible, out.suppressed)
        assert each.cost == approx(cost_of(problem, each.levels, search))
        assert each.coarser == (sum(each.levels) > sum(told.node))
        moved = int(each.column.removeprefix("q"))
        assert each.levels[moved] != told.node[moved]


@examples(8)
@given(problem=both, search=searches)
def test_the_frontier_holds_the_optimum_of_each_k_and_max_sup(writer, problem, search):
    _, told = explained(writer, problem, search)
    rows = len(problem.rows)
    ks = {k for k in (2, 3, 5, 10, 25, 50, 100, problem.k) if k <= rows}
    limits = {share * rows // 1000 for share in (0, 1, 10, 20, 50, 100)} | {problem.max_suppressed}
    assert {(c.k, c.max_suppressed) for c in told.frontier} == {(k, m) for k in ks for m in limits}
    for cell in told.frontier:
        other = changed(problem, k=cell.k, max_suppressed=cell.max_suppressed)
        checked(cell.optimum, other, search)
    assert [(c.k, c.max_suppressed) for c in told.frontier if c.of_policy] == [
        (problem.k, problem.max_suppressed)
    ]
    reached = [c for c in told.frontier if c.optimum.found]
    for cell in told.frontier:
        beaten = any(
            o.k >= cell.k
            and o.max_suppressed <= cell.max_suppressed
            and o.optimum.cost <= cell.optimum.cost
            and o is not cell
            for o in reached
        )
        assert cell.pareto == (cell.optimum.found and not beaten)


@examples(8)
@given(problem=both, search=searches)
def test_the_lattice_holds_every_node_as_it_is(writer, problem, search):
    _, told = explained(writer, problem, search, lattice="json")
    assert told.plan.lattice_nodes == len(problem.nodes)
    assert [each.levels for each in told.nodes] == sorted(problem.nodes)
    assert [each.levels for each in told.nodes if each.chosen] == [told.node]
    assert {each.levels for each in told.nodes if each.minimal} == problem.minimal
    for each in told.nodes:
        out = problem.outcome(each.levels)
        assert (each.feasible, each.suppressed_rows) == (out.feasible, out.suppressed)
        assert each.classes == len(out.kept)
        if out.feasible:
            assert each.cost == approx(cost_of(problem, each.levels, search))
        else:
            assert each.cost is None


@examples(8)
@given(problem=problems(most_rows=24), search=searches)
def test_a_plan_without_proof_is_held_against_the_optimum(writer, problem, search):
    search = {**search, "algorithm": "samarati"}
    _, told = explained(writer, problem, search)
    assert told.promise == "no feasible node is lower"
    assert told.plan.cost == approx(cost_of(problem, told.node, search))
    assert told.optimum.known is Certainty.PROVEN
    assert told.optimum.cost == approx(optimum_of(problem, search))
    if less(told.optimum.cost, told.plan.cost):
        assert not told.optimal
    else:
        assert told.optimal == (told.plan.cost <= told.optimum.cost)


@examples(12)
@given(problem=both, search=searches, checks=st.sampled_from([1, 4, 250]))
def test_bounded_searches_claim_no_more_than_they_proved(writer, problem, search, checks):
    """As on a lattice too large to walk: what is found is feasible and costs what it is said to."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kanon_sql.evidence.explanation.explain_plan.MOST_NODES", 0)
        patch.setattr("kanon_sql.evidence.explanation.scenarios.CHECKS", checks)
        patch.setattr("kanon_sql.evidence.explanation.scenarios.FIRST_CHECKS", checks)
        _, told = explained(writer, problem, search)
    assert not told.walked
    assert told.optimal <= (told.optimum.known is Certainty.PROVEN)
    found_and_asked = [(told.optimum, problem)] + [
        (cell.optimum, changed(problem, k=cell.k, max_suppressed=cell.max_suppressed))
        for cell in told.frontier
    ]
    for found, asked in found_and_asked:
        if found.known is Certainty.BEST_FOUND:
            assert found.levels in asked.feasible
            assert found.cost == approx(cost_of(asked, found.levels, search))
            assert found.suppressed_rows == asked.outcome(found.levels).suppressed
        else:
            checked(found, asked, search)
    least = optimum_of(problem, search)
    for bound in told.bounds[:-1]:
        _, with_bound = bounds_of(problem)[bound.name]
        relaxed = optimum_of(with_bound(bound.bound - 1), search)
        if bound.binds:
            assert less(relaxed, least) or relaxed == approx(least)
        if bound.binds is False:
            assert not less(relaxed, least)


@examples(8)
@given(
    problem=problems(most_rows=24), search=searches, recoding=st.sampled_from(["local", "cells"])
)
def test_a_plan_of_several_nodes_is_held_against_the_best_single_one(
    writer, problem, search, recoding
):
    search = {**search, "recoding": recoding}
    plan, told = explained(writer, problem, search)
    if told.at_one_node:
        assert told.plan.cost == approx(cost_of(problem, told.node, search))
        return
    assert told.neighbours == ()
    assert told.plan.cost == plan.cost
    assert not told.optimal
    checked(told.optimum, problem, search)
    assert told.base == told.optimum
