"""Snowflake as fakesnow emulates it, by the Python that KANON_SQL_FAKESNOW names: it pins what these tests do not."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

collect_ignore = ["run_fakesnow.py"]
PROGRAM = Path(__file__).with_name("run_fakesnow.py")


class Warehouse:
    """One emulated account; its databases are files of a folder."""

    def __init__(self, python, folder):
        self.python, self.folder = python, folder
        folder.mkdir()

    def run(self, *steps, fails=False):
        """Carry out steps, each a name and its arguments, in one session."""
        ran = subprocess.run(
            [self.python, str(PROGRAM), str(self.folder)], input=json.dumps(steps), encoding="utf-8",
            capture_output=True, timeout=120, check=False,
        )  # fmt: skip
        assert (ran.returncode != 0) is fails, ran.stderr
        return ran.stderr


@pytest.fixture(scope="session")
def fakesnow():
    """The Python that has fakesnow."""
    named = os.environ.get("KANON_SQL_FAKESNOW")
    if not named:
        pytest.skip("KANON_SQL_FAKESNOW names no Python that has fakesnow; .ci/run makes one")
    return named


@pytest.fixture
def warehouse(fakesnow, tmp_path):
    return Warehouse(fakesnow, tmp_path / "account")
