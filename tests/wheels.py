"""The package as it is published: a copy of the checkout, its wheel and sdist, and environments without a checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = ROOT / ".github" / "workflows"
KEPT = [
    "kanon_sql",
    "templates",
    "tests",
    "benchmarks",
    "docs",
    "mkdocs.yml",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    ".gitignore",
]


WITHOUT_BYTECODE = {"PIP_NO_COMPILE": "1"}
"""What pip installs is not compiled, of which a test uses a small part: that takes half of the time of pip."""


def run(*words, cwd, **env):
    told = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | WITHOUT_BYTECODE | env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout


def release_commands():
    """The words after `kanon-sql` in the job of the release workflow that tries the wheel, from demo to verify."""
    jobs = yaml.safe_load((WORKFLOWS / "release.yml").read_text(encoding="utf-8"))["jobs"]
    (script,) = (each["run"] for each in jobs["first-release"]["steps"] if "run" in each)
    install, *commands = (each.split() for each in script.splitlines())
    assert install[:2] == ["pip", "install"]
    assert {program for program, *_ in commands} == {"kanon-sql"}
    return [words for _, *words in commands]


def copy_of_checkout(folder):
    """Copy what is built into a new folder, so that a build leaves nothing in the checkout."""
    folder.mkdir(parents=True)
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info", ".hypothesis")
    for name in KEPT:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignore)
        elif (ROOT / name).is_file():
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def build(tree, target):
    folder = tree / "dist"
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", folder, cwd=tree)
    (made,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return made


def python_of(version):
    """Return the path of an interpreter of this version, or None: on the PATH, or of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))]
    probe = "import sys; print('%d.%d' % sys.version_info[:2])"
    for each in filter(None, places):
        told = subprocess.run([each, "-c", probe], capture_output=True, text=True, check=False)
        if told.stdout.strip() == version:
            return str(each)
    return None
