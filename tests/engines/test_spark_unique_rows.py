"""Rows that are unique over all released columns, counted by hashes on Spark: in all rows, or in a part of them."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.base.sql.quoting import table
from kanon_sql.counting.source.exposed_rows import unique_rows
from kanon_sql.recoding import linked_rows

MANY = 4000
NAMES = ["ward", "cost", "day"]


def rows_of(kind):
    """Rows of which each has a twin, none has, or those of every third do; NULL and an empty text differ."""
    copies = {"twins": lambda _: 2, "alone": lambda _: 1, "some": lambda n: 1 + (n % 3 == 0)}[kind]
    distinct = [(None if n % 5 == 0 else "" if n % 5 == 1 else "w", n, n % 2) for n in range(MANY)]
    distinct += [(None, MANY, 0), ("", MANY, 0)]
    return [row for n, row in enumerate(distinct) for _ in range(copies(n))]


@pytest.mark.parametrize("kind", ["twins", "alone", "some"])
def test_a_row_that_is_unique_in_a_part_is_unique(spark, kind):
    rows, session = rows_of(kind), spark.connection
    columns = {name: list(each) for name, each in zip(NAMES, zip(*rows, strict=True), strict=True)}
    session.createDataFrame(pa.table(columns)).createOrReplaceTempView("released")
    expected = sum(count == 1 for count in Counter(rows).values())

    def counted(**options):
        statement = unique_rows(table("released"), NAMES, **options)
        frame = session.sql(statement.render("spark"))
        return tuple(frame.collect()[0]), frame._jdf.queryExecution().executedPlan().toString()

    for options in ({}, {"rows": len(rows)}):  # fmt: skip
        assert counted(**options)[0] == (len(rows), expected)
    (some, alone), plan = counted(parts=len(rows) // (MANY // 4))
    assert "Limit" not in plan, "all tasks would send rows to one"
    assert 0.5 * MANY / 4 < some < 1.5 * MANY / 4
    assert {"twins": alone == 0, "alone": alone == some, "some": 0 < alone < some}[kind]
    assert abs(alone / some - expected / len(rows)) < 0.1


def test_a_release_of_many_rows_counts_a_part_of_them(spark, monkeypatch):
    """Each row has a twin, so that none is unique; the first rows alone would say that nearly all are."""
    monkeypatch.setattr(linked_rows, "MOST_ROWS", MANY // 8)
    people = {
        "sex": ["f", "m"] * MANY,
        "cost": [n % MANY // 2 for n in range(2 * MANY)],
        "ward": [f"w{n % MANY // 2}" for n in range(2 * MANY)],
    }
    spark.put("people", pa.table(people))
    policy = {
        "version": 1,
        "source": "people",
        "entity": "row",
        "columns": {
            "sex": {"role": "quasi", "hierarchy": "suppress"},
            "cost": {"role": "insensitive"},
            "ward": {"role": "sensitive"},
        },
        "privacy": {"k": 5},
    }
    with kanon_sql.anonymize(policy, connection=spark.connection) as release:
        found = release.verification.unique_rows
    assert 0.5 * MANY / 8 < found.rows < 1.5 * MANY / 8
    assert found.unique == 0
