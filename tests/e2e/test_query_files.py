"""A query of a policy names files as the policy does, and what it reads is never written to."""

from __future__ import annotations

import json

import duckdb
import pytest

import kanon_sql
from kanon_sql import Destination

pytestmark = pytest.mark.sampled(3)

ROWS = "SELECT i % 2 AS a, i % 3 AS b, 'canary' AS name FROM range(60) AS t(i)"
COLUMNS = {
    "a": {"role": "quasi", "hierarchy": "suppress"},
    "b": {"role": "insensitive"},
    "name": {"role": "identifying", "action": "drop"},
}
SETUP = """
CREATE VIEW w AS SELECT * FROM '{0}/src.parquet';
CREATE VIEW v AS SELECT * FROM w;
CREATE TABLE t AS SELECT * FROM '{0}/src.parquet';
CREATE MACRO mm() AS TABLE SELECT * FROM '{0}/src.parquet';
CREATE MACRO ff() AS '{0}/src.parquet';
SET VARIABLE p = '{0}/src.parquet';
SET file_search_path = '{0}';
"""
QUERIES = {
    "a view": "SELECT * FROM w",
    "a view of a view": "WITH x AS (SELECT * FROM v) SELECT * FROM x",
    "a name that is a subquery's elsewhere": "SELECT w.* FROM w, (WITH w AS (SELECT 1) FROM w)",
    "a macro": "SELECT * FROM mm()",
    "a macro of a path": "SELECT * FROM read_parquet(ff())",
    "a variable": "SELECT * FROM read_parquet(getvariable('p'))",
    "a joined path": "SELECT * FROM read_parquet('{0}/src' || '.parquet')",
    "a joined path in a list": "SELECT * FROM read_parquet(['{0}/src' || '.parquet'])",
    "a text of SQL": "SELECT * FROM query('FROM w')",
    "the search path": "SELECT * FROM 'src.parquet'",
    "the search path in a function": "SELECT * FROM read_parquet('src.parquet')",
    "a literal": "SELECT * FROM '{0}/src.parquet'",
    "a function": "SELECT * FROM read_parquet('{0}/src.parquet')",
    "a list": "SELECT * FROM parquet_scan(['{0}/src.parquet'])",
    "a pattern": "SELECT * FROM '{0}/*.parquet'",
    "a subquery": "SELECT *, 'x' AS name FROM (SELECT a, b FROM '{0}/../{1}/src.parquet')",
    "a condition": "SELECT * FROM t WHERE EXISTS (FROM '{0}/src.parquet')",
}


def policy(query, **more):
    return {
        "version": 1,
        "source": {"query": query},
        "entity": "row",
        "privacy": {"k": 2},
        "columns": COLUMNS,
        **more,
    }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the rows of a source, and another to work in."""
    folder, elsewhere = tmp_path / "raw", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    duckdb.sql(ROWS).write_parquet(str(folder / "src.parquet"))
    monkeypatch.chdir(elsewhere)
    return folder


@pytest.fixture
def connection(folder):
    with duckdb.connect() as connection:
        connection.execute(SETUP.format(folder))
        yield connection


def never_written(folder, connection, said, release):
    """Whether a release over the source was refused; its bytes must be what they were."""
    before = (folder / "src.parquet").read_bytes()
    with pytest.raises(kanon_sql.InputError) as error:
        kanon_sql.anonymize(said, connection=connection, release=release, replace=True)
    assert "canary" not in str(error.value)
    assert (folder / "src.parquet").read_bytes() == before
    return str(error.value)


@pytest.mark.parametrize("name", QUERIES)
def test_a_source_that_a_query_reads_is_never_replaced(folder, connection, name):
    query = QUERIES[name].format(folder, folder.name)
    never_written(folder, connection, policy(query), str(folder / "src.parquet"))


@pytest.mark.parametrize("name", ["a view", "a variable", "a literal"])
def test_nor_is_a_folder_that_holds_it(folder, connection, name):
    (folder / "a=1").mkdir()
    (folder / "a=1" / "x.parquet").write_bytes(b"")
    release = Destination(kanon_sql.Format.PARQUET, str(folder), ("a",))
    query = QUERIES[name].format(folder, folder.name)
    never_written(folder, connection, policy(query), release)


@pytest.mark.parametrize("name", ["a view", "a macro", "a joined path", "a literal", "a list"])
def test_nor_is_what_a_hierarchy_reads(folder, connection, name):
    entries = QUERIES[name].format(folder, folder.name)
    spec = {"query": f"SELECT DISTINCT a, '*' AS root FROM ({entries})"}
    columns = {**COLUMNS, "a": {"role": "quasi", "hierarchy": spec}}
    said = {**policy("SELECT * FROM t"), "columns": columns}
    never_written(folder, connection, said, str(folder / "src.parquet"))


def test_nor_is_what_a_hierarchy_of_a_view_reads(folder, connection):
    connection.execute("CREATE VIEW h AS SELECT DISTINCT a, '*' AS root FROM w")
    columns = {**COLUMNS, "a": {"role": "quasi", "hierarchy": {"table": "h"}}}
    said = {**policy(""), "source": "t", "columns": columns}
    never_written(folder, connection, said, str(folder / "src.parquet"))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_parquet('{0}/src.parquet')",
        "SELECT * FROM '{0}/src.parquet' WHERE name <> '' AND name <> '.'",
        "SELECT coalesce(name, '') AS name, a, b FROM t",
        "SELECT * FROM w",
        "SELECT * FROM mm()",
    ],
)
def test_a_query_may_be_released_below_the_working_folder(folder, connection, monkeypatch, query):
    monkeypatch.chdir(folder)
    said = policy(query.format(folder))
    with kanon_sql.anonymize(said, connection=connection, release="o.parquet"):
        pass
    assert duckdb.read_parquet("o.parquet").shape[0] == 60
    ((path,),) = connection.execute("SELECT current_setting('file_search_path')").fetchall()
    assert path == str(folder)


def test_a_release_of_named_files_and_tables_is_replaced(folder, connection):
    for query in ("SELECT * FROM t", f"SELECT * FROM '{folder}/src.parquet'"):
        for _ in range(2):
            with kanon_sql.anonymize(
                policy(query), connection=connection, release="o.parquet", replace=True
            ):
                pass


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM 'data/src.parquet'",
        "SELECT * FROM read_parquet('./data/src.parquet')",
        "SELECT * FROM read_parquet(['data/*.parquet'], union_by_name = true)",
    ],
)
def test_paths_of_a_query_start_from_the_policy_s_folder(lab, monkeypatch, tmp_path, query):
    """Also where a file of that name is in the working folder."""
    folder = lab.folder / "a [1]'b"
    (folder / "data").mkdir(parents=True)
    duckdb.sql(ROWS).write_parquet(str(folder / "data" / "src.parquet"))
    entries = "SELECT DISTINCT a, '*' AS root FROM 'data/src.parquet'"
    columns = {**COLUMNS, "a": {"role": "quasi", "hierarchy": {"query": entries}}}
    text = json.dumps(policy(query, columns=columns, release="o.parquet"))
    (folder / "policy.yml").write_text(text, encoding="utf-8")
    (lab.folder / "data").mkdir()
    duckdb.sql("SELECT 9 AS other").write_parquet(str(lab.folder / "data" / "src.parquet"))
    for words in (("lint",), ("plan", "-o", str(folder / "p.plan.yml"))):
        lab.done(words[0], str(folder / "policy.yml"), *words[1:])
    script = lab.done("compile", str(folder / "p.plan.yml"))
    lab.done("apply", str(folder / "p.plan.yml"))
    released = str(folder / "o.parquet").replace("[", "[[]")
    want = sorted(duckdb.read_parquet(released).fetchall())
    assert len(want) == 60
    (folder / "o.parquet").unlink()
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as connection:
        connection.execute(script)
    assert sorted(duckdb.read_parquet(released).fetchall()) == want
