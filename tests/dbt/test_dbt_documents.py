"""What a project documents of a model stands in its release; hierarchies are shared, private, and as strict as asked."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pages
import pytest
import yaml

from kanon_sql.apps.dbt.plan_models import package_path
from tests.dbt.conftest import released_by_apply

TYPES = {"name": "varchar", "sex": "varchar", "born": "date", "zip": "varchar", "job": "varchar"}
TYPES |= {"disease": "varchar", "loaded_on": "date"}


def document(project, types, **columns):
    """Describe the source's columns, and state their types."""
    file = project.folder / "models/stg_patients.yml"
    told = yaml.safe_load(file.read_text())
    for column in told["models"][0]["columns"]:
        if column["name"] in types:
            column["data_type"] = types[column["name"]]
        if column["name"] in columns:
            column["description"] = columns[column["name"]]
    file.write_text(yaml.safe_dump(told, sort_keys=False, allow_unicode=True))


def on_the_page(mark):
    """The block of YAML of the page that has a mark."""
    (text,) = (each for each in pages.by_kind("docs/guides/dbt.md")["yaml"] if mark in each)
    return text


def planned_release(project):
    project.ready()
    project.kanon("dbt", "plan", ".")
    (model,) = yaml.safe_load((project.folder / "models/kanon/patients_anon.yml").read_text())[
        "models"
    ]
    return model, {column["name"]: column for column in model["columns"]}


def test_descriptions_and_types_are_carried_and_held_by_a_contract(project):
    """dbt compares the release with the types, before a row is written; rows have no order of the source."""
    project.meta(contract=True, columns={"name": {"role": "insensitive", "linkable": "accept"}})
    document(
        project,
        TYPES,
        sex="As {% raw %}{{ it }}{% endraw %} was told",
        born="The day of birth.",
        zip="Of the home",
    )
    model, columns = planned_release(project)
    assert model["description"].startswith("Visits of patients, as they came in. 5-anonymity")
    assert model["config"]["contract"] == {"enforced": True}
    assert columns["born"]["description"] == (
        "The day of birth. A label of its hierarchy in place of the value."
    )
    assert columns["zip"]["description"] == "Of the home."
    assert columns["disease"]["data_type"] == "varchar"
    assert columns["name"]["data_type"] == "varchar"
    project.dbt("build")
    assert set(project.results().values()) <= {"success", "pass"}
    own = {"sex": "As {{ it }} was told.", "disease": ""}
    manifest = json.loads((project.folder / "target/manifest.json").read_text())
    released = manifest["nodes"]["model.kanon_integration_tests.patients_anon"]["columns"]
    assert {name: released[name]["description"] for name in own} == own
    order = [int(name.split()[1]) for (name,) in project.execute("SELECT name FROM patients_anon")]
    assert order != sorted(order)
    before = sorted(project.execute("FROM patients_anon"))
    model_file = project.folder / "models/stg_patients.sql"
    model_file.write_text(model_file.read_text().replace(" name,", " patient_id as name,", 1))
    told = project.dbt("run", fails=True)
    assert "contract" in told
    assert sorted(project.execute("FROM patients_anon")) == before


def test_an_incremental_release_has_a_contract_too(project):
    project.meta(contract=True, loaded_at="loaded_on")
    document(project, TYPES)
    _, columns = planned_release(project)
    assert columns["kanon_released_at"]["data_type"] == "date"
    project.dbt("build")
    project.dbt("run")
    assert set(project.results().values()) <= {"success", "pass"}


def test_a_contract_needs_every_type_and_follows_that_of_the_model(project):
    project.meta(contract=True)
    document(project, {name: kind for name, kind in TYPES.items() if name not in ("zip", "job")})
    project.ready()
    told = project.kanon("dbt", "plan", ".", code=1)
    for name in ("zip", "job"):
        assert f"columns.{name}: has no data_type, which the contract" in told
    assert "columns.disease" not in told
    assert "columns.patient_id" not in told  # it is not released
    assert project.taken() == {}
    project.meta(contract="often")
    project.dbt("parse")
    assert "contract: must be true or false" in project.kanon("dbt", "plan", ".", code=1)
    project.meta(contract=None)
    project.dbt("parse")
    project.kanon("dbt", "plan", ".")
    assert "contract" not in (project.folder / "models/kanon/patients_anon.yml").read_text()
    document(project, {**TYPES, "patient_id": "integer"})
    file = project.folder / "models/stg_patients.yml"
    told = yaml.safe_load(file.read_text())
    told["models"][0]["config"]["contract"] = {"enforced": True}
    file.write_text(yaml.safe_dump(told, sort_keys=False))
    project.dbt("parse")
    project.kanon("dbt", "plan", ".")
    assert "enforced: true" in (project.folder / "models/kanon/patients_anon.yml").read_text()


def test_columns_of_one_rule_and_type_share_a_hierarchy_without_unused_units(project):
    """Of three dates two are of one type: one model has the values of both, and a test for each column."""
    dates = {"role": "quasi", "hierarchy": {"dates": ["decade"]}, "levels": {"least": 1, "most": 1}}
    others = {name: {"role": "insensitive"} for name in ("sex", "zip", "job", "disease")}
    project.meta(
        entity="row", privacy=[{"k": 3}], suppression="20%", search={"metric": "precision"},
        columns={
            "born": dates, "loaded_on": dates, "seen": dates,
            **others,
        },
    )  # fmt: skip
    model = project.folder / "models/stg_patients.sql"
    model.write_text(
        model.read_text().replace(
            "loaded_on\nfrom", "loaded_on, cast(loaded_on as timestamp) as seen\nfrom"
        )
    )
    project.ready()
    project.kanon("dbt", "plan", ".")
    names = sorted(file.stem for file in (project.folder / "models/kanon_private").glob("*.sql"))
    assert names == ["kanon_patients_anon_born", "kanon_patients_anon_seen"]
    text = (project.folder / "models/kanon_private/kanon_patients_anon_born.sql").read_text()
    assert "-- the values of born, loaded_on, and" in text
    assert not any(unit in text for unit in ("century", "quarter", "month_", "week", "day_number"))
    project.dbt("build")
    assert set(project.results().values()) <= {"success", "pass"}
    covers = [name for name in project.results() if "covers_kanon_patients_anon_born" in name]
    assert len(covers) == 2
    rows = sorted(
        map(
            str,
            project.execute(
                "SELECT sex, born, zip, job, disease, loaded_on, seen FROM patients_anon"
            ),
        )
    )
    assert rows == released_by_apply(project)


@pytest.mark.parametrize("chosen", ["error", "often"])
def test_a_value_without_an_entry_may_be_an_error(project, chosen):
    project.meta(without_entry=chosen)
    project.ready()
    if chosen == "often":
        told = project.kanon("dbt", "plan", ".", code=1)
        assert "meta.kanon.without_entry: is none of warn, error" in told
        return
    project.kanon("dbt", "plan", ".")
    project.dbt("build")
    before = sorted(project.execute("FROM patients_anon"))
    project.execute(
        "INSERT INTO raw_patients SELECT 9000, 'Z', 'm', DATE '1955-01-25', '02138', 'canary job', 'flu',"
        " DATE '2026-03-01'"
    )
    project.dbt("build", "--exclude", "raw_patients", fails=True)
    assert project.results()["model.kanon_integration_tests.patients_anon"] == "skipped"
    assert sorted(project.execute("FROM patients_anon")) == before
    told = project.kanon("dbt", "check", code=4)
    assert "without_entry: 1 row has a value without an entry in its hierarchy; add the" in told
    assert "canary" not in told


def test_hierarchies_may_have_a_schema_of_their_own(project):
    """dbt's own settings of the folder: what readers see has no raw value beside it."""
    file = project.folder / "dbt_project.yml"
    told, said = yaml.safe_load(file.read_text()), yaml.safe_load(on_the_page("+schema"))
    told["models"] = {"kanon_integration_tests": said["models"]["clinic"]}
    told["seeds"]["kanon_integration_tests"] |= said["seeds"]["clinic"]
    file.write_text(yaml.safe_dump(told, sort_keys=False))
    project.ready()
    project.kanon("dbt", "plan", ".")
    project.dbt("build")
    found = project.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE table_name LIKE '%patients_anon%' ORDER BY ALL"
    )
    assert found == [
        ("main_private", "kanon_patients_anon_born"),
        ("main_private", "kanon_patients_anon_job"),
        ("main_released", "patients_anon"),
    ]
    assert project.kanon("dbt", "check").startswith("fits")


def test_the_package_is_installed_from_a_folder_of_a_repository(project, tmp_path):
    """As the page says it, from a repository at a revision."""
    if shutil.which("git") is None:
        pytest.skip("no git")
    origin = tmp_path / "origin"
    shutil.copytree(package_path(), origin / "templates/dbt")
    said = ("-c", "user.name=a", "-c", "user.email=a@b")
    for command in (
        ["init", "-q"],
        ["add", "."],
        [*said, "commit", "-qm", "all"],
        ["tag", "v0.2.0"],
    ):
        subprocess.run(["git", *command], cwd=origin, check=True, timeout=60)
    document = yaml.safe_load(on_the_page("subdirectory"))
    document["packages"][0]["git"] = origin.as_uri()
    project.write("packages.yml", yaml.safe_dump(document))
    project.dbt("deps")
    assert (Path(project.folder) / "dbt_packages/kanon/macros/anonymize.sql").is_file()
    project.dbt("build")
    project.kanon("dbt", "plan", ".")
    project.dbt("build")
    assert set(project.results().values()) <= {"success", "pass"}
