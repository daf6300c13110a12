"""Shapes of schemas that users of masking tools ask about: circles of circles, keys of no primary key, redundant names."""

from __future__ import annotations

import duckdb
import pytest
from hospitals import KEY, KEY_ENV, assert_keys_valid, pseudonym, released

from kanon_sql.apps.schema.release_schema import apply_schema
from kanon_sql.errors import ReleaseError

DROP = {"role": "identifying", "action": "drop"}
BORN = {"role": "quasi", "hierarchy": {"intervals": [10]}}
PEOPLE = {"columns": {"born": BORN}, "privacy": {"k": 3}, "suppression": "30%"}


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)


def key(*columns):
    return {"key_env": KEY_ENV, "columns": list(columns)}


def texts(column, found):
    return {row[column] for row in found} - {None}


def test_circles_that_share_a_table_on_postgres(postgres):
    """Three circles in one component: a to b to c to a, c to d to c, and d to itself, with people in a."""
    postgres.execute(
        """CREATE SCHEMA rings;
        CREATE TABLE rings.a (id int primary key, born int, b_id int);
        CREATE TABLE rings.b (id int primary key, c_id int);
        CREATE TABLE rings.c (id int primary key, a_id int, d_id int);
        CREATE TABLE rings.d (id int primary key, c_id int, d_id int references rings.d);
        INSERT INTO rings.a SELECT i, 1950 + i % 30, i % 40 FROM generate_series(0, 99) i;
        INSERT INTO rings.b SELECT i, i % 20 FROM generate_series(0, 39) i;
        INSERT INTO rings.c SELECT i, (i * 7) % 100, i % 10 FROM generate_series(0, 19) i;
        INSERT INTO rings.d SELECT i, i * 2, (i + 3) % 10 FROM generate_series(0, 9) i;
        ALTER TABLE rings.a ADD FOREIGN KEY (b_id) REFERENCES rings.b;
        ALTER TABLE rings.b ADD FOREIGN KEY (c_id) REFERENCES rings.c;
        ALTER TABLE rings.c ADD FOREIGN KEY (a_id) REFERENCES rings.a, ADD FOREIGN KEY (d_id) REFERENCES rings.d;
        ALTER TABLE rings.d ADD FOREIGN KEY (c_id) REFERENCES rings.c"""
    )
    policy = {
        "version": 2,
        "keys": {
            "a": key("rings.a.id", "rings.c.a_id"),
            "b": key("rings.b.id", "rings.a.b_id"),
            "c": key("rings.c.id", "rings.b.c_id", "rings.d.c_id"),
            "d": key("rings.d.id", "rings.d.d_id", "rings.c.d_id"),
        },
        "tables": {
            "rings.a": {"entity": "a", **PEOPLE},
            **{f"rings.{name}": {"copy": True} for name in "bcd"},
        },
        "subset": {"rings.a": "born < 1972"},
        "release": {"schema": "rings_anon"},
    }
    release = apply_schema(policy=policy, connection=postgres.connection)
    assert not release.published.not_created
    assert len(release.published.created) == 6
    found = released(postgres.execute, "rings_anon", "abcd")
    assert_keys_valid(
        found,
        [
            ("a", "b_id", "b", "id"),
            ("b", "c_id", "c", "id"),
            ("c", "a_id", "a", "id"),
            ("c", "d_id", "d", "id"),
            ("d", "c_id", "c", "id"),
            ("d", "d_id", "d", "id"),
        ],
    )
    assert 0 < len(found["a"]) <= 76
    assert 0 < len(found["c"]) < 20
    again = apply_schema(policy=policy, connection=postgres.connection, replace=True).published
    assert {*again.created} == {*release.published.created}
    postgres.execute(
        "CREATE SCHEMA readers; CREATE VIEW readers.seen AS SELECT id FROM rings_anon.a"
    )
    with pytest.raises(ReleaseError, match="drop views and foreign keys of other schemas"):
        apply_schema(policy=policy, connection=postgres.connection, replace=True)
    assert released(postgres.execute, "rings_anon", "a")["a"]
    postgres.execute("DROP SCHEMA readers CASCADE")


def test_posts_that_name_two_others_and_a_composite_key_of_no_primary_key(postgres):
    postgres.execute(
        """CREATE SCHEMA blog;
        CREATE TABLE blog.authors (id int primary key, born int);
        CREATE TABLE blog.threads (id int primary key, board text, number int, UNIQUE (board, number));
        CREATE TABLE blog.posts (id int primary key, author int references blog.authors, parent int references blog.posts,
          root int references blog.posts, board text, number int, FOREIGN KEY (board, number) REFERENCES blog.threads (board, number));
        INSERT INTO blog.authors SELECT i, 1950 + i % 30 FROM generate_series(1, 60) i;
        INSERT INTO blog.threads SELECT i, 'b' || i % 3, i FROM generate_series(1, 12) i;
        INSERT INTO blog.posts SELECT i, 1 + i % 60, nullif(i / 2, 0), nullif(i / 7, 0), 'b' || (1 + i % 12) % 3, 1 + i % 12 FROM generate_series(1, 200) i"""
    )
    policy = {
        "version": 2,
        "keys": {
            "author": key("blog.authors.id", "blog.posts.author"),
            "post": key("blog.posts.id", "blog.posts.parent", "blog.posts.root"),
        },
        "tables": {
            "blog.authors": {"entity": "author", **PEOPLE},
            "blog.posts": {
                "of": "author",
                "protect": "none",
                "columns": {name: {"role": "insensitive"} for name in ("board", "number")},
            },
            "blog.threads": {"copy": True},
        },
        "subset": {"blog.authors": {"limit": "60%"}, "blog.threads": "number < 9"},
        "release": {"schema": "blog_anon"},
    }
    release = apply_schema(policy=policy, connection=postgres.connection)
    assert not release.published.not_created
    found = released(postgres.execute, "blog_anon", ["authors", "posts", "threads"])
    assert_keys_valid(
        found,
        [
            ("posts", "author", "authors", "id"),
            ("posts", "parent", "posts", "id"),
            ("posts", "root", "posts", "id"),
        ],
    )
    threads = {(row["board"], row["number"]) for row in found["threads"]}
    assert {(row["board"], row["number"]) for row in found["posts"]} <= threads
    assert len(threads) == 8
    assert any(row["parent"] for row in found["posts"])


def test_accounts_that_name_a_legacy_number_in_tables_without_keys():
    """No table has a primary key, and the number that others name is none: `keys` says what refers to what."""
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE accounts AS SELECT i AS id, 900 + i AS legacy_id, 1950 + i % 20 AS born FROM range(50) t(i);
            CREATE TABLE legacy AS SELECT 900 + i % 60 AS account, i % 3 AS plan FROM range(120) t(i)"""
        )
        policy = {
            "version": 2,
            "keys": {"account": key("accounts.legacy_id", "legacy.account")},
            "tables": {
                "accounts": {"entity": "account", **PEOPLE, "columns": {"id": DROP, "born": BORN}},
                "legacy": {
                    "of": "account",
                    "protect": "none",
                    "columns": {"plan": {"role": "insensitive"}},
                },
            },
            "release": {"schema": "anon"},
        }
        release = apply_schema(policy=policy, connection=connection)
        found = released(connection.execute, "anon", ["accounts", "legacy"])
        assert release.plan.foreign_keys[0].orphans == 20
        assert release.published.created == ("legacy.account -> accounts.legacy_id",)
        assert_keys_valid(found, [("legacy", "account", "accounts", "legacy_id")])


def test_an_email_that_is_a_key_and_a_name_that_is_copied_to_orders():
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE users (email TEXT PRIMARY KEY, name TEXT, born INTEGER);
            CREATE TABLE orders (number INTEGER, buyer TEXT REFERENCES users (email), buyer_name TEXT);
            INSERT INTO users SELECT 'u' || i || '@x.org', 'N' || i % 30, 1950 + i % 20 FROM range(60) t(i);
            INSERT INTO orders SELECT i, 'u' || i % 60 || '@x.org', 'N' || i % 30 FROM range(150) t(i)"""
        )
        policy = {
            "version": 2,
            "keys": {
                "user": key("users.email", "orders.buyer"),
                "name": key("users.name", "orders.buyer_name"),
            },
            "tables": {
                "users": {"entity": "user", **PEOPLE},
                "orders": {"of": "user", "protect": "none", "columns": {"number": DROP}},
            },
            "release": {"schema": "anon"},
        }
        apply_schema(policy=policy, connection=connection)
        found = released(connection.execute, "anon", ["users", "orders"])
        assert_keys_valid(found, [("orders", "buyer", "users", "email")])
        assert texts("buyer_name", found["orders"]) <= texts("name", found["users"])
        assert texts("name", found["users"]) <= {pseudonym(f"N{n}", "name") for n in range(30)}


def test_rows_that_lead_into_a_circle_go_with_it_and_are_guarded():
    """People name a unit, a unit a ward, and wards and their heads name each other: only these two are in a circle."""
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE people (id INTEGER PRIMARY KEY, born INTEGER, unit INTEGER);
            CREATE TABLE unit (id INTEGER PRIMARY KEY, ward INTEGER);
            CREATE TABLE ward (id INTEGER PRIMARY KEY, head INTEGER);
            CREATE TABLE head (id INTEGER PRIMARY KEY, ward INTEGER);
            INSERT INTO people SELECT i, 1950 + i % 30, i % 50 FROM range(300) AS t (i);
            INSERT INTO unit SELECT i, i % 20 FROM range(50) AS t (i);
            INSERT INTO ward SELECT i, (i + 7) % 20 FROM range(20) AS t (i);
            INSERT INTO head SELECT i, (i * 3) % 20 FROM range(20) AS t (i)"""
        )
        keys = {
            "person": key("people.id"),
            "unit": key("unit.id", "people.unit"),
            "ward": key("ward.id", "unit.ward", "head.ward"),
            "head": key("head.id", "ward.head"),
        }
        policy = {
            "version": 2,
            "keys": keys,
            "tables": {
                "people": {"entity": "person", **PEOPLE},
                **{name: {"copy": True} for name in ("unit", "ward", "head")},
            },
            "subset": {"ward": "id < 10"},
            "release": {"schema": "anon"},
        }
        release = apply_schema(policy=policy, connection=connection)
        found = released(connection.execute, "anon", ["people", "unit", "ward", "head"])
    assert_keys_valid(
        found, [("people", "unit", "unit", "id"), ("unit", "ward", "ward", "id"), ("head", "ward", "ward", "id"), ("ward", "head", "head", "id")]
    )  # fmt: skip
    units = {pseudonym(each, "unit") for each in range(50) if each % 20 < 10}
    assert {row["id"] for row in found["unit"]} == units == {row["unit"] for row in found["people"]}
    assert {row["ward"] for row in found["unit"]} == {row["id"] for row in found["ward"]}
    assert len(found["ward"]) == 10
    assert len(release.published.not_created) == 1


def test_postgres_tables_whose_names_differ_by_case_alone_keep_their_own_keys(postgres):
    """Foreign keys are of the table that they name; a table of such a name in the released schema is not dropped."""
    postgres.execute(
        """CREATE SCHEMA cases;
        CREATE TABLE cases."Patients" ("Id" int primary key, born int);
        CREATE TABLE cases.patients (id int primary key, region text);
        CREATE TABLE cases.visits (person int references cases."Patients", place int references cases.patients);
        INSERT INTO cases."Patients" SELECT i, 1950 + i % 30 FROM generate_series(1, 60) i;
        INSERT INTO cases.patients SELECT i, 'r' || i FROM generate_series(1, 7) i;
        INSERT INTO cases.visits SELECT 1 + i % 60, 1 + i % 7 FROM generate_series(1, 100) i"""
    )
    policy = {
        "version": 2,
        "keys": {"one": key("cases.Patients.Id", "cases.visits.person")},
        "tables": {
            "cases.Patients": {"entity": "one", **PEOPLE},
            "cases.patients": {"copy": True},
            "cases.visits": {
                "of": "one", "protect": "none", "columns": {"place": {"role": "insensitive"}},
            },
        },
        "release": {"schema": "Cases"},
    }  # fmt: skip
    done = apply_schema(policy=policy, connection=postgres.connection).published
    assert {*done.created} == {
        "cases.visits.person -> cases.Patients.Id",
        "cases.visits.place -> cases.patients.id",
    }
    found = released(postgres.execute, "Cases", ["Patients", "patients", "visits"])
    assert texts("Id", found["Patients"]) <= {pseudonym(each, "one") for each in range(1, 61)}
    assert {(row["id"], row["region"]) for row in found["patients"]} == {
        (each, f"r{each}") for each in range(1, 8)
    }
    assert len(found["Patients"]) == done.rows["cases.Patients"]
    postgres.execute('CREATE TABLE "Cases"."VISITS" (a int)')
    with pytest.raises(ReleaseError, match="has VISITS, which this release does not write"):
        apply_schema(policy=policy, connection=postgres.connection, replace=True)
    postgres.execute('DROP TABLE "Cases"."VISITS"')
    apply_schema(policy=policy, connection=postgres.connection, replace=True)
    postgres.execute('DROP SCHEMA cases CASCADE; DROP SCHEMA "Cases" CASCADE')
