"""Several sets of quasi-identifiers: the greatest set of rows that fits them all, by brute force."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations
from unittest.mock import patch

import class_models
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, Problem, cost_of, not_above, optimum_of, problems
from tiers import examples

import kanon_sql
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.search_options import Preference
from kanon_sql.recoding.searches.optimal import Bounds

searches = st.sampled_from(AT_ONE_NODE)
small = st.sampled_from((0, 50_000))
several = problems(several=True)
PROVING = ("optimal", "incognito", "exhaustive")


@examples(30)
@given(problem=problems(most_rows=8, several=True), data=st.data())
def test_the_greatest_set_is_the_union_of_all_that_fit(problem, data):
    """The definition itself, over every subset of the rows."""
    node = data.draw(st.sampled_from(problem.nodes))
    everyone = range(len(problem.rows))
    subsets = chain.from_iterable(combinations(everyone, n) for n in range(len(everyone) + 1))
    fitting = [set(rows) for rows in subsets if not problem.short(node, set(rows))]
    assert problem.greatest(node) == set().union(*fitting)


@examples(15)
@given(
    problem=problems(several=True, full_suppression=True),
    search=searches,
    bits=st.sampled_from((4, 62)),
    large=small,
)
def test_every_node_counts_and_costs_like_the_source(
    *, sql_check, writer, python_counts, problem, search, bits, large
):
    with (
        patch("kanon_sql.policy.hierarchies.mapping_sql.KEY_BITS", bits),
        patch("kanon_sql.counting.lattice.sql_checker.SMALL", large),
        sql_check(writer.policy(problem, search), writer.frame(problem)) as (checker, _, _),
    ):
        nodes = list(checker.lattice.nodes())
        verdicts = checker.check(nodes, detail=True)
        brief = checker.check(nodes)
        able = [verdict for verdict in brief if verdict.feasible]
        costs = checker.costs(able)
    for detailed, verdict in zip(verdicts, brief, strict=True):
        levels = verdict.node.levels
        expected = python_counts(problem, levels)
        assert detailed.counts == expected
        assert verdict.feasible == detailed.feasible == problem.outcome(levels).feasible
        assert verdict.counts.suppressed <= expected.suppressed
        if verdict.feasible:
            assert verdict.counts.suppressed == expected.suppressed
    for verdict, cost in zip(able, costs, strict=True):
        expected = cost_of(problem, verdict.node.levels, search)
        assert cost == pytest.approx(expected, rel=1e-9, abs=1e-7)


def planned(writer, problem, search):
    try:
        return kanon_sql.plan(writer.policy(problem, search), writer.frame(problem))
    except kanon_sql.InfeasibleError:
        return None


@pytest.mark.parametrize("algorithm", PROVING)
@examples(8)
@given(problem=several, search=searches, large=small)
def test_the_plan_has_the_least_cost(*, algorithm, writer, problem, search, large):
    search = {**search, "algorithm": algorithm}
    with patch("kanon_sql.counting.lattice.sql_checker.SMALL", large):
        plan = planned(writer, problem, search)
    if not problem.feasible:
        assert plan is None
        return
    node = tuple(plan.levels.values())
    assert plan.optimal
    assert node in problem.feasible
    assert plan.cost == pytest.approx(optimum_of(problem, search), rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("algorithm", ["breadth_first", "all_min", "ola", "flash"])
@examples(6)
@given(problem=several)
def test_all_minimal_nodes_are_found(algorithm, writer, problem):
    plan = planned(writer, problem, {"algorithm": algorithm, "metric": "height"})
    if not problem.feasible:
        assert plan is None
        return
    assert set(plan.minimal_nodes) == problem.minimal
    assert plan.cost == (problem.least_height,)


@examples(15)
@given(
    problem=problems(several=True, full_suppression=True),
    name=st.sampled_from(("class_size", "discernibility")),
    data=st.data(),
)
def test_what_classes_say_of_coarser_nodes_is_so(*, sql_check, writer, problem, name, data):
    search = {"metric": name}
    nodes = [Node(levels) for levels in data.draw(st.sets(st.sampled_from(problem.nodes)))]
    with sql_check(writer.policy(problem, search), writer.frame(problem)) as (checker, _, _):
        bounds = Bounds(checker)
        for verdict in checker.check(nodes):
            bounds.learn(verdict)
        for levels in problem.nodes:
            floor = bounds.floor(Node(levels))
            assert floor is None or not_above(floor, cost_of(problem, levels, search))


def test_classes_are_counted_to_the_end_where_more_is_concluded_from_them(sql_check, writer):
    """Ten rows fall in the second pass of [0,0,0], after more went than may; [0,1,0] loses them too.

    Twenty others fall in its first pass and fit at [0,1,0]: counted after that pass, the rows that
    are suppressed there could not have come from these, and its 21 classes would seem too many.
    """
    rows = [("a", "p", "x")] * 10 + [("a", "r", "x")] + [("z", "p", "x")] * 11
    rows += [("z", f"q{i}", f"y{i}") for i in range(20)]
    trees = [
        {"a": ["*"], "z": ["*"]},
        {"p": ["p", "*"], "r": ["r", "*"], **{f"q{i}": ["q", "*"] for i in range(20)}},
        {"x": ["*"], **{f"y{i}": ["*"] for i in range(20)}},
    ]
    problem = Problem(rows, trees, max_suppressed=11, over=[((0,), 11, 1), ((1,), 2, 1)])
    assert problem.outcome((0, 0, 0)).suppressed == 31
    assert len(problem.outcome((0, 1, 0)).kept) == 21
    search = {"metric": "class_size"}
    with sql_check(writer.policy(problem, search), writer.frame(problem)) as (checker, _, _):
        bounds = Bounds(checker)
        for levels in [(0, 0, 0), (0, 1, 0)]:  # one by one: together both are counted to the end
            (verdict,) = checker.check([Node(levels)])
            bounds.learn(verdict)
        assert not_above(bounds.floor(Node((0, 1, 0))), cost_of(problem, (0, 1, 0), search))


@examples(8)
@given(problem=several, preference=st.sampled_from(Preference))
def test_samarati_has_the_preferred_node_of_least_height(writer, problem, preference):
    plan = planned(writer, problem, {"algorithm": "samarati", "preference": preference.value})
    if not problem.feasible:
        assert plan is None
        return
    assert tuple(plan.levels.values()) == min(problem.preferred(preference.value))


def over_in(problem, released, columns):
    """The classes over some columns of a released table: members by what a reader sees."""
    members = defaultdict(list)
    for row in released:
        members[tuple(row[f"q{c}"] for c in columns)].append(row["id"])
    return list(members.values())


@examples(15)
@given(problem=several, search=searches)
def test_the_release_is_the_greatest_set_and_every_set_recounts(writer, problem, search):
    policy, frame = writer.policy(problem, search), writer.frame(problem)
    try:
        plan = kanon_sql.plan(policy, frame)
    except kanon_sql.InfeasibleError:
        assert not problem.feasible
        return
    again = kanon_sql.Plan.from_yaml(plan.to_yaml(), "plan.yml")
    assert again.to_yaml() == plan.to_yaml()
    with kanon_sql.apply(again, frame, policy=policy) as release:
        released = release.relation.to_arrow_table().to_pylist()
    node = tuple(plan.levels.values())
    assert {row["id"] for row in released} == problem.greatest(node)
    assert plan.suppressed_rows == len(problem.rows) - len(released)
    for columns, k, least in problem.demands:
        assert all(problem.fits(rows, k, least) for rows in over_in(problem, released, columns))
    counted = {
        names: (found.classes, found.smallest_class, found.rows)
        for names, found in release.verification.over.items()
    }
    for names, (classes, smallest, rows) in counted.items():
        members = over_in(problem, released, [int(name[1:]) for name in names])
        assert (classes, smallest) == (len(members), min(map(problem.size, members)))
        assert rows == len(released)
    for each in plan.over:
        assert (each.classes, each.smallest_class) == counted[each.columns][:2]


def test_rows_that_go_take_others_with_them(writer):
    """Each pass uncovers the next: the classes of a are short, then those of b, then of a again."""
    hierarchy = {value: ["*"] for value in "pqrs"}
    rows = [("p", "p"), ("q", "p"), ("q", "q"), ("r", "q"), ("r", "r"), ("s", "r")]
    rows += [("s", "s")] * 3
    problem = Problem(rows, [hierarchy, dict(hierarchy)], 1, 5, over=[((0,), 2, 1), ((1,), 2, 1)])
    assert len(problem.greatest((0, 0))) == 3
    problem.max_suppressed = 6
    plan = planned(writer, problem, {"metric": "height"})
    assert plan.recoding.passes > 2
    assert tuple(plan.levels.values()) == (0, 0)
    assert plan.suppressed_rows == 6
    policy = writer.policy(problem, {"metric": "height"})
    with kanon_sql.apply(plan, writer.frame(problem), policy=policy) as release:
        ids = [row["id"] for row in release.relation.to_arrow_table().to_pylist()]
    assert set(ids) == problem.greatest((0, 0))
    problem.max_suppressed = 5
    problem._seen.clear()
    plan = planned(writer, problem, {"metric": "height"})
    assert sum(plan.levels.values()) == problem.least_height > 0


@examples(4)
@given(problem=problems())
def test_a_set_of_all_the_quasi_identifiers_is_no_other_set(writer, problem):
    """Said or not, it is the policy that it was: the same plan, to the byte."""
    policy, frame = writer.policy(problem), writer.frame(problem)
    names = [f"q{c}" for c in range(len(problem.tops))]
    said = {**policy, "privacy": [{**entry, "over": names[::-1]} for entry in policy["privacy"]]}
    assume(problem.feasible)
    assert kanon_sql.plan(said, frame).to_yaml() == kanon_sql.plan(policy, frame).to_yaml()


RULES = {
    "alpha": class_models.alpha(Fraction(3, 5)),
    "entropy": class_models.entropy(1.5),
    "recursive": class_models.recursive(Fraction(3, 2), 1),
    "t by the source": class_models.equal_distance(Fraction(1, 4), "source"),
    "t": class_models.equal_distance(Fraction(1, 4), "source", "release"),
    "t by the release": class_models.equal_distance(Fraction(1, 4), "release"),
    "ordered t": class_models.ordered_distance(
        Fraction(1, 5), ["a", "b", "c"], "source", "release"
    ),
    "beta": class_models.beta(Fraction(1, 2), "source", "release", enhanced=False),
    "delta": class_models.delta(Fraction(1), "source", "release", absent="ignored"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", RULES)
@examples(20)
@given(
    data=st.data(),
    problem=several,
    search=searches,
    algorithm=st.sampled_from(["optimal", "exhaustive"]),
)
def test_a_model_that_weighs_values_is_asked_beside_other_sets(
    *, name, writer, data, problem, search, algorithm
):
    """What is left is by passes, as the search and the release make them: the recount would refuse another."""
    count = len(problem.rows)
    values = st.lists(st.sampled_from(("a", "b", "c", None)), min_size=count, max_size=count)
    problem = replace(problem, spread=data.draw(values), rule=RULES[name], _seen={})
    search = {**search, "algorithm": algorithm}
    asked, frame = writer.policy(problem, search), writer.frame(problem)
    event("several sets" if problem.over else "one set")
    try:
        with kanon_sql.anonymize(asked, frame) as made:
            plan = made.plan
    except kanon_sql.InfeasibleError:
        assert not problem.feasible
        return
    out = problem.outcome(tuple(plan.levels.values()))
    assert out.feasible
    assert (plan.suppressed_rows, plan.classes) == (out.suppressed, len(out.kept))
    assert plan.cost == pytest.approx(optimum_of(problem, search), rel=1e-9, abs=1e-7)
