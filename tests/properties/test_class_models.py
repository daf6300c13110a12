"""Models that weigh a class's values against brute force; and whether each is monotone where it says so."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import class_models
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, Problem, optimum_of, problems
from tiers import examples

import kanon_sql

TWENTIETHS = st.integers(0, 19).map(lambda n: Fraction(n, 20))
REFERENCES = st.sampled_from([("source", "release"), ("source",), ("release",)])
RULES = {
    "alpha": st.builds(class_models.alpha, TWENTIETHS),
    "entropy": st.builds(class_models.entropy, st.sampled_from([1, 1.5, 2, 2.5, 3])),
    "recursive": st.builds(
        class_models.recursive,
        st.fractions(Fraction(1, 4), 4, max_denominator=9),
        st.integers(1, 3),
    ),
    "t": st.builds(lambda t, by: class_models.equal_distance(t, *by), TWENTIETHS, REFERENCES),
    "ordered t": st.builds(
        lambda t, order, by: class_models.ordered_distance(t, order, *by),
        TWENTIETHS,
        st.permutations(["a", "b", "c", "d", "e"]),
        REFERENCES,
    ),
    "hierarchical t": st.builds(
        lambda t, by: class_models.tree_distance(t, *by), TWENTIETHS, REFERENCES
    ),
    "beta": st.builds(
        lambda b, by, enhanced: class_models.beta(b, *by, enhanced=enhanced),
        st.integers(1, 40).map(lambda n: Fraction(n, 20)),
        REFERENCES,
        st.booleans(),
    ),
    "delta": st.builds(
        lambda d, by, absent: class_models.delta(d, *by, absent=absent),
        st.integers(1, 12).map(lambda n: Fraction(n, 4)),
        REFERENCES,
        st.sampled_from(["fails", "ignored"]),
    ),
}
MEANS = {"alpha", "entropy", "ordered t", "hierarchical t"}
"""Of a union of classes these say no more to be unavoidable than of each. Others are nearer where a class is uneven."""


@st.composite
def weighed(draw, name, *, entity=True):
    """A problem with sensitive values and a rule for them."""
    problem = draw(problems(entity=entity and draw(st.booleans())))
    count = len(problem.rows)
    had = draw(st.sampled_from([("a",), ("a", None), ("a", "b", "c", "e", None)]))
    values = st.lists(st.sampled_from(had), min_size=count, max_size=count)
    return replace(problem, spread=draw(values), rule=draw(RULES[name]), _seen={})


def planned(writer, problem, search):
    try:
        return kanon_sql.plan(writer.policy(problem, search), writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return None


@pytest.mark.parametrize("algorithm", ["optimal", "exhaustive", "lightning"])
@pytest.mark.parametrize("name", RULES)
@pytest.mark.sampled(7)
@examples(20)
@given(data=st.data(), search=st.sampled_from(AT_ONE_NODE))
def test_the_plan_has_the_least_cost(*, name, algorithm, writer, data, search):
    problem = data.draw(weighed(name))
    search = {**search, "algorithm": algorithm}
    plan = planned(writer, problem, search)
    event("feasible" if problem.feasible else "infeasible")
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert plan.cost == pytest.approx(optimum_of(problem, search), rel=1e-9, abs=1e-7)
        out = problem.outcome(tuple(plan.levels.values()))
        assert (plan.suppressed_rows, plan.classes) == (out.suppressed, len(out.kept))


@pytest.mark.parametrize("algorithm", ["incognito", "flash", "ola", "breadth_first", "all_min"])
@pytest.mark.parametrize("name", [name for name in RULES if name != "delta"])
@pytest.mark.sampled(16)
@examples(10)
@given(data=st.data())
def test_searches_that_prune_find_it_where_nothing_is_suppressed(*, name, algorithm, writer, data):
    problem = replace(data.draw(weighed(name, entity=False)), max_suppressed=0, _seen={})
    plan = planned(writer, problem, {"algorithm": algorithm})
    assert (plan is not None) == bool(problem.feasible)
    if plan is not None:
        assert tuple(plan.levels.values()) in problem.feasible


@pytest.mark.parametrize("name", [name for name in RULES if name != "delta"])
@pytest.mark.sampled(3)
@examples(15)
@given(data=st.data())
def test_no_finer_node_suppresses_less_than_is_unavoidable(*, name, sql_check, writer, data):
    """`optimal` closes what lies below a node by it. Means also say no more of a coarser node than of a finer one."""
    problem = data.draw(weighed(name, entity=False))
    assume(problem.max_suppressed and problem.rule.of_class)
    with sql_check(writer.policy(problem), writer.frame(problem)) as (checker, _, _):
        nodes = list(checker.lattice.nodes())
        found = {v.node: v.counts for v in checker.check(nodes)}
    if any(each.unavoidable is None for each in found.values()):
        event("no class could fail")
        return
    event(f"some: {any(each.unavoidable for each in found.values())}")
    for coarse, counts in found.items():
        assert counts.unavoidable <= counts.suppressed
        for node in nodes:
            if coarse.covers(node):
                fine = found[node]
                assert counts.unavoidable <= fine.suppressed
                assert name not in MEANS or counts.unavoidable <= fine.unavoidable


@pytest.mark.parametrize("name", RULES)
@pytest.mark.sampled(3)
@examples(200)
@given(data=st.data())
def test_it_is_monotone_where_it_says_so(name, data):
    """A hunt for what contradicts `Monotony.UNSUPPRESSED`: a coarser node than a feasible one that is not."""
    problem = replace(data.draw(weighed(name, entity=False)), max_suppressed=0, _seen={})
    assume(name != "delta" or problem.rule.asked["delta_disclosure"]["absent"] == "fails")
    for node in problem.feasible:
        for at, top in enumerate(problem.tops):
            if node[at] < top:
                coarser = (*node[:at], node[at] + 1, *node[at + 1 :])
                assert problem.outcome(coarser).feasible


def merged(rule, classes, *, most=0):
    """Classes a, b and c, of which a coarser node makes two, ab and c, and the top one."""
    labels = {"a": ["ab", "*"], "b": ["ab", "*"], "c": ["c", "*"]}
    rows = [(z,) for z, diseases in classes.items() for _ in diseases]
    spread = [each for diseases in classes.values() for each in diseases]
    return Problem(rows, [labels], max_suppressed=most, spread=spread, rule=rule)


def test_t_is_not_monotone_where_rows_may_be_suppressed():
    """The row of b may go; under ab it takes a with it, which alone is as the table is."""
    classes = {"a": ["flu", "cold"] * 2, "b": ["flu"], "c": ["flu", "cold"] * 5}
    problem = merged(class_models.equal_distance(Fraction(1, 20), "source"), classes, most=1)
    assert [problem.outcome((at,)).suppressed for at in (0, 1, 2)] == [1, 5, 0]
    assert problem.feasible == {(0,), (2,)}


def test_delta_that_ignores_absent_values_is_never_monotone():
    """Half of the table is ulcer. a has none, and b as much as the table; together they have too little."""
    classes = {"a": ["flu"] * 8, "b": ["flu", "ulcer"], "c": ["ulcer"] * 8}
    rule = class_models.delta(Fraction(3, 2), "source", absent="ignored")
    assert merged(rule, classes).feasible == {(0,), (2,)}


@pytest.mark.parametrize(("references", "level"), [(("source",), 0), (("source", "release"), 1)])
def test_what_is_released_may_be_farther_from_itself_than_from_the_source(
    writer, references, level
):
    """Of 40 people 11 have flu: shares of 20/40, 4/40 and none. Without c, 11 of 30 have it, and b is too far."""
    classes = {
        "a": ["flu", "cold"] * 10,
        "b": ["flu"] + ["cold"] * 9,
        "c": ["cold"] * 10,
    }
    rule = class_models.equal_distance(Fraction(1, 4), *references)
    problem = merged(rule, classes, most=10)
    plan = planned(writer, problem, {})
    assert (plan.levels, plan.suppressed_rows) == ({"q0": level}, 10)
    assert min(problem.feasible) == (level,)


@pytest.mark.parametrize("recoding", ["full_domain", "local", "cells"])
@pytest.mark.parametrize("name", RULES)
@pytest.mark.sampled(8)
@examples(15)
@given(data=st.data())
def test_every_released_class_fits(*, name, recoding, writer, data):
    problem = data.draw(weighed(name))
    rule = problem.rule
    if recoding != "full_domain" and rule.of_release:
        rule = replace(rule, references=("source",))
        problem = replace(problem, rule=rule, _seen={})
    policy = writer.policy(problem, {"recoding": recoding})
    try:
        made = kanon_sql.anonymize(policy, writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return
    with made:
        names = ", ".join(f"q{n}" for n in range(len(problem.tops)))
        released = made.relation.project(f"id, {names}").fetchall()
    event(f"{len(made.plan.recoding.nodes)} nodes")
    classes = defaultdict(list)
    for row, *labels in released:
        classes[tuple(map(str, labels))].append(row)
    assert all(problem.fits(members, problem.k, problem.l) for members in classes.values())
    if rule.of_release:
        table = problem.counts(row for row, *_ in released)
        assert all(rule.fits(problem.counts(members), table) for members in classes.values())
