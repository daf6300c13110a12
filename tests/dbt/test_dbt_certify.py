"""`dbt certify`: the certificate and the report of what dbt built, recounted here by plain Python."""

from __future__ import annotations

import json
from collections import Counter

from kanon_sql.apps.cli.json_keys import JSON_KEYS

RELEASE = "patients_anon"


def test_what_dbt_built_is_certified_and_reported(planned):
    planned.dbt("build")
    told = planned.kanon("dbt", "certify")
    folder = planned.folder / "kanon" / f"{RELEASE}.certificate"
    page = planned.folder / "kanon" / f"{RELEASE}.report.html"
    assert f"{RELEASE}:" in told
    assert "UNCHECKED" in told  # people are counted by a column that is dropped
    assert f"the dbt test {RELEASE}_people of " in " ".join(told.split())
    assert "cannot count them again" in " ".join(told.split())
    assert {each.name for each in folder.iterdir()} == {
        "certificate.json",
        "report.html",
        "verify.sql",
    }
    rows = planned.execute(f"SELECT sex, born, zip, job FROM {RELEASE}")
    classes = Counter(rows)
    stated = json.loads((folder / "certificate.json").read_text())
    assert stated["entity"]["counted_by"].startswith(f"the dbt test {RELEASE}_people of ")
    certified = (folder / "report.html").read_text()
    assert f"again in the source by {stated['entity']['counted_by']}" in certified
    found = {each["claim"]: each["found"] for each in stated["claims"]}
    assert (found["classes"], found["rows"]) == (len(classes), len(rows))
    text = page.read_text()
    assert "Meets its policy" in text
    assert f"each of its {len(classes)} equivalence classes" in text
    assert "Decision" in text  # the line to sign
    assert "already exists" in planned.kanon("dbt", "certify", code=1)
    page.unlink()
    assert "already exists" in planned.kanon("dbt", "certify", code=1)
    assert not page.exists()
    proof = (
        "kanon/patients_anon.certificate/certificate.json",
        "--plan",
        "kanon/patients_anon.plan.yml",
    )
    assert "FAILS" not in planned.kanon("verify", *proof)  # the plan names the file of its policy
    found = json.loads(planned.kanon("dbt", "certify", "--replace", "--json"))
    assert found.keys() == JSON_KEYS["dbt certify"].keys()
    assert found["releases"][RELEASE]["certificate"] == str(folder.relative_to(planned.folder))


def test_the_first_load_of_an_incremental_release_is_certified(project):
    project.meta(loaded_at="loaded_on", about={"title": "Patients", "recipients": "the ward"})
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("build")
    assert "wrote kanon/patients_anon.certificate" in project.kanon("dbt", "certify")
    assert "the ward" in (project.folder / "kanon/patients_anon.report.html").read_text()
    rows = project.execute("SELECT COUNT(*) FROM patients_anon")
    project.execute(
        "INSERT INTO raw_patients SELECT patient_id + 5000, * EXCLUDE (patient_id, loaded_on),"
        " loaded_on + INTERVAL 40 DAY FROM raw_patients"
    )
    project.dbt("run", "--exclude", "raw_patients", "--vars", "{until: '2027-01-01'}")
    assert project.execute("SELECT COUNT(*) FROM patients_anon") > rows
    assert project.execute("SELECT COUNT(*) FROM patients_anon_first_load") == rows
    told = project.kanon("dbt", "certify", "--replace")
    assert "the certificate is that of the first load" in " ".join(told.split())


def test_other_rows_than_the_plans_are_certified_after_the_next_plan(planned):
    planned.dbt("build")
    planned.execute("INSERT INTO raw_patients FROM raw_patients LIMIT 50")
    planned.dbt("run", "--exclude", "raw_patients")
    told = planned.kanon("dbt", "certify", code=1)
    assert "dbt plan . && dbt build && kanon-sql dbt certify" in " ".join(told.split())


def test_a_release_that_is_not_that_of_its_plan_gets_no_certificate(planned):
    assert "is no model that dbt knows" in planned.kanon("dbt", "certify", code=1)
    planned.dbt("build")
    planned.execute(f"DELETE FROM {RELEASE} WHERE sex = (SELECT MIN(sex) FROM {RELEASE})")
    assert planned.run_kanon("dbt", "certify").exit_code == 4
    assert not list((planned.folder / "kanon").glob("*.certificate"))
    assert not list((planned.folder / "kanon").glob("*.html"))
