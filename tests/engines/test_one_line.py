"""Rows that are numbered in one line: by lot where a tuple lies in two runs, and never by what they were a moment ago."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import StalePlanError
from kanon_sql.recoding.multidimensional import assign_regions

ONE_SORT = {"algorithm": "order"}
BOUNDS = {"role": "quasi", "order": "number", "output": "bounds"}


def policy_of(columns, k, search=ONE_SORT):
    return {
        "version": 1,
        "source": "people_in_line",
        "release": {"table": "released_in_line"},
        "entity": "row",
        "columns": {"kanon_id": {"role": "insensitive"}, **columns},
        "privacy": {"k": k},
        "search": search,
    }


def released(connection, rows, columns, k):
    """What the rows of a table are released as, each after its number; rows have text or numbers."""
    kind = "VARCHAR" if isinstance(rows[0][0], str) else "BIGINT"
    named = ", ".join(f'"{each}" {kind}' for each in columns)
    connection.execute("DROP TABLE IF EXISTS people_in_line")
    connection.execute("DROP TABLE IF EXISTS released_in_line")
    connection.execute(f"CREATE TABLE people_in_line (kanon_id INTEGER, {named})")
    marks = ", ".join("?" for _ in columns)
    connection.executemany(
        f"INSERT INTO people_in_line VALUES (?, {marks})",
        [(n, *row) for n, row in enumerate(rows)],
    )
    kanon_sql.anonymize(policy_of(columns, k), connection=connection)
    return sorted(connection.execute("SELECT * FROM released_in_line").fetchall())


def test_rows_of_a_tuple_in_two_runs_are_dealt_by_lot():
    """Twelve rows of two tuples in three runs: two of six rows, at random, lie in the one between."""
    rows = [(value,) for value in (0, 1) for _ in range(6)]
    between = set()
    with duckdb.connect() as connection:
        for _ in range(10):
            found = released(connection, rows, {"x": BOUNDS}, 4)
            between.add(tuple(n for n, low, high in found if low < high))
            assert all(low <= n // 6 <= high for n, low, high in found)
    assert {len(each) for each in between} == {4}
    assert len(between) > 1


def test_values_far_apart_on_an_axis_are_numbered_one_by_one():
    """Leaves of a hierarchy have coordinates with gaps: taken for their numbers they would mix the halves of the line."""
    tree = {"*": {"p": ["a"], "q": ["b", "bb"], "r": ["c", "cc", "ccc", "cccc"]}}
    ends = {"x": {"role": "quasi", "hierarchy": {"tree": {"*": ["0", "1"]}}}}
    columns = {**ends, "y": {"role": "quasi", "hierarchy": {"tree": tree}}}
    rows = [(x, y) for x in "01" for y in ("a", "b", "cccc") for _ in range(2)]
    with duckdb.connect() as connection:
        found = released(connection, rows, columns, 3)
    assert [x for _, x, _ in found] == ["0"] * 6 + ["1"] * 6
    assert {y for *_, y in found} == {"*"}


def test_a_source_that_changes_before_it_is_staged_is_noticed(monkeypatch):
    """Rows have other numbers then, and their values would lie beyond what they are released with."""
    rows = [(n % 5, n % 7) for n in range(140)]
    staging = assign_regions.stage_regions

    def changed(run, *args, **kwargs):
        connection.execute("UPDATE people_in_line SET x = 4 WHERE x < 4 AND y > 0")
        return staging(run, *args, **kwargs)

    monkeypatch.setattr(assign_regions, "stage_regions", changed)
    with duckdb.connect() as connection, pytest.raises(StalePlanError):
        released(connection, rows, {"x": BOUNDS, "y": BOUNDS}, 4)


@pytest.mark.parametrize("names", [("key_0", "nth"), ("lot", "rank_0"), ("s", "carried_0")])
def test_columns_may_be_called_as_what_is_computed_of_a_line(names):
    rows = [(n % 3, n * n % 7) for n in range(60)]
    with duckdb.connect() as connection:
        found = released(connection, rows, dict.fromkeys(names, BOUNDS), 4)
    assert [n for n, *_ in found] == list(range(60))
    assert all(
        low <= own <= high
        for n, *bounds in found
        for own, low, high in zip(rows[n], bounds[::2], bounds[1::2], strict=True)
    )


def test_rows_lie_within_their_bounds_on_every_server(server):
    rows = [(n * n % 4, n * n % 11, n % 3) for n in range(300)]
    of = dict(zip("abc", zip(*rows, strict=True), strict=True))
    server.put("people_in_line", pa.table({"kanon_id": list(range(300)), **of}))
    policy = policy_of(dict.fromkeys("abc", BOUNDS), 4)
    kanon_sql.anonymize(policy, connection=server.connection)
    found = server.read("released_in_line")
    assert sorted(row[0] for row in found) == list(range(300))
    for n, *bounds in found:
        for own, low, high in zip(rows[n], bounds[::2], bounds[1::2], strict=True):
            assert low <= own <= high
