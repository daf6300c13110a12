"""PostgreSQL's frequency sets searched in this process: the same plans and releases, and codes and counts alone come."""

from __future__ import annotations

import csv
import re
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest
from people import people, policy_of_people, small_policy

import kanon_sql
from kanon_sql.engines.duckdb import session as spill
from kanon_sql.errors import MemoryLimitError

psycopg = pytest.importorskip("psycopg", reason="no driver: install kanon-sql[postgres]")


@pytest.fixture(scope="module")
def pg(postgres):
    place = postgres
    place.put("people_of_the_test", people(200))
    yield place
    place.drop("people_of_the_test")


@pytest.fixture
def session(pg):
    """Open a session that allows so many rows, or says nothing, as most do."""
    opened = []

    def get(rows=None):
        opened.append(psycopg.connect(pg.address, autocommit=True))
        if rows is not None:
            setting = "SELECT set_config('kanon.client_rows', %s, FALSE)"
            opened[-1].execute(setting, [str(rows)])
        return opened[-1]

    yield get
    for each in opened:
        left = "SELECT COUNT(*) FROM pg_class WHERE relpersistence = 't' AND relkind IN ('r', 'v')"
        assert each.execute(left).fetchone() == (0,)
        each.close()


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", "a key of the test that is long enough to be one")


def small(**changes):
    given = small_policy(entity="row", suppression="4%", **changes)
    given["columns"]["born"] = {"role": "quasi", "hierarchy": {"dates": ["year", "century"]}}
    return given


CASES = {
    "optimal": small(search={"algorithm": "optimal"}),
    "entropy": small(search={"metric": "entropy"}),
    "incognito": small(search={"algorithm": "incognito"}),
    "flash": small(search={"algorithm": "flash"}),
    "k": {**policy_of_people(), "entity": "row", "privacy": {"k": 3}},
    "people": policy_of_people(),
    "several nodes": small(search={"recoding": "local"}),
    "cells": small(search={"recoding": "cells"}, privacy={"k": 3}),
    "several sets": small(privacy=[{"k": 2}, {"k": 4, "over": ["age", "member"]}]),
    "weighed": small(privacy=[{"k": 3}, {"t_closeness": {"column": "disease", "t": 0.6}}]),
    "NULL is any": small(nulls="wildcard", privacy={"k": 3}),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CASES)
def test_the_same_plan_and_release_wherever_it_is_searched(pg, session, name):
    policy = CASES[name]
    there, here = session(0), session()
    first, second = (kanon_sql.plan(policy, connection=each) for each in (there, here))
    assert second.to_yaml() == first.to_yaml()
    assert second.checks == first.checks
    released = []
    for connection in (there, here):
        release = f"released {name}"
        kanon_sql.anonymize(policy, connection=connection, release=release)
        released.append(Counter(map(str, pg.read(release))))
        pg.drop(release)
    assert released[0] == released[1]


def noted(monkeypatch):
    """Note the steps that the server is asked for."""
    from kanon_sql.engines.postgres.engine import Postgres

    asked, own = Counter(), Postgres._run

    def noting(self, ready, params):
        asked[ready.step, ready.on_driver] += 1
        return own(self, ready, params)

    monkeypatch.setattr(Postgres, "_run", noting)
    return asked


@pytest.mark.parametrize(
    ("rows", "most", "here"),
    [
        (None, 10_000_000, True),
        (None, 3, False),
        ("", 10_000_000, True),
        ("", 3, False),
        (0, 10_000_000, False),
        (3, 10_000_000, False),
        (10_000, 3, True),
    ],
    ids=str,
)
def test_a_set_is_searched_here_where_it_fits_the_bound_or_what_the_session_says(
    session, monkeypatch, rows, most, here
):
    """A session whose setting was reset has an empty text."""
    monkeypatch.setattr("kanon_sql.engines.tables_here.MOST_ROWS", most)
    asked = noted(monkeypatch)
    plan = kanon_sql.plan(CASES["optimal"], connection=session(rows))
    assert bool(asked["check", True]) is here
    assert bool(asked["check", False]) is not here
    assert any("searched by DuckDB in this process" in each for each in plan.remarks) is here


def test_the_bound_is_the_one_that_the_pages_name():
    from kanon_sql.engines.tables_here import MEMORY, MOST_ROWS

    pages = Path(__file__).parents[2] / "docs" / "guides"
    for name in ("postgres", "spark"):
        text = " ".join((pages / f"{name}.md").read_text(encoding="utf-8").split())
        assert f"{MOST_ROWS:,}" in text, name
        assert MEMORY.replace("GB", " GB") in text, name


COUNTERS = (
    "attribute", "word", "first_bit", "code", "least_rows", "rows_in_table", "rows_of_table", "values_of_table",
)  # fmt: skip
"""The columns of the table of packed counters: which bits of which word count which code."""


@pytest.mark.parametrize("name", ["optimal", "several sets", "weighed", "cells"])
def test_codes_and_counts_come_and_nothing_else(pg, session, monkeypatch, name):
    """Whole numbers in columns of keys, codes and counts, in a folder that `clean` knows and no run leaves."""
    from kanon_sql.engines.tables_here import ClientTables

    came, take = [], ClientTables.take

    def noting(self, table, columns, path):
        folder = Path(path).parent
        assert spill.clear(folder, dry_run=True) is spill.RunState.ALIVE
        assert spill.NAMED.fullmatch(folder.name)
        with Path(path).open(newline="", encoding="utf-8") as file:
            came.append(([each.name for each in columns], list(csv.reader(file)), folder))
        take(self, table, columns, path)

    monkeypatch.setattr(ClientTables, "take", noting)
    kanon_sql.anonymize(CASES[name], connection=session(), release="released")
    pg.drop("released")
    assert came
    for names, rows, folder in came:
        known = ("key_", "sensitive_", "row_count", "item", "mask_", "leaves", *COUNTERS)
        assert [each for each in names if not each.startswith(known)] == []
        assert all(re.fullmatch(r"-?\d+|", cell) for row in rows for cell in row), names
        assert not folder.exists()


NO_ROOM = {
    "no folder": True,
    "a full disk": Path("/dev/full").exists(),
    "no memory": True,
}


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("no_room", NO_ROOM)
def test_a_machine_without_room_leaves_the_set_on_the_server(
    session, monkeypatch, tmp_path, no_room
):
    """No folder, a disk that is full in the middle of the copy, or no memory: the run's transaction goes on."""
    from kanon_sql.engines.postgres import engine
    from kanon_sql.engines.tables_here import ClientTables

    if not NO_ROOM[no_room]:
        pytest.skip("no device that is always full")
    first = kanon_sql.plan(MANY, connection=session(0))
    if no_room == "no folder":
        monkeypatch.setattr(spill, "default_parent", lambda: tmp_path / "nothing")
    elif no_room == "a full disk":
        (tmp_path / "codes.csv").symlink_to("/dev/full")
        monkeypatch.setattr(engine, "spill_folder", lambda _: nullcontext(str(tmp_path)))
    else:
        monkeypatch.setattr(ClientTables, "take", _out_of_memory)
    asked = noted(monkeypatch)
    second = kanon_sql.plan(MANY, connection=session())
    assert second.to_yaml() == first.to_yaml()
    assert second.remarks == ()
    assert {there for step, there in asked if step == "check"} == {False}


@pytest.fixture
def many(pg):
    """Put a table whose tuples are more than what is buffered of a copy."""
    made = "CREATE TABLE many_people AS SELECT n AS person, n % 7 AS day FROM generate_series(1, 30000) AS n"
    pg.execute(made)
    yield
    pg.drop("many_people")


MANY = {
    "version": 1,
    "source": "many_people",
    "entity": "row",
    "columns": {
        "person": {"role": "quasi", "hierarchy": {"intervals": [100, 1000]}},
        "day": {"role": "quasi", "hierarchy": "suppress"},
    },
    "privacy": {"k": 5},
}


def _out_of_memory(*_):
    raise MemoryLimitError("take", "there is none")


def test_a_search_here_without_memory_says_how_to_leave_it_to_the_server(session, monkeypatch):
    from kanon_sql.engines.duckdb.engine import DuckDB

    own = DuckDB._run

    def full(self, ready, params):
        return _out_of_memory() if ready.step == "check" else own(self, ready, params)

    monkeypatch.setattr(DuckDB, "_run", full)
    with pytest.raises(
        MemoryLimitError, match=r"may use 2GB.*kanon\.client_rows = 0 leaves all on the server"
    ):
        kanon_sql.plan(CASES["optimal"], connection=session())


def test_the_people_of_a_set_stay_on_the_server(session, monkeypatch):
    asked = noted(monkeypatch)
    kanon_sql.plan(CASES["people"], connection=session())
    assert {there for step, there in asked if step == "check"} == {False}


def test_scratch_tables_in_a_schema_stay_there(session, monkeypatch):
    asked = noted(monkeypatch)
    settings = kanon_sql.Settings(scratch_schema="public")
    kanon_sql.plan(CASES["optimal"], connection=session(), settings=settings)
    assert {there for step, there in asked if step == "check"} == {False}


@pytest.mark.parametrize("text", ["many", "-1", "1e6"])
def test_what_is_no_number_of_rows_is_refused(session, text):
    with pytest.raises(
        kanon_sql.InputError, match=r"kanon\.client_rows: must be a whole number"
    ) as caught:
        kanon_sql.plan(CASES["optimal"], connection=session(text))
    assert text not in str(caught.value)
