"""Schemas that users of subsetting tools reported as faults: keys to tables that are left out, two keys of one table, side branches."""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter

import duckdb
import pytest
from hospitals import KEY, KEY_ENV, assert_keys_valid, below_k, pseudonym, released

from kanon_sql.apps.schema.release_schema import apply_schema

SEX = {"role": "quasi", "hierarchy": "suppress"}
PERSON = {"columns": {"sex": SEX}, "privacy": {"k": 5}}
KEPT = {"role": "insensitive"}


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)


@pytest.fixture
def app(postgres):
    """A schema with persons and what a test adds; it is dropped with its release afterwards."""
    postgres.execute(
        """CREATE SCHEMA app;
        CREATE TABLE app.person (id int PRIMARY KEY, sex text, "homeTown" text, other uuid UNIQUE);
        INSERT INTO app.person SELECT i, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END, 'town ' || i % 4,
          CASE WHEN i % 10 NOT IN (7, 8) THEN md5(i::text)::uuid END
          FROM generate_series(0, 99) AS i"""
    )
    yield postgres
    postgres.execute("DROP SCHEMA IF EXISTS app CASCADE; DROP SCHEMA IF EXISTS anon CASCADE")


def key(*columns):
    return {"key_env": KEY_ENV, "columns": [f"app.{each}" for each in columns]}


def unguarded(*kept):
    return {"of": "person", "protect": "none", "columns": dict.fromkeys(kept, KEPT)}


def person(**columns):
    dropped = {"role": "identifying", "action": "drop"}
    more = {"homeTown": dropped, "other": dropped, **columns}
    return {"entity": "person", **PERSON, "columns": {"sex": SEX, **more}}


def release(app, keys, tables, **more):
    given = {"version": 2, "keys": keys, "tables": {f"app.{n}": t for n, t in tables.items()}}
    published = apply_schema(
        policy={**given, "release": {"schema": "anon"}, **more}, connection=app.connection
    ).published
    return published, released(app.execute, "anon", list(tables))


def test_orders_that_name_their_first_order_are_subset(app):
    app.execute(
        """CREATE TABLE app."order" (id int PRIMARY KEY, person int REFERENCES app.person, first int REFERENCES app."order");
        INSERT INTO app."order" SELECT i, i % 100, CASE WHEN i >= 100 THEN i - 100 END FROM generate_series(0, 299) AS i"""
    )
    keys = {"person": key("person.id", "order.person"), "order": key("order.id", "order.first")}
    published, found = release(
        app, keys, {"person": person(), "order": unguarded()}, subset={"app.person": "id < 40"}
    )
    assert len(published.created) == 2
    assert len(found["order"]) == 120
    assert_keys_valid(
        found, [("order", "first", "order", "id"), ("order", "person", "person", "id")]
    )
    assert sum(row["first"] is None for row in found["order"]) == 40


def test_keys_to_a_table_that_is_left_out_need_no_account(app):
    app.execute(
        """CREATE TABLE app.account (id int PRIMARY KEY, login text, parent int REFERENCES app.account);
        INSERT INTO app.account SELECT i, 'login ' || i, i / 2 FROM generate_series(0, 9) AS i;
        CREATE TABLE app.entry (person int REFERENCES app.person, "createdBy" int REFERENCES app.account, n int);
        INSERT INTO app.entry SELECT i % 100, i % 10, i FROM generate_series(0, 199) AS i"""
    )
    keys = {"person": key("person.id", "entry.person")}
    entry = unguarded("n")
    dropped = {
        **entry,
        "columns": {**entry["columns"], "createdBy": {"role": "identifying", "action": "null"}},
    }
    published, found = release(app, keys, {"person": person(), "entry": dropped})
    assert len(published.created) == 1
    assert {row["createdBy"] for row in found["entry"]} == {None}


def test_foods_that_a_meal_names_come_with_their_translations(app):
    app.execute(
        """CREATE TABLE app.food (id int PRIMARY KEY);
        CREATE TABLE app.food_text (food int PRIMARY KEY REFERENCES app.food, label text);
        CREATE TABLE app.meal (id int PRIMARY KEY, person int REFERENCES app.person);
        CREATE TABLE app.meal_food (meal int REFERENCES app.meal, food int REFERENCES app.food, PRIMARY KEY (meal, food));
        INSERT INTO app.food SELECT i FROM generate_series(0, 49) AS i;
        INSERT INTO app.food_text SELECT i, 'food ' || i FROM generate_series(0, 49) AS i;
        INSERT INTO app.meal SELECT i, i % 100 FROM generate_series(0, 199) AS i;
        INSERT INTO app.meal_food SELECT i, i % 50 FROM generate_series(0, 199) AS i"""
    )
    keys = {
        "person": key("person.id", "meal.person"),
        "meal": key("meal.id", "meal_food.meal"),
        "food": key("food.id", "food_text.food", "meal_food.food"),
    }
    tables = {
        "person": person(),
        "meal": unguarded(),
        "meal_food": unguarded(),
        "food": {"copy": True},
        "food_text": {"copy": True},
    }
    published, found = release(app, keys, tables, subset={"app.person": "id < 20"})
    assert not published.not_created
    assert len(found["meal"]) == 40
    named = {row["food"] for row in found["meal_food"]}
    assert named == {pseudonym(each, "food") for each in range(20)}
    assert (
        named <= {row["food"] for row in found["food_text"]} <= {row["id"] for row in found["food"]}
    )


TWO = """
CREATE TABLE {at}one (person int, n int, FOREIGN KEY (person) REFERENCES {at}person (id));
CREATE TABLE {at}two (person uuid, n int, town text, FOREIGN KEY (person) REFERENCES {at}person (other));
INSERT INTO {at}one SELECT i % 100, i % 3 FROM generate_series(0, 149) AS t (i);
INSERT INTO {at}two SELECT CAST(md5(CAST(i * i % 100 AS text)) AS uuid), i % 2, 'town ' || i % 4 FROM generate_series(0, 199) AS t (i);
"""


@pytest.mark.parametrize("first", ["person", "other"])
def test_people_are_found_by_another_key_of_their_own(app, first):
    """The rows that name people by their other key are theirs: subset with them, and counted over the join."""
    app.execute(TWO.format(at="app."))
    check_two_keys(first, "app.", connection=app.connection, execute=app.execute)


def test_people_are_found_by_another_key_of_their_own_on_duckdb():
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE person (id int PRIMARY KEY, sex text, "homeTown" text, other uuid UNIQUE);
            INSERT INTO person SELECT i, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END, 'town ' || i % 4,
                CASE WHEN i % 10 NOT IN (7, 8) THEN CAST(md5(CAST(i AS text)) AS uuid) END
              FROM generate_series(0, 99) AS t (i)"""
        )
        connection.execute(TWO.format(at=""))
        check_two_keys("other", "", connection=connection, execute=connection.execute)
        check_counted_rows(connection)


def check_counted_rows(connection):
    """Rows that name people by their other key are folded into these people."""
    keys = {"other": ["person.other", "two.person"], "person": ["person.id"]}
    given = {
        "version": 2,
        "keys": {name: {"key_env": KEY_ENV, "columns": each} for name, each in keys.items()},
        "tables": {
            "person": {**person(), "columns": {"sex": SEX, "homeTown": {"role": "sensitive"}}},
            "two": {
                "of": "person",
                "protect": "summary",
                "into": {"rows": {"count": True, "top": 5}},
            },
        },
        "release": {"schema": "folded"},
    }
    apply_schema(policy=given, connection=connection)
    found = released(connection.execute, "folded", ["person"])["person"]
    many = Counter(i * i % 100 for i in range(200))
    assert {row["id"]: str(row["rows"]) for row in found} == {
        pseudonym(each, "person"): str(min(many[each], 5)) for each in range(100)
    }


def check_two_keys(first, at, *, connection, execute):
    keys = {
        "person": [f"{at}person.id", f"{at}one.person"],
        "other": [f"{at}person.other", f"{at}two.person"],
    }
    own = {"sex": SEX, "homeTown": {"role": "sensitive"}}
    given = {
        "version": 2,
        "keys": {
            name: {"key_env": KEY_ENV, "columns": keys[name]}
            for name in sorted(keys, key=lambda each: each != first)
        },
        "tables": {
            f"{at}person": {"entity": "person", **PERSON, "columns": own},
            f"{at}one": unguarded("n"),
            f"{at}two": unguarded("n", "town"),
        },
        "subset": {f"{at}person": "id < 60"},
        "release": {"schema": "anon"},
    }
    released_ = apply_schema(policy=given, connection=connection)
    found = released(execute, "anon", ["person", "one", "two"])
    named = [each for i in range(200) if (each := i * i % 100) < 60]
    assert Counter(row["person"] for row in found["two"]) == Counter(
        pseudonym(uuid.UUID(hashlib.md5(str(each).encode()).hexdigest()), "other") for each in named
    )
    assert len(found["one"]) == sum(i % 100 < 60 for i in range(150))
    assert len(released_.published.created) == 2
    id_of = {row["other"]: row["id"] for row in found["person"]}
    rows = [
        [(row["person"], (row["n"],)) for row in found["one"]],
        [(id_of[row["person"]], (row["n"], row["town"])) for row in found["two"]],
    ]
    (joined,) = released_.plan.joined
    below, fewest = below_k(found["person"], "id", ["sex"], rows, 5)
    assert (joined.people, joined.below, joined.fewest) == (60, below, fewest)
    assert 0 < below < 60


def test_two_releases_under_two_keys_share_no_pseudonym(app, monkeypatch):
    app.execute(
        "CREATE TABLE app.visit AS SELECT i % 100 AS person, i AS n FROM generate_series(0, 199) AS i"
    )
    keys = {"person": key("person.id", "visit.person")}
    tables = {"person": person(), "visit": unguarded("n")}
    _, first = release(app, keys, tables)
    monkeypatch.setenv(KEY_ENV, KEY[::-1])
    release(app, keys, tables, release={"schema": "anon two"})
    other = released(app.execute, "anon two", ["person"])
    assert not {row["id"] for row in first["person"]} & {row["id"] for row in other["person"]}
    app.execute('DROP SCHEMA "anon two" CASCADE')


def test_a_column_in_camel_case_is_masked(app):
    keys = {"person": key("person.id")}
    masked = {"role": "identifying", "action": "partial", "first": 1}
    _, found = release(app, keys, {"person": person(homeTown=masked)})
    assert {row["homeTown"] for row in found["person"]} == {"t****"}


def test_a_subset_by_rows_of_a_child(app):
    app.execute(
        """CREATE TABLE app.address (person int REFERENCES app.person, zip int);
        INSERT INTO app.address SELECT i % 100, i % 7 FROM generate_series(0, 199) AS i"""
    )
    keys = {"person": key("person.id", "address.person")}
    _, found = release(
        app,
        keys,
        {"person": person(), "address": unguarded("zip")},
        subset={"app.address": "zip < 2"},
    )
    assert_keys_valid(found, [("address", "person", "person", "id")])
    assert (len(found["person"]), len(found["address"])) == (
        100,
        sum(i % 7 < 2 for i in range(200)),
    )
