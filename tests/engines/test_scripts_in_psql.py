"""Scripts for PostgreSQL run in psql to the rows of `apply`, and fail closed there."""

from __future__ import annotations

import pyarrow as pa
import pytest
from people import SHRINKS, SHRUNK, people, policy_of_people, shown, shrinking, small_policy
from shells import psql

import kanon_sql
from kanon_sql.errors import InputError

DROPPED = {"na me": {"role": "identifying", "action": "drop"}}
NULLED = {"na me": {"role": "identifying", "action": "null"}}
SEVERAL = [{"k": 3}, {"k": 8, "over": ["age", "member"]}]


def policy_with(columns=None, **changes):
    policy = policy_of_people()
    return {**policy, "columns": {**policy["columns"], **DROPPED, **(columns or {})}, **changes}


POLICIES = {
    "every kind": policy_with(),
    "labels": policy_with({"age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}}, **NULLED}, entity="row"),
    "query": policy_with({"member": {"role": "quasi", "hierarchy": {
        "query": "SELECT * FROM (VALUES ('true', '*'), ('false', '*')) AS h(v, a)"}}}),
    "where": policy_with(source={"table": "people_of_the_test", "where": "age < 60 AND member"}),
    "several sets": small_policy(privacy=SEVERAL, suppression="60%", search={"metric": "height"}),
    "local": small_policy(suppression="60%", search={"recoding": "local", "metric": "height"}),
    "cells": small_policy(suppression="60%", search={"recoding": "cells", "metric": "height"}),
    "datafly": small_policy(entity="row", privacy={"k": 4}, suppression="60%", search={"algorithm": "datafly"}),
    "blanks": small_policy(entity="row", privacy={"k": 5}, suppression="60%",
                           search={"algorithm": "mu_argus", "repair": "records"}),
}  # fmt: skip


@pytest.fixture
def server(postgres):
    """The server with the people on it, and nothing else afterwards."""
    place = postgres
    place.put("people_of_the_test", people())
    yield place
    for name in ("people_of_the_test", "made", "applied"):
        place.drop(name)


def left(place):
    """What stands in the database; the tables of a session that just ended may be about to go."""
    text = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
    return [name for (name,) in place.connection.execute(text.encode())]


def planned(place, policy):
    return kanon_sql.plan(policy, connection=place.connection)


def script_of(place, policy, plan, **changes):
    given = {"release": "made", "connection": place.connection, **changes}
    return kanon_sql.compile_sql(plan, policy=policy, **given)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_the_script_gives_the_rows_of_apply(server, tmp_path, policy):
    plan = planned(server, policy)
    kanon_sql.apply(plan, policy=policy, connection=server.connection, release="applied")
    ran = psql(script_of(server, policy, plan), server.address, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert server.names("made") == server.names("applied")
    assert shown(server.read("made")) == shown(server.read("applied"))
    assert left(server) == ["applied", "made", "people_of_the_test"]


def more(place, **values):
    """A row more than the plan knows."""
    names = list(values)
    columns = ", ".join(f'"{name}"' for name in names)
    marks = ", ".join(["%s"] * len(names))
    text = f"INSERT INTO people_of_the_test ({columns}) VALUES ({marks})"
    place.connection.execute(text.encode(), list(values.values()))


def test_more_suppression_than_the_policy_allows_is_not_published(server, tmp_path):
    policy = small_policy(suppression=0)
    plan = planned(server, policy)
    more(server, who=9000, age=7, member=True, disease="canary")
    ran = psql(script_of(server, policy, plan), server.address, tmp_path)
    assert ran.returncode != 0
    assert "more rows would be suppressed" in ran.stderr
    assert "canary" not in ran.stdout + ran.stderr
    assert left(server) == ["people_of_the_test"]


def test_a_share_of_suppression_is_one_of_the_rows_that_there_are(server, tmp_path):
    server.drop("people_of_the_test")
    server.put("people_of_the_test", shrinking())
    plan = planned(server, SHRINKS)
    script = script_of(server, SHRINKS, plan)
    server.connection.execute(SHRUNK.encode())
    ran = psql(script, server.address, tmp_path)
    assert ran.returncode != 0
    assert "more rows would be suppressed" in ran.stderr
    assert left(server) == ["people_of_the_test"]


def test_a_script_that_forgot_to_suppress_is_stopped_by_its_recount(server, tmp_path):
    policy = small_policy(suppression=0)
    plan = planned(server, policy)
    script = script_of(server, policy, plan)
    forgot = script.replace('COUNT(DISTINCT "s"."who") >= 3', 'COUNT(DISTINCT "s"."who") >= 1')
    assert forgot != script
    alike = forgot.replace(
        'COUNT(DISTINCT "s"."disease") >= 2', 'COUNT(DISTINCT "s"."disease") >= 0'
    )
    assert alike != forgot
    more(server, who=9000, age=99, member=True, disease="canary")
    ran = psql(alike, server.address, tmp_path)
    assert ran.returncode != 0
    assert "fail their recount" in ran.stderr
    assert left(server) == ["people_of_the_test"]


def test_a_value_without_an_entry_is_not_published(server, tmp_path):
    member = {"role": "quasi", "hierarchy": {"tree": {"*": ["true", "false"]}}}
    base = small_policy(suppression="60%")
    policy = {**base, "columns": {**base["columns"], "member": member}, "nulls": "category"}
    group = {
        "role": "quasi",
        "hierarchy": {
            "tree": {"*": ["a'b", 'c"d', "naïve 😀", "x;y", "${x}", "%s \\n", "", "new"]}
        },
    }
    policy["columns"] = {**policy["columns"], "group": group}
    plan = planned(server, policy)
    script = script_of(server, policy, plan)
    more(server, who=1, group="canary", age=21, member=True)
    ran = psql(script, server.address, tmp_path)
    assert ran.returncode != 0
    assert "the plan's recoding does not assign" in ran.stderr
    assert "canary" not in ran.stdout + ran.stderr
    assert left(server) == ["people_of_the_test"]


def test_a_table_that_is_there_is_not_replaced(server, tmp_path):
    policy = small_policy()
    script = script_of(server, policy, planned(server, policy))
    server.connection.execute("CREATE TABLE made (x TEXT)")
    assert psql(script, server.address, tmp_path).returncode != 0
    assert server.names("made") == ["x"]


def test_without_stopping_at_errors_nothing_is_published_either(server, tmp_path):
    policy = small_policy(suppression=0)
    script = script_of(server, policy, planned(server, policy))
    more(server, who=9000, age=99)
    psql(f"\\set ON_ERROR_STOP off\n{script}", server.address, tmp_path)
    assert left(server) == ["people_of_the_test"]


HOSTILE = "na\"me; --\n$$ \\ '{{ x }} %s 😀"
ELSEWHERE = pa.table(
    {
        HOSTILE: ["it's", 'a"b', "c\\d", "${x}", None, "e;--"] * 6,
        "place": ["DE", "FR", "JP"] * 12,
        "born": [f"19{60 + i % 20}-0{1 + i % 9}-11" for i in range(36)],
        "n": [str(i) for i in range(36)],
    }
)
OF_ELSEWHERE = {
    "version": 1,
    "entity": "row",
    "columns": {
        HOSTILE: {"role": "quasi", "hierarchy": {"tree": {"*": {"q'": ["it's", 'a"b', "c\\d"], "r": ["${x}", "e;--"]}}}},
        "place": {"role": "quasi", "hierarchy": {"csv": "places.csv"}},
        "born": {"role": "quasi", "hierarchy": {"dates": ["month", "decade"]}},
        "n": {"role": "insensitive"},
    },
    "privacy": {"k": 2},
    "suppression": "40%",
    "search": {"metric": "height"},
}  # fmt: skip


@pytest.fixture
def elsewhere(places, postgres, tmp_path, monkeypatch):
    """A plan of DuckDB's, of a table that PostgreSQL has too: its rows there, and who has it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "places.csv").write_text("DE;Europe;*\nFR;Europe;*\nJP;Asia;*\nUS;America;*\n")
    place = postgres
    place.put("people_there", ELSEWHERE)
    duck = places("duckdb")
    duck.put("people_here", ELSEWHERE)
    plan = kanon_sql.plan(OF_ELSEWHERE, "people_here", connection=duck.connection)
    with kanon_sql.apply(
        plan, policy=OF_ELSEWHERE, source="people_here", connection=duck.connection
    ) as release:
        wanted = shown(release.relation.fetchall())
    yield place, duck, plan, wanted
    duck.drop("people_here")
    for name in ("people_there", "made", "kanon_hierarchy_entries_1", "kanon_hierarchy_entries_2"):
        place.drop(name)


def test_a_plan_of_another_database_is_written_for_psql(elsewhere, tmp_path):
    place, duck, plan, wanted = elsewhere
    script = kanon_sql.compile_sql(
        plan, "people_here", policy=OF_ELSEWHERE, connection=duck.connection,
        dialect="postgres", table="people_there", release="made",
    )  # fmt: skip
    ran = psql(script, place.address, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert shown(place.read("made")) == wanted


def test_hierarchies_may_be_loaded_into_tables_that_the_script_names(elsewhere, tmp_path):
    place, duck, plan, wanted = elsewhere
    script = kanon_sql.compile_sql(
        plan, "people_here", policy=OF_ELSEWHERE, connection=duck.connection,
        dialect="postgres", table="people_there", release="made", hierarchies="tables",
    )  # fmt: skip
    made = [
        line.removeprefix("-- ") for line in script.splitlines() if line.startswith("-- CREATE")
    ]
    assert len(made) == 2
    for statement in made:
        place.connection.execute(statement.encode())
    entries = [["it's", "q'"], ['a"b', "q'"], ["c\\d", "q'"], ["${x}", "r"], ["e;--", "r"]]
    for value, label in entries:
        place.connection.execute(
            b"INSERT INTO kanon_hierarchy_entries_1 VALUES (%s, %s, '*')", [value, label]
        )
    assert "Europe" not in script
    ran = psql(script, place.address, tmp_path)
    assert ran.returncode != 0  # the other one is empty still
    assert "made" not in left(place)
    for line in (tmp_path / "places.csv").read_text().splitlines():
        place.connection.execute(
            b"INSERT INTO kanon_hierarchy_entries_2 VALUES (%s, %s, %s)", line.split(";")
        )
    ran = psql(script, place.address, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert shown(place.read("made")) == wanted


@pytest.mark.parametrize(
    ("columns", "changes", "told"),
    [
        ({"n": {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}}, {}, "key of a pseudonym"),
        ({}, {"release": None}, "--release NAME"),
        ({"n": {"role": "insensitive"}}, {"dialect": "nix"}, "no dialect"),
        ({}, {"hierarchies": "somewhere"}, "inline or tables"),
    ],
)  # fmt: skip
def test_what_cannot_be_said_is_refused(elsewhere, with_key, columns, changes, told):
    _, duck, _, _ = elsewhere
    policy = {
        **OF_ELSEWHERE,
        "columns": {**OF_ELSEWHERE["columns"], **columns},
        "release": "out.parquet",
    }
    plan = kanon_sql.plan(policy, "people_here", connection=duck.connection)
    given = {"dialect": "postgres", "table": "people_there", "release": "made", **changes}
    with pytest.raises(InputError, match=told):
        kanon_sql.compile_sql(
            plan, "people_here", policy=policy, connection=duck.connection, **given
        )
