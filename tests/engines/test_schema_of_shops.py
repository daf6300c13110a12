"""A schema of fourteen tables like that of a shop that lends films: circles, composite keys, two kinds of people."""

from __future__ import annotations

import random

import duckdb
import yaml
from hospitals import KEY, KEY_ENV, assert_keys_valid, below_k, literal, pseudonym, released

from kanon_sql.apps.schema.propose_schema import first_schema_policy
from kanon_sql.apps.schema.release_schema import apply_schema, plan_schema

TABLES = {
    "country": ("country_id integer primary key", "country text"),
    "city": ("city_id integer primary key", "city text", "country_id integer references country (country_id)"),
    "address": ("address_id integer primary key", "address text", "city_id integer references city (city_id)", "phone text"),
    "store": ("store_id integer primary key", "address_id integer references address (address_id)", "manager_id integer"),
    "staff": ("staff_id integer primary key", "first_name text", "last_name text", "store_id integer references store (store_id)"),
    "customer": ("customer_id integer primary key", "first_name text", "last_name text", "email text", "birth_year integer",
                 "store_id integer references store (store_id)", "friend_id integer references customer (customer_id)"),
    "actor": ("actor_id integer primary key", "stage_name text"),
    "category": ("category_id integer primary key", "category text"),
    "film": ("film_id integer primary key", "title text", "prequel_id integer references film (film_id)"),
    "film_actor": ("actor_id integer references actor (actor_id)", "film_id integer references film (film_id)", "primary key (actor_id, film_id)"),
    "film_category": ("film_id integer references film (film_id)", "category_id integer references category (category_id)", "primary key (film_id, category_id)"),
    "inventory": ("film_id integer references film (film_id)", "copy_no integer", "store_id integer references store (store_id)", "primary key (film_id, copy_no)"),
    "rental": ("rental_id integer primary key", "customer_id integer references customer (customer_id)", "film_id integer", "copy_no integer",
               "staff_id integer references staff (staff_id)", "day integer", "foreign key (film_id, copy_no) references inventory (film_id, copy_no)"),
    "payment": ("payment_id integer primary key", "rental_id integer references rental (rental_id)", "customer_id integer references customer (customer_id)", "amount integer"),
}  # fmt: skip
PEOPLE = 240


def rows_of_shop():
    r = random.Random(7)
    made = {
        "country": [(1, "A"), (2, "B")],
        "city": [(n, f"city {n}", 1 + n % 2) for n in range(6)],
        "address": [(n, f"street {n}", n % 6, f"555-{n}") for n in range(40)],
        "store": [(1, 1, 1), (2, 2, 2)],
        "staff": [(n, f"PLANTED{n}", f"PLANTED{n}", 1 + n % 2) for n in range(1, 5)],
        "customer": [],
        "actor": [(n, f"actor {n}") for n in range(9)],
        "category": [(n, f"category {n}") for n in range(4)],
        "film": [(n, f"film {n}", None if n % 3 else max(n - 3, 0) or None) for n in range(30)],
        "film_actor": [(n % 9, n) for n in range(30)],
        "film_category": [(n, n % 4) for n in range(30)],
        "inventory": [(n // 3, n % 3, 1 + n % 2) for n in range(90)],
        "rental": [],
        "payment": [],
    }
    for n in range(1, PEOPLE + 1):
        friend = r.randrange(1, n) if n > 5 else None
        made["customer"].append(
            (
                n,
                f"PLANTED{n}",
                f"PLANTED{n}",
                f"PLANTED{n}@x.org",
                r.randrange(1940, 2006),
                1 + n % 2,
                friend,
            )
        )
        for _ in range(r.randrange(1, 4)):
            copy = r.randrange(90)
            rental = len(made["rental"]) + 1
            made["rental"].append(
                (rental, n, copy // 3, copy % 3, r.randrange(1, 5), r.randrange(365))
            )
            made["payment"].append((rental, rental, n, r.randrange(1, 9)))
    return made


def build(execute, rows):
    for name, parts in TABLES.items():
        execute(f"CREATE TABLE {name} ({', '.join(parts)})")
        for start in range(0, len(rows[name]), 1 if name in {"customer", "film"} else 400):
            end = start + (1 if name in {"customer", "film"} else 400)
            values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows[name][start:end])
            execute(f"INSERT INTO {name} VALUES {values}")


def chosen(text):
    """The proposed policy, with what a person says of it."""
    policy = yaml.safe_load(text)
    policy["keys"] = {name: {**each, "key_env": KEY_ENV} for name, each in policy["keys"].items()}
    tables = policy["tables"]
    for name, entry in tables.items():
        if not {"entity", "of", "copy", "protect"} & {*(entry or {})}:  # `init` cannot tell
            tables[name] = {**(entry or {}), "copy": True}
    keep = {"day": {"role": "insensitive"}}
    tables["rental"] = {"of": "customer", "protect": "none", "columns": keep}
    tables["payment"] = {
        "of": "customer",
        "protect": "summary",
        "into": {"payments": {"count": True, "top": 2}, "spent": {"sum": "amount", "round": 10}},
    }
    birth = {"role": "quasi", "hierarchy": {"intervals": [10, 20, 40]}}
    drop = {"role": "identifying", "action": "drop"}
    if "store.manager_id" not in policy["keys"]["staff"]["columns"]:
        policy["keys"]["staff"]["columns"].append("store.manager_id")
        tables["store"].pop("columns", None)
    tables["customer"] = {
        "entity": "customer",
        "columns": {"first_name": drop, "last_name": drop, "email": drop, "birth_year": birth},
        "privacy": {"k": 4},
        "suppression": "10%",
    }
    tables["staff"] = {
        "entity": "staff",
        "columns": {"first_name": drop, "last_name": {"role": "quasi", "hierarchy": "suppress"}},
        "privacy": {"k": 2},
        "suppression": "50%",
    }
    return policy


def check_shop(execute, connection, proposed, rows):
    """Release what `init` proposes, with protections, and compare the release with the rows in plain Python."""
    assert "PLANTED" not in proposed
    own = yaml.safe_load(proposed)
    assert {name for name, each in own["tables"].items() if each and "entity" in each} == {
        "customer",
        "staff",
    }
    assert {name for name, each in own["tables"].items() if each and "of" in each} == {
        "rental",
        "payment",
    }
    policy = chosen(proposed)
    plan = plan_schema(policy, connection=connection)
    release = apply_schema(plan, policy=policy, connection=connection)
    found = released(execute, "anon", [name for name in TABLES if name != "payment"])
    for listed in found.values():
        assert not any("PLANTED" in str(cell) for row in listed for cell in row.values())
    assert_keys_valid(
        found,
        [
            ("city", "country_id", "country", "country_id"),
            ("staff", "store_id", "store", "store_id"),
            ("customer", "store_id", "store", "store_id"),
            ("customer", "friend_id", "customer", "customer_id"),
            ("film", "prequel_id", "film", "film_id"),
            ("film_actor", "film_id", "film", "film_id"),
            ("film_actor", "actor_id", "actor", "actor_id"),
            ("rental", "customer_id", "customer", "customer_id"),
            ("rental", "staff_id", "staff", "staff_id"),
        ],
    )
    copies = {(row["film_id"], row["copy_no"]) for row in found["inventory"]}
    assert {(row["film_id"], row["copy_no"]) for row in found["rental"]} <= copies
    assert "rental.(film_id, copy_no) -> inventory.(film_id, copy_no)" in release.published.created
    shown = {row["customer_id"] for row in found["customer"]}
    assert len(found["rental"]) == sum(
        pseudonym(row[1], "customer") in shown for row in rows["rental"]
    )
    staff = {row["staff_id"] for row in found["staff"]}
    assert sum(row["staff_id"] is None for row in found["rental"]) == sum(
        pseudonym(row[1], "customer") in shown and pseudonym(row[4], "staff") not in staff
        for row in rows["rental"]
    )
    rented = [
        (row["customer_id"], (row["film_id"], row["copy_no"], row["day"]))
        for row in found["rental"]
    ]
    below, _ = below_k(
        found["customer"], "customer_id", ["birth_year", "payments", "spent"], [rented], 4
    )
    joined = next(each for each in plan.joined if each.people_of == "customer")
    assert (joined.below, joined.people) == (below, len(shown))
    return release


def test_a_shop_on_duckdb(tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)
    rows, file = rows_of_shop(), str(tmp_path / "shop.duckdb")
    with duckdb.connect(file) as connection:
        build(connection.execute, rows)
    proposed = first_schema_policy(file)
    with duckdb.connect(file) as connection:
        release = check_shop(connection.execute, connection, proposed, rows)
    assert {key.partition(" ->")[0] for key in release.published.not_created} >= {
        "customer.friend_id",
        "film.prequel_id",
    }


def test_a_shop_on_postgres_with_a_circle_of_tables(postgres, monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)
    rows = rows_of_shop()
    build(postgres.execute, rows)
    postgres.execute("ALTER TABLE store ADD FOREIGN KEY (manager_id) REFERENCES staff (staff_id)")
    proposed = first_schema_policy(postgres.address)
    release = check_shop(postgres.execute, postgres.connection, proposed, rows)
    assert not release.published.not_created
    assert "store.manager_id -> staff.staff_id" in release.published.created
