"""The first month of a project: meta from a model, another plan, options in place of meta, a release that is renamed."""

from __future__ import annotations

import hashlib

import yaml


def test_meta_is_proposed_for_a_model_and_dbt_plans_by_it(project):
    project.ready()
    told = project.kanon("dbt", "init", "stg_patients")
    asked = yaml.safe_load(told[told.index("#") :])
    (model,) = asked["models"]
    own = model["config"]["meta"]["kanon"]
    assert (model["name"], own["release"]) == ("stg_patients", "stg_patients_anon")
    assert own["entity"] == "patient_id"
    there = [
        column
        for (column,) in project.execute("SELECT name FROM pragma_table_info('stg_patients')")
    ]
    assert [each["name"] for each in model["columns"]] == there
    project.write("models/stg_patients.yml", told[told.index("#") :])
    project.dbt("parse")
    project.kanon("dbt", "plan", ".")
    assert "has no model, seed, snapshot or source x" in project.kanon("dbt", "init", "x", code=1)


def test_another_plan_builds_although_dbt_parses_what_changed_alone(planned):
    planned.dbt("build")
    planned.meta(
        columns={"zip": {"role": "quasi", "hierarchy": {"mask": 5}, "levels": {"least": 2}}}
    )
    planned.dbt("parse")
    planned.kanon("dbt", "plan", ".")
    planned.dbt("build")


def test_options_in_place_of_meta_do_not_fit_and_the_page_names_them(planned):
    planned.kanon("dbt", "plan", ".", "-k", "2")
    planned.dbt("build")
    told = " ".join(planned.kanon("dbt", "check", code=4).split())
    assert "DOES NOT FIT: patients_anon" in told
    assert "in place of what meta says (k: 2)" in told
    planned.kanon("dbt", "certify")
    page = (planned.folder / "kanon/patients_anon.report.html").read_text()
    assert "k: 2: given when it was planned" in page


def test_a_reason_changes_no_plan_and_the_page_has_the_hash_of_the_policy_s_file(planned):
    planned.dbt("build")
    planned.meta(about={"title": "Patients"})
    planned.dbt("parse")
    assert "fits: patients_anon" in planned.kanon("dbt", "check")
    planned.kanon("dbt", "certify")
    hashed = hashlib.sha256((planned.folder / "patients_anon.policy.yml").read_bytes()).hexdigest()
    assert hashed in (planned.folder / "kanon/patients_anon.report.html").read_text()


def test_a_release_that_no_meta_asks_for_any_more_is_named(planned):
    planned.meta(release="patients_k5")
    planned.dbt("parse")
    planned.kanon("dbt", "plan", ".")
    planned.dbt("build")
    told = " ".join(planned.kanon("dbt", "check", code=4).split())
    assert "DOES NOT FIT: patients_anon patients_anon: no meta asks for it now" in told
    assert "fits: patients_k5" in told
