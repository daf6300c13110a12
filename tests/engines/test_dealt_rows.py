"""Rows that are dealt to regions which overlap: what a row is released as holds the values that it has."""

from __future__ import annotations

import random

import duckdb
import pytest

import kanon_sql

SEARCHES = {
    "one sort": {"algorithm": "order"},
    "runs": {"algorithm": "mondrian", "grouping": "order"},
    "relaxed": {"algorithm": "mondrian", "choose": "width", "grouping": "cuts", "cuts": "relaxed"},
}
COLUMNS = ("a", "b", "c")
ROWS = 600


def people(connection, numbers):
    """Few values a column, so that tuples repeat and are dealt; the first and the last of them, and NULL, are frequent."""
    draw = random.Random(7)
    rows = [
        (n, *(draw.choice([None, 0, most, draw.randint(0, most)]) for most in numbers))
        for n in range(ROWS)
    ]
    connection.execute("CREATE TABLE people (id INTEGER, a BIGINT, b BIGINT, c BIGINT)")
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows)


@pytest.mark.parametrize("numbers", [(2, 3, 4), (1, 1, 1)], ids=str)
@pytest.mark.parametrize("search", SEARCHES)
def test_every_row_lies_within_the_bounds_that_it_is_released_with(search, numbers):
    entry = {"role": "quasi", "order": "number", "output": "bounds"}
    policy = {
        "version": 1,
        "source": "people",
        "release": {"table": "released"},
        "entity": "row",
        "columns": {"id": {"role": "insensitive"}, **dict.fromkeys(COLUMNS, entry)},
        "privacy": {"k": 4},
        "search": SEARCHES[search],
    }
    with duckdb.connect() as connection:
        people(connection, numbers)
        kanon_sql.anonymize(policy, connection=connection)
        assert connection.execute("SELECT COUNT(DISTINCT id) FROM released").fetchone() == (ROWS,)
        for each in COLUMNS:
            outside = connection.execute(
                f"SELECT COUNT(*) FROM people AS p JOIN released AS r USING (id)"
                f" WHERE r.{each}_low IS NOT NULL"
                f" AND (p.{each} IS NULL OR p.{each} NOT BETWEEN r.{each}_low AND r.{each}_high)"
            ).fetchone()
            assert outside == (0,), each
            whole = connection.execute(
                f"SELECT COUNT(*) FROM released WHERE {each}_low IS NOT NULL"
            ).fetchone()
            assert whole[0] > ROWS / 3


@pytest.mark.parametrize("search", SEARCHES)
def test_every_row_lies_below_the_nodes_that_it_is_released_as(search):
    above = {"a": "one", "b": "one", "c": "two", "d": "two", "e": "three"}
    tree = {"*": {top: [leaf for leaf in above if above[leaf] == top] for top in above.values()}}
    entry = {"role": "quasi", "hierarchy": {"tree": tree}}
    policy = {
        "version": 1,
        "source": "people",
        "release": {"table": "released"},
        "entity": "row",
        "columns": {"id": {"role": "insensitive"}, "x": entry, "y": entry},
        "privacy": {"k": 4},
        "search": SEARCHES[search],
    }
    draw = random.Random(3)
    rows = [(n, draw.choice("aabcdee"), draw.choice("aabcdee")) for n in range(ROWS)]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people (id INTEGER, x VARCHAR, y VARCHAR)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
        kanon_sql.anonymize(policy, connection=connection)
        found = connection.execute("SELECT id, x, y FROM released").fetchall()
    released = {number: labels for number, *labels in found}
    assert len(released) == ROWS
    for number, *values in rows:
        for value, label in zip(values, released[number], strict=True):
            assert label in {value, above[value], "*"}
