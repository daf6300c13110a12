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

LINES = {
    "sex": {"role": "quasi", "order": ["m", "f"]},
    "age": {"role": "quasi", "order": "number", "snap": 5, "output": "bounds"},
    "born": {"role": "quasi", "order": "date", "output": "bounds"},
    "zip": {"role": "quasi", "order": "text"},
    "job": COLUMNS["job"] | {"order": "text"},
}


def regions_policy(project, **changes):
    """Ask for regions in a project."""
    columns = COLUMNS | changes.pop("columns", {})
    project.write("models/stg_patients.sql", STAGING)
    project.meta(**{"search": STRICT, "columns": columns} | changes)


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


def as_apply(project):
    project.dbt("build")
    assert set(project.results().values()) <= {"success", "pass"}
    rows = released(project)
    assert rows == applied(project)
    return rows


def test_regions_are_built_as_apply_releases_them(project):
    regions(project)
    as_apply(project)


def test_lines_of_each_kind(project):
    """Numbers by steps and as bounds, dates by months, texts by their bytes, along a hierarchy, and by a list."""
    regions(project, columns=LINES)
    as_apply(project)


INTERVAL = {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}}
INTERVALS = {
    "sex": COLUMNS["sex"],
    "age": LINES["age"],
    "born": LINES["born"],
    "zip": COLUMNS["zip"],
    "job": COLUMNS["job"],
}


@pytest.mark.parametrize("algorithm", ["top_down", "bottom_up"])
def test_intervals_are_built_as_apply_releases_them(project, algorithm):
    search = {"algorithm": algorithm, "target": "disease"}
    regions(project, search=search, columns=INTERVALS)
    as_apply(project)


@pytest.mark.parametrize("columns", [{"age": INTERVAL | {"output": "bounds"}}, {"age": INTERVAL}])
def test_several_nodes_are_built_as_apply_releases_them(project, columns):
    columns = {"born": {"role": "quasi", "hierarchy": {"dates": ["year", "decade"]}}} | columns
    regions(project, search={"recoding": "local", "metric": "loss"}, columns=columns)
    as_apply(project)
    text = (project.folder / "kanon/patients_anon.plan.yml").read_text()
    plan = kanon_sql.Plan.from_yaml(text, "plan")
    print(plan.recoding)
    assert 0
