"""Regions, intervals and several nodes in a dbt project on PostgreSQL: the rows of `apply`, and who may read what."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

import kanon_sql
from tests.dbt.recoded_projects import OF_MODEL, own_policy, recoded
from tests.engines.test_dbt_engines import on_postgres

__all__ = ["on_postgres"]

BUILT = """
import sys
from dbt.cli.main import dbtRunner

sys.exit(not dbtRunner().invoke(["build"]).success)
"""
GRANTED = """models:
  kanon_integration_tests:
    +grants: {select: reader}
    kanon_private: {+schema: private}
seeds:
  kanon_integration_tests:
    +grants: {select: reader}
    kanon_private: {+schema: private}
    raw_patients:
      +grants: {select: []}
"""


def done(project, *command):
    ran = project.run(sys.executable, *command)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_what_is_built_there_is_what_apply_releases_and_a_reader_sees_no_raw_value(on_postgres):
    psycopg = pytest.importorskip("psycopg")
    project = recoded(on_postgres, OF_MODEL)
    for name in ("stg_patients", *OF_MODEL):  # what is not released is granted to nobody
        file = project.folder / f"models/{name}.sql"
        file.write_text("{{ config(grants={'select': []}) }}" + file.read_text())
    file = project.folder / "dbt_project.yml"
    seeds = "seeds:\n  kanon_integration_tests:\n    raw_patients:\n"
    file.write_text(file.read_text().replace(seeds, GRANTED))
    with psycopg.connect(project.address, autocommit=True) as connection:
        connection.execute("CREATE ROLE reader; CREATE SCHEMA own")
        done(project, "-c", BUILT)
        done(project, "-m", "kanon_sql", "dbt", "plan", ".")
        done(project, "-c", BUILT)
        assert set(project.results().values()) <= {"success", "pass"}
        granted = connection.execute(
            "SELECT table_name FROM information_schema.table_privileges WHERE grantee = 'reader'"
        )
        assert sorted(name for (name,) in granted) == sorted(
            f"{each}_anonymized" for each in OF_MODEL
        )
        private = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'clinic_private'"
        ).fetchall()
        assert len(private) == 5 * 2 + 3 + 4 + 3
        for (name,) in private:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f'SET ROLE reader; SELECT * FROM clinic_private."{name}"')
            connection.execute("RESET ROLE")
        for model in OF_MODEL:
            policy = own_policy(project, model) | {"release": {"table": f"own.{model}"}}
            again = {"to_new_rows": True} if model == "overlapping" else {}
            plan = kanon_sql.plan(
                policy, f"clinic.{model}", connection=connection,
                boundaries=str(project.folder.parent / f"{model}.plan.yml"),
            )  # fmt: skip
            kanon_sql.apply(plan, f"clinic.{model}", policy=policy, connection=connection, **again)
            rows, wanted = (
                Counter(
                    tuple(sorted(row.items()))
                    for (row,) in connection.execute(f"SELECT to_jsonb(r) FROM {table} AS r")
                )
                for table in (f"clinic.{model}_anonymized", f"own.{model}")
            )
            assert rows == wanted
