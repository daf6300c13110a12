"""`dbt plan` says of an incremental release what becomes of too few rows, and of another plan."""

from __future__ import annotations

import json


def test_an_incremental_release_is_explained_when_it_is_planned(project):
    project.meta(loaded_at="loaded_on")
    project.ready()
    told = " ".join(project.kanon("dbt", "plan", ".").split())
    assert "grows by rows with a larger loaded_on, which may be dropped" in told
    assert "the model patients_anon_held_back counts them" in told
    assert "dbt build refuses another one" in told
    assert (project.folder / "models/kanon/patients_anon_held_back.sql").exists()
    found = json.loads(project.kanon("dbt", "plan", ".", "--json"))
    assert [*found["notes"]] == ["patients_anon"]
    assert len(found["notes"]["patients_anon"]) == 4
    assert "dbt certify recounts the first load (patients_anon_first_load)" in told
    assert "lost: job (one label in all rows)" in told


def test_another_release_has_none_of_these_notes(planned):
    assert json.loads(planned.kanon("dbt", "plan", ".", "--json"))["notes"] == {}
    assert "held_back" not in planned.kanon("dbt", "plan", ".")
