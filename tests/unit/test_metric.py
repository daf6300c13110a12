from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, Problem, close, cost_of, not_above, optimum_of, problems

from kanon_sql.policy.metrics.column_metrics import Aggregation, fold_lattice, fold_node
from kanon_sql.policy.metrics.node import Lattice, Node
from kanon_sql.policy.metrics.registry import METRICS, metric_named, quality_at_node

searches = st.sampled_from(AT_ONE_NODE)


def exact(checker, node):
    (verdict,) = checker.check([node])
    (cost,) = checker.costs([verdict])
    return verdict.counts, cost


@given(problems(), searches)
def test_costs_are_the_oracle_s(fake_checker, metric, problem, search):
    checker = fake_checker(problem, metric(search))
    for levels in problem.nodes:
        _, cost = exact(checker, Node(levels))
        assert close(cost, cost_of(problem, levels, search))


@given(problems(), searches)
def test_a_floor_is_never_above_the_cost(fake_checker, metric, problem, search):
    checker = fake_checker(problem, metric(search))
    for node in checker.lattice.nodes():
        counts, cost = exact(checker, node)
        for known in {0, counts.suppressed // 2, counts.suppressed}:
            assert not_above(checker.metric.floor(checker.stats, node, known), cost)


@given(problems(full_suppression=True))
def test_entropy_is_never_below_its_floor_by_a_rounded_logarithm(fake_checker, metric, problem):
    """Not even by the last bit: searches compare the two, and take logarithms of both."""
    checker = fake_checker(problem, metric({"metric": "entropy", "suppressed": "counted"}))
    for node in checker.lattice.nodes():
        counts, cost = exact(checker, node)
        floor = checker.metric.floor(checker.stats, node, counts.suppressed)
        assert (0.0,) <= floor <= cost
        if problem.suppressed_entropy(node.levels) == 0.0:
            assert cost == floor


@given(problems(), searches)
def test_a_floor_never_falls_from_a_node_to_a_coarser_one(fake_checker, metric, problem, search):
    checker = fake_checker(problem, metric(search))
    for node in checker.lattice.nodes():
        for parent in node.parents(checker.lattice.tops):
            assert not_above(
                checker.metric.floor(checker.stats, node),
                checker.metric.floor(checker.stats, parent),
            )


def falls(problem, search):
    """The pairs of a feasible node and a coarser one, feasible too, that costs less."""
    pairs = [
        (node, parent.levels)
        for node in problem.feasible
        for parent in Node(node).parents(problem.tops)
    ]
    costs = {node: cost_of(problem, node, search) for node in problem.feasible}
    return [(node, above) for node, above in pairs if not not_above(costs[node], costs[above])]


@given(problems(full_suppression=True), searches)
def test_a_metric_that_is_monotone_never_falls_from_a_feasible_node_to_a_coarser_one(
    metric, problem, search
):
    if metric(search).monotony.holds(problem.max_suppressed):
        assert falls(problem, search) == []


# Ten rows that are unique at level 0 and in pairs at level 1, and ten that are alike.
PAIRS = {i: [f"{i // 2}", "5" if i > 9 else "pair", "*"] for i in range(11)}


@pytest.mark.parametrize("search", AT_ONE_NODE, ids=lambda search: "-".join(search.values()))
def test_suppression_lets_all_other_metrics_fall(metric, search):
    """A coarser node that suppresses less may cost less, so its minimal nodes prove nothing."""
    unsuppressed, suppressed = (
        Problem([(i,) for i in [*range(10), *[10] * 10]], [dict(PAIRS)], 2, limit)
        for limit in (0, 10)
    )
    assert unsuppressed.feasible < suppressed.feasible == {(0,), (1,), (2,), (3,)}
    monotony = metric(search).monotony
    assert monotony.holds(0)
    assert monotony.holds(1) == (not falls(suppressed, search))


@given(problems(), searches)
def test_the_floors_of_a_lattice_are_those_of_its_nodes_to_the_bit(
    python_stats, metric, problem, search
):
    stats, lattice, chosen = python_stats(problem), Lattice(problem.tops), metric(search)
    one_by_one = [chosen.floor(stats, node) for node in lattice.nodes()]
    assert chosen.floors(stats, lattice) == one_by_one


@given(problems(), searches, st.integers(0, 3))
def test_more_suppression_never_lowers_a_floor(python_stats, metric, problem, search, rows):
    stats, chosen = python_stats(problem), metric(search)
    rows = min(rows, len(problem.rows) - 1)
    for levels in problem.nodes:
        fewer = chosen.floor(stats, Node(levels), rows)
        assert not_above(fewer, chosen.floor(stats, Node(levels), rows + 1))


@given(
    st.lists(st.lists(st.floats(0.5, 4), min_size=1, max_size=3), min_size=1, max_size=4),
    st.sampled_from(list(Aggregation)),
)
def test_folding_a_node_gives_the_bits_of_folding_the_lattice(terms, fold):
    lattice = Lattice(tuple(len(column) - 1 for column in terms))
    folded = fold_lattice(terms, fold, lambda total: total / 3)
    for node, cost in zip(lattice.nodes(), folded, strict=True):
        own = [column[level] for column, level in zip(terms, node.levels, strict=True)]
        assert fold_node(own, fold, lambda total: total / 3) == cost


@given(problems())
def test_reported_figures_are_the_oracle_s(python_stats, python_counts, problem):
    stats = python_stats(problem)
    for levels in problem.nodes:
        gone = problem.outcome(levels).suppressed_rows
        leaves = [
            sum(problem.leaves(c, problem.rows[i][c], level) for i in gone)
            for c, level in enumerate(levels)
        ]
        counts = python_counts(problem, levels)
        told = quality_at_node(stats, Node(levels), counts, leaves, k=2)
        assert told["height"] == sum(levels)
        assert told["precision"] == pytest.approx(1 - float(problem.distortion(levels)))
        assert (told["loss"],) == pytest.approx(problem.loss(levels, "geometric_mean"))
        assert told["discernibility"] == problem.discernibility(levels)
        assert (told["aecs"],) == pytest.approx(problem.cost(levels, "class_size"))
        assert told["entropy"] == pytest.approx(problem.entropy(levels), abs=1e-7)
        released = len(problem.rows) - len(gone)
        assert told["c_avg"] == pytest.approx(released / max(counts.classes, 1) / 2)


TWO = Problem(
    rows=[("a", "x"), ("a", "x"), ("b", "x"), ("c", "y")],
    hierarchies=[
        {"a": ["ab", "*"], "b": ["ab", "*"], "c": ["c", "*"]},
        {"x": ["*"], "y": ["*"], "z": ["*"]},
    ],
    k=2,
    max_suppressed=1,
)


@pytest.mark.parametrize(
    ("search", "cost"),
    [  # by hand, at [1,0]: the class (ab, x) of three rows is kept, (c, y) is suppressed
        ({"metric": "height"}, (1,)),
        ({"metric": "distortion"}, ((3 * 0.5 + 1 + 1) / 8,)),
        ({"metric": "loss", "aggregate": "sum"}, ((3 * 0.5 + 1) / 4 + 1 / 4,)),
        ({"metric": "loss", "aggregate": "mean"}, ((2.5 / 4 + 1 / 4) / 2,)),
        ({"metric": "loss", "aggregate": "max"}, (2.5 / 4,)),
        ({"metric": "loss", "aggregate": "rank"}, (2.5 / 4, 1 / 4)),
        ({"metric": "loss"}, (math.sqrt((1 + 2.5 / 4) * (1 + 1 / 4)) - 1,)),
        ({"metric": "discernibility"}, (9 + 4,)),
        ({"metric": "class_size"}, (2,)),
        ({"metric": "ncp"}, (3 * (2 / 3 + 0) + 2,)),
        ({"metric": "ambiguity"}, (3 * 2 * 1 + 3 * 3,)),
        ({"metric": "entropy"}, (2 * math.log2(3 / 2) + math.log2(3),)),
        ({"metric": "entropy", "suppressed": "counted"}, (2 * math.log2(3 / 2) + math.log2(3),)),
    ],
)
def test_costs_of_a_table_small_enough_for_paper(fake_checker, metric, search, cost):
    _, found = exact(fake_checker(TWO, metric(search)), Node((1, 0)))
    assert found == pytest.approx(cost)
    assert cost_of(TWO, (1, 0), search) == pytest.approx(cost)


def test_counted_suppression_adds_what_the_suppressed_rows_had_left(fake_checker, metric):
    search = {"metric": "entropy", "suppressed": "counted"}
    # At [0,0], (b, x) and (c, y) are suppressed: each row has one bit left in each column.
    _, found = exact(fake_checker(TWO, metric(search)), Node((0, 0)))
    assert found == pytest.approx((4.0,))


def test_the_optimum_of_a_table_small_enough_for_paper():
    assert TWO.feasible == {(1, 0), (1, 1), (2, 0), (2, 1)}
    assert TWO.minimal == {(1, 0)}
    assert optimum_of(TWO, {"metric": "height"}) == (1.0,)


def test_every_metric_has_its_name():
    assert [metric_named(name).name for name in METRICS] == list(METRICS)
    with pytest.raises(ValueError, match="no metric is named"):
        metric_named("beauty")
