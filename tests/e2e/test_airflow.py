"""The tasks of the page on later rows in Airflow, as they are written: they release, and stop what is downstream."""

from __future__ import annotations

import os
import subprocess

import pages
import pytest

PYTHON = os.environ.get("KANON_SQL_AIRFLOW")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PYTHON is None, reason="no Airflow: KANON_SQL_AIRFLOW is its Python"),
]
RUNS = """
import os

import duckdb
from people_dag import people_dag

def run():
    states = {each.task_id: str(each.state) for each in people_dag.test().get_task_instances()}
    print("states", *sorted(f"{name}={state}" for name, state in states.items()))

def violated():
    with duckdb.connect() as connection:
        connection.sql("FROM 'sample/people_k5.parquet' LIMIT 7").write_parquet("few.parquet")
    os.replace("few.parquet", "sample/people_k5.parquet")

run()
people_dag.get_task("people_k5").python_callable = violated
run()
"""


def test_a_task_stops_what_is_downstream_of_a_release_that_its_recount_refuses(tmp_path):
    for block in pages.blocks_of("docs/guides/new-rows.md"):
        if block.title in {"release.py", "people_dag.py"}:
            (tmp_path / block.title).write_text(block.text, encoding="utf-8")
    (tmp_path / "run.py").write_text(RUNS, encoding="utf-8")
    run(tmp_path, "-m", "kanon_sql", "demo", "-o", "sample")
    run(tmp_path, "-m", "kanon_sql", "plan", "sample/people.yml")
    run(tmp_path, "-m", "airflow", "db", "migrate")
    said = run(tmp_path, "run.py").splitlines()
    released, refused = (each.split()[1:] for each in said if each.startswith("states"))
    names = ("people_are_anonymous", "people_k5", "statistics")
    assert released == [f"{name}=success" for name in names]
    states = ("failed", "success", "upstream_failed")
    assert refused == [f"{name}={state}" for name, state in zip(names, states, strict=True)]


def run(folder, *words):
    done = subprocess.run(
        [PYTHON, *words],
        cwd=folder,
        env=os.environ
        | {
            "AIRFLOW_HOME": str(folder / "airflow"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(folder),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout
