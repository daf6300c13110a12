"""What `dbt plan`, `dbt check` and `dbt certify` say where meta, plan, source and files have come apart."""

from __future__ import annotations


def test_a_plan_that_reads_another_hierarchy_builds_after_partial_parsing(planned):
    planned.dbt("build")
    assert not list((planned.folder / "models/kanon_private").glob("*_zip.sql"))
    mask = {"role": "quasi", "hierarchy": {"mask": 5}, "levels": {"least": 2}}
    planned.meta(columns={"zip": mask})
    planned.dbt("parse")
    planned.kanon("dbt", "plan", ".")
    assert list((planned.folder / "models/kanon_private").glob("*_zip.sql"))
    planned.dbt("build")
    results = planned.results()
    assert results["test.kanon_integration_tests.patients_anon_people"] == "pass"
    assert set(results.values()) <= {"success", "pass"}
