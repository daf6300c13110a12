"""The dbt package is laid out as dbt's Hub wants a repository, and `dbt deps` installs it from one, and from a folder."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pages
import pytest
import yaml

SCRIPT = pages.ROOT / ".ci" / "dbt-package"

pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="not in a checkout")


def laid_out(folder):
    """Lay the package out in a new folder, and return the version that the script prints."""
    done = subprocess.run(
        ["bash", SCRIPT, folder], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "the hub's"
    return folder, laid_out(folder)


def test_the_root_has_what_the_hub_asks_for(package):
    folder, version = package
    project = yaml.safe_load((folder / "dbt_project.yml").read_text(encoding="utf-8"))
    assert re.fullmatch(r"[a-z_]+", project["name"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", project["version"])
    assert project["version"] == version
    assert len(project["require-dbt-version"]) == 2  # a lowest and a highest version
    assert "Apache License" in (folder / "LICENSE").read_text(encoding="utf-8")
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert all(each in readme for each in ("DuckDB", "PostgreSQL", "Spark", "packages.yml"))
    assert not list(folder.rglob("*.plan.yml.*"))
    made = {"target", "dbt_packages", "logs", "package-lock.yml"}
    assert not made & {path.name for path in folder.rglob("*")}


def test_a_folder_that_exists_is_kept(package):
    folder, _ = package
    done = subprocess.run(
        ["bash", SCRIPT, folder], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stderr.endswith("exists: name a new folder\n")


@pytest.mark.parametrize("way", ["local", "git"])
def test_deps_installs_it_and_a_build_finds_its_macros(way, package, project):
    folder, version = package
    if way == "git":
        if shutil.which("git") is None:
            pytest.skip("no git")
        said = ("-c", "user.name=a", "-c", "user.email=a@b")
        for command in (
            ["init", "-q"],
            ["add", "."],
            [*said, "commit", "-qm", "all"],
            ["tag", version],
        ):
            subprocess.run(["git", *command], cwd=folder, check=True, timeout=60)
        named = {"git": folder.as_uri(), "revision": version}
    else:
        named = {"local": str(folder)}
    project.write("packages.yml", yaml.safe_dump({"packages": [named]}))
    project.dbt("deps")
    assert (Path(project.folder) / "dbt_packages/kanon/macros/anonymize.sql").is_file()
    if way == "git":
        project.dbt("build")
