"""A dbt project of four models that tests of relationships join: released as a schema, and planned each alone."""

from __future__ import annotations

import json
import os

import duckdb
import pytest
import yaml
from click.testing import CliRunner
from hospitals import KEY, KEY_ENV, assert_keys_valid, assert_no_planted, below_k, released

from kanon_sql.apps.cli.command_line import main

PROJECT = {"name": "clinic", "version": "1.0", "profile": "clinic", "models": {"+materialized": "table"}}  # fmt: skip
PROFILES = {"clinic": {"target": "dev", "outputs": {"dev": {"type": "duckdb", "path": "clinic.duckdb"}}}}  # fmt: skip
MODELS = {
    "wards": "SELECT i AS id, 'ward ' || i AS \"na me\" FROM range(4) AS t (i)",
    "people": "SELECT 'PLANTED-' || i AS id, 'PLANTED name' AS \"select\", 1940 + i * 7 % 60 AS born FROM range(400) AS t (i)",
    "visits": "SELECT 'PLANTED-v' || i AS id, 'PLANTED-' || (i * 13 % 400) AS person, i % 4 AS ward, i * 31 % 90 AS day FROM range(900) AS t (i)",
    "bills": "SELECT 'PLANTED-' || (i * 17 % 400) AS person, 10 + i * 7 % 90 AS amount FROM range(700) AS t (i)",
}
JOINS = (("visits", "person", "people", "id"), ("visits", "ward", "wards", "id"), ("bills", "person", "people", "id"))  # fmt: skip
PSEUDONYM = {"role": "identifying", "action": "hash", "key_env": KEY_ENV, "linkable": "accept"}
QUASI = {"role": "quasi", "hierarchy": {"intervals": [10, 20]}}
META = {
    "people": {"id": PSEUDONYM, "select": {"role": "identifying", "action": "drop"}, "born": QUASI},
    "visits": {
        "id": {"role": "identifying", "action": "drop"},
        "person": PSEUDONYM,
        "ward": {"role": "quasi", "hierarchy": "suppress"},
        "day": {"role": "identifying", "action": "drop"},
    },
}
SCHEMA = {
    "version": 2,
    "database": "clinic.duckdb",
    "keys": {
        "person": {"key_env": KEY_ENV, "columns": ["people.id", "visits.person", "bills.person"]},
        "visit": {"key_env": KEY_ENV, "columns": ["visits.id"]},
        "ward": {"key_env": KEY_ENV, "columns": ["wards.id", "visits.ward"]},
    },
    "tables": {
        "people": {
            "entity": "person",
            "columns": {"select": {"role": "identifying", "action": "drop"}, "born": QUASI},
            "privacy": {"k": 5},
            "suppression": "10%",
        },
        "visits": {"of": "person", "protect": "none", "columns": {"day": {"role": "insensitive"}}},
        "bills": {"of": "person", "protect": "summary", "into": {"bills": {"count": True, "top": 2}}},
        "wards": {"copy": True},
    },
    "release": {"schema": "anon"},
}  # fmt: skip


def related(to, of):
    return {"relationships": {"arguments": {"to": to, "field": of}}}


def properties():
    """Tests of each model and of each released table, and what the models state of their own releases."""
    models, sources = [], []
    for name in MODELS:
        keys = {own: (to, of) for table, own, to, of in JOINS if table == name}
        columns = []
        for column in META.get(name, dict.fromkeys(keys)):
            tests = [related(f"ref('{keys[column][0]}')", keys[column][1])] if column in keys else []  # fmt: skip
            meta = {"kanon": META[name][column]} if name in META else {}
            columns.append({"name": column, "data_tests": tests, "config": {"meta": meta}})
        entry = {"entity": "row", "privacy": {"k": 5}, "suppression": "10%"}
        config = {"config": {"meta": {"kanon": entry}}} if name in META else {}
        models.append({"name": name, "columns": columns, **config})
        own = [
            {"name": column, "data_tests": [related(f"source('anon', '{to}')", of)]}
            for column, (to, of) in keys.items()
        ]
        if name != "bills":
            sources.append({"name": name, "columns": own})
    return {"models": models, "sources": [{"name": "anon", "tables": sources}]}


@pytest.fixture
def clinic(dbt, tmp_path, monkeypatch, commands_of_dbt):
    """The folder of the project, and how dbt is run there."""
    del dbt
    monkeypatch.setenv(KEY_ENV, KEY)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    for name, document in (("dbt_project.yml", PROJECT), ("profiles.yml", PROFILES), ("models/all.yml", properties()), ("schema.yml", SCHEMA)):  # fmt: skip
        (tmp_path / name).write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    for name, query in MODELS.items():
        (tmp_path / "models" / f"{name}.sql").write_text(query, encoding="utf-8")

    def run(*args):
        environment = {**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
        code = commands_of_dbt.run(args=["--no-use-colors", *args], folder=str(tmp_path), environment=environment, output=str(tmp_path / "output"))  # fmt: skip
        assert code == 0, (tmp_path / "output").read_text()
        return (tmp_path / "output").read_text()

    return run


def told(*words):
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def test_four_models_are_released_as_a_schema_whose_relationships_dbt_tests(clinic, tmp_path):
    clinic("build", "--exclude", "source:*")
    told("anonymize", "schema.yml")
    assert "PASS=2 " in clinic("test", "--select", "source:*")
    with duckdb.connect("clinic.duckdb") as connection:
        found = released(connection.execute, "anon", ["people", "visits", "wards"])
    assert_no_planted(found)
    assert_keys_valid(found, [each for each in JOINS if each[0] == "visits"])
    visits = [(row["person"], (row["ward"], row["day"])) for row in found["visits"]]
    below, _ = below_k(found["people"], "id", ["born", "bills"], [visits], 5)
    plan = yaml.safe_load((tmp_path / "schema.plan.yml").read_text(encoding="utf-8"))
    assert [each["below"] for each in plan["joined"]] == [below]
    assert below > 0
    # Each planned alone, the models have the same pseudonyms, and nobody counts their join.
    notes = json.loads(told("dbt", "plan", ".", "--json"))["notes"]
    assert list(notes) == ["visits_anonymized"]
    assert "join person to people_anonymized.id" in notes["visits_anonymized"][0]
