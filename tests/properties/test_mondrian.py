"""Mondrian by SQL against the plain recursion of tests/mondrian.py, on random tables."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import duckdb
import mondrian
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import problems
from random_boxes import (
    ALONG,
    asked,
    ats,
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


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as opened:
        yield opened


@examples(60)
@given(problem=problems(), kinds=kinds_, weights=weights_, shuffled=orders, at=ats)
def test_the_boxes_are_those_of_plain_recursion(
    *, connection, writer, problem, kinds, weights, shuffled, at
):
    axes, entries = laid(problem, kinds, weights, shuffled)
    policy = asked(problem, writer.policy(problem, {"metric": "loss"}), entries, weights, at=at)
    policy["frame"] = writer.frame(problem)
    rows = [(*row, n) for n, row in enumerate(problem.rows)]
    table = mondrian.Table(axes, fitting(problem), median=at == "median")
    if not table.fits(rows):
        refused(connection, policy)
        return
    held_against(connection, policy, problem, table, mondrian.partitioned(rows, table))


@examples(30)
@given(
    problem=problems(),
    shuffled=orders,
    outputs=st.lists(st.sampled_from(("mean", "median")), min_size=3, max_size=3),
    cuts=st.sampled_from(("strict", "relaxed")),
)
def test_boxes_are_shown_by_what_their_numbers_have_in_the_middle(
    *, connection, writer, problem, shuffled, outputs, cuts
):
    axes, entries = laid(problem, ["order"] * 3, [None] * 3, shuffled)
    for n in range(len(axes)):
        if numbered(problem, n):
            entries[f"q{n}"]["output"] = outputs[n]
    given = writer.policy(problem, {"metric": "loss"})
    policy = asked(problem, given, entries, [None] * 3, cuts=cuts)
    policy["frame"] = writer.frame(problem)
    rows = [(*row, n) for n, row in enumerate(problem.rows)]
    table = mondrian.Table(axes, fitting(problem))
    if cuts == "relaxed":
        table.dealt = beyond(problem)
    if not table.fits(rows):
        refused(connection, policy)
        return
    held_against(connection, policy, problem, table, mondrian.partitioned(rows, table))


def with_outputs(problem, policy, kinds, entries, outputs):
    """Say an output of every column that can have it."""
    for n, output in enumerate(outputs[: len(problem.hierarchies)]):
        entry, name = entries.get(f"q{n}", policy["columns"][f"q{n}"]), f"q{n}"
        if kinds[n] == "along":
            entry = {**policy["columns"][name], **entry}
        said = "interval" if output == "node" and "hierarchy" not in entry else output
        entries[name] = {**entry, **({"output": said} if said else {})}


@examples(60)
@given(
    problem=problems(),
    kinds=st.lists(st.sampled_from(ALONG), min_size=3, max_size=3),
    weights=weights_,
    shuffled=orders,
    outputs=st.lists(
        st.sampled_from((None, "set", "representative", "node")), min_size=3, max_size=3
    ),
    search=st.sampled_from(({"choose": "width"}, {"choose": "loss"}, {"cuts": "relaxed"})),
    width=st.sampled_from((None, "values", "ranks", "distinct")),
)
def test_boxes_are_released_as_sets_nodes_and_representatives_of_their_rows(
    *, connection, writer, problem, kinds, weights, shuffled, outputs, search, width
):
    """Of lines in the order of their hierarchy, too; whatever widths their cuts are chosen by."""
    axes, entries = laid(problem, kinds, weights, shuffled)
    given = writer.policy(problem, {"metric": "loss"})
    with_outputs(problem, given, kinds, entries, outputs)
    search |= {"width": width} if width else {}
    policy = asked(problem, given, entries, weights, **search)
    policy["frame"] = writer.frame(problem)
    for axis in axes:
        axis.by = width or "values"
    rows = [(*row, n) for n, row in enumerate(problem.rows)]
    table = mondrian.Table(axes, fitting(problem), choose=search.get("choose", "width"))
    if search.get("cuts"):
        table.dealt = beyond(problem)
    if not table.fits(rows):
        refused(connection, policy)
        return
    held_against(connection, policy, problem, table, mondrian.partitioned(rows, table))


@examples(60)
@given(
    problem=problems(),
    kinds=kinds_,
    weights=weights_,
    shuffled=orders,
    choose=st.sampled_from(("loss", "information", "variance")),
    targets=st.lists(st.sampled_from([0, 1, 2, 5, 7, -3, None]), min_size=40, max_size=40),
)
def test_the_cut_of_least_score_is_that_of_plain_recursion(
    *, connection, writer, problem, kinds, weights, shuffled, choose, targets
):
    weights = weights if choose == "loss" else [None] * 3
    axes, entries = laid(problem, kinds, weights, shuffled)
    search = {"choose": choose}
    frame = writer.frame(problem)
    if choose != "loss":
        entries["told"] = {"role": "insensitive"}
        search["target"] = "told"
        targets = targets[: len(problem.rows)]
        frame = frame.append_column("told", pa.array(targets, pa.int64()))
        targets = mondrian.steps(targets) if choose == "variance" else targets
    policy = asked(problem, writer.policy(problem, {"metric": "loss"}), entries, weights, **search)
    policy["frame"] = frame
    told = targets[: len(problem.rows)]
    rows = [
        (*row, target, n) for n, (row, target) in enumerate(zip(problem.rows, told, strict=True))
    ]
    table = mondrian.Table(axes, fitting(problem), choose=choose, target=len(axes))
    if not table.fits(rows):
        refused(connection, policy)
        return
    held_against(connection, policy, problem, table, mondrian.partitioned(rows, table))


@examples(60)
@given(problem=problems(), kinds=kinds_, weights=weights_, shuffled=orders)
def test_relaxed_boxes_are_those_of_plain_recursion(
    *, connection, writer, problem, kinds, weights, shuffled
):
    """Rows beyond their places stand by their sensitive value, NULL first, then by their person."""
    axes, entries = laid(problem, kinds, weights, shuffled)
    given = writer.policy(problem, {"metric": "loss"})
    policy = asked(problem, given, entries, weights, cuts="relaxed")
    policy["frame"] = writer.frame(problem)
    rows = [(*row, n) for n, row in enumerate(problem.rows)]

    table = mondrian.Table(axes, fitting(problem), dealt=beyond(problem))
    if not table.fits(rows):
        refused(connection, policy)
        return
    found = mondrian.partitioned(rows, table)
    held_against(connection, policy, problem, table, found)
    if problem.entities is problem.spread is None and "tree" not in kinds[: len(axes)]:
        wide = [part for part in found if any(table.widths(part))]
        assert all(len(part) <= 2 * problem.k - 1 for part in wide)


FEW_AND_MANY = (2, 40, 41, 42, 70)
"""Values of a line, which has a bit for each and for NULL where these are no more than a word's field."""


@examples(60)
@given(
    drawn=st.data(),
    sizes=st.lists(st.sampled_from(FEW_AND_MANY), min_size=1, max_size=3),
    k=st.integers(1, 6),
    choose=st.sampled_from(("width", "loss")),
    weight=st.sampled_from((None, 8)),
)
def test_lines_of_which_rows_are_counted_are_cut_as_by_plain_recursion(
    *, connection, drawn, sizes, k, choose, weight
):
    """One statement cuts them: all their bounds, whether a line has few values or many, NULL among them."""
    count = drawn.draw(st.integers(k, 90))
    columns = [
        drawn.draw(st.lists(st.sampled_from([None, *range(size)]), min_size=count, max_size=count))
        for size in sizes
    ]
    rows = list(zip(*columns, strict=True))
    lines = [mondrian.LineAxis({v: v for v in {*each} - {None}}) for each in columns]
    for line in lines:
        line.measures = line.measures or {0: 0}
    if weight:
        lines[0].weight = Fraction(weight)
    table = mondrian.Table(lines, lambda part: len(part) >= k, choose=choose)
    expected = Counter()
    for part in mondrian.partitioned(rows, table):
        label = [axis.label([row[n] for row in part]) for n, axis in enumerate(lines)]
        expected[tuple(None if each is None else str(each) for each in label)] += len(part)
    names = [f"q{n}" for n in range(len(sizes))]
    frame = pa.table(
        {name: pa.array(each, pa.int64()) for name, each in zip(names, columns, strict=True)}
    )
    connection.execute("CREATE OR REPLACE TABLE people AS SELECT * FROM frame")
    assert frame.num_rows == count
    search = {**mondrian.STRICT, "choose": choose}
    policy = {
        "version": 1,
        "entity": "row",
        "columns": {name: {"role": "quasi", "order": "number"} for name in names},
        "privacy": {"k": k},
        "suppression": "0%",
        "search": {**search, **({"weights": {"q0": weight}} if weight else {})},
    }
    with kanon_sql.anonymize(policy, "people", connection=connection) as release:
        assert Counter(release.relation.project(", ".join(names)).fetchall()) == expected
