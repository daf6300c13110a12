"""Mondrian by SQL against the plain recursion of tests/mondrian.py, on random tables."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import duckdb
import mondrian
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import problems
from tiers import examples

import kanon_sql

AXES = ("tree", "order", "list")
ALONG = (*AXES, "along")
"""With lines of texts that follow their hierarchy."""
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
        elif kind == "along":
            entries[name] = {"role": "quasi", "order": "text"}  # and its hierarchy
            branches = {v: [*reversed(tree[v]), v] for v in present}
            present.sort(key=lambda v: [str(label).encode() for label in branches[v]])
            axes.append(mondrian.LineAxis({v: n for n, v in enumerate(present)}, weight))
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
    for column, axis in enumerate(axes):
        axis.every = frozenset(row[column] for row in problem.rows)
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
            labels.append(released_as(problem, policy["columns"][f"q{n}"], n, axis, values))
        expected[tuple(labels)] += len(part)
    with kanon_sql.anonymize(policy, "people", connection=connection) as release:
        names = ", ".join(f"q{n}" for n in range(len(table.axes)))
        assert Counter(release.relation.project(names).fetchall()) == expected
    plan = release.plan
    assert plan.classes == release.verification.classes == len(expected)
    assert plan.figures["discernibility"] == sum(n * n for n in expected.values())
    widths = [
        len(part)
        * sum(
            penalty(problem, policy["columns"][f"q{n}"], n, axis, [row[n] for row in part])
            for n, axis in enumerate(table.axes)
        )
        for part in found
    ]
    gcp = float(sum(widths) / len(problem.rows) / len(table.axes))
    assert math.isclose(plan.figures["gcp"], gcp, abs_tol=1e-8)


def released_as(problem, entry, n, axis, values):
    """Say what a box is released as on one axis."""
    match entry.get("output"):
        case "mean" | "median" as output:
            return mondrian.centre(values, output)
        case "set":
            return mondrian.in_a_set(axis, values)
        case "representative":
            median = entry.get("order", "text") != "text"
            return mondrian.representative(axis, values, median=median)
        case "node" if isinstance(axis, mondrian.LineAxis):
            label, _ = mondrian.node_above(problem.hierarchies[n], values)
        case _:
            label = axis.label(values)
    return None if label is None else str(label)


def penalty(problem, entry, n, axis, values):
    """Say what share of its column a box is released as."""
    match entry.get("output"):
        case "set":
            return axis.width(values, by="distinct")
        case "node" if isinstance(axis, mondrian.LineAxis):
            _, covered = mondrian.node_above(problem.hierarchies[n], values)
            if len(set(values)) == 1:
                return 0
            return 1 if covered is None else Fraction(len(covered & axis.every), len(axis.every))
        case _:
            return axis.width(values, by="values")


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
