"""The same dbt project on PostgreSQL and on Spark: the same levels, the same rows, a violation that is seen."""

from __future__ import annotations

import hmac
import os
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from people import comparable
from shells import QUICK_TO_START

import kanon_sql
from kanon_sql.engines.commands_sql import padded_keys
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
ALL_BUILT = """
from dbt.cli.main import dbtRunner

dbtRunner().invoke(["--debug", "build"])
"""
LOGGED = (
    ("log_statement", "all"),
    ("log_min_duration_statement", "0"),
    ("log_parameter_max_length", "-1"),
)


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
    assert (
        len(results) == 18 + 5 + 7
    )  # the last count people, and values that a mask does not label
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


KEY, OTHER = "a key of the test that no log may hold", "another key that is as long as that one"
KEYS = "clinic_private.kanon_keys_of_patients_anon"


def test_pseudonyms_have_their_key_in_no_log_and_nobody_else_reads_it(on_postgres, monkeypatch):
    """A reader of the release's folder reads pseudonyms, which are those of apply, and no key and no raw value."""
    project, psycopg = on_postgres, pytest.importorskip("psycopg")
    monkeypatch.setenv("PATIENT_KEY", KEY)
    hashed = {"role": "identifying", "action": "hash", "key_env": "PATIENT_KEY"}
    project.meta(columns={"patient_id": {**hashed, "linkable": "accept"}})
    file = project.folder / "dbt_project.yml"
    file.write_text(
        file.read_text().replace("seeds:\n  kanon_integration_tests:\n    raw_patients:\n", GRANTED)
    )
    with psycopg.connect(project.address, autocommit=True) as connection:
        folder = connection.execute("SHOW data_directory").fetchone()[0]
        user = connection.info.user
        connection.execute("CREATE ROLE reader")
        for name, value in LOGGED:
            connection.execute(f"ALTER ROLE \"{user}\" SET {name} = '{value}'")
    project.linked()
    ran = project.run(sys.executable, "-c", BUILT)
    assert ran.returncode == 0, ran.stdout
    project.environment["PATIENT_KEY"] = KEY
    kanon(project, "dbt", "plan", ".")
    del project.environment["PATIENT_KEY"]  # dbt itself has no key
    ran = project.run(sys.executable, "-c", BUILT)
    assert "the key of PATIENT_KEY is not in" in ran.stdout
    with psycopg.connect(project.address, autocommit=True) as connection:
        connection.execute(
            f"GRANT SELECT ON {KEYS} TO reader"
        )  # which is revoked before there is a key
    project.environment["PATIENT_KEY"] = KEY
    told = kanon(project, "dbt", "keys", ".")
    del project.environment["PATIENT_KEY"]
    ran = project.run(sys.executable, "-c", ALL_BUILT)
    assert ran.returncode == 0, ran.stdout
    assert set(project.results().values()) <= {"success", "pass"}
    with psycopg.connect(project.address, autocommit=True) as connection:
        people = connection.execute(
            "SELECT DISTINCT patient_id FROM clinic.stg_patients"
        ).fetchall()
        wanted = {hmac.new(KEY.encode(), str(n).encode(), "sha256").hexdigest() for (n,) in people}
        connection.execute(
            "GRANT USAGE ON SCHEMA clinic, clinic_private TO reader; SET ROLE reader"
        )
        seen = connection.execute("SELECT patient_id FROM clinic.patients_anon").fetchall()
        assert {each for (each,) in seen} == wanted
        for name in (
            KEYS,
            *(f"clinic_private.{each}" for each in HIERARCHIES),
            "clinic.stg_patients",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT * FROM {name}")
        connection.execute("RESET ROLE")
        assert len(connection.execute(f"SELECT * FROM {KEYS}").fetchall()) == 1
        released = connection.execute(
            "SELECT patient_id, sex, born, zip, job, disease FROM clinic.patients_anon"
        )
        assert sorted(map(str, released.fetchall())) == released_by_apply(project, connection)
        pads = padded_keys("PATIENT_KEY", OTHER.encode()).values()
        connection.execute(
            f"UPDATE {KEYS} SET inner_key = %s, outer_key = %s", [each.hex() for each in pads]
        )
    ran = project.run(sys.executable, "-c", ALL_BUILT)
    assert "is another than that of the plan" in ran.stdout
    log = "".join(
        path.read_text(errors="replace") for path in Path(folder).glob("**/*log*") if path.is_file()
    )
    assert "CREATE SCHEMA" in log.upper()
    assert "kanon_keys_of_patients_anon" in log
    files = [each for each in project.folder.rglob("*") if each.is_file()]
    texts = [told, ran.stdout, log, *(each.read_text(errors="replace") for each in files)]
    for secret in (KEY, *(pad.hex() for pad in padded_keys("PATIENT_KEY", KEY.encode()).values())):
        assert not [text for text in texts if secret in text]


def released_by_apply(project, connection):
    """What our own engine releases there, as rows of texts."""
    (model,) = yaml.safe_load((project.folder / "models/stg_patients.yml").read_text())["models"]
    own = {k: v for k, v in model["config"]["meta"]["kanon"].items() if k != "release"}
    columns = {each["name"]: each["config"]["meta"]["kanon"] for each in model["columns"]}
    columns["job"]["hierarchy"] = {"csv": str(project.folder / columns["job"]["hierarchy"]["csv"])}
    policy = {"version": 1, **own, "columns": columns}
    policy["columns"] = dict(policy["columns"])
    kanon_sql.anonymize(policy, "clinic.stg_patients", connection=connection, release="of_apply")
    rows = connection.execute("SELECT patient_id, sex, born, zip, job, disease FROM of_apply")
    return sorted(map(str, rows.fetchall()))
