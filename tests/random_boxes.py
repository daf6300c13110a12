"""Boxes on random tables: what a policy says of their axes, and a release held against lists of rows."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import mondrian
import pytest
from hypothesis import strategies as st

import kanon_sql

AXES = ("tree", "order", "list")
ALONG = (*AXES, "along", "frequency")
"""With lines of texts that follow their hierarchy, or go by how many rows have them."""
WEIGHTS = (None, None, 2, "0.5", 8)


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
        elif kind == "frequency":
            entries[name] = {"role": "quasi", "order": "frequency"}
            many = Counter(row[column] for row in problem.rows)
            present.sort(key=lambda v: (-many[v], str(v).encode()))
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
    search = {**mondrian.STRICT, **search, **({"weights": said} if said else {})}
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
