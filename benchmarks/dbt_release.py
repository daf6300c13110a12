"""What the release model of a dbt project costs, in CPU seconds, beside a model that copies the same rows.

    python -m benchmarks.dbt_release [--rows 3000000] [--runs 5] [--pseudonyms]

The example project of the package gets generated patients in DuckDB, one row each, is planned there, and built by dbt.
Then the statements that dbt made the copy and the release by are run in turns; the median of each counts. What dbt
itself takes for a model, a quarter of a second, is the same for both.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import tempfile
from contextlib import chdir
from pathlib import Path
from statistics import median

import duckdb
import yaml

from benchmarks.measure import machine, run_command
from kanon_sql.apps.dbt.plan_models import EXAMPLE, package_path

PATIENTS = """{{{{ config(materialized='table') }}}}
select
    i as patient_id, 'Person ' || i as name, case when hash(i, 1) % 2 = 0 then 'f' else 'm' end as sex,
    cast(date '1930-01-01' + cast(hash(i, 2) % 30000 as int) as date) as born,
    lpad(cast(hash(i, 3) % 400 as text), 5, '0') as zip,
    (['nurse', 'cook', 'baker', 'teacher', 'butcher', 'surgeon'])[1 + cast(hash(i, 4) % 6 as int)] as job,
    'd' || (hash(i, 5) % 40) as disease, date '2026-03-01' as loaded_on
from range({rows}) as r (i)
"""
COPIED = """{{ config(materialized='table') }}
select sex, born, zip, job, disease, patient_id, loaded_on from {{ ref('stg_patients') }}
"""
MODELS = ("copied", "patients_anon")
KEYS = "kanon_keys_of_patients_anon"
ENVIRONMENT = {
    "DBT_PROFILES_DIR": ".",
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    "BENCHMARK_KEY": "a key of people who do not exist",
}


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def dbt(*arguments: str) -> None:
    """Run dbt in a process of its own, which lets go of the database in the end."""
    subprocess.run(["dbt", "-q", *arguments], check=True)


def compiled(folder: Path, model: str) -> str:
    (file,) = (folder / "target/compiled").rglob(f"{model}.sql")
    return file.read_text()


def cpu_seconds_of(connection: duckdb.DuckDBPyConnection, text: str) -> float:
    """Make a table by a model's statement, as dbt does, and give the CPU seconds that it took."""
    connection.execute("DROP TABLE IF EXISTS made")
    before = cpu_seconds()
    connection.execute(f"CREATE TABLE made AS ({text})")
    return cpu_seconds() - before


def write_project(folder: Path, rows: int, *, pseudonyms: bool) -> None:
    for name in EXAMPLE:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(package_path()) / "integration_tests" / name, folder / name)
    (folder / "dbt_packages").mkdir()
    (folder / "dbt_packages/kanon").symlink_to(package_path(), target_is_directory=True)
    (folder / "models/stg_patients.sql").write_text(PATIENTS.format(rows=rows))
    (folder / "models/copied.sql").write_text(COPIED)
    (folder / "packages.yml").write_text(f"packages:\n  - local: {package_path()}\n")
    if pseudonyms:
        file = folder / "models/stg_patients.yml"
        told = yaml.safe_load(file.read_text())
        for column in told["models"][0]["columns"]:
            if column["name"] == "patient_id":
                hashed = {"role": "identifying", "action": "hash", "key_env": "BENCHMARK_KEY"}
                column["config"]["meta"]["kanon"] = {**hashed, "linkable": "accept"}
        file.write_text(yaml.safe_dump(told, sort_keys=False))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pseudonyms", action="store_true")
    asked = parser.parse_args()
    os.environ.update(ENVIRONMENT)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        write_project(Path(folder), asked.rows, pseudonyms=asked.pseudonyms)
        dbt("seed")
        dbt("run")
        run_command(["dbt", "plan", "."], Path(folder))
        if asked.pseudonyms:
            dbt("run", "--select", KEYS)
            run_command(["dbt", "keys", "."], Path(folder))
        dbt("seed")
        dbt("run")
        texts = {model: compiled(Path(folder), model) for model in MODELS}
        with duckdb.connect("patients.duckdb") as connection:
            # In turns, so that a busy minute of the machine falls on both.
            found = [
                {model: cpu_seconds_of(connection, text) for model, text in texts.items()}
                for _ in range(asked.runs)
            ]
    taken = {model: median(each[model] for each in found) for model in MODELS}
    print(
        json.dumps(
            {
                "machine": machine(),
                "rows": asked.rows,
                "pseudonyms": asked.pseudonyms,
                "cpu_seconds": {model: round(each, 2) for model, each in taken.items()},
                "ratio": round(taken["patients_anon"] / taken["copied"], 2),
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
