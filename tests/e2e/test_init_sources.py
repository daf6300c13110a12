"""What `init` of the command line opens besides plain files, and its errors: one line each, and nothing is written."""

from __future__ import annotations

import duckdb
import pytest
import yaml

NAMES = ["two words", 'a"b', "it's", "a.b", "x.csv", "; DROP", "a/b", "no"]


def database(lab, *statements):
    with duckdb.connect(str(lab.folder / "clinic.duckdb")) as connection:
        for each in statements:
            connection.execute(each)


def first(lab, *arguments):
    lab.done("init", *arguments, "-o", "first.yml")
    assert "no faults" in lab.done("lint", "first.yml")
    lab.done("plan", "first.yml")
    return yaml.safe_load((lab.folder / "first.yml").read_text())


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_the_one_table_of_a_database_is_found_by_any_name(lab, name):
    quoted = '"' + name.replace('"', '""') + '"'
    database(lab, f"CREATE TABLE {quoted} AS FROM '{lab.folder}/people.csv'")
    alone = first(lab, "clinic.duckdb")
    (lab.folder / "first.yml").unlink()
    (lab.folder / "first.plan.yml").unlink(missing_ok=True)
    assert first(lab, name, "--database", "clinic.duckdb") == alone


def test_a_table_of_a_schema_is_named_with_it(lab):
    database(lab, "CREATE SCHEMA s", f"CREATE TABLE s.\"a.b\" AS FROM '{lab.folder}/people.csv'")
    assert first(lab, "clinic.duckdb")["source"] == 's."a.b"'


def test_a_query_becomes_the_source(lab):
    query = f"SELECT * FROM 'people.csv' WHERE age > 21 AND name <> '{'x' * 5000}'"
    (lab.folder / "sub").mkdir()
    found = first(lab, query)
    assert found["source"] == {"query": query}
    lab.done("init", "FROM '../people.csv'", "-o", "sub/first.yml")
    assert "no faults" in lab.done("lint", "sub/first.yml")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (("visit", "--database", "clinic.duckdb"), "is it visits?"),
        (("nothing", "--database", "clinic.duckdb"), "has no rows"),
        (("clinic.duckdb", "--known", "age"), "--known: is for the policy of one table"),
        (("SELECT * FRM people",), "cannot be parsed as SQL"),
        (("SELECT 1; SELECT 2",), "exactly one SELECT"),
        (("SELECT * FROM 'none.csv'",), "cannot be read"),
        (("empty",), "without files of Parquet or CSV"),
        (("header.csv",), "has no rows"),
        (("delta",), "Delta Lake"),
        (("none.csv",), "none.csv"),
        (("n" * 5000,), "no such table"),
        (("people", "--database", "postgresql://a:7391@h/d"), "contains a password"),
        (("postgresql://h/d?password=7391",), "contains a password"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_error(lab, source, told):
    database(lab, "CREATE TABLE visits AS SELECT 1 AS a", "CREATE TABLE nothing (a INTEGER)")
    (lab.folder / "empty").mkdir()
    (lab.folder / "delta/_delta_log").mkdir(parents=True)
    lab.write("header.csv", "a,b\n")
    duckdb.sql("SELECT 1 AS a").write_parquet(str(lab.folder / "delta/a.parquet"))
    message = lab.refused("init", *source, "-o", "first.yml")
    assert told in message
    assert message.startswith("error: ")
    assert len(message.strip().splitlines()) == 1


def test_a_hierarchy_beside_the_source_may_begin_with_the_column(lab):
    lines = [f"{age};{age // 10 * 10}s;*" for age in range(120)]
    (lab.folder / "age_hierarchy.csv").write_text("\n".join(lines), encoding="utf-8")
    (lab.folder / "wage_hierarchy.csv").write_text("1;*\n", encoding="utf-8")
    found = first(lab, "people.csv")
    assert found["columns"]["age"]["hierarchy"] == {"csv": "age_hierarchy.csv"}


def test_a_hierarchy_beside_the_source_is_taken_for_a_column_that_is_not_named_as_sensitive(lab):
    """The name of a column suggests that it is sensitive, and the call names another: its file is not overlooked."""
    rows = [f"{n % 40 + 20},{('low', 'high')[n % 2]},{'abcd'[n % 4]}" for n in range(400)]
    lab.write("paid.csv", "\n".join(["age,salary_class,disease", *rows]) + "\n")
    lab.write("hierarchy_salary_class.csv", "low;*\nhigh;*\n")
    found = first(lab, "paid.csv", "--sensitive", "disease")
    assert found["columns"]["salary_class"]["role"] == "quasi"
    assert found["columns"]["salary_class"]["hierarchy"] == {"csv": "hierarchy_salary_class.csv"}
