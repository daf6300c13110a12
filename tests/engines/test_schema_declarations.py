"""What a released schema keeps of the tables' declarations, as the catalog of the database has it, and what it says it loses."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pytest
from hospitals import KEY_ENV, quoted

from kanon_sql.apps.schema.release_schema import apply_schema, plan_schema
from kanon_sql.apps.schema.schema_plan import diff_schemas
from kanon_sql.errors import StalePlanError

SCHEMA = "kept"
TABLES = ("stay", "bill", "person", "ward")
BUILT = (
    "CREATE TABLE ward (id integer PRIMARY KEY, name varchar(40) NOT NULL UNIQUE)",
    (
        "CREATE TABLE person (id integer PRIMARY KEY, mail varchar(120) NOT NULL UNIQUE, name varchar(80) NOT NULL, "
        "age integer NOT NULL, sex varchar(1) NOT NULL)"
    ),
    (
        "CREATE TABLE bill (id integer PRIMARY KEY, person integer NOT NULL REFERENCES person (id), "
        "ward integer NOT NULL REFERENCES ward (id), amount decimal(10,2) NOT NULL, tips decimal(3,1), code varchar(4) UNIQUE)"
    ),
    "CREATE TABLE stay (person integer NOT NULL REFERENCES person (id), ward integer NOT NULL, days integer NOT NULL)",
    "INSERT INTO ward SELECT i, 'ward ' || i FROM generate_series(1, 3) AS t (i)",
    (
        "INSERT INTO person SELECT i, 'p' || i || '@example.org', 'Name ' || i, 20 + i % 9 * 4, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END "
        "FROM generate_series(1, 90) AS t (i)"
    ),
    "INSERT INTO bill SELECT i, 1 + i % 90, 1 + i % 3, i * 1.25, 96 + i % 4, 'c' || i FROM generate_series(1, 200) AS t (i)",
    "INSERT INTO stay SELECT 1 + i % 90, 1 + i % 3, i % 11 FROM generate_series(1, 400) AS t (i)",
)


def key(*columns):
    return {"key_env": KEY_ENV, "columns": list(columns)}


def policy():
    masked = {"role": "identifying", "key_env": KEY_ENV}
    return {
        "version": 2,
        "keys": {"person": key("person.id", "bill.person", "stay.person"), "bill": key("bill.id")},
        "tables": {
            "person": {
                "entity": "person",
                "columns": {
                    "mail": {"role": "identifying", "action": "partial", "first": 1},
                    "name": {**masked, "action": "fake", "kind": "name"},
                    "age": {
                        "role": "quasi",
                        "hierarchy": {"intervals": [50]},
                        "levels": {"least": 1},
                    },
                    "sex": {"role": "quasi", "hierarchy": "suppress", "levels": {"most": 0}},
                },
                "privacy": {"k": 3},
            },
            "bill": {
                "of": "person",
                "protect": "none",
                "columns": {
                    "ward": {"role": "insensitive"},
                    "amount": {"role": "insensitive", "action": "round", "to": 5},
                    "tips": {"role": "insensitive", "action": "round", "to": 100},
                    "code": {"role": "insensitive"},
                },
            },
            "stay": {
                "of": "person",
                "protect": "cut",
                "columns": {
                    "ward": {"role": "quasi", "hierarchy": "suppress", "levels": {"most": 0}},
                    "days": {"role": "quasi", "hierarchy": {"intervals": [6, 12]}},
                },
                "privacy": {"k": 3},
                "search": {"algorithm": "mondrian", "choose": "loss"},
            },
            "ward": {"copy": True},
        },
        "release": {"schema": SCHEMA},
    }


def declared(execute, table):
    """The columns of a released table by name: type, and whether it may be NULL."""
    rows = execute(
        "SELECT column_name, data_type, is_nullable, numeric_precision, numeric_scale FROM information_schema.columns "
        f"WHERE table_schema = '{SCHEMA}' AND table_name = '{table}'"
    ).fetchall()
    found = {}
    for name, kind, null, precision, scale in rows:
        of = kind.lower().partition("(")[0]
        of = f"{of}({precision},{scale})" if of in {"numeric", "decimal"} else of
        found[name] = (of.replace("decimal", "numeric"), null == "NO")
    return found


def taken_once(execute, table, column, value):
    """Whether the database refuses a second row with a value of a column."""
    to = f"{SCHEMA}.{table}"
    try:
        execute(f"INSERT INTO {to} SELECT * FROM {to} WHERE {quoted(column)} = '{value}'")
    except Exception as error:  # noqa: BLE001  each driver has its own
        return type(error).__name__ in {"ConstraintException", "UniqueViolation"}
    return False


def check(execute, connection, *, text):
    for statement in BUILT:
        execute(statement)
    plan = plan_schema(policy(), connection=connection)
    hidden = replace(plan.tables["person"], lost=())
    edited = replace(plan, tables={**plan.tables, "person": hidden})
    assert "person: keeps all types and keys" in diff_schemas(plan, edited).lines
    with pytest.raises(StalePlanError, match="is not what 4 staged tables show"):
        apply_schema(edited, policy=policy(), connection=connection)
    apply_schema(plan, policy=policy(), connection=connection)
    ward, person, bill, stay = (declared(execute, t) for t in ("ward", "person", "bill", "stay"))
    assert ward["id"] == ("integer", True)
    assert ward["name"][1]
    assert person["id"] == (text, True)
    assert person["age"] == (text, True)
    assert person["sex"][1]
    assert person["mail"][1]
    assert bill["person"] == (text, True)
    assert bill["ward"] == ("integer", True)
    assert bill["amount"] == ("numeric(10,2)", True)
    assert bill["tips"][0] != "numeric(3,1)"  # 100 is no value of it
    assert stay["ward"] == ("integer", True)
    joined = f"SELECT COUNT(*) FROM {SCHEMA}.stay AS s JOIN {SCHEMA}.ward AS w ON s.ward = w.id"
    assert execute(joined).fetchall()[0][0] == 400
    assert taken_once(execute, "ward", "name", "ward 1")
    assert taken_once(execute, "bill", "code", "c1")
    assert not taken_once(execute, "stay", "days", "nobody")
    summary = plan.summary()["tables"]
    assert {name: tuple(each["not_kept"]) for name, each in summary.items()} == {
        name: each.lost for name, each in plan.tables.items()
    }
    lost = {name: " | ".join(each.lost).lower() for name, each in plan.tables.items()}
    assert lost["ward"] == ""
    assert f"id: integer becomes a pseudonym, {text}" in lost["person"]
    assert f"age: integer becomes {text}" in lost["person"]
    assert "mail: unique" in lost["person"]  # the first letter of all is one
    assert "not null" not in lost["person"]
    assert "sex" not in lost["person"]
    assert "tips" in lost["bill"]
    assert "amount" not in lost["bill"]
    assert "ward" not in lost["stay"]


def test_on_duckdb(with_key):
    del with_key
    with duckdb.connect() as connection:
        check(connection.execute, connection, text="varchar")


def test_on_postgres(postgres, with_key):
    del with_key
    check(postgres.execute, postgres.connection, text="text")


@pytest.mark.parametrize("nulls", [0, 5])
def test_a_column_that_lost_values_is_not_declared_as_one_without_null(with_key, nulls):
    """Keys of rows that are not released become NULL."""
    del with_key
    given = policy()
    given["tables"]["ward"] = {"copy": True}
    given["subset"] = {"ward": "id < 3"} if nulls else {}
    with duckdb.connect() as connection:
        for statement in BUILT:
            connection.execute(statement)
        plan = plan_schema(given, connection=connection)
        apply_schema(plan, policy=given, connection=connection)
        rows = connection.execute(f"SELECT COUNT(*), COUNT(ward) FROM {SCHEMA}.bill").fetchone()
        assert declared(connection.execute, "bill")["ward"][1] == (rows[0] == rows[1])
