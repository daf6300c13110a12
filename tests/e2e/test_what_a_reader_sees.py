"""What the database holds equal a reader may tell apart; what a type lists a reader may read."""

from __future__ import annotations

import duckdb
import pytest

import kanon_sql
from kanon_sql.engines.base import ColumnType


def policy(**columns):
    return {
        "version": 1,
        "source": "t",
        "entity": "row",
        "columns": columns,
        "privacy": {"k": 5},
    }


SUPPRESS = {"role": "quasi", "hierarchy": "suppress"}


@pytest.mark.parametrize(
    "values",
    [
        "('alice' COLLATE NOCASE), ('alice'), ('alice'), ('alice'), ('alice'), ('ALICE')",
        "('Zoe' COLLATE NOACCENT), ('Zoe'), ('Zoe'), ('Zoe'), ('Zoe'), ('Zo\u00eb')",
        "(0.0::DOUBLE), (0.0), (0.0), (0.0), (0.0), (-0.0::DOUBLE)",
        (
            "(INTERVAL 1 MONTH), (INTERVAL 1 MONTH), (INTERVAL 1 MONTH), (INTERVAL 1 MONTH), "
            "(INTERVAL 1 MONTH), (INTERVAL 30 DAYS)"
        ),
    ],
)
def test_values_that_are_equal_are_released_as_one(values):
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT a FROM (VALUES {values}) AS v (a)")
        with kanon_sql.anonymize(policy(a=SUPPRESS), "t", connection=connection) as release:
            seen = release.relation.project("CAST(a AS VARCHAR) AS a").fetchall()
    assert len(seen) == 6
    assert len(set(seen)) == 1


def test_the_recount_tells_apart_what_a_collation_does_not():
    with duckdb.connect() as connection:
        connection.execute("SET default_collation = 'nocase'")
        rows = "('x'), ('x'), ('x'), ('x'), ('x'), ('X')"
        connection.execute(f"CREATE TABLE t AS SELECT a FROM (VALUES {rows}) AS v (a)")
        found = kanon_sql.verify("t", quasi=["a"], k=5, connection=connection)
    assert (found.passed, found.smallest_class, found.classes) == (False, 1, 2)


def test_no_type_of_a_release_lists_values():
    with duckdb.connect() as connection:
        connection.execute("CREATE TYPE n AS ENUM ('canary', 'other')")
        connection.execute("CREATE TYPE s AS ENUM ('f', 'm', 'rare')")
        connection.execute(
            "CREATE TABLE t AS SELECT 'canary'::n AS name, "
            "(CASE WHEN i = 0 THEN 'rare' WHEN i < 9 THEN 'm' ELSE 'f' END)::s AS sex "
            "FROM range(20) AS r (i)"
        )
        given = policy(name={"role": "identifying", "action": "null"}, sex=SUPPRESS)
        given["suppression"] = 1
        kanon_sql.anonymize(given, "t", connection=connection, release="out")
        types = connection.execute("SELECT typeof(name), typeof(sex) FROM out LIMIT 1").fetchall()
        assert types == [("VARCHAR", "VARCHAR")]
        assert connection.execute("SELECT DISTINCT name FROM out").fetchall() == [(None,)]


def test_a_second_script_never_publishes_the_first_one_s_rows(tmp_path):
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 4 AS a FROM range(40) AS r (i)")
        scripts = []
        for k in (3, 20):
            given = {**policy(a=SUPPRESS), "privacy": {"k": k}, "release": f"r{k}"}
            plan = kanon_sql.plan(given, "t", connection=connection)
            path = tmp_path / "t.duckdb"
            if not path.exists():
                with duckdb.connect(str(path)) as other:
                    other.execute("CREATE TABLE t AS SELECT i % 4 AS a FROM range(40) AS r (i)")
            given["database"] = str(path)
            plan = kanon_sql.plan(given)
            scripts.append(kanon_sql.compile_sql(plan, policy=given))
        for script in scripts:
            for statement in script.split(";\n\n"):
                try:
                    connection.execute(statement)
                except duckdb.Error:
                    continue  # as the shell goes on
        tables = {name for (name,) in connection.execute("SHOW TABLES").fetchall()}
    assert "r3" in tables
    assert "r20" not in tables


def test_no_traceback_repeats_the_database_s_words():
    import traceback

    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT 'canary-1' AS a")
        given = {**policy(a=SUPPRESS), "source": {"query": "SELECT CAST(a AS INTEGER) AS a FROM t"}}
        with pytest.raises(kanon_sql.KanonError) as caught:
            kanon_sql.plan(given, connection=connection)
    assert "canary" not in "".join(traceback.format_exception(caught.value))


TAGGED = {
    "UNION": ("UNION(num INTEGER, str VARCHAR)", "{v}::UNION(num INTEGER, str VARCHAR)"),
    "VARIANT": ("VARIANT", "{v}::VARIANT"),
    "within": ("STRUCT(a UNION(num INTEGER, str VARCHAR)[])", "{{'a': [{v}::UNION(num INTEGER, str VARCHAR)]}}"),
}  # fmt: skip


def put_tagged(connection, kind):
    """Four rows that read alike, of which a reader tells one by its type."""
    type_, value = TAGGED[kind]
    connection.execute(f"CREATE OR REPLACE TABLE told (q {type_}, d {type_}, s VARCHAR)")
    for each in ("1", "1", "1", "'1'"):
        told = value.format(v=each)
        connection.execute(f"INSERT INTO told SELECT {told}, {told}, 'x'")


@pytest.mark.parametrize("kind", TAGGED)
def test_what_a_reader_tells_apart_by_its_type_is_no_class_and_no_count(kind, tmp_path):
    """1 and '1' have one text: counted by it, a unique row is in a class of four."""
    with duckdb.connect() as connection:
        put_tagged(connection, kind)
        for asked in (
            {"quasi": ["q"]},
            {"quasi": ["s"], "distinct_l": {"d": 2}},
            {"quasi": ["s"], "entity": "d"},
        ):
            with pytest.raises(kanon_sql.InputError, match="UNION or VARIANT"):
                kanon_sql.verify("told", k=2, connection=connection, **asked)
        assert kanon_sql.verify("told", quasi=["s"], k=4, connection=connection).passed
        quasi, plain = {"role": "quasi", "hierarchy": "suppress"}, {"role": "insensitive"}
        policy = {"version": 1, "source": "told", "entity": "row", "privacy": {"k": 2}}
        policy["columns"] = {"q": plain, "d": {"role": "sensitive"}, "s": quasi}
        plan = kanon_sql.plan(policy, connection=connection)
        diverse = [{"k": 2}, {"distinct_l": {"column": "d", "l": 2}}]
        for changes in (
            {"columns": {**policy["columns"], "q": quasi}},
            {"privacy": diverse},
            {"entity": "q", "columns": {**policy["columns"], "q": {**plain, "linkable": "accept"}}},
        ):
            with pytest.raises(kanon_sql.SourceError, match="UNION or VARIANT"):
                kanon_sql.anonymize({**policy, **changes}, connection=connection)
        given = {"policy": policy, "connection": connection, "folder": tmp_path / "made"}
        connection.execute("CREATE TABLE out AS FROM told")
        with pytest.raises(kanon_sql.VerificationError, match="UNION or VARIANT"):
            kanon_sql.certify("out", plan, **given)  # the hash of all rows is of their texts, too
        connection.execute("CREATE OR REPLACE TABLE out AS SELECT 1 AS q, 1 AS d, s FROM told")
        kanon_sql.certify("out", plan, **given)
        connection.execute("CREATE OR REPLACE TABLE out AS SELECT 1 AS q, 1 AS d, q AS s FROM told")
        found = kanon_sql.verify_certificate(
            tmp_path / "made" / "certificate.json", connection=connection
        )
        assert any("UNION or VARIANT" in fault.what for fault in found.faults)


@pytest.mark.parametrize(
    ("type_", "tagged"),
    [
        ("VARCHAR", False), ("STRUCT(\"UNION(\" INTEGER, variant INTEGER)", False), ("VARIANT[]", True),
        ("ENUM('VARIANT', 'UNION(')", False), ("MAP(VARCHAR, UNION(n INTEGER))", True), ("variant", True),
        ("STRUCT(v VARIANT)[2]", True), ("struct<variant:int>", False), ("map<string,variant>", True),
    ],
)  # fmt: skip
def test_a_type_within_a_type_is_found_and_no_name_is_taken_for_one(type_, tagged):
    assert ColumnType("c", type_).tagged is tagged
