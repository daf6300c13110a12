"""Functions in the SQL of a policy: those that may write are refused before anything is asked of them."""

from __future__ import annotations

import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.errors import KanonError

ROWS = pa.table(
    {
        "zip": pa.array([f"021{i % 4:02}" for i in range(40)]),
        "age": pa.array([20 + i % 5 for i in range(40)], pa.int64()),
    }
)
WRITES = (
    "RETURNS {gives} LANGUAGE plpgsql VOLATILE AS 'BEGIN DELETE FROM people; RETURN {given}; END'"
)
READS = "RETURNS {gives} LANGUAGE plpgsql {how} AS 'BEGIN RETURN {given}; END'"
KINDS = {
    "own": ("own.text_of(a text)", "text", "a"),
    "of_row": ("text_of_row(p people)", "text", "p.zip"),
    "overload": ("lower(a integer)", "text", "a"),
}
PATHS = "SELECT DISTINCT zip AS value, {call} AS level1, '*' AS level2 FROM people"


def policy(**changes):
    return {
        "version": 1,
        "source": "people",
        "entity": "row",
        "columns": {
            "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
            "age": {"role": "quasi", "hierarchy": {"intervals": [5]}},
        },
        "privacy": {"k": 2},
        **changes,
    }


def in_source(call):
    return policy(source={"query": f"SELECT {call} AS zip, age FROM people"})


def in_hierarchy(call):
    found = policy()
    found["columns"]["zip"]["hierarchy"] = {"query": PATHS.format(call=call)}
    return found


def in_where(call):
    return policy(source={"table": "people", "where": f"{call} <> ''"})


@pytest.fixture
def pg(postgres):
    place = postgres
    place.put("people", ROWS)
    place.execute("CREATE SCHEMA own")
    yield place
    place.execute("DROP SCHEMA own CASCADE")
    place.execute("DROP FUNCTION IF EXISTS text_of_row, lower(integer), lower_of_all")
    place.drop("people_k2")
    place.drop("people")


def define(pg, kind, text, how=""):
    head, gives, given = KINDS[kind]
    pg.execute(
        f"CREATE OR REPLACE FUNCTION {head} {text.format(gives=gives, given=given, how=how)}"
    )


@pytest.mark.parametrize(
    ("where", "told", "call", "kind"),
    [
        (in_source, "source query", "own.text_of(zip)", "own"),
        (in_source, "source query", "people.text_of_row", "of_row"),
        (in_hierarchy, "columns.zip.hierarchy", "Own . Text_Of(zip)", "own"),
        (in_source, "source query", "lower(zip)", "overload"),
        (in_where, "source.where", "lower(zip)", "overload"),
    ],
)
def test_a_function_that_writes_is_refused_and_one_that_reads_is_not(pg, where, told, call, kind):
    """The plan was made when it only read; all commands refuse it once it deletes, and no row is gone."""
    asked, name = where(call), KINDS[kind][0].split("(")[0].split(".")[-1]
    for how in ("IMMUTABLE", "STABLE"):
        define(pg, kind, READS, how)
        plan = kanon_sql.plan(asked, connection=pg.connection)
    define(pg, kind, WRITES)
    for run in (
        lambda: kanon_sql.lint(asked, connection=pg.connection),
        lambda: kanon_sql.plan(asked, connection=pg.connection),
        lambda: kanon_sql.apply(plan, policy=asked, connection=pg.connection, release="people_k2"),
        lambda: kanon_sql.anonymize(asked, connection=pg.connection, release="people_k2"),
    ):
        with pytest.raises(KanonError) as refused:
            run()
        assert f"{told}: calls {name}, which may write" in str(refused.value)
    assert pg.read("people") == list(zip(*ROWS.to_pydict().values(), strict=True))
    assert "people_k2" not in pg.left()


def test_a_function_of_another_name_or_schema_is_none_of_the_query(pg):
    define(pg, "own", WRITES)
    asked = in_source("upper(zip)")
    asked["source"]["query"] += " AS text_of TABLESAMPLE bernoulli (100)"
    kanon_sql.plan(asked, connection=pg.connection)


@pytest.mark.parametrize(
    ("engine", "call"),
    [
        ("duckdb", "nextval('numbers')"),
        ("duckdb", "random()"),
        ("duckdb", "(SELECT 1 FROM force_checkpoint())"),
        ("postgres", "random()"),
        ("postgres", "pg_catalog.set_config('a.b', 'c', false)"),
        ("spark", "java_method('java.util.UUID', 'randomUUID')"),
        ("spark", "rand()"),
    ],
)
def test_what_an_engine_has_to_write_with_or_to_draw_by_is_refused(places, engine, call):
    place = places(engine)
    place.put("people", ROWS)
    if engine == "duckdb":
        place.execute("CREATE OR REPLACE SEQUENCE numbers")
    asked = in_source(f"concat(zip, {call})")
    with pytest.raises(KanonError, match=r"source query: calls \w+, which may write"):
        kanon_sql.plan(asked, connection=place.connection)
    if engine == "duckdb":
        assert place.execute("SELECT nextval('numbers')").fetchall() == [(1,)]
    place.drop("people")
