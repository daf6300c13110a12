"""Mondrian with models that weigh values: the boxes are those of the plain recursion of tests/mondrian.py."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import class_models
import duckdb
import mondrian
import pyarrow as pa
import pytest
import runs
from hypothesis import event, given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql

VALUES = ["a", "b", "c", "d", "e"]
PATHS = {"a": ("ab", "*"), "b": ("ab", "*"), "c": ("cd", "*"), "d": ("cd", "*")}
TREE = {"*": {"ab": ["a", "b"], "cd": ["c", "d"]}}
BOTH = st.sampled_from((("source",), ("release",), ("source", "release")))
TENTHS = st.integers(1, 10).map(lambda n: Fraction(n, 10))
RULES = {
    "alpha": st.builds(class_models.alpha, TENTHS),
    "entropy": st.builds(class_models.entropy, st.sampled_from((1.5, 2, 2.5))),
    "recursive": st.builds(
        class_models.recursive, st.sampled_from((Fraction(2), Fraction(4, 3))), st.integers(2, 3)
    ),
    "t": st.builds(lambda t, by: class_models.equal_distance(t, *by), TENTHS, BOTH),
    "ordered": st.builds(
        lambda t, by: class_models.ordered_distance(t, VALUES, *by), TENTHS, BOTH
    ),
    "tree": st.builds(lambda t, by: class_models.tree_distance(t, *by), TENTHS, BOTH),
    "beta": st.builds(
        lambda b, by, enhanced: class_models.beta(b, *by, enhanced=enhanced),
        st.sampled_from((Fraction(1, 2), Fraction(1), Fraction(2))), BOTH, st.booleans(),
    ),
    "delta": st.builds(
        lambda d, by, absent: class_models.delta(d, *by, absent=absent),
        st.sampled_from((Fraction(1, 2), Fraction(1), Fraction(2))), BOTH,
        st.sampled_from(("fails", "ignored")),
    ),
}  # fmt: skip

rows_of = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 6)),
        st.sampled_from("abcd"),
        st.sampled_from((None, *VALUES, "a", "b")),
    ),
    min_size=4,
    max_size=40,
)


def policy(rule, k, **search):
    return {
        "version": 1,
        "source": "people",
        "entity": "row",
        "columns": {
            "x": {"role": "quasi", "order": "number"},
            "z": {"role": "quasi", "hierarchy": {"tree": TREE}},
            "s": {"role": "sensitive", **rule.column},
        },
        "privacy": [{"k": k}, rule.privacy, {"distinct_l": {"column": "s", "l": 1}}],
        "search": {**mondrian.STRICT, **search},
    }


def beyond(row):
    """What rows stand in the order of beyond their places: the sensitive value, NULL first."""
    return row[2] is not None, str(row[2])


def counts(cells):
    return Counter(each for each in cells if each is not None)


SEARCHES = (
    {},
    {},
    {"at": "median"},
    {"choose": "loss"},
    {"cuts": "relaxed"},
    {"grouping": "order"},
    {"grouping": "order", "runs": "equal"},
)


@examples(40)
@given(
    rule=st.sampled_from(sorted(RULES)).flatmap(RULES.get),
    search=st.sampled_from(SEARCHES),
    rows=rows_of,
    k=st.integers(1, 3),
)
def test_the_boxes_are_those_of_plain_recursion(rule, search, rows, k):
    asked, table = policy(rule, k, **search), counts(s for *_, s in rows)

    def fits(part):
        known = counts(s for *_, s in part)
        return len(part) >= k and bool(known) and rule.fits(known, table)

    numbers = {x: x for x, *_ in rows if x is not None}
    axes = [mondrian.LineAxis(numbers), mondrian.TreeAxis(PATHS)]
    options = {
        "median": search.get("at") == "median",
        "choose": search.get("choose", "width"),
        "dealt": beyond if "cuts" in search else None,
    }
    frame = pa.table(  # noqa: F841
        {
            "x": pa.array([r[0] for r in rows], pa.int64()),
            "z": [r[1] for r in rows],
            "s": pa.array([r[2] for r in rows], pa.string()),
        }
    )
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people AS FROM frame")
        given_ = {"connection": connection, "release": "out"}
        if ("cuts" in search or "grouping" in search) and asked["privacy"][1].get(
            "delta_disclosure", {}
        ).get("absent") == "ignored":
            with pytest.raises(kanon_sql.PolicyError, match="two regions alike"):
                kanon_sql.anonymize(asked, **given_)
            return
        if not fits(rows):
            with pytest.raises(kanon_sql.InfeasibleError):
                kanon_sql.anonymize(asked, **given_)
            return
        made = kanon_sql.anonymize(asked, **given_)
        found = Counter(connection.execute("SELECT x, z FROM out").fetchall())
    boxes = mondrian.boxes(rows, axes, fits, **options)
    if "grouping" in search:  # the table is one leaf
        table_ = mondrian.Table(axes, fits, dealt=beyond)
        best = search.get("runs") != "equal"
        boxes = Counter()
        for part in runs.grouped(
            rows,
            table_,
            values=runs.values_of(rows, table_),
            least=k,
            most=50 * k,
            least_loss=best,
        ):
            boxes[tuple(axis.label([r[n] for r in part]) for n, axis in enumerate(axes))] += len(
                part
            )
    wanted = Counter()
    for (x, z), n in boxes.items():
        wanted[None if x is None else str(x), z] += n
    event(f"boxes: {min(len(wanted), 4)}")
    assert found == wanted
    assert made.plan.classes == len(wanted)
