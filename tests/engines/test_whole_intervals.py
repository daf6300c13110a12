"""Intervals of whole numbers, calculated without reading texts, are those of plain Python on every engine."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.base.sql.quoting import table
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.specs import IntervalHierarchy

MOST = 10**15 - 1
VALUES = [*range(-30, 61), MOST, -MOST, MOST + 1, -MOST - 1, 2**63 - 1, -(2**63), None]
KINDS = {
    "offset": IntervalHierarchy((Decimal(5), Decimal(20)), offset=Decimal(-3)),
    "bottom and top": IntervalHierarchy((Decimal(7),), bottom=Decimal(-10), top=Decimal(40)),
}


def interval(value, width, kind):
    """The label of a number, and its bounds, in exact arithmetic."""
    offset = int(kind.offset)
    bottom, top = (None if each is None else int(each) for each in (kind.bottom, kind.top))
    if value is None or abs(value) > MOST:
        return None, None, None
    if bottom is not None and value < bottom:
        return f"< {bottom}", None, bottom
    if top is not None and value >= top:
        return f">= {top}", top, None
    low = offset + (value - offset) // width * width
    high = low + width
    low, high = low if bottom is None else max(low, bottom), high if top is None else min(high, top)
    return f"[{low}, {high})", low, high


def expected(kind):
    return {
        (
            value,
            *(part for width in kind.widths for part in interval(value, int(width), kind)),
            None if value is not None and abs(value) > MOST else "*",
        )
        for value in VALUES
    }


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_intervals_of_whole_numbers_are_those_of_plain_python(place, kind):
    place.put("some_numbers", pa.table({"value": pa.array(VALUES, pa.int64())}))
    for whole in (True, False):
        made = mapping_sql.paths_by_rule(
            table("their_paths"), table("some_numbers"), kind, whole=whole
        )
        assert ("CASE WHEN value BETWEEN" in made.render(place.name)) is whole
        place.execute(made.render(place.name))
        found = {
            tuple(int(cell) if isinstance(cell, Decimal) else cell for cell in row)
            for row in place.read("their_paths")
        }
        place.execute(f"DROP {'VIEW' if place.name == 'spark' else 'TABLE'} their_paths")
        assert found == expected(kind)
    place.drop("some_numbers")


@pytest.mark.parametrize(
    ("kind", "widths", "whole"),
    [
        (pa.int32(), [5], True),
        (pa.int64(), [Decimal("0.5")], False),
        (pa.float64(), [5], False),
        (pa.string(), [5], False),
    ],
    ids=["whole numbers", "other bounds", "numbers", "texts"],
)
def test_texts_are_read_where_there_may_be_others_than_whole_numbers(
    monkeypatch, kind, widths, whole
):
    rendered = []

    def seen(*of, **how):
        made = paths_by_rule(*of, **how)
        rendered.append(made.render("duckdb"))
        return made

    paths_by_rule = mapping_sql.paths_by_rule
    monkeypatch.setattr(mapping_sql, "paths_by_rule", seen)
    policy = {
        "version": 1,
        "source": "rows",
        "entity": "row",
        "columns": {'a"ge': {"role": "quasi", "hierarchy": {"intervals": widths}}},
        "privacy": {"k": 2},
    }
    kanon_sql.plan(policy, pa.table({'a"ge': pa.array([1, 2, 3, 4], pa.int32()).cast(kind)}))
    (made,) = rendered
    assert ("CASE WHEN value BETWEEN" in made) is whole
