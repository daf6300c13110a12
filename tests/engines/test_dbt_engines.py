"""The same dbt project on PostgreSQL and on Spark: the same levels, the same rows, a violation that is seen."""

from __future__ import annotations

import os
import sys
from urllib.parse import parse_qs, urlsplit

import pytest
from people import comparable
from shells import QUICK_TO_START

import kanon_sql
from tests.dbt.conftest import Project
from tests.engines.conftest import need_java, postgres_address

MODELS = {
    "models/short.sql": "select sex, disease from {{ ref('patients_anon') }} where sex = 'f'"
    " union all select 'x', 'gout'",
    "models/short.yml": """version: 2
models:
- name: short
  data_tests:
  - kanon.k_anonymity: {arguments: {columns: [sex], k: 2}, name: too_few}
  - kanon.l_diversity: {arguments: {columns: [sex], sensitive: disease, l: 2}, name: too_alike}
  - kanon.k_anonymity: {arguments: {columns: [sex], k: 1}, name: enough}
""",
    "models/daily.sql": "{{ config(materialized='incremental', incremental_strategy='append',"
    " full_refresh=false) }}"
    "{{ kanon.anonymize(ref('stg_patients'), plan='patients_anon', loaded_at='loaded_on') }}",
    "models/held.sql": "{{ kanon.held_back(ref('stg_patients'), ref('daily')) }}",
    "tests/a_text_is_itself.sql": "select 1 as one from {{ ref('short') }}"
    """ where length({{ kanon.text("it's \\\\' -- \\\\") }}) <> 12""",
    "tests/no_small_increment.sql": "select 1 as one from {{ ref('daily') }}"
    " group by sex, born, zip, job, kanon_released_at having count(*) < 5",
    "tests/two_days.sql": "select 1 as one from {{ ref('daily') }}"
    " having count(distinct kanon_released_at) <> 2",
    "tests/held_is_counted.sql": "select 1 as one from {{ ref('held') }}"
    " where source_rows <> 600 or released_rows + held_back_rows <> 600 or held_back_rows < 0",
}
GRANTED = """models:
  kanon_integration_tests:
    +grants: {select: reader}
    kanon_private: {+schema: private}
    stg_patients: {+grants: {select: []}}
seeds:
  kanon_integration_tests:
    +grants: {select: reader}
    kanon_private: {+schema: private}
    raw_patients:
      +grants: {select: []}
"""
HIERARCHIES = ("kanon_patients_anon_born", "kanon_patients_anon_job")
READER = """
GRANT USAGE ON SCHEMA clinic TO reader;
SET ROLE reader;
CREATE FUNCTION pg_temp.seen(value TEXT) RETURNS BOOLEAN COST 0.0001 LANGUAGE plpgsql
  AS $$ BEGIN RAISE NOTICE '%', value; RETURN TRUE; END $$
"""
BOTH_DAYS = """
from dbt.cli.main import dbtRunner

dbtRunner().invoke(["build", "--exclude", "short", "--vars", "{until: '2026-03-05'}"])
dbtRunner().invoke(["build", "--vars", "{until: '2026-03-31'}"])
"""
BUILT = """
from dbt.cli.main import dbtRunner

dbtRunner().invoke(["build", "--exclude", "resource_type:test"])
"""


@pytest.fixture
def on_postgres(dbt, tmp_path, tmp_path_factory, monkeypatch):
    project = Project(tmp_path)
    project.target = "postgres"
    with postgres_address(tmp_path_factory.mktemp("dbt")) as address:
        parts = urlsplit(address)
        host = parts.hostname or parse_qs(parts.query)["host"][0]
        project.environment |= {"POSTGRES_HOST": host, "POSTGRES_USER": parts.username or ""}
        project.environment |= {"POSTGRES_PASSWORD": "it's a secret"}
        project.address = address
        yield project


@pytest.fixture
def on_spark(dbt, tmp_path, tmp_path_factory):
    pytest.importorskip("dbt.adapters.spark")
    need_java(tmp_path_factory.mktemp("java"))
    project = Project(tmp_path)
    project.target = "spark"
    project.environment |= {"JDK_JAVA_OPTIONS": QUICK_TO_START, **java()}
    return project


def java():
    home = os.environ.get("JAVA_HOME")
    return {} if home is None else {"JAVA_HOME": home}


def kanon(project, *args):
    """Our command line in a process of its own, as a session of Spark needs one."""
    ran = project.run(sys.executable, "-m", "kanon_sql", *args)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "it's a secret" not in ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("engine", ["postgres", pytest.param("spark", marks=pytest.mark.rare)])
def test_a_project_is_planned_and_built_there(engine, request):
    """What was planned in DuckDB is built there, and a plan made there is the same."""
    project = request.getfixturevalue(f"on_{engine}")
    for name, text in project.committed.items():
        project.write(name, text)
    for name, text in MODELS.items():
        project.write(name, text)
    project.linked()
    project.run(sys.executable, "-c", BOTH_DAYS)
    results = {name.split(".")[2]: status for name, status in project.results().items()}
    failed = {name for name, status in results.items() if status == "fail"}
    assert failed == {"too_few", "too_alike"}
    assert {status for name, status in results.items() if name not in failed} == {"success", "pass"}
    assert len(results) == 18 + 5 + 5
    kanon(project, "dbt", "plan", ".", "--select", "patients_anon")
    files, committed = project.taken(), project.committed
    name = "kanon/patients_anon.plan.yml"
    plan, wanted = (kanon_sql.Plan.from_yaml(text[name], "plan") for text in (files, committed))
    assert comparable(plan) == comparable(wanted)
    if engine == "postgres":
        assert kanon(project, "dbt", "check").startswith("fits")


def test_a_reader_sees_released_rows_alone(on_postgres):
    """Grants of the project reach no hierarchy, those of before are revoked, and a view tries no condition on rows
    that it leaves out."""
    project = on_postgres
    file = project.folder / "dbt_project.yml"
    seeds = "seeds:\n  kanon_integration_tests:\n    raw_patients:\n"
    text = file.read_text()
    assert seeds in text
    file.write_text(text.replace(seeds, GRANTED))
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(project.address, autocommit=True) as connection:
        connection.execute("CREATE ROLE reader")
    for name, text in project.committed.items():
        project.write(name, text.replace("materialized='table'", "materialized='view'"))
    project.linked()
    ran = project.run(sys.executable, "-c", BUILT)
    assert ran.returncode == 0, ran.stdout
    with psycopg.connect(project.address, autocommit=True) as connection:
        granted = connection.execute(
            "SELECT table_name FROM information_schema.table_privileges WHERE grantee = 'reader'"
        ).fetchall()
        assert granted == [("patients_anon",)]
        # What was granted by hand, or by an older version, and on the schema.
        connection.execute("GRANT USAGE ON SCHEMA clinic_private TO reader")
        for name in HIERARCHIES:
            connection.execute(f"GRANT SELECT ON clinic_private.{name} TO reader")
        ran = project.run(sys.executable, "-c", BUILT)
        assert ran.returncode == 0, ran.stdout
        for name in HIERARCHIES:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SET ROLE reader; SELECT value FROM clinic_private.{name}")
            connection.execute("RESET ROLE")
        connection.execute(
            "INSERT INTO clinic.raw_patients SELECT 9000, 'Z', 'x', born, zip, job, disease, loaded_on"
            " FROM clinic.raw_patients LIMIT 1"
        )
        connection.execute(READER)
        seen = set()
        connection.add_notice_handler(lambda notice: seen.add(notice.message_primary))
        connection.execute("SELECT COUNT(*) FROM clinic.patients_anon WHERE pg_temp.seen(sex)")
    assert seen == {"f", "m"}
