"""K-Optimize finds what brute force finds, and its statements count what Python counts."""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import reduce
from operator import or_
from unittest.mock import patch

import duckdb
import pytest
from heads import PythonCutter, Table
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from kanon_sql.base.sql.quoting import table as named
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.engines.scratch import scratch
from kanon_sql.policy.privacy.k_anonymity import Size
from kanon_sql.policy.privacy.l_diversity import DistinctValues
from kanon_sql.policy.privacy.privacy_model import Requirement, SensitiveAttribute
from kanon_sql.recoding.single_dimensional import saved_search
from kanon_sql.recoding.single_dimensional.heads import Alphabet, HeadStatements
from kanon_sql.recoding.single_dimensional.k_optimize import begin, k_optimize
from kanon_sql.recoding.single_dimensional.k_optimize_table import (
    BestHead,
    Branch,
    CostedNode,
    CutSearchState,
    KOptimizeTable,
)
from kanon_sql.recoding.single_dimensional.saved_search import (
    MOST_CHARACTERS,
    read_state,
    state_document,
)

bits = st.sampled_from((2, 3, 32, 62))  # few, so that columns lie across keys


@st.composite
def tables(draw, letters=7, models=("rows",)):
    """Small tables whose columns have so many letters in all, the first one with NULL's place."""
    ends, left = [], draw(st.integers(1, letters))
    while left:
        here = draw(st.integers(1, left))
        first = -draw(st.integers(0, 1)) if not ends else 0
        ends.append((first, first + here))
        left -= here
    if draw(st.booleans()):  # a column of one value
        ends.insert(draw(st.integers(0, len(ends))), (0, 0))
    model = draw(st.sampled_from(models))
    targets = draw(st.sampled_from((0, 0, 2, 3)))
    row = st.fixed_dictionaries(
        {
            "places": st.tuples(*(st.integers(*end) for end in ends)),
            "target": st.integers(0, max(0, targets - 1)),
            "entity": st.integers(0, 9),
            "value": st.integers(0, 2),
        }
    )
    rows = draw(st.lists(row, min_size=1, max_size=24))
    return Table(
        rows,
        ends,
        k=draw(st.integers(1, 5)),
        max_suppressed=draw(st.sampled_from((0, 1, 2, 5, 24))),
        targets=targets,
        entity=model in {"entities", "both"},
        diversity=2 if model in {"diversity", "both"} else 0,
    )


def cutting_of(table, key_bits=62):
    needed = [Requirement(Size(), table.k)]
    if table.diversity:
        needed.append(Requirement(DistinctValues(SensitiveAttribute("value")), table.diversity))
    return HeadStatements(
        Alphabet(tuple(table.ends), key_bits),
        tuple(needed),
        rows=len(table.rows),
        entity=table.entity,
        targets=table.targets,
    )


@contextmanager
def sql_cutter(table, key_bits=62):
    with duckdb.connect() as connection:
        table.load(connection)
        engine = DuckDB(connection)
        with scratch(engine) as tables:
            yield KOptimizeTable(
                engine,
                tables,
                cutting_of(table, key_bits),
                named("places"),
                max_suppressed=table.max_suppressed,
            )


KINDS = ("rows", "rows", "entities", "diversity", "both")


@examples(40)
@given(tables(letters=9, models=KINDS), bits, st.data())
def test_the_statements_count_what_python_counts(table, key_bits, data):
    letters = len(table.letters)
    heads = data.draw(st.lists(st.integers(0, 2**letters - 1), min_size=1, max_size=20))
    tails = [data.draw(st.integers(0, 2**letters - 1)) & ~head for head in heads]
    nodes = list(zip(heads, tails, strict=True))
    python = PythonCutter(table)
    wanted = python.open(nodes)
    with sql_cutter(table, key_bits) as said:
        assert tuple(said.columns) == python.columns
        for allset in (2**letters - 1, reduce(or_, heads)):
            assert said.cost(heads, allset) == python.cost(heads, allset)
        alone = (opened for node in nodes for opened in said.open([node]))
        for opened in (said.open(nodes), alone):  # these on sets of coarser allsets, if small
            for mine, theirs in zip(opened, wanted, strict=True):
                assert mine.costs == theirs.costs
                if table.entity or table.diversity:
                    assert not any(child.useless for child in mine.children)
                    told = {c.letter: c.costs for c in mine.children}
                    asked = {c.letter: c.costs for c in theirs.children}
                    assert asked.items() <= told.items()
                else:
                    assert mine.children == theirs.children


@examples(40)
@given(tables(letters=6, models=KINDS))
def test_no_descendant_costs_less_than_the_bound(table):
    letters = table.letters
    whole = set(letters)
    for head in table.subsets():
        for tail in ([], letters[::2], letters):
            allset = head | set(tail)
            bound = table.bound(head, allset)
            between = (each for each in table.subsets() if head <= each <= allset)
            assert all(table.cost(each)[0] >= bound for each in between)
    assert table.bound(set(), whole) <= table.cost(whole)[0]


@examples(300)
@given(tables(letters=8, models=KINDS), st.integers(1, 5), st.booleans())
def test_the_search_finds_the_optimum(table, batch, seeded):
    cutter = PythonCutter(table, batch=batch)
    wanted = table.optimum()
    state = begin(cutter)
    if wanted is None:
        assert state is None
        return
    if not seeded:  # the tree finds it by itself
        state.seed = None
    bounds = []
    k_optimize(cutter, state, lambda report: bounds.append((report.bound, report.cost)))
    assert state.best.cost == wanted
    assert table.cost(table.head(state.best.head)) == (wanted, state.best.suppressed)
    assert state.best.suppressed <= table.max_suppressed
    assert state.report().proven
    assert state.report().bound == wanted
    assert all(bound <= wanted <= cost for bound, cost in bounds)


@examples(100)
@given(tables(letters=8), st.data())
def test_a_search_that_is_cut_and_gone_on_with_ends_alike(table, data):
    if (whole := begin(PythonCutter(table))) is None:
        return
    steps = []
    k_optimize(PythonCutter(table), whole, steps.append)
    state = begin(PythonCutter(table))
    for cut in data.draw(st.lists(st.integers(0, len(steps)), max_size=4)):
        cutter = PythonCutter(table, questions=cut)
        with patch.object(saved_search, "AT_ONCE", data.draw(st.sampled_from((2, 64)))):
            k_optimize(cutter, state)
        if state.report().proven:  # no plan has the state of such a search
            break
        told = json.dumps(state_document(state, cutter.columns))
        again = read_state(json.loads(told), cutter.columns)
        assert state_document(again, cutter.columns) == json.loads(told)
        assert (again.best, again.seed, again.stack) == (state.best, state.seed, state.stack)
        state = again
    k_optimize(PythonCutter(table), state)
    assert (state.best, state.stack, state.seed) == (whole.best, [], None)


@examples(15)
@given(tables(letters=7, models=KINDS), bits)
def test_the_search_in_sql_finds_the_optimum(table, key_bits):
    wanted = table.optimum()
    with sql_cutter(table, key_bits) as cutter:
        state = begin(cutter)
        if wanted is None:
            assert state is None
            return
        k_optimize(cutter, state)
        assert (state.best.cost, state.report().proven) == (wanted, True)
        written = cutter.intervals(state.best.head)
        parts = cutter._engine.connection.sql(f"FROM {written.sql('duckdb', identify=True)}")
        for quasi, (first, last) in enumerate(table.ends):
            own = sorted(part[1:] for part in parts.fetchall() if part[0] == quasi)
            assert [part[0] for part in own] == list(range(len(own)))
            assert [low for _, low, _ in own] == [first, *(high + 1 for _, _, high in own[:-1])]
            assert own[-1][2] == last


def test_columns_of_one_value_have_one_head():
    rows = [{"places": (0, -1), "target": 0, "entity": n, "value": 0} for n in (0, 1, 2)]
    table = Table(rows, [(0, 0), (-1, -1)], k=2, max_suppressed=0)
    with sql_cutter(table) as cutter:
        state = k_optimize(cutter, begin(cutter))
        assert (state.best.head, state.best.cost, state.report().proven) == (0, 9, True)


def test_there_is_no_head_where_all_rows_together_do_not_fit():
    row = {"places": (0,), "target": 0, "entity": 0, "value": 0}
    assert begin(PythonCutter(Table([row], [(0, 1)], k=2, max_suppressed=0))) is None


@examples(150)
@given(tables(letters=8, models=KINDS), st.data())
def test_a_search_made_coarser_finds_the_optimum_too(table, data):
    """As often as it is left, with as little most as there may be, and with none below what was proven."""
    cutter = PythonCutter(table, questions=data.draw(st.integers(0, 6)))
    if (state := begin(cutter)) is None:
        return
    state.seed = None
    wanted, bound = table.optimum(), 0
    for _ in range(20):
        cutter = PythonCutter(table, questions=data.draw(st.integers(1, 6)))
        k_optimize(cutter, state)
        assert bound <= (bound := state.report().bound) <= wanted
        if state.report().proven:  # no plan has the state of such a search
            break
        most = data.draw(st.integers(0, 60))
        told = state_document(state, cutter.columns, most=most)
        assert len(told["open"]) <= most or "\n" not in told["open"]
        state = read_state(told, cutter.columns)
        assert state.report().bound == bound
    k_optimize(PythonCutter(table), state)
    assert (state.best.cost, state.report().proven) == (wanted, True)


def test_what_is_open_has_room():
    """However much is open, and however deep."""
    columns = (2**100 - 1, (2**100 - 1) << 100)
    stack = [Branch(1 << n, tuple((m, n + m) for m in range(n + 1, 200))) for n in range(198)]
    stack += [CostedNode(1 << n % 199, 1 << 199, n) for n in range(20_000)]
    state = CutSearchState(BestHead(0, 10**9, 0), None, stack)
    told = state_document(state, columns)
    again = read_state(told, columns)
    assert len(told["open"]) <= MOST_CHARACTERS
    assert again.report().bound == told["bound"] == state.report().bound
    assert len(again.stack) > MOST_CHARACTERS // 1_000


@pytest.mark.parametrize(
    "change",
    [
        {"letters": [1, 1]},
        {"best": None},
        {"best": {"head": "10", "cost": 9, "suppressed": 0}},
        {"best": {"head": "-1", "cost": 9, "suppressed": 0}},
        {"open": "node 10 0 1"},
        {"open": "node 0 f"},
        {"open": "node 0 f 1 1"},
        {"open": "branch 0 4 1"},
        {"open": "branch 0 -1 1"},
        {"open": "branch 0 1 1 1 2"},
        {"open": "branch 0 1"},
        {"open": "branch 2 1 1"},
        {"open": "branch 0 1 -1"},
        {"open": "node 1 f 1"},
        {"open": "node 0 f -1"},
        {"open": "", "seed": None},
        {"bound": 10**9},
        {"bound": -1},
        {"heads": -1},
        {"open": "leaf 0 1 1"},
        {"open": None},
        {"seed": {"head": "0"}},
        {"seed": "0"},
        {"bound": "1"},
        {"heads": None},
    ],
)
def test_a_document_of_another_search_is_refused(change):
    rows = [{"places": (n, n), "target": 0, "entity": n, "value": 0} for n in (0, 1, 2)]
    cutter = PythonCutter(Table(rows, [(0, 2), (0, 2)], k=1, max_suppressed=0))
    told = state_document(begin(cutter), cutter.columns)
    assert state_document(read_state(told, cutter.columns), cutter.columns) == told
    with pytest.raises(ValueError, match=r"^is (a search over other|not how a search was left)"):
        read_state(told | change, cutter.columns)
