"""A schema in each channel of release: what takes it releases it whole, and what does not says why and what to do."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
import yaml
from click.testing import CliRunner
from hospitals import (
    DIAGNOSES,
    KEY,
    KEY_ENV,
    PATIENTS,
    STAFF,
    TABLES,
    VISITS,
    assert_keys_valid,
    assert_no_planted,
    below_k,
    build,
    policy,
    quoted,
    rows_of_hospital,
)

from kanon_sql.apps.cli.command_line import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of the test, with a folder of files for a table, as a lake has them."""
    monkeypatch.setenv(KEY_ENV, KEY)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lake" / "0").mkdir(parents=True)
    return tmp_path


def told(*words, code=0):
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == code, (words, done.output, done.exception)
    return " ".join(done.output.split())


def write(**changes):
    text = yaml.safe_dump(policy(**changes), sort_keys=False)
    Path("schema.yml").write_text(text, encoding="utf-8")


def test_files_are_released_by_views_of_a_database_and_copied_from_there(folder):
    """Judged by plain Python over the released files."""
    with duckdb.connect() as connection:
        build(connection.execute, rows_of_hospital(150))
        for number, name in enumerate(TABLES):
            (folder / "lake" / str(number)).mkdir(exist_ok=True)
            connection.execute(f"COPY {quoted(name)} TO 'lake/{number}/rows.parquet'")
    with duckdb.connect("views.duckdb") as connection:
        for number, name in enumerate(TABLES):
            connection.execute(f"CREATE VIEW {quoted(name)} AS FROM '{folder}/lake/{number}/*.parquet'")  # fmt: skip
    write(database="views.duckdb")
    told("plan", "schema.yml")
    told("apply", "schema.plan.yml")
    told("certify", "the anon", "--plan", "schema.plan.yml")
    found = {}
    with duckdb.connect("views.duckdb") as connection:
        for number, name in enumerate((PATIENTS, VISITS, DIAGNOSES, STAFF)):
            connection.execute(f"COPY \"the anon\".{quoted(name)} TO 'out{number}.parquet'")
            found[name] = connection.sql(f"FROM 'out{number}.parquet'").to_arrow_table().to_pylist()
    assert_no_planted(found)
    keys = [(VISITS, "pa.tient", PATIENTS, "id"), (VISITS, "doctor", STAFF, "id"), (STAFF, "head", STAFF, "id")]  # fmt: skip
    assert_keys_valid(found, keys)
    visits = [(row["pa.tient"], (row["doctor"], row["ward"], row["day"])) for row in found[VISITS]]
    below, _ = below_k(found[PATIENTS], "id", ["select", "born", "bills", "years"], [visits], 5)
    plan = yaml.safe_load((folder / "schema.plan.yml").read_text(encoding="utf-8"))
    assert [each["below"] for each in plan["joined"]] == [below]
    assert below > 0


@pytest.mark.parametrize(
    "named",
    ["lake", "lake/0/*.parquet", "lake/0/rows.parquet", "ducklake:lake.ducklake", "iceberg:lake", "s3://bucket/lake"],
)  # fmt: skip
def test_folders_files_and_lakes_are_no_database_of_a_schema(folder, named):
    write(database=named)
    said = told("plan", "schema.yml", code=1)
    assert "schema.yml: line" in said
    assert "make a database of DuckDB in which each table is a view" in said
    assert sorted(each.name for each in folder.iterdir()) == ["lake", "schema.yml"]


@pytest.mark.parametrize(
    "release",
    ["anon", "out/", {"view": "anon"}, {"path": "out"}, {"parquet": "out"}, {"schema": "anon", "in_place": True}, {"table": "anon"}],
)  # fmt: skip
@pytest.mark.usefixtures("folder")
def test_a_schema_is_released_as_tables_and_as_nothing_else(release):
    write(database="views.duckdb", release=release)
    said = told("plan", "schema.yml", code=1)
    assert "release: must be {schema: NAME}" in said
    assert "in one transaction, and as no views or files" in said


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("views", {"research": {"k": 20}, "internal": {"k": 5}}, "docs/guides/schema.md shows under 'A coarser release for others'"),
        ("series", {"row": "id"}, "new rows too, by a new plan and apply --replace"),
        ("source", "patients.csv", "name the database that has all tables"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("folder")
def test_keys_of_other_channels_name_the_way_of_a_schema(key, value, says):
    write(database="views.duckdb", **{key: value})
    said = told("plan", "schema.yml", code=1)
    assert f"{key}: is no key: " in said
    assert says in said
    assert "unknown key" not in said


@pytest.mark.parametrize("key", ["release", "series", "source"])
@pytest.mark.usefixtures("folder")
def test_a_table_of_a_schema_has_no_channel_of_its_own(key):
    tables = policy()["tables"]
    write(database="views.duckdb", tables={PATIENTS: {**tables[PATIENTS], key: "people.parquet"}})
    assert f"{key}: unknown key" in told("plan", "schema.yml", code=1)


@pytest.mark.parametrize(
    "words",
    [("compile",), ("compile", "--sqlmesh", "anon.people"), ("macros",), ("labels", "x.parquet", "-o", "labels.csv", "--plan")],
)  # fmt: skip
def test_scripts_sqlmesh_macros_and_labels_take_no_plan_of_a_schema(folder, words):
    plan = folder / "schema.plan.yml"
    plan.write_text("kanon_sql_schema_plan: 1\ntables: {}\n", encoding="utf-8")
    said = told(*words, plan.name, code=1)
    assert "is the plan of a schema of tables, which apply, certify" in said
