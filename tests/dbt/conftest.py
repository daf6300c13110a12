"""A real dbt project in a folder of its own, run by the dbt that is installed beside these tests."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from functools import cache
from pathlib import Path

import duckdb
import pytest
import yaml
from click.testing import CliRunner

import kanon_sql
from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.dbt.plan_models import package_path

MADE = ("kanon", "macros", "models/kanon", "models/kanon_private", "seeds/kanon_private", "tests")
"""Where our own files are: the package has them as they are made, and a test makes them again."""


@pytest.fixture(autouse=True)
def same_key(monkeypatch):
    """The key of the plan that the package has: its people do not exist."""
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", "the people of this plan do not exist")


class ReadyDbt:
    """dbt, imported once for all tests of a worker; each command is a process of its own."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("ready.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        )  # fmt: skip
        atexit.register(self.end)

    def run(self, **asked):
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def end(self):
        with self._process as process:
            process.stdin.close()
            process.wait(timeout=60)


@cache
def ready_dbt():
    return ReadyDbt()


@pytest.fixture
def commands_of_dbt():
    """Run dbt in any folder, by `run(args=..., folder=..., environment=..., output=...)`."""
    return ready_dbt()


class Project:
    """One project: `dbt` runs dbt there, `kanon` our own command line, `ask` its DuckDB file."""

    def __init__(self, folder: Path) -> None:
        package = folder / "kanon"
        shutil.copytree(package_path(), package)
        self.folder = package / "integration_tests"
        self.committed = self.taken(MADE)
        for name in MADE:
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for file in self.folder.glob("*.policy.yml"):
            file.unlink()
        self.environment = {
            **os.environ,
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
            "DBT_PROFILES_DIR": str(self.folder),
            "SPARK_LOCAL_IP": "127.0.0.1",
        }
        self.target = "duckdb"

    def taken(self, folders=MADE):
        """The texts of the files of some folders, by their names."""
        found = [f for each in folders for f in (self.folder / each).rglob("*") if f.is_file()]
        found += self.folder.glob("*.policy.yml") if folders is MADE else ()
        return {str(f.relative_to(self.folder)): f.read_text() for f in sorted(found)}

    def run(self, *command):
        """Run any command in the project."""
        environment = {**self.environment, "DBT_TARGET": self.target}
        return subprocess.run(
            command, cwd=self.folder, env=environment,
            capture_output=True, text=True, timeout=500, check=False,
        )  # fmt: skip

    def dbt(self, *args, fails=False):
        """Run dbt; gives what it printed. Another exit than was expected is the test's failure."""
        output = self.folder.parent / "output_of_dbt"
        code = ready_dbt().run(
            args=["--no-use-colors", *args],
            folder=str(self.folder),
            environment={**self.environment, "DBT_TARGET": self.target},
            output=str(output),
        )
        told = output.read_text(encoding="utf-8")
        assert (code != 0) is fails, told
        return told

    def kanon(self, *args, code=0):
        """Run our command line in the project; gives what it printed."""
        ran = self.run_kanon(*args)
        assert ran.exit_code == code, (ran.output, ran.exception)
        return ran.output

    def run_kanon(self, *args):
        """Run our command line in the project, whatever its end."""
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            return CliRunner(env={"DBT_TARGET": self.target}).invoke(main, [*map(str, args)])
        finally:
            os.chdir(before)

    def linked(self):
        """Have the package there, as dbt deps does it in seconds."""
        packages = self.folder / "dbt_packages"
        packages.mkdir(exist_ok=True)
        (packages / "kanon").symlink_to(self.folder.parent, target_is_directory=True)

    def ready(self):
        """Have the source's models there, and their manifest."""
        self.linked()
        self.dbt("build")
        return self

    def execute(self, text, *values):
        with closing(duckdb.connect(str(self.folder / "patients.duckdb"))) as connection:
            return connection.execute(text, values).fetchall()

    def meta(self, **changes):
        """Change what the source's properties say of it, or of a column."""
        file = self.folder / "models" / "stg_patients.yml"
        told = yaml.safe_load(file.read_text())
        (model,) = told["models"]
        columns = changes.pop("columns", {})
        own = model["config"]["meta"]["kanon"]
        own |= changes
        for key in [key for key, value in own.items() if value is None]:
            del own[key]
        for column in model["columns"]:
            if column["name"] in columns:
                column["config"]["meta"]["kanon"] = columns.pop(column["name"])
        model["columns"] += [
            {"name": name, "quote": True, "config": {"meta": {"kanon": said}}}
            for name, said in columns.items()
        ]
        file.write_text(yaml.safe_dump(told, sort_keys=False, allow_unicode=True))

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def results(self):
        """What dbt's own report says of each node that it ran: its status."""
        text = (self.folder / "target" / "run_results.json").read_text()
        return {each["unique_id"]: each["status"] for each in json.loads(text)["results"]}

    def compiled(self, name):
        (file,) = (self.folder / "target" / "compiled").rglob(f"{name}.sql")
        return file.read_text()


@pytest.fixture
def project(dbt, tmp_path):
    return Project(tmp_path)


@pytest.fixture
def planned(project):
    project.ready()
    project.kanon("dbt", "plan", ".")
    return project


def released_by_apply(project):
    """What our own engine releases by the committed plan, as rows of texts."""
    plan = kanon_sql.Plan.from_yaml(
        (project.folder / "kanon" / "patients_anon.plan.yml").read_text(), "plan"
    )
    (model,) = yaml.safe_load((project.folder / "models/stg_patients.yml").read_text())["models"]
    own = dict(model["config"]["meta"]["kanon"])
    own.pop("release")
    columns = {each["name"]: each["config"]["meta"]["kanon"] for each in model["columns"]}
    csv = columns.get("job", {}).get("hierarchy")
    if isinstance(csv, dict) and "csv" in csv:
        columns["job"]["hierarchy"] = {"csv": str(project.folder / csv["csv"])}
    policy = {"version": 1, **own, "columns": columns}
    path = str(project.folder / "patients.duckdb")
    with closing(duckdb.connect(path, read_only=True)) as connection:
        fresh = kanon_sql.plan(policy, "stg_patients", connection=connection)
        assert fresh.levels == plan.levels
        with kanon_sql.apply(
            fresh, "stg_patients", policy=policy, connection=connection
        ) as release:
            return sorted(map(str, release.relation.fetchall()))
