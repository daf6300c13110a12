"""DuckDB: every kind of source and release, and a user's connection left as it was found."""

from __future__ import annotations

import csv
import dataclasses
import gc
import json
import subprocess
import sys
import weakref
from collections import Counter

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kanon_sql
from kanon_sql.counting.plans.recodings import MultiNode
from kanon_sql.engines.locations import Destination, Format
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.metrics.statistics import ReleasedNode

pytestmark = pytest.mark.sampled(3)

ROWS = [(f"p{i}", f"0213{i % 3}", i % 4, f"d{i % 5}") for i in range(48)]
COLUMNS = ("name", "zip", "age", "disease")
MADE_OF = "(VALUES " + ", ".join(map(str, ROWS)) + ") AS t(name, zip, age, disease)"


def policy(**changes):
    columns = {
        "name": {"role": "identifying", "action": "drop"},
        "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
        "age": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}},
        "disease": {"role": "sensitive"},
    }
    base = {
        "version": 1,
        "source": "given",
        "entity": "row",
        "columns": columns,
        "privacy": {"k": 4},
    }
    return {**base, **changes}


WANTED = Counter((z, str(a), d) for _, z, a, d in ROWS)


def told(rows):
    return Counter((z, str(a), d) for z, a, d in rows)


def released(given, source=None, **options):
    with kanon_sql.anonymize(given, source, **options) as made:
        return told(made.relation.fetchall())


@pytest.fixture
def connection():
    with duckdb.connect() as made:
        made.execute(f"CREATE TABLE people AS SELECT * FROM {MADE_OF}").fetchall()
        yield made


@pytest.fixture
def relation(connection):
    return connection.table("people")


# ---- sources -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["p.csv", "p.tsv", "p.csv.gz", "p.parquet", "p.json", "p.jsonl", "P.CSV"]
)
def test_a_file(tmp_path, connection, name):
    path = tmp_path / name
    kind = "JSON" if "json" in name else "PARQUET" if "parquet" in name else "CSV"
    options = ", HEADER, DELIMITER '\t'" if "tsv" in name else ""
    connection.execute(f"COPY people TO '{path}' (FORMAT {kind}{options})").fetchall()
    assert released(policy(), path) == WANTED
    assert released(policy(), str(path)) == WANTED
    assert released(policy(source=str(path))) == WANTED


@pytest.mark.parametrize(
    "pattern", ["part-*.parquet", "part-?.parquet", "part-[01].parquet", "**/part-*.parquet"]
)
def test_a_glob(tmp_path, connection, pattern):
    for n in range(2):
        connection.execute(
            f"COPY (FROM people WHERE age % 2 = {n}) TO '{tmp_path}/part-{n}.parquet'"
        ).fetchall()
    (tmp_path / "other.parquet").write_text("no Parquet")
    assert released(policy(source=str(tmp_path / pattern))) == WANTED


def test_a_glob_of_text_files(tmp_path, connection):
    for n in range(2):
        connection.execute(
            f"COPY (FROM people WHERE age % 2 = {n}) TO '{tmp_path}/part-{n}.csv'"
        ).fetchall()
    assert released(policy(), tmp_path / "*.csv") == WANTED


def test_a_folder_partitioned_by_hive(tmp_path, connection):
    connection.execute(
        f"COPY people TO '{tmp_path}/people' (FORMAT PARQUET, PARTITION_BY (zip))"
    ).fetchall()
    rows = policy(privacy={"k": 4})
    rows["columns"] = {c: rows["columns"][c] for c in ("name", "age", "disease", "zip")}
    for source in (tmp_path / "people" / "**" / "*.parquet", f"{tmp_path}/people"):
        with kanon_sql.anonymize(rows, source) as made:
            found = Counter((row[2], str(row[0]), row[1]) for row in made.relation.fetchall())
        assert found == WANTED, "a ZIP code in a folder's name keeps its leading zero"


def test_a_table_of_an_open_connection(connection):
    assert released(policy(source="people"), connection=connection) == WANTED
    assert released(policy(source="main.people"), connection=connection) == WANTED
    assert released(policy(source={"table": "memory.main.people"}), connection=connection) == WANTED
    assert released(policy(), "people", connection=connection) == WANTED


def test_a_view_and_a_temporary_table(connection):
    connection.execute(
        "CREATE VIEW seen AS FROM people; CREATE TEMP TABLE brief AS FROM people"
    ).fetchall()
    assert released(policy(source="seen"), connection=connection) == WANTED
    assert released(policy(source="brief"), connection=connection) == WANTED


def test_a_table_whose_name_has_a_dot_is_found_before_its_parts(connection):
    connection.execute('CREATE TABLE "main.people" AS FROM people LIMIT 0').fetchall()
    with pytest.raises(kanon_sql.SourceError, match="no rows"):
        released(policy(source="main.people"), connection=connection)


def test_a_database_file(tmp_path, connection):
    path = tmp_path / "people.duckdb"
    connection.execute(
        f"ATTACH '{path}' AS file; CREATE TABLE file.people AS FROM people; DETACH file"
    ).fetchall()
    assert released(policy(source="people", database=str(path))) == WANTED
    assert kanon_sql.plan(policy(source="people", database=str(path))).source_rows == 48
    found = kanon_sql.verify("people", quasi=["zip"], k=16, database=str(path))
    assert (found.passed, found.smallest_class, found.classes, found.rows) == (True, 16, 3, 48)


@pytest.fixture
def file(tmp_path, connection):
    """The people in a database file of a name that has to be quoted."""
    path = tmp_path / 'o\'ther "x".duckdb'
    quoted = str(path).replace("'", "''")
    connection.execute(
        f"ATTACH '{quoted}' AS file; CREATE TABLE file.people AS FROM people; DETACH file"
    ).fetchall()
    return path


@pytest.mark.parametrize("name", ["other", 'o"th.er; --', "select", "ключ"])
def test_a_database_that_is_attached(tmp_path, file, name):
    quoted = '"' + name.replace('"', '""') + '"'
    given = policy(source={"table": f"{quoted}.main.people"}, attach={name: str(file)})
    assert released(given) == WANTED
    plan = kanon_sql.plan(given)
    made = kanon_sql.apply(plan, policy=given, release=str(tmp_path / "out.parquet"))
    assert told(duckdb.read_parquet(made.place).fetchall()) == WANTED
    joined = {"query": f"SELECT p.* FROM {quoted}.people AS p JOIN people AS q USING (name)"}
    assert released({**given, "source": joined, "database": str(file)}).total() == 48
    script = kanon_sql.compile_sql(plan, policy=given)
    with duckdb.connect() as shell:
        shell.execute(script).fetchall()
        assert told(shell.execute("FROM kanon_release").fetchall()) == WANTED


def test_a_database_that_is_attached_is_only_read(tmp_path, file):
    before = file.read_bytes()
    with duckdb.connect(str(tmp_path / "own.duckdb")):
        pass
    given = policy(source="other.people", attach={"other": str(file)})
    given["database"] = str(tmp_path / "own.duckdb")
    with pytest.raises(kanon_sql.ReleaseError, match="cannot be written"):
        kanon_sql.anonymize(given, release="other.main.out")
    kanon_sql.anonymize(given, release="out")
    assert file.read_bytes() == before
    release = Destination(Format.PARQUET, str(file))
    with pytest.raises(kanon_sql.ReleaseError, match="is the database other"):
        kanon_sql.anonymize(given, release=release, replace=True)


def test_what_cannot_be_attached_is_said_all_at_once(tmp_path):
    (tmp_path / "none.duckdb").write_text("no database")
    given = policy(source="a.people", attach={"a": str(tmp_path / "none.duckdb"), "b": "nowhere"})
    with pytest.raises(kanon_sql.SourceError) as caught:
        kanon_sql.plan(given)
    assert [fault.where for fault in caught.value.faults] == ["attach.a", "attach.b"]
    for attach, told_of in (
        ({"temp": "x"}, "cannot be the name"),
        ({"a": "x", "A": "y"}, "only in case"),
        ({"a": "postgresql:///x"}, "goes under database"),
    ):
        with pytest.raises(kanon_sql.PolicyError, match=told_of):
            kanon_sql.plan(policy(attach=attach))
    with pytest.raises(kanon_sql.PolicyError, match="is for DuckDB"):
        kanon_sql.plan(policy(database="postgresql:///x", attach={"a": "x"}))


READER = """
import sys, duckdb
with duckdb.connect(sys.argv[1], read_only=True):
    print("open", flush=True)
    sys.stdin.read()
"""


def test_a_file_that_others_read_is_released_from_but_not_to(tmp_path, file):
    given = policy(source="people", database=str(file))
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert reader.stdout.readline() == "open\n"
        kanon_sql.anonymize(given, release=str(tmp_path / "out.parquet"))
        assert released(given) == WANTED
        with pytest.raises(kanon_sql.SourceError, match="open once"):
            kanon_sql.anonymize(given, release="out")
    finally:
        reader.communicate("")
    with duckdb.connect(str(file)), pytest.raises(kanon_sql.SourceError, match="hand in the"):
        kanon_sql.plan(given)


@pytest.mark.parametrize(
    "query", ["SELECT * FROM people", "FROM people", "WITH p AS (FROM people) SELECT * FROM p"]
)
def test_a_query(connection, query):
    assert released(policy(source={"query": query}), connection=connection) == WANTED


def test_a_relation_of_the_connection(connection, relation):
    assert released(policy(), relation, connection=connection) == WANTED
    assert released(policy(), relation.filter("age < 2"), connection=connection) == Counter(
        row for row in WANTED.elements() if int(row[1]) < 2
    )


def test_a_relation_without_its_connection(connection, relation):
    assert released(policy(), relation) == WANTED
    assert (
        connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        == []
    )


def test_a_relation_of_another_connection(connection, relation):
    """It is read, or refused in clear words; either way nothing is left behind."""
    with duckdb.connect() as other:
        try:
            assert released(policy(), relation, connection=other) == WANTED
        except kanon_sql.InputError as error:
            assert "connection" in str(error)  # noqa: PT017
        for each in (connection, other):
            assert (
                each.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
                == []
            )


@pytest.mark.parametrize("frame", [object(), 5, [1], {"a": [1]}, b"x"], ids=list("abcde"))
def test_what_is_no_frame_is_refused(frame):
    with pytest.raises(kanon_sql.SourceError, match="DuckDB can read"):
        kanon_sql.anonymize(policy(), frame)


def test_the_rows_live_as_long_as_what_shows_them(relation):
    assert len(kanon_sql.anonymize(policy(), relation.df()).relation.df()) == 48
    with duckdb.connect() as own:
        made = kanon_sql.anonymize(policy(), relation.df(), connection=own).relation
        gc.collect()
        assert len(made.filter("age IS NOT NULL")) == 48
        del made
        gc.collect()
        assert own.execute("SELECT * FROM duckdb_tables()").fetchall() == []


def test_a_closed_release_says_so(relation):
    with kanon_sql.anonymize(policy(), relation.df()) as release:
        pass
    with pytest.raises(kanon_sql.ReleaseError, match="was closed"):
        _ = release.relation


def test_a_policy_for_a_frame_needs_no_source(relation):
    given = policy()
    given.pop("source", None)
    with kanon_sql.anonymize(given, relation.df()) as release:
        assert len(release.relation) == 48
    assert kanon_sql.lint(given, relation.df()) == kanon_sql.lint(policy(), relation.df())
    plan = kanon_sql.plan(given, relation.df())
    with kanon_sql.apply(plan, relation.df(), policy=given) as release:
        assert len(release.relation) == 48
    with pytest.raises(kanon_sql.PolicyError, match="source: is missing"):
        kanon_sql.apply(plan, policy=given)


def test_a_pandas_index_is_no_column_and_multiplies_nothing(relation):
    frame = relation.df()
    frame.index = [0] * len(frame)
    assert released(policy(), frame) == WANTED


def test_frames_with_odd_columns_are_refused():
    with pytest.raises(kanon_sql.InputError):
        kanon_sql.plan(policy(), pd.DataFrame([[1, 2]], columns=["zip", "zip"]))
    with pytest.raises(kanon_sql.InputError):
        kanon_sql.plan(policy(), pa.table([[1], [2]], names=["zip", "ZIP"]))
    with pytest.raises(kanon_sql.InputError):
        kanon_sql.plan(policy(), pa.table({}))
    with pytest.raises(kanon_sql.InputError, match="no rows"):
        kanon_sql.plan(policy(), pl.DataFrame(schema=dict.fromkeys(COLUMNS, pl.String)))


def test_frames_are_not_changed(relation):
    frame, table = relation.df(), relation.to_arrow_table()
    before = frame.copy(deep=True)
    kanon_sql.anonymize(policy(), frame).close()
    kanon_sql.anonymize(policy(), table).close()
    pd.testing.assert_frame_equal(frame, before)


def test_a_second_call_reads_the_second_table(connection, relation):
    """A peer returned the first table's rows: shared state."""
    half = relation.filter("age < 2").to_arrow_table()
    first, second = released(policy(), relation.to_arrow_table()), released(policy(), half)
    assert first == WANTED
    assert second.total() == 24


def test_a_variable_of_the_caller_is_no_table(relation):
    """DuckDB looks for missing tables among the variables of Python."""
    frame = relation.df()
    with pytest.raises(kanon_sql.SourceError, match="no such table"):
        kanon_sql.plan(policy(source="frame"))
    assert len(frame) == 48


@pytest.mark.parametrize("name", ["source", "frame", "policy", "released", "run"])
def test_a_release_may_be_called_like_a_variable_of_ours(connection, relation, name):
    source = relation.df()
    kanon_sql.anonymize(policy(), source, connection=connection, release=name)
    assert told(connection.execute(f'FROM "{name}"').fetchall()) == WANTED


# ---- releases ----------------------------------------------------------------------------


def test_a_release_as_a_table(connection):
    made = kanon_sql.anonymize(policy(source="people"), connection=connection, release="out")
    assert told(connection.execute("FROM out").fetchall()) == WANTED
    assert made.columns == ("zip", "age", "disease")
    with pytest.raises(kanon_sql.ReleaseError, match="published"):
        _ = made.relation
    with pytest.raises(kanon_sql.ReleaseError, match="already"):
        kanon_sql.anonymize(policy(source="people"), connection=connection, release="out")
    kanon_sql.anonymize(policy(source="people"), connection=connection, release="out", replace=True)


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.csv.gz"])
def test_a_release_as_a_file(tmp_path, relation, name):
    path = tmp_path / name
    kanon_sql.anonymize(policy(), relation.to_arrow_table(), release=str(path))
    read = duckdb.read_parquet if "parquet" in name else duckdb.read_csv
    back = read(str(path), **({} if "parquet" in name else {"all_varchar": True}))
    assert told(back.fetchall()) == WANTED
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_release_in_partitions(tmp_path, relation):
    release = Destination(Format.PARQUET, str(tmp_path / "out"), ("zip", "age"))
    for replace in (False, True):
        kanon_sql.anonymize(policy(), relation.to_arrow_table(), release=release, replace=replace)
        back = duckdb.read_parquet(f"{tmp_path}/out/**/*.parquet", hive_partitioning=True)
        rows = back.select("lpad(zip::VARCHAR, 5, '0'), age::VARCHAR, disease").fetchall()
        assert told(rows) == WANTED
        assert [p.name for p in tmp_path.iterdir()] == ["out"]
    found = kanon_sql.verify(f"{tmp_path}/out", quasi=["zip", "age"], k=4)
    assert found.passed
    assert found.rows == 48


def test_partitions_keep_null_and_odd_values(tmp_path):
    values = ["", None, "a/b", "a=b", "..", "it's", "%41", "😀", "a b"]
    frame = pa.table({"q": [v for v in values for _ in range(2)], "n": list(range(18))})
    given = policy()
    given["columns"] = {
        "q": {"role": "quasi", "hierarchy": "suppress"},
        "n": {"role": "insensitive"},
    }
    given["privacy"] = {"k": 2}
    release = Destination(Format.PARQUET, str(tmp_path / "out"), ("q",))
    kanon_sql.anonymize(given, frame, release=release)
    back = duckdb.read_parquet(f"{tmp_path}/out/**/*.parquet", hive_partitioning=True)
    assert back.select("n").order("n").fetchall() == [(n,) for n in range(18)]


def test_partitions_by_every_column_are_refused_in_clear_words(tmp_path, relation):
    release = Destination(Format.PARQUET, str(tmp_path / "out"), ("zip", "age", "disease"))
    with pytest.raises(kanon_sql.InputError):
        kanon_sql.anonymize(policy(), relation.to_arrow_table(), release=release)
    assert list(tmp_path.iterdir()) == []


def test_a_release_of_odd_texts_as_csv(tmp_path):
    texts = ["a\nb", 'say "no"', "a,b", "", "NULL", " x ", "#c", "'"]
    frame = pa.table(
        {"q": [t for t in texts for _ in range(2)], "n": [t for t in texts for _ in range(2)]}
    )
    given = policy()
    given["columns"] = {
        "q": {"role": "quasi", "hierarchy": "suppress"},
        "n": {"role": "insensitive"},
    }
    given["privacy"] = {"k": 2}
    kanon_sql.anonymize(given, frame, release=str(tmp_path / "out.csv"))
    with (tmp_path / "out.csv").open(newline="") as file:
        assert Counter(map(tuple, list(csv.reader(file))[1:])) == Counter((t, t) for t in texts * 2)


VIEW = Destination(Format.TABLE, "out", view=True)


@pytest.mark.parametrize("end", ["COMMIT", "ROLLBACK"])
def test_a_view_is_part_of_a_transaction_of_the_user(connection, end):
    connection.execute("BEGIN").fetchall()
    connection.execute("CREATE TABLE mine AS SELECT 1 AS a").fetchall()
    kanon_sql.anonymize(policy(source="people"), connection=connection, release=VIEW)
    assert told(connection.execute("FROM out").fetchall()) == WANTED
    connection.execute(end).fetchall()
    left = {name for (name,) in connection.execute("SHOW TABLES").fetchall()}
    assert ("out" in left) is ("mine" in left) is (end == "COMMIT")
    assert len(left) == (6 if end == "COMMIT" else 1)


def test_a_view_is_read_by_who_opens_the_file_later(tmp_path, connection):
    path = tmp_path / "people.duckdb"
    connection.execute(
        f"ATTACH '{path}' AS file; CREATE TABLE file.people AS FROM people; DETACH file"
    ).fetchall()
    given = policy(source="people", database=str(path), release={"table": "out", "view": True})
    plan = kanon_sql.plan(given)
    assert "appear at once" in plan.warnings[-1]
    kanon_sql.apply(plan, policy=given)
    with duckdb.connect(str(path), read_only=True) as reader:
        assert told(reader.execute("FROM out").fetchall()) == WANTED
        ((note,),) = reader.execute(
            "SELECT comment FROM duckdb_views() WHERE view_name = 'out'"
        ).fetchall()
        assert "4-anonymity when it was made" in note
    with pytest.raises(kanon_sql.InputError, match="a script cannot release a view"):
        kanon_sql.compile_sql(plan, policy=given)


@pytest.mark.parametrize("name", ["out", "main.out", "other.out", "other.main.out"])
def test_a_view_reads_its_own_database_alone(tmp_path, connection, name):
    """Another is not there for who opens the file later."""
    connection.execute(f"ATTACH '{tmp_path / 'o.duckdb'}' AS other; USE other").fetchall()
    connection.execute("CREATE TABLE others AS FROM memory.people; USE memory").fetchall()
    view, own = Destination(Format.TABLE, name, view=True), {"connection": connection}
    away, home = ("people", "other.others") if "other" in name else ("other.others", "people")
    with pytest.raises(kanon_sql.ReleaseError, match="lies in another database"):
        kanon_sql.anonymize(policy(source=away), release=view, **own)
    kanon_sql.anonymize(policy(source=home), release=view, **own)
    assert told(connection.execute(f"FROM {name}").fetchall()) == WANTED


def test_a_column_of_an_enum_is_no_column_of_a_view(connection):
    connection.execute(
        "CREATE TABLE listed AS SELECT * REPLACE (disease::ENUM ('d0', 'd1', 'd2', 'd3', 'd4') "
        "AS disease) FROM people"
    ).fetchall()
    with pytest.raises(kanon_sql.ReleaseError, match="is an ENUM, which lists its values"):
        kanon_sql.anonymize(policy(source="listed"), connection=connection, release=VIEW)


@pytest.mark.parametrize("recoding", ["local", "cells"])
def test_no_view_shows_rows_at_several_nodes(connection, recoding):
    given = policy(source="people", search={"recoding": recoding})
    before = connection.execute("SHOW TABLES").fetchall()
    with pytest.raises(kanon_sql.InputError, match="a view cannot release rows at several nodes"):
        kanon_sql.anonymize(given, connection=connection, release=VIEW)
    assert connection.execute("SHOW TABLES").fetchall() == before


def test_a_plan_of_several_nodes_is_no_view(connection):
    given = policy(source="people")
    plan = kanon_sql.plan(given, connection=connection)
    node = Node(tuple(plan.levels.values()))
    twice = dataclasses.replace(
        plan, recoding=MultiNode((ReleasedNode(node, 1, 1), ReleasedNode(node, 1, 1)))
    )
    before = connection.execute("SHOW TABLES").fetchall()
    with pytest.raises(kanon_sql.InputError, match="rows at several nodes"):
        kanon_sql.apply(twice, policy=given, connection=connection, release=VIEW)
    assert connection.execute("SHOW TABLES").fetchall() == before


# ---- a user's connection -----------------------------------------------------------------

STATE = {
    "tables": "SELECT database_name, schema_name, table_name, temporary FROM duckdb_tables()",
    "views": "SELECT database_name, schema_name, view_name, temporary FROM duckdb_views() WHERE NOT internal",
    "variables": "SELECT name, value::VARCHAR FROM duckdb_variables()",
    "settings": "SELECT name, value FROM duckdb_settings()",
    "schemas": "SELECT database_name, schema_name FROM duckdb_schemas()",
    "macros": "SELECT function_name FROM duckdb_functions() WHERE NOT internal",
    "databases": "SELECT database_name FROM duckdb_databases()",
    "prepared": "SELECT name FROM duckdb_prepared_statements()",
}


def state(connection):
    return {k: sorted(map(str, connection.execute(q).fetchall())) for k, q in STATE.items()}


@pytest.fixture
def lived_in(connection, monkeypatch):
    """A connection with a life of its own."""
    monkeypatch.setenv("KANON_TEST_KEY", "a secret of 16 bytes or more")
    connection.execute(
        "CREATE TEMP TABLE mine AS SELECT 1 AS a; CREATE TEMP VIEW seen AS FROM mine"
    ).fetchall()
    connection.execute("SET VARIABLE kept = 5").fetchall()
    connection.execute("SET threads = 1").fetchall()
    return connection


HASHED = {"name": {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}}


@pytest.mark.parametrize("kind", ["table", "query", "relation", "Arrow", "pandas", "polars"])
@pytest.mark.parametrize("end", ["done", "infeasible", "refused", "no destination"])
def test_a_connection_is_left_as_it_was(lived_in, kind, end):
    before = state(lived_in)
    given = policy(source={"query": "FROM people"} if kind == "query" else "people")
    given["columns"] = {**given["columns"], **HASHED}
    relation = lived_in.table("people")
    frame = {"relation": lambda: relation, "Arrow": relation.to_arrow_table, "pandas": relation.df,
             "polars": relation.pl}.get(kind, lambda: None)()  # fmt: skip
    if end == "infeasible":
        given["columns"]["disease"] = {"role": "sensitive"}
        given["privacy"] = [{"k": 4}, {"distinct_l": {"column": "disease", "l": 30}}]
        with pytest.raises(kanon_sql.InfeasibleError):
            kanon_sql.anonymize(given, frame, connection=lived_in)
    elif end == "refused":
        given["columns"]["zip"] = {"role": "quasi", "hierarchy": {"mask": 2}}
        with pytest.raises(kanon_sql.HierarchyError):
            kanon_sql.anonymize(given, frame, connection=lived_in)
    elif end == "done":
        kanon_sql.anonymize(given, frame, connection=lived_in, release="out")
        lived_in.execute("DROP TABLE out").fetchall()
        kanon_sql.plan(given, frame, connection=lived_in)
        kanon_sql.lint(given, frame, connection=lived_in)
        kanon_sql.verify(
            frame if frame is not None else "people", quasi=["zip"], k=2, connection=lived_in
        )
    else:
        with kanon_sql.anonymize(given, frame, connection=lived_in) as made:
            assert len(made.relation.fetchall()) == 48
    assert state(lived_in) == before


ODD = {
    "TimeZone": "Asia/Tokyo",
    "default_collation": "NOCASE",
    "default_order": "DESC",
    "default_null_order": "NULLS_FIRST",
    "integer_division": "true",
    "ieee_floating_point_ops": "false",
    "preserve_identifier_case": "false",
    "old_implicit_casting": "true",
    "scalar_subquery_error_on_multiple_rows": "false",
    "preserve_insertion_order": "false",
    "enable_optimizer": "false",
    "enable_external_access": "false",
}
MIXED = """
    CREATE TABLE mixed AS
    SELECT
      i AS who,
      ['ann', 'ANN', 'bob', NULL][i % 4 + 1] AS Name,
      20 + i * i % 50 AS age,
      DATE '1999-12-28' + i::INTEGER AS born,
      TIMESTAMPTZ '2020-03-01 22:00:00Z' + i % 5 * INTERVAL 3 HOUR AS seen,
      'd' || i % 4 AS disease
    FROM range(120) AS r(i)
"""


def of_mixed():
    columns = {
        "who": {"role": "identifying", "action": "drop"},
        "Name": {
            "role": "quasi",
            "hierarchy": {"tree": {"*": {"a": ["ann", "ANN"], "b": ["bob"]}}},
        },
        "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10, 40]}, "output": "bounds"},
        "born": {"role": "quasi", "hierarchy": {"dates": ["month", "year"]}},
        "seen": {"role": "quasi", "hierarchy": {"dates": ["day", "month"]}},
        "disease": {"role": "sensitive"},
    }
    return {"version": 1, "source": "mixed", "entity": "row", "columns": columns,
            "privacy": [{"k": 3}, {"distinct_l": {"column": "disease", "l": 2}}],
            "suppression": "10%"}  # fmt: skip


def made_of_mixed(connection):
    plan = kanon_sql.plan(of_mixed(), connection=connection)
    kanon_sql.apply(plan, policy=of_mixed(), connection=connection, release="out")
    rows = Counter(connection.cursor().execute("SELECT COLUMNS(*)::VARCHAR FROM out").fetchall())
    return plan.to_yaml(), rows


@pytest.fixture(scope="module")
def wanted():
    """What is made of them under the settings of a new connection."""
    with duckdb.connect() as connection:
        connection.execute(MIXED).fetchall()
        return made_of_mixed(connection)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), ODD.items())
def test_settings_of_a_connection_change_nothing_and_are_put_back(wanted, name, value):
    with duckdb.connect() as connection:
        connection.execute(MIXED).fetchall()
        connection.execute(f"SET {name} = '{value}'").fetchall()
        before = state(connection)["settings"]
        assert made_of_mixed(connection) == wanted
        assert state(connection)["settings"] == before
        with kanon_sql.anonymize(of_mixed(), connection=connection):
            assert state(connection)["settings"] == before, "while its rows are read"


def test_a_connection_whose_settings_are_locked_is_used_or_refused():
    for setting, fault in (("threads = 1", None), ("default_collation = 'NOCASE'", "is locked")):
        with duckdb.connect() as connection:
            connection.execute(MIXED).fetchall()
            connection.execute(f"SET {setting}").fetchall()
            connection.execute("SET TimeZone = 'UTC'").fetchall()
            connection.execute("SET lock_configuration = true").fetchall()
            if fault is None:
                assert made_of_mixed(connection)
            else:
                with pytest.raises(kanon_sql.InputError, match=fault):
                    kanon_sql.plan(of_mixed(), connection=connection)


def test_a_schema_in_use_and_a_prepared_statement_stay(connection):
    connection.execute("CREATE SCHEMA own; CREATE TABLE own.persons AS FROM people").fetchall()
    connection.execute("USE own").fetchall()
    connection.execute("PREPARE mine AS SELECT COUNT(*) FROM persons").fetchall()
    before = state(connection)
    assert released(policy(source="persons"), connection=connection) == WANTED
    assert released(policy(source="main.people"), connection=connection) == WANTED
    kanon_sql.anonymize(policy(source="persons"), connection=connection, release="out")
    assert connection.execute("EXECUTE mine").fetchall() == [(48,)]
    assert told(connection.execute("FROM memory.own.out").fetchall()) == WANTED
    connection.execute("DROP TABLE own.out").fetchall()
    assert state(connection) == before


def test_a_secret_is_never_left_in_a_session(lived_in):
    given = policy(source="people")
    given["columns"] = {**given["columns"], **HASHED}
    made = kanon_sql.anonymize(given, connection=lived_in)
    left = str(lived_in.execute("SELECT name, value::VARCHAR FROM duckdb_variables()").fetchall())
    assert "secret" not in left
    assert "kanon" not in left
    made.close()


def test_a_frame_is_let_go(connection, relation):
    frame = relation.df()
    kept = weakref.ref(frame)
    kanon_sql.anonymize(policy(), frame, connection=connection).close()
    del frame
    gc.collect()
    assert kept() is None


def test_a_plan_keeps_what_the_user_has_not_committed(connection):
    """An error provoked inside a user's transaction aborts it, and what it held is lost."""
    connection.execute("BEGIN").fetchall()
    connection.execute("INSERT INTO people SELECT * FROM people").fetchall()
    assert kanon_sql.plan(policy(source="people"), connection=connection).source_rows == 96
    connection.execute("COMMIT").fetchall()
    assert connection.execute("SELECT COUNT(*) FROM people").fetchall() == [(96,)]


def test_a_transaction_of_the_user_goes_on(connection):
    connection.execute("BEGIN").fetchall()
    connection.execute("INSERT INTO people SELECT * FROM people").fetchall()
    assert released(policy(source="people"), connection=connection).total() == 96
    with pytest.raises(kanon_sql.SourceError):
        kanon_sql.plan(policy(source="nowhere"), connection=connection)
    assert connection.execute("SELECT COUNT(*) FROM people").fetchall() == [(96,)]
    connection.execute("ROLLBACK").fetchall()
    assert connection.execute("SELECT COUNT(*) FROM people").fetchall() == [(48,)]


def test_a_refusal_in_a_transaction_keeps_what_the_user_did(connection):
    connection.execute("BEGIN").fetchall()
    connection.execute("CREATE TABLE mine AS SELECT 1 AS a").fetchall()
    given = policy(source="people")
    given["columns"]["zip"] = {"role": "quasi", "hierarchy": {"mask": 2}}
    with pytest.raises(kanon_sql.HierarchyError):
        kanon_sql.plan(given, connection=connection)
    connection.execute("COMMIT").fetchall()
    assert connection.execute("FROM mine").fetchall() == [(1,)]


def test_a_read_only_database_can_be_released_from(tmp_path, connection):
    path = tmp_path / "people.duckdb"
    connection.execute(
        f"ATTACH '{path}' AS file; CREATE TABLE file.people AS FROM people; DETACH file"
    ).fetchall()
    with duckdb.connect(str(path), read_only=True) as reader:
        assert released(policy(source="people"), connection=reader) == WANTED
        with pytest.raises(kanon_sql.KanonError):
            kanon_sql.anonymize(policy(source="people"), connection=reader, release="out")


def test_two_runs_on_one_connection_do_not_meet(connection):
    with (
        kanon_sql.anonymize(policy(source="people"), connection=connection) as first,
        kanon_sql.anonymize(policy(source="people"), connection=connection) as second,
    ):
        assert told(first.relation.fetchall()) == told(second.relation.fetchall()) == WANTED


ALONE = """
import sys, kanon_sql
kanon_sql.anonymize(sys.argv[1], release=sys.argv[2])
"""


def test_two_processes_read_one_file_at_once(tmp_path, file):
    path = tmp_path / "policy.yml"
    path.write_text(json.dumps(policy(source="people", database=str(file))), encoding="utf-8")
    runs = [
        subprocess.Popen([sys.executable, "-c", ALONE, str(path), str(tmp_path / f"{n}.parquet")])
        for n in range(2)
    ]
    assert [run.wait(timeout=120) for run in runs] == [0, 0]
    for n in range(2):
        assert told(duckdb.read_parquet(str(tmp_path / f"{n}.parquet")).fetchall()) == WANTED


def test_the_rows_of_a_closed_release_are_gone(connection):
    made = kanon_sql.anonymize(policy(source="people"), connection=connection)
    made.close()
    with pytest.raises(kanon_sql.ReleaseError):
        _ = made.relation
    assert connection.execute("SHOW TABLES").fetchall() == [("people",)]


def test_a_release_survives_in_every_frame():
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE people AS SELECT * FROM {MADE_OF}").fetchall()
        with kanon_sql.anonymize(policy(source="people"), connection=connection) as made:
            for frame in (made.relation.df(), made.relation.pl(), made.relation.to_arrow_table()):
                assert len(frame) == 48


def test_settings_are_of_our_own_connection_only(connection):
    before = connection.execute("SELECT current_setting('threads')").fetchall()
    settings = kanon_sql.Settings(threads=1, memory_limit="1GB")
    assert released(policy(source="people"), connection=connection, settings=settings) == WANTED
    assert connection.execute("SELECT current_setting('threads')").fetchall() == before


@pytest.mark.parametrize(
    "limit", ["much", "-5", "-1GB", "0GB", "", "nanMB", 4, "'; DROP TABLE x; --"]
)
def test_a_setting_that_is_none_is_refused(limit):
    with pytest.raises(kanon_sql.InputError):
        kanon_sql.plan(
            policy(), pa.table({"a": [1]}), settings=kanon_sql.Settings(memory_limit=limit)
        )
