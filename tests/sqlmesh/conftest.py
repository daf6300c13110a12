"""A real SQLMesh project, run by the Python that KANON_SQL_SQLMESH names: SQLMesh pins what these tests do not."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import duckdb
import pages
import pytest

ROOT = Path(__file__).parents[2]
PLAN = ("plan", "--auto-apply", "--no-prompts")


class Project:
    """One project: `sqlmesh` runs SQLMesh there, `kanon` our own command line, `ask` its DuckDB file."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = folder
        self.bin = Path(python).absolute().parent
        self.environment = {
            **os.environ,
            "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "NO_COLOR": "1",
            "COLUMNS": "200",
        }

    def shell(self, script, *, fails=False):
        """Run commands where the project is; gives what they printed."""
        ran = subprocess.run(
            ["bash", "-ec", script], cwd=self.folder, env=self.environment, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False,
        )  # fmt: skip
        assert (ran.returncode != 0) is fails, ran.stdout
        return ran.stdout

    def plan(self, *, fails=False):
        return self.shell(f"sqlmesh {' '.join(PLAN)}", fails=fails)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def change(self, name, old, new):
        text = self.read(name)
        assert old in text
        self.write(name, text.replace(old, new))

    def fetch(self, text):
        path = str(self.folder / "patients.duckdb")
        with closing(duckdb.connect(path, read_only=True)) as connection:
            return connection.execute(text).fetchall()

    def released(self):
        return sorted(map(str, self.fetch("FROM clinic.patients_anon")))


@pytest.fixture(scope="session")
def page():
    """The page on SQLMesh: its blocks by kind."""
    return pages.by_kind("docs/guides/sqlmesh.md")


@pytest.fixture(scope="session")
def sqlmesh():
    """The Python that has SQLMesh."""
    named = os.environ.get("KANON_SQL_SQLMESH")
    if not named:
        pytest.skip("KANON_SQL_SQLMESH names no Python that has SQLMesh; .ci/run makes one")
    return named


@pytest.fixture(scope="session")
def walked(sqlmesh, page, tmp_path_factory):
    """The project after the page's commands, and what they printed."""
    folder = tmp_path_factory.mktemp("sqlmesh")
    commands = page["sh"][0].splitlines()
    assert commands.pop(0).startswith("pip install ")
    told = Project(folder, sqlmesh).shell("\n".join(commands))
    return folder / "clinic", told


@pytest.fixture
def project(walked, sqlmesh, tmp_path):
    """A copy of that project."""
    shutil.copytree(walked[0], tmp_path / "clinic")
    return Project(tmp_path / "clinic", sqlmesh)
