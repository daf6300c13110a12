"""Regions where models are asked over several sets of quasi-identifiers: every class over each set, counted by Python."""

from __future__ import annotations

from collections import defaultdict

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mondrian import STRICT
from tiers import examples

import kanon_sql

TREE = {"*": {"low": ["a", "b"], "high": ["c", "d"]}}
COLUMNS = {
    "n": {"role": "quasi", "order": "number", "output": "bounds"},
    "m": {"role": "quasi", "order": "number"},
    "t": {"role": "quasi", "hierarchy": {"tree": TREE}},
    "who": {"role": "insensitive"},
    "s": {"role": "sensitive"},
}
SHOWN = {"n": ("n_low", "n_high"), "m": ("m",), "t": ("t",)}
ROWS = st.lists(
    st.tuples(
        st.integers(0, 6), st.none() | st.integers(0, 4), st.sampled_from("abcd"),
        st.integers(0, 25), st.sampled_from("xyz"),
    ),
    min_size=8,
    max_size=40,
)  # fmt: skip
OVER = st.lists(st.sampled_from("nmt"), min_size=1, max_size=2, unique=True).map(
    lambda names: sorted(names, key="nmt".index)
)
SEARCHES = [{}, {"choose": "loss"}, {"cuts": "relaxed"}]
KEYS = ("classes", "smallest_class", "smallest")


def counted(rows, names, entity, over):
    """Give the size and the different values of every class over some columns of a release."""
    at = [names.index(name) for column in over for name in SHOWN[column]]
    classes = defaultdict(list)
    for row in rows:
        classes[tuple(row[i] for i in at)].append(row)
    who, value = names.index("who"), names.index("s")
    return [
        (
            len({row[who] for row in each}) if entity else len(each),
            len({row[value] for row in each}),
        )
        for each in classes.values()
    ]


def put(connection, rows):
    connection.execute(
        "CREATE OR REPLACE TABLE rows (n INTEGER, m INTEGER, t TEXT, who INTEGER, s TEXT)"
    )
    connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", rows)


def policy(models, search, *, entity="row"):
    columns = (
        COLUMNS
        if entity == "row"
        else {**COLUMNS, "who": {"role": "insensitive", "linkable": "accept"}}
    )
    search = {**STRICT, **search}
    return {"version": 1, "entity": entity, "columns": columns, "privacy": models, "search": search}


@pytest.mark.parametrize("entity", ["row", "who"])
@examples(8)
@given(rows=ROWS, search=st.sampled_from(SEARCHES), k=st.integers(1, 3), one=OVER, other=OVER,
       more=st.integers(1, 6), least=st.integers(1, 2))  # fmt: skip
def test_every_class_over_each_set_fits(*, entity, rows, search, k, one, other, more, least):
    models = [
        {"k": k},
        {"k": more, "over": one},
        {"distinct_l": {"column": "s", "l": least}, "over": other},
    ]
    given = policy(models, search, entity=entity)
    with duckdb.connect() as connection:
        put(connection, rows)
        people = len({row[3] for row in rows}) if entity == "who" else len(rows)
        if people < max(k, more) or len({row[4] for row in rows}) < least:
            with pytest.raises(kanon_sql.InfeasibleError):
                kanon_sql.plan(given, "rows", connection=connection)
            return
        plan = kanon_sql.plan(given, "rows", connection=connection)
        with kanon_sql.apply(plan, "rows", policy=given, connection=connection) as made:
            released, names = made.relation.fetchall(), made.relation.columns
            verified = made.verification
    assert len(released) == len(rows)
    by_entity = entity == "who"
    assert min(size for size, _ in counted(released, names, by_entity, "nmt")) >= k
    asked = {tuple(one): [more, 1]}
    asked[tuple(other)] = [asked.get(tuple(other), [1])[0], least]
    # One value may be too much to ask: NULL is none.
    binding = {over for over in asked if over == tuple(other) or more > 1}
    assert {each.columns for each in plan.over} == binding
    assert set(verified.over) == set(asked)
    for figures in plan.over:
        size, different = asked[figures.columns]
        classes = counted(released, names, by_entity, figures.columns)
        assert min(found for found, _ in classes) >= size
        assert min(found for _, found in classes) >= different
        recounted = verified.over[figures.columns]
        for told in (figures, recounted):
            assert (told.classes, told.smallest_class) == (len(classes), min(classes)[0])
        assert recounted.passed


@examples(5)
@given(
    rows=ROWS,
    search=st.sampled_from(SEARCHES),
    k=st.integers(1, 4),
    over=OVER,
    less=st.integers(1, 4),
)
def test_what_all_columns_imply_of_some_changes_no_region(rows, search, k, over, less):
    """A class over some columns is a union of classes over all (the subset property)."""
    asked = ([{"k": k}], [{"k": k}, {"k": min(k, less), "over": over}])
    with duckdb.connect() as connection:
        put(connection, rows)
        alone, beside = (
            kanon_sql.plan(policy(models, search), "rows", connection=connection)
            for models in asked
        )
    assert alone.recoding == beside.recoding
    assert alone.classes == beside.classes
