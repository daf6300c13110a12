"""K-Optimize on a published example: nine people of three races in four postal codes.

The encoding is Bayardo and Agrawal's; the costs of all 32 heads were counted by hand and by an
independent program.
"""

from __future__ import annotations

import duckdb
import pytest
from heads import Table

from kanon_sql.base.sql.quoting import table as named
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.engines.scratch import scratch
from kanon_sql.policy.privacy.k_anonymity import Size
from kanon_sql.policy.privacy.privacy_model import Requirement
from kanon_sql.recoding.single_dimensional.heads import Alphabet, HeadStatements
from kanon_sql.recoding.single_dimensional.k_optimize import begin, k_optimize
from kanon_sql.recoding.single_dimensional.k_optimize_table import KOptimizeTable

PEOPLE = [(0, 3), (0, 2), (0, 1), (0, 1), (0, 1), (1, 0), (1, 1), (2, 1), (2, 2)]
NAMES = (2, 3, 5, 6, 7)
COSTS = {
    (): (81, 81),
    (2,): (41, 41),
    (3,): (53, 67),
    (5,): (73, 73),
    (6,): (45, 45),
    (7,): (73, 73),
    (2, 3): (33, 61),
    (2, 5): (43, 43),
    (2, 6): (31, 45),
    (2, 7): (41, 41),
    (3, 5): (49, 63),
    (3, 6): (47, 61),
    (3, 7): (49, 63),
    (5, 6): (43, 43),
    (5, 7): (67, 67),
    (6, 7): (49, 63),
    (2, 3, 5): (47, 61),
    (2, 3, 6): (35, 63),
    (2, 3, 7): (33, 61),
    (2, 5, 6): (35, 63),
    (2, 5, 7): (43, 43),
    (2, 6, 7): (45, 45),
    (3, 5, 6): (47, 61),
    (3, 5, 7): (47, 61),
    (3, 6, 7): (61, 61),
    (5, 6, 7): (47, 61),
    (2, 3, 5, 6): (49, 63),
    (2, 3, 5, 7): (47, 61),
    (2, 3, 6, 7): (49, 63),
    (2, 5, 6, 7): (49, 63),
    (3, 5, 6, 7): (61, 61),
    (2, 3, 5, 6, 7): (63, 63),
}
"""Of each head the cost for k = 2 and for k = 3."""


@pytest.fixture
def cutter():
    with duckdb.connect() as connection:
        rows = [{"places": places} for places in PEOPLE]
        Table(rows, [(0, 2), (0, 3)], k=2, max_suppressed=9).load(connection)
        engine = DuckDB(connection)
        with scratch(engine) as tables:

            def of(k, max_suppressed=9, **limits):
                alphabet = Alphabet(((0, 2), (0, 3)))
                cutting = HeadStatements(alphabet, (Requirement(Size(), k),), rows=9)
                places = named("places")
                limits = {"max_suppressed": max_suppressed, **limits}
                return KOptimizeTable(engine, tables, cutting, places, **limits)

            yield of


def bits(head):
    return sum(1 << NAMES.index(letter) for letter in head)


@pytest.mark.parametrize("k", [2, 3])
def test_all_heads_cost_what_is_published(cutter, k):
    figures = cutter(k).cost([bits(head) for head in COSTS], 0b11111)
    assert [each.cost for each in figures] == [costs[k - 2] for costs in COSTS.values()]


@pytest.mark.slow
@pytest.mark.parametrize(("k", "cost", "optima"), [(2, 31, [(2, 6)]), (3, 41, [(2,), (2, 7)])])
def test_the_optimum_is_found_and_proven(cutter, k, cost, optima):
    asked = cutter(k)
    state = k_optimize(asked, begin(asked))
    assert state.best.cost == cost
    assert state.best.head in {bits(head) for head in optima}
    assert state.report().proven


def test_without_suppression_there_is_another_optimum(cutter):
    asked = cutter(2, max_suppressed=0)
    state = k_optimize(asked, begin(asked))
    able = [f.cost for f in cutter(2).cost(range(32), 0b11111) if not f.suppressed]
    assert (state.best.cost, state.best.suppressed) == (min(able), 0)


def test_a_search_that_is_late_tells_what_is_known(cutter):
    asked = cutter(2, deadline=0.0)
    state = k_optimize(asked, begin(asked))
    assert (state.best.cost, state.report().proven) == (81, False)
    assert state.report().bound <= 31


def test_sets_of_coarser_allsets_are_made_and_dropped(cutter):
    asked = cutter(2)
    for _ in range(2):
        asked.open([(bits((2,)), bits((5,)))])
    assert [(each.allset, each.rows) for each in asked._sets[1:]] == [(bits((2, 5)), 3)]
    asked.open([(bits((3,)), bits((6,)))])
    assert len(asked._sets) == 1
