"""Grouping by order by SQL against plain sorting and trying, on random tables."""

from __future__ import annotations

from unittest.mock import patch

import duckdb
import mondrian
import pytest
import runs
import sampled_cuts
from hypothesis import given
from hypothesis import strategies as st
from oracle import problems
from random_boxes import (
    AXES,
    asked,
    beyond,
    fitting,
    held_against,
    kinds_,
    laid,
    numbered,
    orders,
    refused,
    weights_,
)
from tiers import examples

import kanon_sql
from kanon_sql.recoding.multidimensional import regions_sql, runs_sql
from kanon_sql.recoding.multidimensional import runs as product
from kanon_sql.recoding.multidimensional.regions_sql import RunSizes

SMALL = st.sampled_from((2, 3, 5, 8, 13, 400))
"""A table of a test has at most 40 rows."""

LINES = [kind for kind in AXES if kind != "tree"]


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as opened:
        yield opened


def leaves_of(rows, table, small, *, least, sampled=None):
    """The leaves of a table, and the most rows of one, which is at least that of a run; cut on a sample before, if any."""
    table.leaf, table.halved = max(small, 2 * least - 1), False
    if sampled is None:
        return mondrian.partitioned(rows, table)
    one_in, fewest = sampled
    fewest = max(fewest, 2 * table.leaf // one_in + 1, 2 * least)
    sample = sampled_cuts.sample(rows, table, one_in)
    return sampled_cuts.leaves(rows, sample, table, fewest)


def grouped_as_asked(
    connection, policy, problem, table, *, small, least_loss, by_count=False, sampled=None
):
    """Hold the runs of leaves of few rows against plain Python."""
    rows = [(*row, n) for n, row in enumerate(problem.rows)]
    most = max(small, 2 * problem.k - 1)  # so that parts of at most so many rows hold a run
    with patch.object(RunSizes, "leaf", property(lambda _: most)):
        if not table.fits(rows):
            refused(connection, policy)
            return
        table.dealt = beyond(problem)
        leaves = [rows]
        if not by_count:
            leaves = leaves_of(rows, table, small, least=problem.k, sampled=sampled)
        found = [
            run
            for leaf in leaves
            for run in runs.grouped(
                leaf,
                table,
                values=runs.values_of(rows, table),
                least=problem.k,
                most=most,
                least_loss=least_loss,
                by_count=by_count,
            )
        ]
        assert sorted(row[-1] for run in found for row in run) == list(range(len(rows)))
        held_against(connection, policy, problem, table, found)


@examples(80)
@given(
    problem=problems(),
    kinds=kinds_,
    weights=weights_,
    shuffled=orders,
    small=SMALL,
    way=st.sampled_from(("least_loss", "equal")),
    choose=st.sampled_from(("width", "loss")),
    bits=st.sampled_from((1, 2, 3, 5, runs_sql.WORD)),
    few_steps=st.sampled_from((None, 1, 3)),
)
def test_the_runs_of_leaves_are_those_of_plain_sorting(
    *, connection, writer, problem, kinds, weights, shuffled, small, way, choose, bits, few_steps
):
    """Whether an axis has its places as bits of one number, of several, or as none; with fewer steps in a large table."""
    axes, entries = laid(problem, kinds, weights, shuffled)
    given = writer.policy(problem, {"metric": "loss"})
    search = {"grouping": "order", "runs": way, "choose": choose}
    policy = asked(problem, given, entries, weights, **search)
    policy["frame"] = writer.frame(problem)
    table = mondrian.Table(axes, fitting(problem), choose=choose)
    large = regions_sql.LARGE if few_steps is None else 0
    with (
        patch.object(runs_sql, "WORD", bits),
        patch.multiple(regions_sql, LARGE=large, FEW_STEPS=few_steps),
        patch.object(runs, "STEPS", few_steps or runs.STEPS),
    ):
        grouped_as_asked(
            connection, policy, problem, table, small=small, least_loss=way == "least_loss"
        )


@examples(80)
@given(
    problem=problems(most_rows=120, entity=False, spread=False),
    kinds=st.lists(st.sampled_from(LINES), min_size=3, max_size=3),
    weights=weights_,
    shuffled=orders,
    small=st.sampled_from((2, 3, 5)),
    sampled=st.tuples(st.sampled_from((1, 2, 3)), st.sampled_from((1, 4, 9))),
)
def test_the_first_cuts_of_a_large_table_are_those_of_its_sample(
    *, connection, writer, problem, kinds, weights, shuffled, small, sampled
):
    """A table of a few rows is large here, and a sample is one row in one, two or three."""
    axes, entries = laid(problem, kinds, weights, shuffled)
    given = writer.policy(problem, {"metric": "loss"})
    search = {"grouping": "order", "runs": "least_loss", "choose": "loss"}
    policy = asked(problem, given, entries, weights, **search)
    policy["frame"] = writer.frame(problem)
    table = mondrian.Table(axes, fitting(problem), choose="loss")
    one_in, fewest = sampled
    with patch.multiple(product, LEAST_ROWS=0, ONE_IN=one_in, SAMPLED_ROWS=fewest):
        grouped_as_asked(
            connection, policy, problem, table, small=small, least_loss=True, sampled=sampled
        )


@examples(60)
@given(
    problem=problems(),
    kinds=kinds_,
    shuffled=orders,
    small=SMALL,
    way=st.sampled_from(("least_loss", "equal")),
    key=st.sampled_from((regions_sql.KEY, 40, 9)),
)
def test_the_runs_of_one_sort_are_those_of_plain_sorting(
    *, connection, writer, problem, kinds, shuffled, small, way, key
):
    """However many keys the coordinates of a tuple are packed in."""
    axes, entries = laid(problem, kinds, [None] * 3, shuffled)
    given = writer.policy(problem, {"metric": "loss"})
    policy = asked(problem, given, entries, [None] * 3)
    policy["search"] = {"algorithm": "order", "runs": way}
    policy["frame"] = writer.frame(problem)
    table = mondrian.Table(axes, fitting(problem))
    with patch.object(regions_sql, "KEY", key):
        grouped_as_asked(
            connection,
            policy,
            problem,
            table,
            small=small,
            least_loss=way == "least_loss",
            by_count=True,
        )


@examples(30)
@given(
    problem=problems(),
    shuffled=orders,
    outputs=st.lists(st.sampled_from(("mean", "median")), min_size=3, max_size=3),
)
def test_runs_are_shown_by_what_their_numbers_have_in_the_middle(
    *, connection, writer, problem, shuffled, outputs
):
    axes, entries = laid(problem, ["order"] * 3, [None] * 3, shuffled)
    for n in range(len(axes)):
        if numbered(problem, n):
            entries[f"q{n}"]["output"] = outputs[n]
    given = writer.policy(problem, {"metric": "loss"})
    policy = asked(problem, given, entries, [None] * 3, grouping="order")
    policy["frame"] = writer.frame(problem)
    table = mondrian.Table(axes, fitting(problem))
    grouped_as_asked(connection, policy, problem, table, small=8, least_loss=True)


def test_few_values_go_first_though_more_pairs_are_alike_among_many(connection):
    """Half of 96 rows each in `few`; three quarters in one of the 25 values of `many`: 4,608 and 5,208 pairs."""
    connection.execute(
        "CREATE OR REPLACE TABLE people AS SELECT i % 2 AS few, "
        "CASE WHEN i < 72 THEN 0 ELSE i END AS many FROM range(96) AS r(i)"
    )
    policy = {
        "version": 1,
        "source": "people",
        "entity": "row",
        "columns": {name: {"role": "quasi", "order": "number"} for name in ("few", "many")},
        "privacy": {"k": 6},
        "search": {"algorithm": "mondrian", "runs": "equal"},
    }
    with patch.object(RunSizes, "leaf", property(lambda _: 96)):
        kanon_sql.anonymize(policy, connection=connection, release="out", replace=True)
    exact = connection.execute("SELECT COUNT(*) FROM out WHERE few IN ('0', '1')").fetchone()
    assert exact == (96,), "each class of equal runs has one of the two values"
