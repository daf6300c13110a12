"""PostgreSQL's frequency sets searched in this process: the same plans and releases, and only where a session says so."""

from __future__ import annotations

from collections import Counter

import pytest
from people import people, policy_of_people, small_policy

import kanon_sql

psycopg = pytest.importorskip("psycopg", reason="no driver: install kanon-sql[postgres]")
MOST = 5_000_000


@pytest.fixture(scope="module")
def pg(postgres):
    place = postgres
    place.put("people_of_the_test", people(200))
    yield place
    place.drop("people_of_the_test")


@pytest.fixture
def session(pg):
    """Open a session that allows so many rows, or says nothing."""
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
    there, here = session(), session(MOST)
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
    ("rows", "here"), [(None, False), (0, False), (3, False), (MOST, True)], ids=str
)
def test_a_set_is_searched_here_where_it_fits_what_the_session_allows(
    session, monkeypatch, rows, here
):
    asked = noted(monkeypatch)
    plan = kanon_sql.plan(CASES["optimal"], connection=session(rows))
    assert bool(asked["check", True]) is here
    assert bool(asked["check", False]) is not here
    assert any("searched by DuckDB in this process" in each for each in plan.remarks) is here


def test_the_people_of_a_set_stay_on_the_server(session, monkeypatch):
    asked = noted(monkeypatch)
    kanon_sql.plan(CASES["people"], connection=session(MOST))
    assert {there for step, there in asked if step == "check"} == {False}


def test_scratch_tables_in_a_schema_stay_there(session, monkeypatch):
    asked = noted(monkeypatch)
    settings = kanon_sql.Settings(scratch_schema="public")
    kanon_sql.plan(CASES["optimal"], connection=session(MOST), settings=settings)
    assert {there for step, there in asked if step == "check"} == {False}


@pytest.mark.parametrize("text", ["many", "-1", "1e6"])
def test_what_is_no_number_of_rows_is_refused(session, text):
    with pytest.raises(
        kanon_sql.InputError, match=r"kanon\.client_rows: must be a whole number"
    ) as caught:
        kanon_sql.plan(CASES["optimal"], connection=session(text))
    assert text not in str(caught.value)
