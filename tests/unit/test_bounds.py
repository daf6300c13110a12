"""What checked nodes say of the cost of others, against brute force."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import SEARCHES, Problem, cost_of, not_above, problems

from kanon_sql.model.lattice import Node
from kanon_sql.search.bounds import Bounds

searches = st.sampled_from(SEARCHES)


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
        floors = [checker.metric.floor(checker.facts, Node(coarser))]
        for finer in [(0, 0), (1, 1)]:
            bounds = Bounds(checker)
            for verdict in checker.check([Node(finer)]):
                bounds.learn(verdict)
            floors.append(bounds.floor(Node(coarser)))
        assert floors == sorted(set(floors))


def test_only_what_is_comparable_tells(fake_checker, metric):
    checker = fake_checker(TWINS, metric({"metric": "discernibility"}))
    bounds = Bounds(checker)
    for verdict in checker.check([Node((1, 2))]):
        bounds.learn(verdict)
    for levels in product(range(4), repeat=2):
        told = bounds.floor(Node(levels)) is not None
        below = all(a <= b for a, b in zip(levels, (1, 2), strict=True))
        above = all(a >= b for a, b in zip(levels, (1, 2), strict=True))
        suppresses = TWINS.outcome((1, 2)).suppressed > 0
        assert told == (above or (below and suppresses))
