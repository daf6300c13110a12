"""mu-Argus's search against itself on the rows: levels, tested combinations, and outliers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import Problem, problems
from twins import ByMuArgus, family_of, told

from kanon_sql.policy.search_options import Identifying, MuArgus
from kanon_sql.recoding.searches.incognito import family, mu_argus

NAMES = ("q0", "q1", "q2", "q3", "q4")


def asked(start=None, ranks=None):
    """The options that give the least levels and say how identifying each column is."""
    sets = None
    if ranks is not None:
        sets = Identifying(
            *(tuple(NAMES[c] for c, r in enumerate(ranks) if r == n) for n in range(3))
        )
    return MuArgus(sets=sets, generalize=tuple(zip(NAMES, start or (), strict=False)))


@given(problem=problems(), ranks=st.none() | st.tuples(*[st.integers(0, 2)] * 3), data=st.data())
def test_levels_and_outliers_are_those_of_the_rows(fake_checker, metric, problem, ranks, data):
    width = len(problem.tops)
    start = data.draw(st.tuples(*(st.integers(0, top) for top in problem.tops)))
    ranks = ranks and ranks[:width]
    checker = fake_checker(problem, metric({"metric": "loss"}))
    found = mu_argus(checker, asked(start, ranks), NAMES[:width])
    twin = ByMuArgus(problem, start, ranks)
    if twin.node is None:
        assert found is None
        return
    assert found.verdict.node.levels == twin.node
    assert found.then.tested == len(twin.family)
    outliers = {each.columns: each.rows for each in found.then.outliers}
    assert outliers == {c: len(rows) for c, rows in twin.outliers.items() if rows}
    for each in found.then.outliers:
        twin.rare(twin.node, each.columns)
        assert each.values == twin.values
    last = found.steps[-1]
    assert (last.distinct, last.short_rows) == told(problem, [twin.node])[0]


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
@given(data=st.data())
def test_the_tested_combinations_take_from_each_set(width, data):
    ranks = data.draw(st.none() | st.lists(st.integers(0, 2), min_size=width, max_size=width))
    found = family(NAMES[:width], asked(ranks=ranks).sets)
    assert sorted(found) == sorted(map(tuple, family_of(width, ranks)))


def test_without_sets_all_pairs_and_triples_are_tested():
    assert len(list(family(NAMES, None))) == 10 + 10


def test_what_the_data_holder_asks_for_comes_first(fake_checker, metric):
    trees = [{v: ["*"] for v in "ab"}, {v: [v // 2, "*"] for v in range(4)}]
    problem = Problem([("a", 0), ("a", 1), ("b", 2), ("b", 3)], trees, k=2)
    checker = fake_checker(problem, metric({"metric": "height"}))
    found = mu_argus(checker, asked((1, 0)), NAMES[:2])
    assert [(s.column, s.level) for s in found.steps] == [(None, 0), ("q0", 1), ("q1", 1)]
