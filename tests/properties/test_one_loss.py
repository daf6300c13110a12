"""The loss that compares all recodings, against brute force over the labels of the release itself.

The oracle knows the hierarchies, and what an interval is; it looks at no plan.
"""

from __future__ import annotations

import datetime as dt
import math
import re

import pyarrow as pa
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from tiers import examples

import kanon_sql

TREE = {"*": {"low": ["a", "b", "c"], "high": ["d", "e"]}}
GROUPS = {"a": "low", "b": "low", "c": "low", "d": "high", "e": "high", None: None}
INTERVAL = re.compile(r"\[(.+), (.+)([\])])")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(("a", "b", "c", "d", None)),
        st.one_of(st.none(), st.integers(0, 9)),
        st.one_of(st.none(), st.dates(dt.date(2020, 1, 1), dt.date(2021, 12, 31))),
    ),
    min_size=4,
    max_size=18,
)
SEARCHES = {
    "optimal": {"algorithm": "optimal"},
    "cells": {"recoding": "cells"},
    "local": {"recoding": "local"},
    "mondrian": {"algorithm": "mondrian"},
}
ORDERS = st.sampled_from(
    ({"order": "number"}, {"order": "number", "snap": 2}, {"order": "text"}, {})
)
UNITS = st.sampled_from(("day", "month", "year"))


def frame(rows):
    letters, numbers, days = zip(*rows, strict=True)
    return pa.table(
        {
            "letter": pa.array(letters, pa.string()),
            "number": pa.array(numbers, pa.int64()),
            "day": pa.array(days, pa.date32()),
        }
    )


def policy(k, order, unit):
    return {
        "version": 1,
        "source": "not.parquet",
        "entity": "row",
        "columns": {
            "letter": {"role": "quasi", "hierarchy": {"tree": TREE}},
            "number": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}, **order},
            "day": {
                "role": "quasi",
                "hierarchy": {"dates": ["month", "year"]},
                "order": "date",
                "snap": unit,
            },
        },
        "privacy": {"k": k},
        "suppression": "30%",
    }


def under(label, values, of_label):
    """The values of a column that a label stands for."""
    if label is None or str(label) in {str(each) for each in values if each is not None}:
        return {each for each in values if str(each) == str(label)}
    if label == "*":
        return set(values)
    if interval := INTERVAL.fullmatch(label):
        low, high, ends = interval.groups()
        kind = type(next(each for each in values if each is not None))
        read = dt.date.fromisoformat if kind is dt.date else kind
        low, high = read(low), read(high)
        return {
            each
            for each in values
            if each is not None and (low <= each < high or (each == high and ends == "]"))
        }
    return {each for each in values if each is not None and of_label(each, label)}


def place(value):
    return value.toordinal() if isinstance(value, dt.date) else value


def penalty(covered, values, kind):
    assert covered, "a label stands for no value of the source"
    if len(covered) == 1:
        return 0.0
    if kind is None:
        return len(covered) / len(values)
    if None in covered:
        return 1.0
    if kind == "text":
        return len(covered) / len(values)
    numbers = [place(each) for each in covered]
    every = [place(each) for each in values if each is not None]
    return (max(numbers) - min(numbers)) / (max(every) - min(every))


def loss(rows, released, kinds):
    """The mean over all cells; a row that is not released costs 1 in each."""
    of_label = (
        lambda value, label: GROUPS[value] == label,
        None,
        lambda value, label: str(value).startswith(label),
    )
    total = 3.0 * (len(rows) - len(released))
    for at, kind in enumerate(kinds):
        values = {row[at] for row in rows}
        total += sum(
            penalty(under(row[at], values, of_label[at]), values, kind) for row in released
        )
    return total / (3 * len(rows))


@pytest.mark.parametrize("among", [["optimal", "cells", "local"], ["mondrian"]])
@given(rows=ROWS, order=ORDERS, data=st.data())
@examples(20)
def test_the_loss_is_that_of_the_released_labels(among, rows, order, data):
    search = data.draw(st.sampled_from(among))
    stated = policy(data.draw(st.integers(2, 3)), order, data.draw(UNITS))
    if order.get("order") == "text" and search == "mondrian":
        stated["columns"]["number"].pop("order")
        order = {}
    (found,) = kanon_sql.compare(stated, frame(rows), algorithms=[search]).searches
    if found.plan is None:
        event("infeasible")
        assert found.ncp is None
        return
    event(search)
    release = kanon_sql.anonymize({**stated, "search": SEARCHES[search]}, frame(rows))
    released = [tuple(row.values()) for row in release.frame().to_pylist()]
    assert len(rows) - len(released) == found.plan.suppressed_rows
    wanted = loss(rows, released, (None, order.get("order"), "date"))
    assert found.ncp == pytest.approx(wanted, abs=1e-8)
    assert math.isfinite(found.ncp)
    assert 0 <= found.ncp <= 1
