"""Mondrian by SQL against the plain recursion of tests/mondrian.py, on random tables."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import duckdb
import mondrian
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import problems

import kanon_sql

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


def asked(problem, policy, entries, weights, at):
    columns = {**policy["columns"], **entries}
    said = {f"q{n}": w for n, w in zip(range(len(problem.tops)), weights, strict=False) if w}
    said = {name: float(weight) for name, weight in said.items()}
    search = {"algorithm": "mondrian", "at": at, **({"weights": said} if said else {})}
    return {**policy, "columns": columns, "search": search}


def fitting(problem):
    """Whether rows (each with its number last) fit."""

    def fits(rows):
        at = [row[-1] for row in rows]
        size = len(at) if problem.entities is None else len({problem.entities[i] for i in at})
        spread = problem.l if problem.spread is None else len({problem.spread[i] for i in at})
        return size >= problem.k and spread >= problem.l

    return fits


kinds_ = st.lists(st.sampled_from(AXES), min_size=3, max_size=3)
weights_ = st.lists(st.sampled_from(WEIGHTS), min_size=3, max_size=3)
ats = st.sampled_from(("balanced", "median"))
orders = st.permutations([*range(-1, 5), *(f"v{n}" for n in range(4))])


@settings(max_examples=60)
@given(problem=problems(), kinds=kinds_, weights=weights_, shuffled=orders, at=ats)
def test_the_boxes_are_those_of_plain_recursion(
    *, connection, writer, problem, kinds, weights, shuffled, at
):
    axes, entries = laid(problem, kinds, weights, shuffled)
    policy = asked(problem, writer.policy(problem, {"metric": "loss"}), entries, weights, at)
    rows = [(*row, n) for n, row in enumerate(problem.rows)]
    fits = fitting(problem)
    frame = writer.frame(problem)  # noqa: F841  DuckDB finds it by its name
    connection.execute("CREATE OR REPLACE TABLE people AS SELECT * FROM frame")
    if not fits(rows):
        with pytest.raises(kanon_sql.InfeasibleError, match="the whole table has"):
            kanon_sql.anonymize(policy, "people", connection=connection)
        return
    expected = mondrian.boxes(rows, axes, fits, median=at == "median")
    with kanon_sql.anonymize(policy, "people", connection=connection) as release:
        names = [f"q{n}" for n in range(len(axes))]
        released = release.relation.project(", ".join(names)).fetchall()
        found = Counter(released)
    as_text = Counter()
    for labels, many in expected.items():
        as_text[tuple(None if label is None else str(label) for label in labels)] += many
    assert found == as_text
    assert release.plan.classes == len(as_text)
    assert release.verification.classes == len(as_text)
    squares = sum(n * n for n in as_text.values())
    assert release.plan.figures["discernibility"] == squares
    sides = sum(
        len(part) * sum(axis.width([row[n] for row in part]) for n, axis in enumerate(axes))
        for part in mondrian.partition(rows, axes, fits, median=at == "median")
    )
    gcp = float(sides / len(rows) / len(axes))
    assert math.isclose(release.plan.figures["gcp"], gcp, abs_tol=1e-8)
