"""A wheel and an sdist build, hold what they should, and work outside the checkout."""

from __future__ import annotations

import sys
import sysconfig
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from wheels import ROOT, build, copy_of_checkout, run

import kanon_sql

pytestmark = [
    pytest.mark.skipif(find_spec("hatchling") is None, reason="hatchling is not installed"),
    pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="not in a checkout"),
]

SAFELY = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
"""What the first releases of Python 3.11 do not know."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the checkout, so that a build leaves nothing in it."""
    return copy_of_checkout(tmp_path_factory.mktemp("tree") / "kanon-sql")


@pytest.fixture(scope="module")
def wheel(tree):
    return build(tree, "wheel")


@pytest.fixture(scope="module")
def sdist(tree):
    return build(tree, "sdist")


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Install the wheel away from the checkout; its dependencies are those of this test."""
    folder = tmp_path_factory.mktemp("outside") / "venv"
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheel, cwd=folder)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = Path(run(python, "-c", where, cwd=folder).strip())
    others = dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    (own / "dependencies_of_the_test.pth").write_text("\n".join(others) + "\n", encoding="utf-8")
    return folder


def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    tops = {name.split("/")[0] for name in contents(wheel)}
    assert tops == {"kanon_sql", f"kanon_sql-{kanon_sql.__version__}.dist-info"}


def test_type_checkers_see_the_types_that_the_classifiers_promise(wheel):
    there = contents(wheel)
    (metadata,) = (text for name, text in there.items() if name.endswith("dist-info/METADATA"))
    assert b"Classifier: Typing :: Typed" in metadata
    assert "kanon_sql/py.typed" in there  # PEP 561


def test_the_wheel_holds_every_module_template_and_sample(tree, wheel):
    there = set(contents(wheel))
    package = {p.relative_to(tree).as_posix() for p in (tree / "kanon_sql").rglob("*.*")}
    templates = {
        f"kanon_sql/_{p.relative_to(tree).as_posix()}"
        for p in (tree / "templates").rglob("*")
        if p.is_file()
    }
    assert len(templates) > 40
    assert package <= there
    assert templates <= there
    assert {
        "kanon_sql/apps/sample/people.csv",
        "kanon_sql/apps/sample/people.yml",
    } <= there


def test_the_wheel_has_its_licence_and_its_readme(wheel):
    held = contents(wheel)
    info = f"kanon_sql-{kanon_sql.__version__}.dist-info"
    assert any(name.startswith(f"{info}/licenses/LICENSE") for name in held)
    metadata = held[f"{info}/METADATA"].decode()
    assert "License-Expression: Apache-2.0" in metadata
    assert "Requires-Python: >=3.11" in metadata


def test_the_sdist_holds_what_a_packager_needs(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"pyproject.toml", "README.md", "LICENSE", "templates/sql/lattice/check.sql.j2"} <= names
    assert "tests/contract/test_packaging.py" in names
    assert not any("__pycache__" in name or name.startswith(".ci") for name in names)


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_tree(wheel, sdist, tmp_path):
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, **SAFELY)
    (unpacked,) = tmp_path.iterdir()
    again = contents(build(unpacked, "wheel"))
    first = contents(wheel)
    assert again.keys() == first.keys()
    assert {name for name in first if first[name] != again[name]} == set()


def test_the_installed_package_is_the_one_that_runs(installed, tmp_path):
    code = (
        "import kanon_sql; from kanon_sql.base.sql.templates import template_root;"
        "print(kanon_sql.__file__, template_root(), sep='\\n')"
    )
    for line in run(installed / "bin" / "python", "-c", code, cwd=tmp_path).splitlines():
        assert Path(line).is_relative_to(installed)


def test_the_dbt_package_is_installed_whole(installed, tmp_path):
    path = Path(run(installed / "bin" / "kanon-sql", "dbt", "path", cwd=tmp_path).strip())
    assert path.is_relative_to(installed)
    assert (path / "macros" / "anonymize.sql").is_file()
    run(installed / "bin" / "kanon-sql", "dbt", "example", "clinic", cwd=tmp_path)
    assert (tmp_path / "clinic" / "seeds" / "raw_patients.csv").is_file()


def test_the_audits_for_sqlmesh_are_installed(installed, tmp_path):
    told = run(installed / "bin" / "kanon-sql", "sqlmesh", "audits", cwd=tmp_path)
    assert told.count("AUDIT (") == 4
    run(installed / "bin" / "kanon-sql", "sqlmesh", "example", "clinic", cwd=tmp_path)
    assert (tmp_path / "clinic" / "audits" / "kanon.sql").read_text(encoding="utf-8") == told


def test_the_demo_runs_outside_the_checkout(installed, tmp_path):
    told = run(installed / "bin" / "kanon-sql", "demo", cwd=tmp_path, COLUMNS="200")
    assert "verdict: PASS" in told
    assert list(tmp_path.iterdir()) == []


def test_the_module_runs_outside_the_checkout(installed, tmp_path):
    python = installed / "bin" / "python"
    told = run(python, "-m", "kanon_sql", "--version", cwd=tmp_path)
    assert kanon_sql.__version__ in told


def test_a_plan_is_made_and_carried_out_outside_the_checkout(installed, tmp_path):
    command = installed / "bin" / "kanon-sql"
    run(command, "demo", "-o", "demo", cwd=tmp_path)
    run(command, "plan", "demo/people.yml", cwd=tmp_path)
    run(command, "apply", "demo/people.plan.yml", "--replace", cwd=tmp_path)
    assert "COPY" in run(command, "compile", "demo/people.plan.yml", cwd=tmp_path)
