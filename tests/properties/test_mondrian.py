"""Mondrian by SQL against the plain recursion of tests/mondrian.py, on random tables."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import partial

import duckdb
import mondrian
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import problems
from tiers import examples

import kanon_sql
from kanon_sql.recoding import axes as laid_out
from kanon_sql.recoding.multidimensional.regions_sql import Regions

AXES = ("tree", "order", "list")
WEIGHTS = (None, None, 2, "0.5", 8)


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as opened:
        yield opened


def numbered(problem, column):
    return any(isinstance(v, int) for v in problem.hierarchies[column])


def laid(problem, kinds, weights, shuffled):
    """The oracle's axes, and what the policy says of their columns and weights."""
    axes, entries = [], {}
    for column, tree in enumerate(problem.hierarchies):
        name, kind, weight = f"q{column}", kinds[column], weights[column]
        weight = Fraction(1 if weight is None else weight)
        present = sorted({row[column] for row in problem.rows} - {None})
        if kind == "tree":
            axes.append(mondrian.TreeAxis(tree, weight))
        elif kind == "order":
            numbers = numbered(problem, column)
            entries[name] = {"role": "quasi", "order": "number" if numbers else "text"}
            measures = {v: v if numbers else n for n, v in enumerate(present)}
            axes.append(mondrian.LineAxis(measures, weight))
        else:
            listed = [v for v in shuffled if v in tree and v not in ("", None)]
            listed += [v for v in present if v not in ("", *listed)]
            if "" in present:  # an entry of a list is a text that is not empty
                entries[name] = {"role": "quasi", "order": "text"}
                axes.append(mondrian.LineAxis({v: n for n, v in enumerate(present)}, weight))
                continue
            entries[name] = {"role": "quasi", "order": [str(v) for v in listed or ["-"]]}
            measures = {v: n for n, v in enumerate(v for v in listed if v in present)}
            axes.append(mondrian.LineAxis(measures, weight))
    return axes, entries


def asked(problem, policy, entries, weights, **search):
    columns = {**policy["columns"], **entries}
    said = {f"q{n}": w for n, w in zip(range(len(problem.tops)), weights, strict=False) if w}
    said = {name: float(weight) for name, weight in said.items()}
    search |= {"algorithm": "mondrian", **({"weights": said} if said else {})}
    return {**policy, "columns": columns, "search": search}


def fitting(problem):
    """Whether rows (each with its number last) fit."""

    def fits(rows):
        at = [row[-1] for row in rows]
        size = len(at) if problem.entities is None else len({problem.entities[i] for i in at})
        cells = None if problem.spread is None else [problem.spread[i] for i in at]
        spread = problem.l if cells is None else problem.values(cells)
        return size >= problem.k and spread >= problem.l

    return fits


kinds_ = st.lists(st.sampled_from(AXES), min_size=3, max_size=3)
weights_ = st.lists(st.sampled_from(WEIGHTS), min_size=3, max_size=3)
ats = st.sampled_from(("balanced", "median"))
orders = st.permutations([*range(-1, 5), *(f"v{n}" for n in range(4))])


def held_against(connection, policy, problem, table, found):
    """Hold a release against what plain recursion makes of the same rows; `found` are its lists of rows."""
    frame = policy.pop("frame")  # noqa: F841  DuckDB finds it by its name
    connection.execute("CREATE OR REPLACE TABLE people AS SELECT * FROM frame")
    expected = Counter()
    for part in found:
        labels = []
        for n, axis in enumerate(table.axes):
            values = [row[n] for row in part]
            output = policy["columns"][f"q{n}"].get("output")
            label = mondrian.centre(values, output) if output else axis.label(values)
            labels.append(label if output or label is None else str(label))
        expected[tuple(labels)] += len(part)
    with kanon_sql.anonymize(policy, "people", connection=connection) as release:
        names = ", ".join(f"q{n}" for n in range(len(table.axes)))
        assert Counter(release.relation.project(names).fetchall()) == expected
    plan = release.plan
    assert plan.classes == release.verification.classes == len(expected)
    assert plan.figures["discernibility"] == sum(n * n for n in expected.values())
    widths = [
        len(part) * sum(axis.width([row[n] for row in part]) for n, axis in enumerate(table.axes))
        for part in found
    ]
    gcp = float(sum(widths) / len(problem.rows) / len(table.axes))
    assert math.isclose(plan.figures["gcp"], gcp, abs_tol=1e-8)


def beyond(problem):
    """What rows stand in the order of beyond their places: the sensitive value, then the person."""

    def of(row):
        value = None if problem.spread is None else problem.spread[row[-1]]
        person = None if problem.entities is None else problem.entities[row[-1]]
        return value is not None, str(value).encode(), str(person).encode()

    return of


def refused(connection, policy):
    frame = policy.pop("frame")  # noqa: F841  DuckDB finds it by its name
    connection.execute("CREATE OR REPLACE TABLE people AS SELECT * FROM frame")
    with pytest.raises(kanon_sql.InfeasibleError, match="the whole table has"):
        kanon_sql.anonymize(policy, "people", connection=connection)


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


def leaves(rows, table, most):
    """Plain recursion that leaves parts of at most so many rows as they are."""
    parts = table.cut(rows) if len(rows) > most else None
    return (
        [rows] if parts is None else [each for part in parts for each in leaves(part, table, most)]
    )


@examples(60)
@given(
    drawn=st.data(),
    sizes=st.lists(st.sampled_from(FEW_AND_MANY), min_size=1, max_size=3),
    k=st.integers(1, 6),
    choose=st.sampled_from(("width", "loss")),
    weight=st.sampled_from((None, 8)),
    most=st.sampled_from((0, 0, 9, 40)),
)
def test_lines_of_which_rows_are_counted_are_cut_as_by_plain_recursion(
    *, connection, drawn, sizes, k, choose, weight, most
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
    for part in leaves(rows, table, most):
        label = [axis.label([row[n] for row in part]) for n, axis in enumerate(lines)]
        expected[tuple(None if each is None else str(each) for each in label)] += len(part)
    names = [f"q{n}" for n in range(len(sizes))]
    frame = pa.table(
        {name: pa.array(each, pa.int64()) for name, each in zip(names, columns, strict=True)}
    )
    connection.execute("CREATE OR REPLACE TABLE people AS SELECT * FROM frame")
    assert frame.num_rows == count
    search = {"algorithm": "mondrian", "choose": choose}
    policy = {
        "version": 1,
        "entity": "row",
        "columns": {name: {"role": "quasi", "order": "number"} for name in names},
        "privacy": {"k": k},
        "suppression": "0%",
        "search": {**search, **({"weights": {"q0": weight}} if weight else {})},
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(laid_out, "Regions", partial(Regions, leaf_rows=most))
        with kanon_sql.anonymize(policy, "people", connection=connection) as release:
            assert Counter(release.relation.project(", ".join(names)).fetchall()) == expected
