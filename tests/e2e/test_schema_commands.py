"""The commands on a schema of tables, as a user types them."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import duckdb
import pytest
import yaml
from click.testing import CliRunner
from hospitals import KEY, KEY_ENV, PATIENTS, PLANTED, build, policy, rows_of_hospital

from kanon_sql.apps.cli.command_line import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a hospital's database and the policy of its schema."""
    monkeypatch.setenv(KEY_ENV, KEY)
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("hospital.duckdb") as connection:
        build(connection.execute, rows_of_hospital(120))
    text = yaml.safe_dump(policy(database="hospital.duckdb"), sort_keys=False)
    (tmp_path / "schema.yml").write_text(text, encoding="utf-8")
    return tmp_path


def told(*words, code=0):
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == code, (words, done.output, done.exception)
    return done.stdout if code == 0 else done.output


def test_a_schema_is_planned_applied_certified_verified_and_compared(folder):
    planned = told("plan", "schema.yml").replace("\n  ", " ")
    assert planned.startswith("No guarantee for visits; the plan releases 4 tables of 5.")
    assert "people stand below k = 5 over the join" in planned
    assert "released 4 tables to the anon" in told("apply", "schema.plan.yml")
    assert "--replace replaces them" in told("apply", "schema.plan.yml", code=1)
    told("apply", "schema.plan.yml", "--replace")
    assert "is not the schema that the plan releases to" in told(
        "certify", "anon", "--plan", "schema.plan.yml", code=1
    )
    counted = told("certify", "the anon", "--plan", "schema.plan.yml", "-o", "proof")
    lines = [line for line in counted.splitlines() if line[:1].isupper()]
    marks = [line.partition(" ")[0] for line in lines if line.partition(" ")[0].isupper()]
    assert marks == ["PASS"] * 11 + ["EXPOSED"]  # people below k, whom nothing protects
    assert "people stand below k" not in "".join(each for each in lines if each[:4] == "PASS")
    assert {each.name for each in (folder / "proof").iterdir()} == {"schema_certificate.json", "verify.sql", "report.html"}  # fmt: skip
    with duckdb.connect("hospital.duckdb", read_only=True) as connection:
        parts = (folder / "proof/verify.sql").read_text(encoding="utf-8").split("-- must be: ")
        for part in parts[1:]:
            counts, _, statement = part.partition("\n")
            got = connection.execute(statement.rpartition(";")[0]).fetchone()
            assert ", ".join(f"{int(each):,}" for each in got) == counts
    assert len(parts) == 13
    assert "Who stands below k" in (folder / "proof/report.html").read_text(encoding="utf-8")
    found = json.loads(told("verify", "proof", "--plan", "schema.plan.yml", "--json"))
    assert (found["status"], len(found["claims"])) == ("ok", 12)
    assert (
        told("diff", "schema.plan.yml", "schema.plan.yml", "--exit-code")
        == "The plans are the same.\n"
    )
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute('DELETE FROM "the anon".visits')
    assert "visits has" in told("verify", "proof", "--plan", "schema.plan.yml", code=4)


def test_files_of_before_each_key_was_hashed_apart_are_refused_with_what_changes(folder):
    told("plan", "schema.yml")
    told("apply", "schema.plan.yml")
    told("certify", "the anon", "--plan", "schema.plan.yml", "-o", "proof")
    proof, plan = folder / "proof/schema_certificate.json", folder / "schema.plan.yml"
    for file, command in (
        (proof, ("verify", "proof", "--plan", "schema.plan.yml")),
        (plan, ("apply", "schema.plan.yml", "--replace")),
    ):
        text = file.read_text(encoding="utf-8")
        for sign in ('_certificate": ', "_plan: "):
            text = text.replace(f"{sign}2", f"{sign}1")
        file.write_text(text, encoding="utf-8")
        assert "All pseudonyms change" in " ".join(told(*command, code=1).split())


def test_a_report_shows_tables_keys_and_who_stands_below_k(folder):
    told("plan", "schema.yml")
    assert "name the page of the schema" in told("report", "schema.plan.yml", code=1)
    assert "one file that needs no other" in told("report", "schema.plan.yml", "-o", "page.html")
    page = (folder / "page.html").read_text(encoding="utf-8")
    joined = json.loads(told("plan", "schema.yml", "--json"))["joined"][0]
    assert f"{joined['below']:,} of {joined['people']:,} people stand below k = 5" in page
    assert page.count("<rect") == 5
    assert page.count("<polyline") == 5  # a table that refers to itself has one, too
    assert "the &#34;patients&#34;" in page
    assert PLANTED not in page + (folder / "schema.plan.yml").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=", page)


def test_anonymize_plans_and_releases_in_one_run(folder):
    summary = json.loads(told("anonymize", "schema.yml", "--json"))
    assert summary["status"] == "ok"
    assert summary["rows"].keys() == summary["tables"].keys() - {"bills"}
    assert (
        (folder / "schema.plan.yml")
        .read_text(encoding="utf-8")
        .startswith("kanon_sql_schema_plan: 2")
    )
    assert "already exists" in told("anonymize", "schema.yml", code=1)


def test_init_of_a_database_with_several_tables_writes_a_policy_that_plan_refuses(
    folder, monkeypatch
):
    monkeypatch.setenv("KANON_KEY", KEY)
    assert "say protect: for each table with rows of people" in told(
        "init", "hospital.duckdb", "-o", "first.yml"
    )
    assert yaml.safe_load((folder / "first.yml").read_text(encoding="utf-8"))["tables"][PATIENTS][
        "entity"
    ]
    assert "Choose cut" in told("plan", "first.yml", code=1)
    assert "already exists" in told("init", "hospital.duckdb", "-o", "first.yml", code=1)


def test_init_copies_no_table_that_may_have_rows_of_people(tmp_path, monkeypatch):
    """The tables of a dbt project declare no keys: names and counts say which have people, or rows of them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KANON_KEY", KEY)
    with duckdb.connect("clinic.duckdb") as connection:
        for name, rows, columns in (
            (
                "dim_patients",
                1500,
                "i AS patient_id, 'N' || i AS last_name, 1940 + i % 60 AS birth_year",
            ),
            (
                "fct_visits",
                1500,
                "i AS visit_id, i % 500 AS patient_id, 'I' || i % 40 AS icd10, 'called N' || i % 9 AS remark",
            ),
            ("events", 1500, "i % 7 AS kind, 'x' || i % 5 AS what"),
            ("loans", 30, "i AS code, 'm' AS sex, 'I' || i % 3 AS diagnosis"),
            ("wards", 30, "i AS ward, 'W' || i AS title"),
            ("bills", 1500, "i % 500 AS patient_id, i % 90 * 10 AS salary, i % 9 AS zip"),
        ):
            connection.execute(
                f"CREATE TABLE {name} AS SELECT {columns} FROM range({rows}) AS t (i)"
            )
    told("init", "clinic.duckdb", "-o", "first.yml")
    tables = yaml.safe_load((tmp_path / "first.yml").read_text(encoding="utf-8"))["tables"]
    assert {name for name, each in tables.items() if each.get("copy")} == {"wards"}
    assert tables["dim_patients"]["entity"] == tables["fct_visits"]["of"]
    asked = [each["privacy"] for each in tables.values() if "privacy" in each]
    assert len({model["k"] for models in asked for model in models if "k" in model}) == 1
    assert tables["fct_visits"]["columns"]["remark"]["action"] == "drop"
    assert {each["role"] for each in tables["loans"]["columns"].values()} == {"identifying"}
    refused = told("plan", "first.yml", code=1)
    for name in ("events", "loans"):
        assert f"tables.{name}: says nothing of people" in refused


def test_init_names_a_view_that_reads_a_file_of_another_folder(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    monkeypatch.chdir(tmp_path / "own")
    (tmp_path / "own" / "a.csv").write_text("n\n1\n", encoding="utf-8")
    with duckdb.connect("d.duckdb") as connection:
        connection.execute("CREATE VIEW beside AS FROM 'a.csv'")
        connection.execute("CREATE TABLE other AS SELECT 1 AS n")
    monkeypatch.chdir(tmp_path)
    assert "beside: cannot be read" in told("init", "own/d.duckdb", "-o", "first.yml", code=1)


@pytest.mark.parametrize(
    "words",
    [("plan", "schema.yml", "-k", "3"), ("plan", "schema.yml", "--sql"), ("anonymize", "schema.yml", "--release", "x.parquet"), ("init", "hospital.duckdb", "--known", "born", "-o", "f.yml")],
)  # fmt: skip
def test_options_of_one_table_are_refused_by_name(folder, words):
    del folder
    assert "is for the policy of one table" in told(*words, code=1)


@pytest.mark.parametrize(
    "words",
    [("frequency-query", "schema.yml", "--dialect", "snowflake"), ("suggest", "schema.yml"), ("compare", "schema.yml"), ("explore", "schema.yml", "--no-browser")],
)  # fmt: skip
def test_commands_that_take_no_schema_say_which_do(folder, words):
    del folder
    assert "is the policy of a schema of tables" in told(*words, code=1)


@pytest.mark.parametrize("words", [("explain", "schema.plan.yml"), ("compile", "schema.plan.yml")])
def test_commands_that_take_no_plan_of_a_schema_say_so(folder, words):
    del folder
    told("plan", "schema.yml")
    assert "is the plan of a schema of tables" in told(*words, code=1)


def test_a_help_page_is_printed_without_a_database():
    assert "for a policy of its tables" in told("init", "--help").replace("\n", " ").replace(
        "  ", " "
    )


ONE_TABLE = """
import json, sys
import kanon_sql
from kanon_sql.base.sql import templates
used, render = [], templates.render_sql
templates.render_sql = lambda template, *words, **leaves: used.append(template) or render(template, *words, **leaves)
policy = {"version": 1, "source": {"path": "t.csv"}, "entity": "row", "privacy": {"k": 2}, "release": "t.parquet",
  "columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [10]}}, "ward": {"role": "insensitive"}}}
kanon_sql.anonymize(policy)
print(json.dumps([used, [name for name in sys.modules if ".apps.schema." in name]]))
"""


def test_a_policy_of_one_table_runs_no_statement_of_schemas_and_imports_none_of_their_modules(
    tmp_path,
):
    (tmp_path / "t.csv").write_text("age,ward\n31,a\n32,b\n41,a\n42,a\n", encoding="utf-8")
    ran = subprocess.run([sys.executable, "-c", ONE_TABLE], cwd=tmp_path, capture_output=True, text=True, check=True)  # fmt: skip
    used, imported = json.loads(ran.stdout)
    assert len(used) > 20
    assert not [each for each in used if each.startswith("schema/")]
    assert imported == []
