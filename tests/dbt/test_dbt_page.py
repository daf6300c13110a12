"""The page on dbt, from an empty folder: its commands are those that are run, and print what it shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pages
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
COMPILED = Path(__file__).with_name("patients_anon.sql")
"""The whole statement of the release, which the page shows in part."""


@pytest.fixture
def page():
    return pages.by_kind("docs/guides/dbt.md")


def plain(text):
    """Without times, and what ran beside what."""
    text = re.sub(r"^\d\d:\d\d:\d\d +", "", text, flags=re.MULTILINE)
    return re.sub(r"in \d+\.\d\ds|^\d+ of \d+ (?=PASS)", "", text, flags=re.MULTILINE)


def hold_pins(command):
    """What a newcomer installs is what these tests have: dbt 2 is another program, which none of them runs."""
    pip, install, *words = shlex.split(command)
    assert (pip, install) == ("pip", "install")
    asked = {each.name: each.specifier for each in map(Requirement, words)}
    assert all(version(name) in specifier for name, specifier in asked.items())
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tested = extra["optional-dependencies"]["test"]
    (ours,) = (each.specifier for each in map(Requirement, tested) if each.name == "dbt-core")
    below = {str(each) for each in ours if each.operator == "<"}
    assert below
    assert below <= {str(each) for each in asked["dbt-core"]}


def without_hash(text):
    """A model's text less the hash of its plan, which is another under each key."""
    return re.sub(r"plan [0-9a-f]{12}", "plan", text.strip())


def test_a_newcomer_comes_to_a_green_build(dbt, tmp_path, page):
    commands = page["sh"][0].splitlines()
    assert len(commands) < 10
    hold_pins(commands.pop(0))
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "NO_COLOR": "1",
    }
    environment.pop("KANON_SQL_DBT", None)
    script = "\n".join(line.replace("dbt build", "dbt --no-use-colors build") for line in commands)
    ran = subprocess.run(
        ["bash", "-ec", script], cwd=tmp_path, env=environment,
        capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    told = plain(ran.stdout)
    for line in plain(page["text"][0]).splitlines():
        assert line == "..." or line in told
    (compiled,) = (tmp_path / "clinic/target/compiled").rglob("kanon/patients_anon.sql")
    text = without_hash(compiled.read_text())
    if os.environ.get("KANON_UPDATE_GOLDEN") == "1":
        COMPILED.write_text(f"{text}\n", encoding="utf-8")
    assert text == COMPILED.read_text(encoding="utf-8").strip()
    shown = re.split(r"\.\.\.\n?", without_hash(page["sql"][0]))
    places = [text.index(piece.strip()) for piece in shown]
    assert places == sorted(places)
    assert places[0] == 0
    assert text.endswith(shown[-1].strip())
