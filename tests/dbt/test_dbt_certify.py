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
    assert {each.name for each in folder.iterdir()} == {
        "certificate.json",
        "report.html",
        "verify.sql",
    }
    rows = planned.execute(f"SELECT sex, born, zip, job FROM {RELEASE}")
    classes = Counter(rows)
    stated = json.loads((folder / "certificate.json").read_text())
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
    found = json.loads(planned.kanon("dbt", "certify", "--replace", "--json"))
    assert found.keys() == JSON_KEYS["dbt certify"].keys()
    assert found["releases"][RELEASE]["certificate"] == str(folder.relative_to(planned.folder))


def test_a_release_that_is_not_that_of_its_plan_gets_no_certificate(planned):
    assert "is no model that dbt knows" in planned.kanon("dbt", "certify", code=1)
    planned.dbt("build")
    planned.execute(f"DELETE FROM {RELEASE} WHERE sex = (SELECT MIN(sex) FROM {RELEASE})")
    assert planned.run_kanon("dbt", "certify").exit_code == 4
    assert not list((planned.folder / "kanon").glob("*.certificate"))
    assert not list((planned.folder / "kanon").glob("*.html"))
