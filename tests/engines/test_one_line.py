"""Rows that are numbered in one line: by lot where a tuple lies in two runs, and never by what they were a moment ago."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import StalePlanError
from kanon_sql.recoding.multidimensional import assign_regions, mondrian, runs
from kanon_sql.recoding.planning import make_plan

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
    monkeypatch.setattr(mondrian, "sort_rows", lambda *_: None)
    with duckdb.connect() as connection, pytest.raises(StalePlanError):
        released(connection, rows, {"x": BOUNDS, "y": BOUNDS}, 4)


def test_rows_that_were_sorted_are_released_as_they_were_then(monkeypatch):
    """What a source becomes after its rows are sorted is not read: each row has its own bounds."""
    rows = [(n % 5, n % 7) for n in range(140)]
    staging = assign_regions.stage_regions

    def changed(run, *args, **kwargs):
        connection.execute("UPDATE people_in_line SET kanon_id = -1, x = 4 WHERE x < 4 AND y > 0")
        return staging(run, *args, **kwargs)

    monkeypatch.setattr(assign_regions, "stage_regions", changed)
    with duckdb.connect() as connection:
        found = released(connection, rows, {"x": BOUNDS, "y": BOUNDS}, 4)
    assert [n for n, *_ in found] == list(range(140))
    for n, *bounds in found:
        for own, low, high in zip(rows[n], bounds[::2], bounds[1::2], strict=True):
            assert low <= own <= high


@pytest.fixture
def ways(monkeypatch):
    """Record for each partition whether its rows were sorted, or its distinct tuples."""
    found = []
    sort = mondrian.sort_rows

    def recorded(request, space):
        made = sort(request, space)
        found.append("tuples" if made is None else "rows")
        return made

    monkeypatch.setattr(mondrian, "sort_rows", recorded)
    return found


SHAPES = {
    "each its own": ([(n * 7 % 60, n % 60) for n in range(61)], 4),
    "long tuples": ([(n // 40, n // 80) for n in range(200)], 7),
    "with NULL": ([(None if n % 4 == 0 else n % 6, n % 5) for n in range(90)], 3),
    "one tuple": ([(1, 1)] * 23, 5),
    "gaps": ([(n * n % 1000, n % 2) for n in range(77)], 2),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("began", [False, True])
def test_rows_are_cut_into_the_regions_of_their_tuples(ways, monkeypatch, shape, began):
    """A plan that sorts tuples is applied to sorted rows; its release is that of one run, but for who has which row."""
    rows, k = SHAPES[shape]
    columns = {name: {"role": "quasi", "order": "number"} for name in ("x", "y")}
    policy = policy_of({**columns, "d": {"role": "insensitive"}}, k)
    policy["columns"]["kanon_id"] = {"role": "identifying", "action": "drop"}
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people_in_line (kanon_id INT, x INT, y INT, d INT)")
        listed = [(n, *row, n % 3) for n, row in enumerate(rows)]
        connection.executemany("INSERT INTO people_in_line VALUES (?, ?, ?, ?)", listed)
        if began:  # rows that a transaction wrote are numbered otherwise
            connection.execute("BEGIN")
            connection.execute("CREATE TABLE of_the_transaction (x INT)")
        with monkeypatch.context() as of_tuples:
            of_tuples.setattr(runs, "_is_plain", lambda *_: False)
            planned = kanon_sql.plan(policy, connection=connection)
        assert ways == ["tuples"]
        kanon_sql.apply(planned, policy=policy, connection=connection)
        assert ways == ["tuples", "rows"]
        classes = "SELECT x, y, COUNT(*) FROM released_in_line GROUP BY x, y ORDER BY ALL"
        applied = connection.execute(classes).fetchall()
        connection.execute("DROP TABLE released_in_line")
        again = kanon_sql.anonymize(policy, connection=connection)
        assert ways == ["tuples", "rows", "rows"]
        assert connection.execute(classes).fetchall() == applied
        assert min(n for *_, n in applied) >= k
        for plan in (again.plan, kanon_sql.plan(policy, connection=connection)):
            assert plan.recoding.regions == planned.recoding.regions
            assert plan.figures == planned.figures
        assert ways == ["tuples", "rows", "rows", "rows"]
        ((sums,),) = connection.execute("SELECT SUM(d) FROM released_in_line").fetchall()
        assert sums == sum(n % 3 for n in range(len(rows)))


def test_a_plan_of_many_rows_sorts_tuples(ways, monkeypatch):
    """It stages no rows, so that there are none to sort with what is released of them."""
    monkeypatch.setattr(make_plan, "MOST_ROWS", 99)
    columns = {**policy_of({"x": BOUNDS}, 3)["columns"], "d": {"role": "insensitive"}}
    policy = policy_of(columns, 3)
    with duckdb.connect() as connection:
        for rows in (99, 100):
            made = f"SELECT range AS kanon_id, range % 9 AS x, range % 2 AS d FROM range({rows})"
            connection.execute(f"CREATE OR REPLACE TABLE people_in_line AS {made}")
            kanon_sql.plan(policy, connection=connection)
    assert ways == ["rows", "tuples"]


def test_masks_and_persons_take_the_way_of_tuples(ways, monkeypatch):
    monkeypatch.setenv("KEY_OF_LINE", "a key of more than sixteen letters")
    policy = policy_of({"x": BOUNDS}, 3)
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE people_in_line AS SELECT range // 2 AS kanon_id, range % 9 AS x FROM range(90)"
        )
        hashed = {"role": "identifying", "action": "hash", "key_env": "KEY_OF_LINE"}
        hashed["linkable"] = "accept"
        masked = {**policy, "columns": {**policy["columns"], "kanon_id": hashed}}
        of_people = {**policy, "entity": "kanon_id"}
        of_people["columns"] = {
            **policy["columns"],
            "kanon_id": {"role": "identifying", "action": "drop"},
        }
        for each in (masked, of_people):
            kanon_sql.anonymize(each, connection=connection)
            connection.execute("DROP TABLE released_in_line")
    assert set(ways) == {"tuples"}


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
