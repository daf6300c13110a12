"""`compile --sqlmesh`: a model's file whole or not at all, and refused where it would mean another thing."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from kanon_sql.release.warehouse_sql import MODELS, NO_MODEL, WAREHOUSES

pytestmark = pytest.mark.sampled(3)

MODEL = ("--sqlmesh", "own.people_k3")
HASHED = {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}


AGES = {"role": "quasi", "hierarchy": "suppress"}
"""Of a file all columns are texts."""


def planned(lab, columns=None, **more):
    lab.policy({"age": AGES, **(columns or {})}, **more)
    lab.done("plan", "policy.yml")


def compiled(lab, *options):
    return lab.done("compile", "policy.plan.yml", *MODEL, "--table", "src.people", *options)


@pytest.mark.parametrize("dialect", MODELS)
def test_a_model_is_a_header_and_one_query_of_its_dialect(lab, dialect):
    planned(lab)
    header, query = compiled(lab, "--dialect", dialect).split("\n);\n\n")
    assert header.startswith("-- made by kanon-sql")
    assert f"\n  dialect {dialect},\n" in header
    assert ("NOT RUN in SQLMesh" in header) is (dialect != "duckdb")
    (tree,) = sqlglot.parse(query, read=dialect)
    assert isinstance(tree, exp.Select)
    assert [each.this.key for each in tree.args["order"].expressions] == ["rand"]
    assert {each.name for each in tree.find_all(exp.Table)} >= {"people"}
    assert "Canary-" not in query


def test_every_database_that_has_scripts_has_models_or_a_reason(lab):
    assert {*WAREHOUSES} == {*WAREHOUSES} & {*MODELS, *NO_MODEL}
    planned(lab)
    for dialect, why in NO_MODEL.items():
        given = ("compile", "policy.plan.yml", *MODEL, "--table", "p", "--dialect", dialect)
        assert why in lab.refused(*given)


def test_the_audits_hold_the_release_against_the_policy(lab):
    privacy = [{"k": 3}, {"distinct_l": {"column": "disease", "l": 2}}]
    columns = {"name": {"role": "identifying", "action": "null"}}
    planned(lab, columns, privacy=privacy, entity="name", suppression="90%")
    header, _ = compiled(lab).split("\n);\n\n")
    over = '("zip", "sex", "age")'
    assert f'kanon_k_anonymity(columns := {over}, k := 3, entity := "name")' not in header, (
        "an entity whose values are gone counts as none"
    )
    assert f"kanon_k_anonymity(columns := {over}, k := 3)" in header
    assert f'kanon_l_diversity(columns := {over}, sensitive := "disease", l := 2)' in header
    assert 'kanon_suppression(source := "src"."people", at_most := \'90%\')' in header
    assert 'kanon_classified(columns := ("name", "zip", "sex", "age", "disease"), ' in header


def test_rows_by_a_condition_are_not_counted_against_all_rows(lab):
    planned(lab, source={"path": "people.csv", "where": "sex = 'canary-m'"}, suppression="90%")
    assert "kanon_suppression" not in compiled(lab)


@pytest.mark.parametrize(
    ("columns", "options", "told"),
    [
        ({"name": HASHED}, ("--table", "p"), "no safe place for the key of a pseudonym"),
        (
            {"age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}}},
            ("--table", "p"),
            "would quote it; cast it in a model before",
        ),
        ({}, (), "name one: --table NAME"),
        ({}, ("--table", "own.people_k3"), "the model would be its own source"),
        ({}, ("--table", "@this_model"), "hold no @"),
        ({}, ("--table", "p", "--release", "r"), "is the model itself"),
        ({}, ("--table", "p", "--hierarchies", "tables"), "stand in a model of SQLMesh"),
        (
            {},
            ("--table", "p", "-o", "people.csv"),
            "already exists and was not written by kanon-sql",
        ),
    ],
)
def test_what_is_no_model_is_refused(lab, monkeypatch, columns, options, told):
    monkeypatch.setenv("KANON_TEST_KEY", "a key that is long enough; it's")
    planned(lab, columns)
    assert told in lab.refused("compile", "policy.plan.yml", *MODEL, *options)


def test_entries_that_a_model_cannot_hold_are_told_without_tables(lab):
    lab.write(
        "sex.csv", "canary-m;x;*\ncanary-f;x;*\n" + "".join(f"v{n};x;*\n" for n in range(5000))
    )
    planned(lab)
    error = lab.refused("compile", "policy.plan.yml", *MODEL, "--table", "p")
    assert "5002 entries" in error
    assert "--hierarchies" not in error


def test_names_that_sqlmesh_would_replace_are_refused(lab):
    text = (lab.folder / "people.csv").read_text()
    lab.write("people.csv", text.replace("disease", "a@start_ds", 1))
    planned(lab, {"disease": None, "a@start_ds": {"role": "insensitive"}})
    error = lab.refused("compile", "policy.plan.yml", *MODEL, "--table", "p")
    assert "columns.a@start_ds" in error
    assert "rename it" in error


def test_a_file_is_written_whole_and_ours_is_replaced(lab):
    planned(lab)
    out = ("-o", "model.sql")
    assert (
        "wrote model.sql"
        in lab.run("compile", "policy.plan.yml", *MODEL, "--table", "p", *out).output
    )
    before = (lab.folder / "model.sql").read_text()
    compiled(lab, *out)
    assert (lab.folder / "model.sql").read_text() == before.replace('"p"', '"src"."people"')
    lab.refused("compile", "policy.plan.yml", *out, code=2)


def test_an_example_is_written_into_a_new_folder(lab):
    assert "wrote a SQLMesh project" in lab.run("sqlmesh", "example", "clinic").output
    assert (lab.folder / "clinic/audits/kanon.sql").read_text() == lab.done("sqlmesh", "audits")
    assert "name a new folder" in lab.refused("sqlmesh", "example", "clinic")
