"""Rows in regions, as a dbt model: boundaries in the private folder, the rows that `apply` releases, every test of the channel."""

from __future__ import annotations

from contextlib import closing

import duckdb
import pytest
import yaml

import kanon_sql

STAGING = """select patient_id, name, sex, born, zip, nullif(job, 'unknown') as job, disease, loaded_on,
    case when patient_id % 50 = 0 then null else cast(extract(year from born) as integer) - 1900 end as age
from {{ ref('raw_patients') }}
"""
STRICT = {"algorithm": "mondrian", "choose": "loss", "grouping": "cuts"}
DROPPED = {"role": "identifying", "action": "drop"}
COLUMNS = {
    "sex": {"role": "quasi", "hierarchy": "suppress"},
    "age": {"role": "quasi", "order": "number"},
    "born": DROPPED,
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    "job": {"role": "quasi", "hierarchy": {"csv": "hierarchies/jobs.csv"}},
}


def regions_policy(project, **changes):
    """Ask for regions in a project."""
    columns = COLUMNS | changes.pop("columns", {})
    project.write("models/stg_patients.sql", STAGING)
    project.meta(search=STRICT, columns=columns, **changes)


def regions(project, **changes):
    regions_policy(project, **changes)
    project.ready()
    project.kanon("dbt", "plan", ".")
    return project


def policy_of(project):
    """The policy as the project's properties say it, for our own engine."""
    (model,) = yaml.safe_load((project.folder / "models/stg_patients.yml").read_text())["models"]
    own = dict(model["config"]["meta"]["kanon"])
    own.pop("release")
    columns = {each["name"]: each["config"]["meta"]["kanon"] for each in model["columns"]}
    for each in columns.values():
        if isinstance(each.get("hierarchy"), dict) and "csv" in each["hierarchy"]:
            each["hierarchy"] = {"csv": str(project.folder / each["hierarchy"]["csv"])}
    return {"version": 1, **own, "columns": columns}


def applied(project):
    """What our own engine releases of the same rows."""
    path = str(project.folder / "patients.duckdb")
    with (
        closing(duckdb.connect(path, read_only=True)) as connection,
        kanon_sql.anonymize(
            policy_of(project), "stg_patients", connection=connection
        ) as release,
    ):
        return sorted(map(str, release.relation.fetchall()))


def released(project):
    names = [name for name, *_ in project.execute("DESCRIBE patients_anon")]
    listed = ", ".join(f'"{name}"' for name in names)
    return sorted(map(str, project.execute(f"SELECT {listed} FROM patients_anon")))


def test_regions_are_built_as_apply_releases_them(project):
    regions(project)
    print(project.taken().keys())
    project.dbt("build")
    print(project.results())
    assert set(project.results().values()) <= {"success", "pass"}
    assert released(project) == applied(project)
