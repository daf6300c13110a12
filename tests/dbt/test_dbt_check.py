"""What `dbt plan`, `dbt check` and `dbt certify` say where meta, plan, source and files have come apart."""

from __future__ import annotations

import hashlib
import json
import re


def patients(project):
    """What `dbt check --json` says of each release, by name, and whether all fit."""
    ran = project.run_kanon("dbt", "check", "--json")
    found = json.loads(ran.output)
    assert (ran.exit_code == 0) is all(each["fits"] for each in found["plans"]), ran.output
    return {each["name"]: each for each in found["plans"]}


def test_a_plan_with_another_k_than_meta_does_not_fit(planned):
    planned.meta(privacy=[{"k": 60}])
    planned.dbt("parse")
    planned.kanon("dbt", "plan", ".", "-k", "2")
    (fault,) = patients(planned)["patients_anon"]["faults"]
    assert fault["where"] == "overrides"
    assert "in place of what meta says (k: 2)" in fault["what"]


def test_a_release_that_meta_does_not_ask_for_any_more_is_named(planned):
    planned.meta(release="patients_k5")
    planned.dbt("parse")
    told = planned.kanon("dbt", "plan", ".")
    assert "patients_anon: no meta asks for it now" in told
    planned.dbt("build")
    found = patients(planned)
    assert (found["patients_k5"]["fits"], found["patients_anon"]["fits"]) == (True, False)
    (fault,) = found["patients_anon"]["faults"]
    gone = re.search(r"; remove (.*), and drop", fault["what"])[1]
    names = re.split(r", | and ", gone)
    assert "models/kanon/patients_anon.sql" in names
    planned.kanon("dbt", "certify")
    page = (planned.folder / "kanon/patients_k5.report.html").read_text()
    assert "patients_anon (no longer in meta)" in page
    for name in names:
        (planned.folder / name).unlink()
    assert not [name for name in planned.taken() if "patients_anon" in name]
    planned.dbt("build")
    assert list(patients(planned)) == ["patients_k5"]


def test_texts_for_readers_make_no_plan_stale_and_the_page_has_the_hash_of_the_policys_file(
    planned,
):
    planned.dbt("build")
    policy = planned.folder / "patients_anon.policy.yml"
    planned.kanon("dbt", "certify")
    page = planned.folder / "kanon/patients_anon.report.html"
    assert "as the dbt test patients_anon_people of " in page.read_text()
    assert "The people of each class" in page.read_text()
    assert f"{sha256(policy)}  patients_anon.policy.yml" in page.read_text()
    planned.meta(
        about={"title": "Patients of the ward"},
        columns={"disease": {"role": "sensitive", "why": "asked by the ward"}},
    )
    planned.dbt("parse")
    found = patients(planned)["patients_anon"]
    assert found["fits"]
    (note,) = found["notes"]
    assert note["what"] == "has another about or why than meta; run: kanon-sql dbt plan"
    planned.kanon("dbt", "certify", "--replace")
    assert (
        sha256(policy) not in page.read_text()
    )  # the page has the texts of meta, and the file has not
    planned.kanon("dbt", "plan", ".")
    assert not patients(planned)["patients_anon"]["notes"]
    planned.kanon("dbt", "certify", "--replace")
    assert f"{sha256(policy)}  patients_anon.policy.yml" in page.read_text()


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_an_edited_model_and_a_key_that_repeats_no_more_are_noted(planned):
    model = planned.folder / "models/kanon/patients_anon.sql"
    text = model.read_text()
    model.write_text(text.replace("'table'", "'view', tags=['x']") + "{# ours #}\n-- and this\n")
    assert not patients(planned)["patients_anon"]["notes"]
    model.write_text(f"{text}\nunion all select * from {{{{ ref('patients_anon_of_may') }}}}\n")
    (note,) = patients(planned)["patients_anon"]["notes"]
    assert note["where"] == "models/kanon/patients_anon.sql"
    assert "says more than the call of kanon.anonymize" in note["what"]
    model.write_text(text)
    planned.execute("UPDATE raw_patients SET patient_id = rowid")
    (note,) = patients(planned)["patients_anon"]["notes"]
    assert note["where"] == "entity"
    assert "every row has another patient_id now" in note["what"]


def test_values_without_an_entry_fail_unless_the_project_accepts_them(planned):
    planned.execute("UPDATE raw_patients SET job = 'canary' WHERE patient_id <= 3")
    ((gone,),) = planned.execute("SELECT COUNT(*) FROM raw_patients WHERE job = 'canary'")
    found = patients(planned)["patients_anon"]
    assert gone
    assert found["rows_without_entry"] == gone
    assert [each["where"] for each in found["faults"]] == ["without_entry"]
    planned.meta(without_entry="warn")
    planned.dbt("parse")
    found = patients(planned)["patients_anon"]
    assert (found["fits"], found["rows_without_entry"]) == (True, gone)


def test_values_longer_than_their_mask_stop_a_build_where_values_are_released_as_they_are(project):
    project.meta(without_entry="error")
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("build")
    before = sorted(project.execute("FROM patients_anon"))
    named = "test.kanon_integration_tests.patients_anon_masks"
    assert project.results()[named] == "pass"
    assert not list((project.folder / "models/kanon_private").glob("*_zip.sql"))
    project.execute("UPDATE raw_patients SET zip = zip || '7' WHERE patient_id <= 3")
    told = project.dbt("build", "--exclude", "raw_patients", fails=True)
    assert project.results()[named] == "fail"
    assert project.results()["model.kanon_integration_tests.patients_anon"] == "skipped"
    assert sorted(project.execute("FROM patients_anon")) == before
    assert not re.search(r"\d{5}7", told)
    project.meta(without_entry=None)
    project.dbt("parse")
    project.kanon("dbt", "plan", ".", code=1)
    project.execute("UPDATE raw_patients SET zip = left(zip, 5)")
    project.kanon("dbt", "plan", ".")
    project.execute("UPDATE raw_patients SET zip = zip || '7' WHERE patient_id <= 3")
    project.dbt("build", "--exclude", "raw_patients")
    assert project.results()[named] == "warn"


def test_a_changed_type_is_named_with_the_file_that_follows_from_it(project):
    project.meta(search={"algorithm": "mondrian", "grouping": "cuts"})
    project.ready()
    project.kanon("dbt", "plan", ".")
    staging = project.folder / "models/stg_patients.sql"
    staging.write_text(staging.read_text().replace("zip,", "zip::int as zip,", 1))
    project.dbt("run", "--select", "stg_patients")
    faults = patients(project)["patients_anon"]["faults"]
    (named,) = [each["what"] for each in faults if each["where"].endswith("_regions.sql")]
    assert "a column has another type than it had" in named
    assert "zip is INTEGER" in named


def test_releases_of_the_same_people_are_named_once_and_also_where_one_is_planned(project):
    own = (project.folder / "models/stg_patients.yml").read_text()
    other = own.replace("stg_patients", "visits").replace("patients_anon", "visits_anon")
    project.write("models/visits.yml", other)
    project.write("models/visits.sql", "select * from {{ ref('stg_patients') }}")
    project.ready()
    told = " ".join(project.kanon("dbt", "plan", ".").split())
    assert told.count("may hold the same people (patient_id)") == 1
    told = " ".join(project.kanon("dbt", "plan", ".", "--select", "visits").split())
    assert told.count("may hold the same people (patient_id)") == 1
