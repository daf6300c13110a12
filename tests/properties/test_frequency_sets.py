"""What the database counts on frequency sets is what anyone counts on the rows."""

from __future__ import annotations

import math
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import AT_ONE_NODE, Problem, cost_of, problems
from tiers import examples

from kanon_sql.counting.lattice.result import FrequencySet, FrequencySets
from kanon_sql.engines.capabilities import DUCKDB
from kanon_sql.engines.duckdb.engine import DuckDB
from kanon_sql.errors import InternalError
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.metrics.statistics import Need
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.k_anonymity import KAnonymity

kinds = st.lists(st.sampled_from(("query", "csv", "tree")), min_size=3, max_size=3)
key_bits = st.sampled_from((4, 32, 62))  # few bits, so that small tables need several keys too
few = examples(20)


@few
@given(problem=problems(), kinds=kinds, bits=key_bits)
def test_facts_are_what_python_counts(*, sql_check, writer, python_stats, problem, kinds, bits):
    policy = writer.policy(problem, kinds=kinds)
    with (
        patch.object(DuckDB, "capabilities", replace(DUCKDB, key_bits=bits)),
        sql_check(policy, writer.frame(problem)) as (checker, _, _),
    ):
        found, expected = checker.stats, python_stats(problem)
    assert found.rows == expected.rows
    assert len(found.columns) == len(expected.columns)
    for mine, theirs in zip(found.columns, expected.columns, strict=True):
        assert mine.domain == theirs.domain
        for a, b in zip(mine.levels, theirs.levels, strict=True):
            counted = (a.values, a.leaves, a.narrowest, a.widest)
            assert counted == (b.values, b.leaves, b.narrowest, b.widest)
            assert math.isclose(a.entropy, b.entropy, abs_tol=1e-6)


@few
@given(problem=problems(full_suppression=True), kinds=kinds, bits=key_bits)
def test_every_node_counts_like_the_source(
    *, sql_check, writer, python_counts, problem, kinds, bits
):
    policy = writer.policy(problem, kinds=kinds)
    with (
        patch.object(DuckDB, "capabilities", replace(DUCKDB, key_bits=bits)),
        sql_check(policy, writer.frame(problem)) as (checker, _, _),
    ):
        nodes = list(checker.lattice.nodes())
        verdicts = checker.check(nodes, detail=True)
    assert [node.levels for node in nodes] == problem.nodes
    for verdict in verdicts:
        levels = verdict.node.levels
        assert verdict.counts == python_counts(problem, levels)
        assert verdict.feasible == problem.outcome(levels).feasible


@few
@given(problem=problems(), bits=key_bits, data=st.data())
def test_roll_up_counts_like_the_source(*, sql_check, writer, python_counts, problem, bits, data):
    with (
        patch.object(DuckDB, "capabilities", replace(DUCKDB, key_bits=bits)),
        sql_check(writer.policy(problem), writer.frame(problem)) as (checker, encoded, run),
    ):
        finer = Node(data.draw(st.sampled_from(problem.nodes)))
        middle, rolled = run.scratch.table("middle"), run.scratch.table("rolled")
        half = Node(tuple(level // 2 for level in finer.levels))
        counting = encoded.counting
        run.engine.execute(counting.roll_up(middle, encoded.table, half, rows=0))
        run.engine.execute(counting.roll_up(rolled, middle, finer, rows=0))
        checker.sets = FrequencySets(checker.stats, FrequencySet(finer, rolled, len(problem.rows)))
        above = [Node(levels) for levels in problem.nodes if Node(levels).covers(finer)]
        verdicts = checker.check(above, detail=True)
    for verdict in verdicts:
        assert verdict.counts == python_counts(problem, verdict.node.levels)


@few
@given(
    problem=problems(),
    search=st.sampled_from(AT_ONE_NODE),
    order=st.randoms(),
    price=st.sampled_from((-1.0, 0.0, 3.0)),
)
def test_sets_rolled_up_on_the_way_change_nothing(
    *, sql_check, writer, python_counts, problem, search, order, price
):
    """With large tables a search checks on sets it rolled up; here every table counts as large.

    With a price below nothing a set is made for whatever is asked.
    """
    with (
        patch("kanon_sql.counting.lattice.sql_checker.SMALL", 0),
        patch("kanon_sql.counting.lattice.result.PRICE", price),
        sql_check(writer.policy(problem, search), writer.frame(problem)) as (checker, _, _),
    ):
        for _ in range(2):
            nodes = [Node(levels) for levels in problem.nodes]
            order.shuffle(nodes)
            for start in range(0, len(nodes), 3):
                verdicts = checker.check(nodes[start : start + 3], detail=True)
                costs = checker.costs(verdicts)
                for verdict, cost in zip(verdicts, costs, strict=True):
                    levels = verdict.node.levels
                    assert verdict.counts == python_counts(problem, levels)
                    expected = cost_of(problem, levels, search)
                    assert cost == pytest.approx(expected, rel=1e-9, abs=1e-7)


@few
@given(problem=problems(full_suppression=True), search=st.sampled_from(AT_ONE_NODE), bits=key_bits)
def test_exact_costs_are_the_oracle_s(sql_check, writer, problem, search, bits):
    with (
        patch.object(DuckDB, "capabilities", replace(DUCKDB, key_bits=bits)),
        sql_check(writer.policy(problem, search), writer.frame(problem)) as (checker, _, _),
    ):
        costs = checker.costs(checker.check(list(checker.lattice.nodes())))
    for levels, cost in zip(problem.nodes, costs, strict=True):
        assert cost == pytest.approx(cost_of(problem, levels, search), rel=1e-9, abs=1e-7)


@few
@given(problem=problems())
def test_a_coarser_node_never_suppresses_more(sql_check, writer, problem):
    with sql_check(writer.policy(problem), writer.frame(problem)) as (checker, _, _):
        nodes = list(checker.lattice.nodes())
        suppressed = {v.node: v.counts.suppressed for v in checker.check(nodes)}
    for node in nodes:
        for parent in node.parents(problem.tops):
            assert suppressed[parent] <= suppressed[node]


@few
@given(problem=problems(most_rows=15))
def test_no_row_is_lost_on_the_way_into_the_frequency_set(sql_check, writer, problem):
    with sql_check(writer.policy(problem), writer.frame(problem)) as (checker, encoded, run):
        held = run.engine.connection.table(encoded.table.name).to_arrow_table()
        assert sum(held["row_count"].to_pylist()) == checker.stats.rows == len(problem.rows)


def two_and_three():
    return Problem([("a",)] * 2 + [("b",)] * 3, [{"a": ["*"], "b": ["*"]}], k=3, max_suppressed=2)


def test_a_checker_that_asks_for_something_else_counts_by_that(sql_check, writer):
    problem = two_and_three()
    with sql_check(writer.policy(problem), writer.frame(problem)) as (checker, _, _):
        bottom = checker.lattice.bottom
        (own,) = checker.check([bottom])
        other = checker.under(demands((KAnonymity(2),)))
        (less,) = other.check([bottom])
        assert (own.counts.classes, less.counts.classes) == (1, 2)
        assert (own.counts.suppressed, less.counts.suppressed) == (2, 0)
        assert checker.check([bottom]) == [own]


def test_entropies_that_were_not_looked_up_are_refused_and_not_guessed(sql_check, writer):
    problem = two_and_three()
    entropy = {"metric": "entropy", "suppressed": "counted"}
    with sql_check(writer.policy(problem, entropy), writer.frame(problem)) as (checker, _, _):
        verdicts = checker.check([checker.lattice.bottom])
        assert checker.suppressed_figures(verdicts, Need.ENTROPY) == [[pytest.approx(math.log(4))]]
        assert checker.suppressed_figures(verdicts, Need.LEAVES) == [[2.0]]
    with sql_check(writer.policy(problem), writer.frame(problem)) as (checker, _, _):
        verdicts = checker.check([checker.lattice.bottom])
        with pytest.raises(InternalError, match="has not looked up entropies"):
            checker.suppressed_figures(verdicts, Need.ENTROPY)
