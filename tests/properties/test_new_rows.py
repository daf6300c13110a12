"""Rows that a plan was not made from: each where its values put it, told by plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mondrian import STRICT
from tiers import examples

import kanon_sql

TREE = {"*": {"low": {"v1": ["a", "b"], "v2": ["c"]}, "high": {"v3": ["d", "e"], "v4": ["f", "g"]}}}
ABOVE = {leaf: (leaf, inner, outer, "*") for outer, below in TREE["*"].items()
         for inner, leaves in below.items() for leaf in leaves}  # fmt: skip
ABOVE[None] = (None, None, None, "*")
"""NULL is a value that lies under the root alone."""

NUMBERS = st.none() | st.integers(-3, 9)
ROWS = st.tuples(NUMBERS, st.sampled_from([*"abcdefg", None]), st.sampled_from("xyz"))
NEW = st.tuples(NUMBERS, st.sampled_from([*"abcdefg", "other", None]), st.sampled_from("xyz"))
CASES = {
    "mondrian": STRICT,
    "relaxed": {"algorithm": "mondrian", "cuts": "relaxed"},
    "median": {**STRICT, "at": "median", "weights": {"n": 3}},
    "top_down": {"algorithm": "top_down", "target": "s"},
    "bottom_up": {"algorithm": "bottom_up", "target": "s"},
    "optimal": {"algorithm": "optimal"},
}


def policy(case, k, least):
    in_parts = case in ("top_down", "bottom_up")
    ordered = case in ("mondrian", "relaxed", "median", "top_down")
    number = {"order": "number"} if ordered else {"hierarchy": {"intervals": [4]}}
    return {
        "version": 1,
        "entity": "row",
        "columns": {
            "n": {"role": "quasi", **number},
            "t": {"role": "quasi", "hierarchy": {"tree": TREE}},
            "s": {"role": "sensitive"},
        },
        "privacy": [{"k": k}, *([] if in_parts else [{"distinct_l": {"column": "s", "l": least}}])],
        "search": CASES[case],
    }


def put(connection, rows):
    connection.execute("CREATE OR REPLACE TABLE rows (n INTEGER, t TEXT, s TEXT)")
    connection.executemany("INSERT INTO rows VALUES (?, ?, ?)", rows)


def lies_in(value, low, high):
    """NULL lies before all values of a line; a side that begins with it has no low value."""
    first = (-1, 0) if low is None else (0, low)
    last = (-1, 0) if high is None else (0, high)
    return first <= ((-1, 0) if value is None else (0, value)) <= last


def of_line(low, high):
    if low is None:
        return None if high is None else "*"
    return str(low) if low == high else f"[{low}, {high}]"


def fits(rows, k, least):
    return len(rows) >= k and len({row[-1] for row in rows}) >= least


def in_boxes(boundaries, rows):
    """Give each row its box; boxes do not overlap, so that there is at most one."""
    found = []
    for n, t, s in rows:
        at = [
            (of_line(low, high), label)
            for axis, low, high, level, label in boundaries
            if axis is None and lies_in(n, low, high) and t in ABOVE and ABOVE[t][level] == label
        ]
        assert len(at) <= 1
        found += [(*at[0], s)] if at else []
    return found


def in_parts(boundaries, rows):
    found = []
    for n, t, s in rows:
        first = [of_line(low, high) for axis, low, high, *_ in boundaries
                 if axis == 0 and lies_in(n, low, high)]  # fmt: skip
        second = [label for axis, _, _, level, label in boundaries
                  if axis == 1 and t in ABOVE and ABOVE[t][level] == label]  # fmt: skip
        assert max(len(first), len(second)) <= 1
        found += [(*first, *second, s)] if first and second else []
    return found


def measured(rows):
    """Give the span of the numbers of a table, and its values of the tree."""
    numbers = [row[0] for row in rows if row[0] is not None]
    return max(numbers) - min(numbers), {row[1] for row in rows}


def width(box, span, values):
    """How wide a box is, as shares of the table: of the numbers, 1 where NULL is among others; of the leaves."""
    low, high, level, label = box[1:5]
    wide = 0 if low == high else 1 if low is None else (high - low) / span
    below = [value for value in values if ABOVE[value][level] == label]
    return wide + (len(below) / len(values) if level else 0)


def contain(boxes, row):
    """Number the boxes that contain a row; a value that the hierarchy does not have lies in none."""
    n, t, _ = row
    return [
        at
        for at, (_, low, high, level, label) in enumerate(boxes)
        if lies_in(n, low, high) and t in ABOVE and ABOVE[t][level] == label
    ]


def in_narrowest(boxes, rows, k, least):
    """Give each row the narrowest box that contains it, or the narrowest of those that fit then."""
    classes = defaultdict(list)
    found = [(row, within) for row in rows if (within := contain(boxes, row))]
    for row, within in found:
        classes[released_as(boxes[within[0]])].append(row)
    fitting = {shown for shown, each in classes.items() if fits(each, k, least)}
    shown = []
    for row, within in found:
        among = [at for at in within if released_as(boxes[at]) in fitting] or within
        shown.append((*released_as(boxes[among[0]]), row[2]))
    return shown


def released_as(box):
    return of_line(box[1], box[2]), box[4]


@examples(25)
@given(
    rows=st.lists(ROWS, min_size=4, max_size=40),
    new=st.lists(NEW, min_size=1, max_size=40),
    k=st.integers(1, 3),
    least=st.integers(1, 2),
)
def test_new_rows_go_to_the_narrowest_box_that_contains_them(tmp_path_factory, rows, new, k, least):
    """Boxes may overlap: the first by its number wins, and these are numbered from the narrowest on."""
    rows += [(0, "a", "x"), (1, "b", "y"), (2, "c", "z")]
    given = policy("relaxed", k, least)
    stem = str(tmp_path_factory.mktemp("plan") / "rows.boundaries")
    with duckdb.connect() as connection:
        put(connection, rows)
        plan = kanon_sql.plan(given, "rows", connection=connection, boundaries=stem)
        kept = connection.read_parquet(f"{stem}.parquet")
        assert not kept.filter("child IS NOT NULL").fetchall()
        boxes = kept.order("region").project("row_count, low_0, high_0, level_1, label_1")
        boxes = boxes.fetchall()
        assert sum(box[0] for box in boxes) == len(rows)
        assert len({box[1:] for box in boxes}) == len(boxes) <= plan.recoding.regions
        widths = [round(width(box, *measured(rows)), 7) for box in boxes]
        assert widths == sorted(widths)
        put(connection, new)
        assigned = in_narrowest(boxes, new, k, least)
        classes = defaultdict(list)
        for row in assigned:
            classes[row[:-1]].append(row)
        expected = Counter(row for each in classes.values() if fits(each, k, least) for row in each)
        again = {"policy": given, "connection": connection, "to_new_rows": True, "boundaries": stem}
        if not expected:
            with pytest.raises((kanon_sql.InfeasibleError, kanon_sql.SourceError)):
                kanon_sql.apply(plan, "rows", **again)
            return
        with kanon_sql.apply(plan, "rows", **again) as made:
            assert Counter(made.relation.project("n, t, s").fetchall()) == expected
        assert made.new.document(made.verification.rows) == {
            "new_rows": len(new),
            "withheld": len(new) - len(assigned),
            "suppressed": len(assigned) - sum(expected.values()),
        }


@pytest.mark.parametrize("case", ["mondrian", "median", "top_down"])
@examples(15)
@given(
    rows=st.lists(ROWS, min_size=4, max_size=30),
    new=st.lists(NEW, min_size=1, max_size=30),
    k=st.integers(1, 3),
    least=st.integers(1, 2),
)
def test_new_rows_go_where_their_values_lie(  # noqa: PLR0917
    case, tmp_path_factory, rows, new, k, least
):
    rows += [(0, "a", "x"), (1, "b", "y"), (2, "c", "z")]
    given, stem = policy(case, k, least), str(tmp_path_factory.mktemp("plan") / "rows.boundaries")
    least = 1 if case == "top_down" else least
    with duckdb.connect() as connection:
        put(connection, rows)
        plan = kanon_sql.plan(given, "rows", connection=connection, boundaries=stem)
        boxes = connection.read_parquet(f"{stem}.parquet").filter("child IS NULL")
        boundaries = boxes.project("axis, low_0, high_0, level_1, label_1").fetchall()
        put(connection, new)
        assigned = (in_parts if case == "top_down" else in_boxes)(boundaries, new)
        classes = defaultdict(list)
        for row in assigned:
            classes[row[:-1]].append(row)
        expected = Counter(row for each in classes.values() if fits(each, k, least) for row in each)
        again = {"policy": given, "connection": connection, "to_new_rows": True, "boundaries": stem}
        if not expected:
            with pytest.raises((kanon_sql.InfeasibleError, kanon_sql.SourceError)):
                kanon_sql.apply(plan, "rows", **again)
            return
        with kanon_sql.apply(plan, "rows", **again) as made:
            released = Counter(made.relation.project("n, t, s").fetchall())
        assert released == expected
        assert made.new.assigned == len(assigned)
        assert made.new.document(made.verification.rows) == {
            "new_rows": len(new),
            "withheld": len(new) - len(assigned),
            "suppressed": len(assigned) - sum(expected.values()),
        }


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", [each for each in CASES if each != "relaxed"])
@examples(8)
@given(rows=st.lists(ROWS, min_size=4, max_size=30), k=st.integers(1, 3), least=st.integers(1, 2))
def test_its_own_rows_are_released_as_ever(case, tmp_path_factory, rows, k, least):
    rows += [(0, "a", "x"), (1, "b", "y"), (2, "c", "z")]
    given, stem = policy(case, k, least), str(tmp_path_factory.mktemp("plan") / "rows.boundaries")
    with duckdb.connect() as connection:
        put(connection, rows)
        plan = kanon_sql.plan(given, "rows", connection=connection, boundaries=stem)
        found = []
        for more in ({}, {"to_new_rows": True, "boundaries": stem}):
            with kanon_sql.apply(plan, "rows", policy=given, connection=connection, **more) as made:
                found.append(Counter(made.relation.fetchall()))
        assert found[0] == found[1]
        assert made.new.withheld == 0
