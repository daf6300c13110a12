"""The same dbt project on PostgreSQL and on Spark: the same levels, the same rows, a violation that is seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from urllib.parse import parse_qs, urlsplit

import pytest

import kanon_sql
from tests.dbt.conftest import Project
from tests.engines.conftest import QUICK_TO_START, need_java, postgres_address

INSERT = "insert into {{ ref('patients_anon') }} (sex, born, zip, job, disease) values ('x', '1900s', '1', '*', 'gout')"
VIOLATE = '{% macro violate() %}{% do run_query("' + INSERT + '") %}{% endmacro %}\n'


@pytest.fixture
def on_postgres(tmp_path, tmp_path_factory, monkeypatch):
    project = Project(tmp_path)
    project.target = "postgres"
    with postgres_address(tmp_path_factory.mktemp("dbt")) as address:
        parts = urlsplit(address)
        host = parts.hostname or parse_qs(parts.query)["host"][0]
        project.environment |= {"POSTGRES_HOST": host, "POSTGRES_USER": parts.username or ""}
        project.environment |= {"POSTGRES_PASSWORD": "it's a secret"}
        yield project


@pytest.fixture
def on_spark(tmp_path, tmp_path_factory):
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
    environment = {**project.environment, "DBT_TARGET": project.target}
    ran = subprocess.run(
        [sys.executable, "-m", "kanon_sql", *args], cwd=project.folder, env=environment,
        capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "it's a secret" not in ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("engine", ["postgres", "spark"])
def test_a_project_is_planned_and_built_there(engine, request):
    project = request.getfixturevalue(f"on_{engine}")
    project.ready()
    kanon(project, "plan", "--dbt", ".", "--select", "patients_anon")
    # What the package has was made in DuckDB: all but the plan's own SQL and its hash is the same.
    files, committed = project.taken(), project.committed
    assert set(files) == set(committed)
    name = "kanon/patients_anon.plan.yml"
    plan, wanted = (kanon_sql.Plan.from_yaml(text[name], "plan") for text in (files, committed))
    assert plan.document() | {"sql": ""} == wanted.document() | {"sql": ""}
    hashes = (plan.to_yaml() != wanted.to_yaml(), plan.sql != wanted.sql)
    assert hashes == (True, True)
    project.dbt("build")
    assert set(project.results().values()) <= {"success", "pass"}
    assert len(project.results()) == 18
    if engine == "postgres":
        assert kanon(project, "dbt", "check").startswith("fits")
    project.write("macros/violate.sql", VIOLATE)
    project.dbt("run-operation", "violate")
    project.dbt("test", "--select", "patients_anon", fails=True)
    failed = [name for name, status in project.results().items() if status == "fail"]
    assert {name.split(".")[2].split("_patients")[0] for name in failed} >= {
        "kanon_k_anonymity", "kanon_l_diversity",
    }  # fmt: skip
    shutil.rmtree(project.folder / "spark-warehouse", ignore_errors=True)
