"""Lightning against brute force, cut short, without monotony, and where nothing can be enumerated."""

from __future__ import annotations

import math
import tracemalloc
from itertools import combinations
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import SEARCHES, Problem, cost_of, optimum_of, problems

from kanon_sql.counting.lattice.result import SuppressionModel, Verdict
from kanon_sql.errors import InfeasibleError, OutOfTimeError
from kanon_sql.policy.metrics.node import Lattice
from kanon_sql.policy.metrics.statistics import (
    ColumnStatistics,
    Counts,
    LevelStatistics,
    Need,
    TableStatistics,
)
from kanon_sql.recoding.searches.lightning import IntervalQueue, LatticeInterval, carve, lightning
from kanon_sql.recoding.searches.optimal import exhaustive, optimal
from kanon_sql.recoding.searches.surrogate import Centre, DownSet, Surrogate, UpSet, comparable

searches = st.sampled_from(SEARCHES)
batches = st.sampled_from((1, 2, 16))
TOPS = (2, 3, 1)
nodes = st.tuples(*(st.integers(0, top) for top in TOPS))


def approx(cost):
    """Logarithms have nine places, and an entropy sums as many as there are rows, for each column."""
    return pytest.approx(cost, rel=1e-9, abs=1e-7)


def below(one, other):
    return all(a <= b for a, b in zip(one, other, strict=True))


def within(low, high):
    return {node.levels for node in Lattice(TOPS).nodes() if below(low, node.levels)} & {
        node.levels for node in Lattice(TOPS).nodes() if below(node.levels, high)
    }


@given(st.lists(nodes), nodes)
def test_a_down_set_holds_what_is_at_or_below_its_members(put, asked):
    known = DownSet(TOPS)
    for each in put:
        known.add(each)
    assert (asked in known) == any(below(asked, each) for each in put)
    maximal = {p for p in put if not any(p != q and below(p, q) for q in put)}
    assert len(known) == len(maximal)
    assert set(known.above(asked)) == {p for p in maximal if below(asked, p)}


@given(st.lists(nodes), nodes)
def test_an_up_set_holds_what_is_at_or_above_its_members(put, asked):
    known = UpSet(TOPS)
    for each in put:
        known.add(each)
    assert (asked in known) == any(below(each, asked) for each in put)


def test_a_down_set_forgets_members_that_others_cover():
    known = DownSet((1000,))
    for level in range(1000):
        known.add((level,))
    assert len(known) == 1
    assert len(known._members) < 200
    assert list(known.above((0,))) == [(999,)]


@given(nodes, nodes, nodes)
def test_carving_leaves_each_node_that_is_not_below_in_one_piece(one, other, at):
    low, high = tuple(map(min, one, other)), tuple(map(max, one, other))
    at = tuple(map(max, at, low))
    pieces = [within(*piece) for piece in carve(low, high, at)]
    left = {node for node in within(low, high) if not below(node, at)}
    assert sum(map(len, pieces)) == len(left)
    assert set().union(*pieces) == left


@given(nodes, nodes)
def test_nodes_are_comparable_when_one_covers_the_other(one, other):
    assert comparable(one, other) == (below(one, other) or below(other, one))


def test_the_queue_forgets_the_highest_floors_and_knows_the_least_of_them(monkeypatch):
    monkeypatch.setattr("kanon_sql.recoding.searches.lightning.MOST", 4)
    queue = IntervalQueue()
    for floor in (5, 1, 4, 2, 3):
        queue.put(LatticeInterval((float(floor),), 0, (0,), (1,)))
    assert queue.forgotten == (3.0,)
    assert [queue.take().floor for _ in range(len(queue))] == [(1.0,), (2.0,)]


@given(problem=problems(full_suppression=True), search=searches, batch=batches)
def test_it_ends_with_the_node_that_the_others_prove(
    *, fake_checker, metric, problem, search, batch
):
    found = lightning(fake_checker(problem, metric(search), batch=batch))
    wanted = optimal(fake_checker(problem, metric(search)))
    if not problem.feasible:
        assert found is None
        return
    assert found.optimal
    assert found.cost == approx(optimum_of(problem, search))
    assert found.verdict.node == wanted.verdict.node


@given(problem=problems(), search=searches)
def test_a_queue_without_room_proves_nothing_that_it_may_have_forgotten(
    fake_checker, metric, problem, search
):
    with patch("kanon_sql.recoding.searches.lightning.MOST", 1):
        found = lightning(fake_checker(problem, metric(search), batch=1))
    if found is None:
        assert not problem.feasible
        return
    assert found.verdict.feasible
    assert found.optimal != found.out_of_room
    if found.optimal:
        assert found.cost == approx(optimum_of(problem, search))


@given(problem=problems(most_rows=12), search=searches, batch=batches, data=st.data())
def test_without_monotony_nothing_is_concluded_about_other_nodes(
    *, fake_checker, metric, problem, search, batch, data
):
    allowed = data.draw(st.sets(st.sampled_from(problem.nodes)))
    verdicts = {node: node in allowed for node in problem.nodes}
    found = lightning(
        fake_checker(problem, metric(search), batch=batch, monotone=False, verdicts=verdicts)
    )
    wanted = exhaustive(fake_checker(problem, metric(search), monotone=False, verdicts=verdicts))
    assert (found and found.verdict.node) == (wanted and wanted.verdict.node)
    assert found is None or found.optimal


def test_without_monotony_and_time_or_room_it_does_not_say_that_nothing_is_feasible(
    fake_checker, metric
):
    tree = {v: ["ab" if v in "ab" else "cd", "*"] for v in "abcd"}
    problem = Problem([(a, b) for a in "abcd" for b in "abcd"], [tree, dict(tree)])
    verdicts = {node: node == (1, 1) for node in problem.nodes}
    checker = fake_checker(
        problem,
        metric({"metric": "loss"}),
        batch=1,
        monotone=False,
        verdicts=verdicts,
        late_after=1,
    )
    with pytest.raises(OutOfTimeError, match=r"none of the 1 nodes .* give a longer time_limit"):
        lightning(checker)
    nothing = dict.fromkeys(problem.nodes, False)
    in_time = fake_checker(
        problem, metric({"metric": "loss"}), batch=1, monotone=False, verdicts=nothing
    )
    with (
        patch("kanon_sql.recoding.searches.lightning.MOST", 1),
        pytest.raises(
            InfeasibleError, match=r"there was no room .* more time would not help"
        ) as no,
    ):
        lightning(in_time)
    assert not isinstance(no.value, OutOfTimeError)


@given(problem=problems(), search=searches, batch=batches, late_after=st.integers(1, 8))
def test_cut_short_it_gives_the_best_node_that_it_checked(
    *, fake_checker, metric, problem, search, batch, late_after
):
    checker = fake_checker(problem, metric(search), batch=batch, late_after=late_after)
    found = lightning(checker)
    if found is None:
        assert not problem.feasible
        return
    seen = [node for node in checker.checked if problem.outcome(node).feasible]
    assert found.cost == approx(min(cost_of(problem, node, search) for node in seen))
    assert not found.optimal or found.cost == approx(optimum_of(problem, search))


@given(problem=problems(), search=searches, most=st.integers(1, 4))
def test_what_is_proposed_may_be_checked_and_none_decides_another(
    fake_checker, metric, problem, search, most
):
    checker = fake_checker(problem, metric(search))
    guide = Surrogate(checker)
    (top,) = checker.check([checker.lattice.top])
    guide.learn(top)
    (cost,) = checker.costs([top])
    centre = Centre(cost, problem.tops, top.counts.suppressed)
    refused = problem.nodes[1]
    found = guide.promising(centre, centre, lambda levels: levels != refused, most)
    assert len(found) <= most
    assert set(found) <= set(problem.nodes) - {refused, problem.tops}
    assert not any(comparable(a, b) for a, b in combinations(found, 2))


def test_a_forecast_is_surer_of_a_node_that_was_checked_and_of_small_changes():
    stats = Weighed(None, most=1).stats
    forecast = SuppressionModel(stats, middle=0.0)
    node, near, far = (1,) * 15, (*(1,) * 14, 2), (*(1,) * 8, *(2,) * 7)

    def doubt(one, other):
        change = forecast.change(one, other)
        return sum(forecast.covariances(change)[at] * x for at, x in change.items())

    assert forecast.change(node, node) == {}
    assert 0 < doubt(node, near) < doubt(node, far)
    before = forecast.variance(node)
    forecast.learn_log(node, 3.0)
    assert forecast.variance(node) < before
    assert forecast.log_rows(node) == pytest.approx(3.0, abs=0.5)
    shares = forecast.shares()
    moved = shares[14][2] - shares[14][1]
    assert forecast.log_rows(near) - forecast.log_rows(node) == pytest.approx(moved)


class Weighed:
    """A checker of fifteen columns with four levels each: 4^15 nodes, no rows, no list of them.

    A column suppresses its weight for each level that it is below its root. All columns look the
    same but for what checks find out.
    """

    batch = 1

    def __init__(self, metric, *, most, monotone=True):
        self.lattice = Lattice((3,) * 15)
        self.weights = [1 + 7 * column % 15 for column in range(15)]
        rows = 1000
        levels = tuple(
            LevelStatistics(v, rows * 64 // v, 64 // v, 64 // v, rows * math.log(rows / v))
            for v in (64, 16, 4, 1)
        )
        self.stats = TableStatistics(rows, rows, (ColumnStatistics(64, levels),) * 15)
        self.metric = metric
        self.max_suppressed = 60
        self.monotone = monotone
        self.checks = 0
        self.most = most

    def check(self, nodes, *, detail=False):
        del detail
        self.checks += len(nodes)
        return [self._verdict(node) for node in nodes]

    def _verdict(self, node):
        pairs = zip(self.weights, node.levels, strict=True)
        gone = min(sum(weight * (3 - level) for weight, level in pairs), 999)
        counts = Counts(self.stats.rows, 1, gone, gone, squares=(self.stats.rows - gone) ** 2)
        return Verdict(node, counts, gone <= self.max_suppressed)

    def costs(self, verdicts):
        return [self.metric.cost(self.stats, v.node, v.counts, self._figures(v)) for v in verdicts]

    def _figures(self, verdict):
        gone, levels = verdict.counts.suppressed, verdict.node.levels
        if self.metric.need is Need.LEAVES:
            return [
                gone * c.levels[x].widest for c, x in zip(self.stats.columns, levels, strict=True)
            ]
        return [gone * math.log(max(gone, 1))] * 15

    def late(self):
        return self.checks >= self.most

    @property
    def least_height(self):
        """Levels are spent on what weighs most; each is worth the same wherever it is spent."""
        gone, height = 3 * sum(self.weights), 0
        for weight in sorted(self.weights * 3, reverse=True):
            if gone <= self.max_suppressed:
                break
            gone, height = gone - weight, height + 1
        return height


@pytest.mark.slow
@pytest.mark.parametrize("monotone", [True, False])
def test_a_lattice_of_a_thousand_million_nodes_takes_little_memory(metric, monotone):
    checker = Weighed(metric({"metric": "height"}), most=60, monotone=monotone)
    assert checker.lattice.size == 4**15
    tracemalloc.start()
    try:
        found = lightning(checker)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert checker.checks <= 60
    assert found.verdict.feasible
    assert not found.optimal
    assert found.cost[0] <= checker.least_height + 8  # the top has 17 more
    assert peak < 20 * 2**20


@pytest.mark.sampled(3)
@pytest.mark.parametrize("search", SEARCHES, ids=str)
def test_every_metric_finds_its_way_in_a_lattice_that_large(metric, search):
    checker = Weighed(metric(search), most=60)
    found = lightning(checker)
    (top,) = checker.costs(checker.check([checker.lattice.top]))
    assert found.verdict.feasible
    assert not found.optimal
    better = (found.cost, found.verdict.node.height) < (top, checker.lattice.height)
    assert better or search["metric"] in {"discernibility", "class_size"}  # all is one class here
