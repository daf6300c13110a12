"""The values that a type lists are read in its order, on each engine that has such types, and group neighbours."""

from __future__ import annotations

from contextlib import contextmanager

import kanon_sql

LISTED = ["none", "mild", "fair", "bad", "it's dire"]


@contextmanager
def patients_in(place):
    values = ", ".join("'" + each.replace("'", "''") + "'" for each in LISTED)
    rows = ", ".join(f"('{LISTED[n % 4]}', {n % 30})" for n in range(120))
    place.execute(f"CREATE TYPE pain_of_a_patient AS ENUM ({values})")
    place.execute("CREATE TABLE patients_in_pain (pain pain_of_a_patient, ward INTEGER)")
    place.execute(f"INSERT INTO patients_in_pain VALUES {rows}")
    yield place.connection
    place.execute("DROP TABLE patients_in_pain")
    place.execute("DROP TYPE pain_of_a_patient")


def check_groups(connection):
    policy = kanon_sql.suggest(
        "patients_in_pain", quasi=["pain"], keep=["ward"], connection=connection
    )
    tree = policy["columns"]["pain"]["hierarchy"]["tree"]
    assert tree == {
        "*": {"none to mild": ["none", "mild"], "fair to it's dire": ["fair", "bad", "it's dire"]}
    }
    plan = kanon_sql.plan({**policy, "search": {"algorithm": "optimal"}}, connection=connection)
    assert plan.released_rows == 120


def test_neighbours_by_the_order_of_the_type_are_one_group(places):
    with patients_in(places("duckdb")) as connection:
        check_groups(connection)


def test_postgres_lists_an_enum_in_its_order_too(postgres):
    with patients_in(postgres) as connection:
        check_groups(connection)
