"""Pseudonyms in a dbt project are those that apply gives, and nothing that dbt writes has their key."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import shutil
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import duckdb
import pages
import pytest
import yaml

import kanon_sql
from kanon_sql.apps.cli.json_keys import JSON_KEYS

KEY, OTHER = "a secret key of thirty-two bytes", "another secret of as many bytes!"
ENV = "PATIENT_KEY"
PEOPLE = {"role": "identifying", "action": "hash", "key_env": ENV, "linkable": "accept"}
TABLE = "kanon_keys_of_patients_anon"


@pytest.fixture
def keyed(project, monkeypatch):
    """A project whose patients are released as pseudonyms, planned, with its table of keys; dbt itself has no key."""
    monkeypatch.setenv(ENV, KEY)
    project.meta(columns={"patient_id": PEOPLE})
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("build", "--select", TABLE)
    project.environment.pop(ENV, None)
    return project


def by_hand(value, key=KEY):
    return hmac.new(key.encode(), str(value).encode(), hashlib.sha256).hexdigest()


def released(project):
    return sorted(map(str, project.execute("FROM patients_anon")))


def by_apply(project):
    """What apply releases by the committed plan, in the columns of the release."""
    (model,) = yaml.safe_load((project.folder / "models/stg_patients.yml").read_text())["models"]
    own = {k: v for k, v in model["config"]["meta"]["kanon"].items() if k != "release"}
    columns = {each["name"]: each["config"]["meta"]["kanon"] for each in model["columns"]}
    columns["job"]["hierarchy"] = {"csv": str(project.folder / columns["job"]["hierarchy"]["csv"])}
    policy = {"version": 1, **own, "columns": columns}
    path = str(project.folder / "patients.duckdb")
    text = (project.folder / "kanon/patients_anon.plan.yml").read_text()
    with closing(duckdb.connect(path, read_only=True)) as connection:
        fresh = kanon_sql.plan(policy, "stg_patients", connection=connection)
        assert fresh.levels == kanon_sql.Plan.from_yaml(text, "plan").levels
        with kanon_sql.apply(
            fresh, "stg_patients", policy=policy, connection=connection
        ) as release:
            return sorted(map(str, release.relation.fetchall()))


def written(project):
    """All bytes of the files that dbt wrote, and of those that are committed."""
    files = [file for file in project.folder.rglob("*") if file.is_file()]
    return {f: f.read_bytes() for f in files if "patients.duckdb" not in f.name}


def padded(key):
    block = key.encode().ljust(64, b"\0")
    return [bytes(byte ^ pad for byte in block).hex() for pad in (0x36, 0x5C)]


def test_they_are_those_of_apply_and_no_file_has_the_key(keyed):
    told = keyed.kanon("dbt", "keys", ".")
    assert f"{TABLE} has the keys" in " ".join(told.split())
    assert keyed.execute(f"SELECT inner_key, outer_key FROM {TABLE}") == [tuple(padded(KEY))]
    told += keyed.dbt("--debug", "build")
    told += keyed.dbt("--debug", "build", "--full-refresh", "--exclude", "raw_patients")
    assert set(keyed.results().values()) <= {"success", "pass"}
    assert released(keyed) == by_apply(keyed)
    people = keyed.execute("SELECT DISTINCT patient_id FROM stg_patients")
    assert keyed.execute("SELECT COUNT(DISTINCT patient_id) FROM patients_anon") == [(len(people),)]
    seen = {each for (each,) in keyed.execute("SELECT patient_id FROM patients_anon")}
    assert seen == {by_hand(person) for (person,) in people}
    files = written(keyed)
    assert any("target" in str(file) for file in files)
    assert any("logs" in str(file) for file in files)
    for secret in (KEY, KEY.encode().hex(), *padded(KEY), by_hand("kanon-sql: which key")[:12]):
        assert secret not in told
        assert not [file for file, text in files.items() if secret.encode() in text]
    assert keyed.kanon("dbt", "check").startswith("fits")


def test_a_domain_is_hashed_with_each_value(project, monkeypatch):
    monkeypatch.setenv(ENV, KEY)
    project.meta(columns={"patient_id": {**PEOPLE, "domain": "the patient's"}})
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("build", "--select", TABLE)
    project.kanon("dbt", "keys", ".")
    project.dbt("build")
    people = {each for (each,) in project.execute("SELECT patient_id FROM stg_patients")}
    seen = {each for (each,) in project.execute("SELECT patient_id FROM patients_anon")}
    assert seen == {by_hand(f"13:the patient's:{person}") for person in people}


def test_the_object_that_keys_prints_is_explained(keyed):
    for forgotten in (False, True):
        more = ["--forget"] if forgotten else []
        found = json.loads(keyed.kanon("dbt", "keys", ".", "--json", *more))
        assert found.keys() == JSON_KEYS["dbt keys"].keys()
        assert found == {
            "status": "ok",
            "releases": [f"patients.main.{TABLE}"],
            "forgotten": forgotten,
        }


def test_the_commands_of_the_page_release_them(project):
    """As it says them, with a key that they make."""
    blocks = pages.by_kind("docs/guides/dbt.md")
    (said,) = (yaml.safe_load(each) for each in blocks["yaml"] if "PATIENT_KEY" in each)
    (script,) = (each for each in blocks["sh"] if "kanon-sql dbt keys" in each)
    project.meta(columns={c["name"]: c["config"]["meta"]["kanon"] for c in said["columns"]})
    project.ready()
    assert project.execute(
        "SELECT COUNT(*) FROM duckdb_tables() WHERE table_name = 'patients_anon'"
    ) == [(0,)]
    folder = Path(sys.executable).parent
    project.environment["PATH"] = f"{folder}{os.pathsep}{project.environment['PATH']}"
    if shutil.which("openssl") is None:
        script = script.replace("openssl rand -hex 32", "printf %064d 7")
    ran = project.run("bash", "-ec", script)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    seen = {each for (each,) in project.execute("SELECT patient_id FROM patients_anon")}
    assert len(seen) > 100
    assert all(len(each) == 64 for each in seen)


def test_without_their_key_or_by_another_nothing_is_written(keyed, monkeypatch):
    told = keyed.dbt("build", fails=True)
    assert f"the key of {ENV} is not in" in told
    assert not keyed.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'patients_anon'")
    keyed.kanon("dbt", "keys", ".")
    keyed.dbt("build")
    before = released(keyed)
    monkeypatch.setenv(ENV, OTHER)
    told = keyed.kanon("dbt", "keys", ".", code=1)
    assert f"{ENV}: is another key than that of the plan of patients_anon" in told
    assert keyed.execute(f"SELECT inner_key FROM {TABLE}") == [(padded(KEY)[0],)]
    keyed.execute(
        f"UPDATE {TABLE} SET inner_key = '{padded(OTHER)[0]}', outer_key = '{padded(OTHER)[1]}'"
    )
    told = keyed.dbt("build", fails=True)
    assert f"the key of {ENV} in" in told
    assert "is another than that of the plan" in told
    assert released(keyed) == before
    monkeypatch.setenv(ENV, "short")
    assert "must hold a key of 16 bytes or more" in keyed.kanon("dbt", "keys", ".", code=1)
    monkeypatch.setenv(ENV, KEY)
    keyed.kanon("dbt", "keys", ".")
    keyed.dbt("build")
    assert sorted(released(keyed)) == before
    assert "has no keys now" in keyed.kanon("dbt", "keys", ".", "--forget")
    assert keyed.execute(f"SELECT * FROM {TABLE}") == []
    assert f"the key of {ENV} is not in" in keyed.dbt("run", fails=True)
    assert released(keyed) == before


def test_no_row_is_released_under_another_key_by_whoever_changes_it_between(keyed):
    """The statement itself asks for the plan's key, and for one of it."""
    keyed.kanon("dbt", "keys", ".")
    keyed.dbt("build")
    text = keyed.compiled("patients_anon")
    count = f"SELECT COUNT(*) FROM ({text})"
    assert keyed.execute(count) == [(600,)]
    keyed.execute(f"INSERT INTO {TABLE} FROM {TABLE}")
    assert keyed.execute(count) == [(0,)]
    keyed.execute(f"DELETE FROM {TABLE}")
    assert keyed.execute(count) == [(0,)]
    inner, outer = padded(OTHER)
    keyed.execute(f"INSERT INTO {TABLE} VALUES ('{ENV}', '{inner}', '{outer}')")
    assert keyed.execute(count) == [(0,)]


def test_pseudonyms_that_must_not_join_rows_do_not(keyed):
    """As apply refuses them, whatever rows came since the plan; a view, which would need the key, is refused too."""
    keyed.kanon("dbt", "keys", ".")
    keyed.meta(columns={"name": {**PEOPLE, "linkable": "refuse"}})
    keyed.dbt("parse")
    told = keyed.kanon("dbt", "plan", ".", code=1)
    assert "columns.name: " in told
    assert "would share a pseudonym" in told
    model = keyed.folder / "models/stg_patients.sql"
    text = model.read_text()
    model.write_text(text.replace(" name,", " name || row_number() over () as name,", 1))
    keyed.dbt("run", "--select", "stg_patients")
    keyed.kanon("dbt", "plan", ".")
    keyed.dbt("build")
    assert released(keyed) == by_apply(keyed)
    assert [n for n in keyed.results() if "no_repeats" in n]
    statement = keyed.compiled("patients_anon")
    before = released(keyed)
    model.write_text(
        text.replace(" name,", " 'Person ' || greatest(row_number() over (), 2) as name,", 1)
    )
    told = keyed.dbt("build", fails=True)
    assert "1 rows repeat a value of name, and would share a pseudonym" in told
    assert "Person" not in told
    assert released(keyed) == before
    assert keyed.execute(f"SELECT COUNT(*) FROM ({statement})") == [(0,)]
    release = keyed.folder / "models/kanon/patients_anon.sql"
    model.write_text(text.replace(" name,", " name || row_number() over () as name,", 1))
    release.write_text(release.read_text().replace("'table'", "'view'"))
    assert "would be made as a view, which needs their key" in keyed.dbt("build", fails=True)
    assert released(keyed) == before


def test_increments_go_on_under_their_key_alone(project, monkeypatch):
    monkeypatch.setenv(ENV, KEY)
    project.meta(columns={"patient_id": PEOPLE}, loaded_at="loaded_on")
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("run", "--select", TABLE)
    project.kanon("dbt", "keys", ".")
    project.dbt("build")
    project.dbt("build", "--exclude", "raw_patients")
    assert set(project.results().values()) <= {"success", "pass"}
    seen = {each for (each,) in project.execute("SELECT patient_id FROM patients_anon")}
    people = {by_hand(each) for (each,) in project.execute("SELECT patient_id FROM stg_patients")}
    assert seen
    assert seen <= people
    monkeypatch.setenv(ENV, OTHER)
    project.kanon("dbt", "plan", ".")
    project.dbt("run", "--select", TABLE)
    project.kanon("dbt", "keys", ".")
    assert "the release has rows by another plan" in project.dbt("run", fails=True)


@pytest.mark.parametrize(
    "search", [{"algorithm": "mondrian", "grouping": "cuts"}, {"recoding": "local"}], ids=str
)
def test_they_stand_beside_regions_and_several_nodes_too(project, monkeypatch, search):
    monkeypatch.setenv(ENV, KEY)
    others = {name: {"role": "insensitive"} for name in ("born", "disease")}
    project.meta(
        columns={"patient_id": PEOPLE, **others}, search=search, entity="row", privacy=[{"k": 5}]
    )
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("run", "--select", TABLE)
    project.kanon("dbt", "keys", ".")
    project.dbt("build")
    assert set(project.results().values()) <= {"success", "pass"}
    rows = project.execute("SELECT patient_id, born, disease FROM patients_anon")
    raw = project.execute("SELECT patient_id, born, disease FROM stg_patients")
    assert len(rows) > 500
    assert not Counter(rows) - Counter((by_hand(who), *rest) for who, *rest in raw)


def test_what_no_test_shows_of_an_adapter_or_a_type_is_refused(project, monkeypatch):
    monkeypatch.setenv(ENV, KEY)
    project.meta(columns={"patient_id": PEOPLE, "loaded_on": {**PEOPLE}}, adapters=["snowflake"])
    project.ready()
    told = project.kanon("dbt", "plan", ".", code=1)
    assert (
        "columns.patient_id.action: pseudonyms are made by dbt on DuckDB and PostgreSQL alone"
        in told
    )
    project.meta(adapters=None)
    project.dbt("parse")
    told = project.kanon("dbt", "plan", ".", code=1)
    assert (
        "columns.loaded_on.action: is of the type date, whose text may follow from settings" in told
    )
    assert project.taken() == {}
