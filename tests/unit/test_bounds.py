"""What checked nodes say of the cost of others, against brute force."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, Problem, cost_of, not_above, problems

from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.metrics.statistics import (
    ColumnStatistics,
    Finer,
    LevelStatistics,
    TableStatistics,
)
from kanon_sql.recoding.searches.optimal import Bounds

searches = st.sampled_from(AT_ONE_NODE)


@given(problem=problems(full_suppression=True), search=searches, data=st.data())
def test_bounds_are_never_above_the_cost(fake_checker, metric, problem, search, data):
    checker = fake_checker(problem, metric(search))
    bounds = Bounds(checker)
    for levels in data.draw(st.sets(st.sampled_from(problem.nodes))):
        (verdict,) = checker.check([Node(levels)])
        bounds.learn(verdict)
    for levels in problem.nodes:
        floor = bounds.floor(Node(levels))
        assert floor is None or not_above(floor, cost_of(problem, levels, search))


# Two columns that always agree, so that there are far fewer classes than pairs of labels. Half of
# the 16 values have three rows and fit at once, half have two.
TREE = {i: [f"{i // 2}", f"{i // 8}", "*"] for i in range(16)}
TWINS = Problem([(i % 16, i % 16) for i in range(40)], [dict(TREE), dict(TREE)], 3, 16)


@pytest.mark.parametrize("name", ["discernibility", "class_size"])
def test_classes_of_a_finer_node_raise_the_floor_of_a_coarser_one(fake_checker, metric, name):
    """The nearer the finer node, the higher; beyond what the numbers of labels alone say."""
    checker = fake_checker(TWINS, metric({"metric": name}))
    for coarser in [(1, 2), (2, 1)]:
        floors = [checker.metric.floor(checker.stats, Node(coarser))]
        for finer in [(0, 0), (1, 1)]:
            bounds = Bounds(checker)
            for verdict in checker.check([Node(finer)]):
                bounds.learn(verdict)
            floors.append(bounds.floor(Node(coarser)))
        assert floors == sorted(set(floors))


def test_only_what_is_comparable_tells(fake_checker, metric):
    checker = fake_checker(TWINS, metric({"metric": "discernibility"}))
    bounds = Bounds(checker)
    at = (0, 2)
    for verdict in checker.check([Node(at)]):
        bounds.learn(verdict)
    assert TWINS.outcome(at).suppressed == 16
    for levels in product(range(4), repeat=2):
        below = all(a <= b for a, b in zip(levels, at, strict=True))
        above = all(a >= b for a, b in zip(levels, at, strict=True))
        assert (bounds.floor(Node(levels)) is not None) == (above or below)


def test_one_class_that_fits_may_cost_less_when_more_is_suppressed(fake_checker, metric):
    """Of 52 rows [0] keeps 50 and [1] keeps 51: 51^2 + 52, less than the 52^2 of keeping all."""
    tree = {"a": ["ab", "*"], "b": ["ab", "*"], "c": ["c", "*"]}
    problem = Problem([("a",)] * 50 + [("b",), ("c",)], [tree], 3, 1)
    checker = fake_checker(problem, metric({"metric": "discernibility"}))
    bounds = Bounds(checker)
    for verdict in checker.check([Node((0,))]):
        bounds.learn(verdict)
    assert bounds.floor(Node((1,))) <= cost_of(problem, (1,), {"metric": "discernibility"})


def test_a_large_class_may_be_the_one_that_is_suppressed(metric):
    """Classes of 8, 1 and 1 rows, the first suppressed: 1 + 1 + 10 * 8, and their squares are 66."""
    level = LevelStatistics(values=3, leaves=10, narrowest=1, widest=1, entropy=0.0)
    stats = TableStatistics(10, 3, (ColumnStatistics(3, (level,)),))
    floor = metric({"metric": "discernibility"}).floor(stats, Node((0,)), 5, Finer(squares=66))
    assert 66 < floor[0] <= 82
