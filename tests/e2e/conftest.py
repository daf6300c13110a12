"""A folder with a source, a policy and hierarchies, and the command line run in it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from certificates import released
from click.testing import CliRunner

from kanon_sql.apps.cli.command_line import main

CANARIES = ("anary", "7391")
"""Parts of every text and ZIP code of the lab's data: no message may hold one."""


class Lab:
    """One folder; `run` calls the command line in process, `refused` wants one clear error."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write(
            "people.csv",
            "name,zip,sex,age,disease\n"
            + "".join(
                f"Canary-{i},7391{i % 3},canary-{'mf'[i % 2]},{20 + i * i % 23},canary-{i % 5}\n"
                for i in range(40)
            ),
        )
        self.write("sex.csv", "canary-m;canary-x;*\ncanary-f;canary-x;*\n")

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text, encoding="utf-8", newline="")
        return path

    def mapping(self, columns: dict[str, object] | None = None, **changes: object) -> dict:
        """A good policy of the lab's table; a change of None takes an entry out."""
        known: dict[str, object] = {
            "name": {"role": "identifying", "action": "drop"},
            "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
            "sex": {"role": "quasi", "hierarchy": {"csv": "sex.csv"}},
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
            "disease": {"role": "sensitive"},
        }
        known = {k: v for k, v in {**known, **(columns or {})}.items() if v is not None}
        policy = {
            "version": 1,
            "source": "people.csv",
            "entity": "row",
            "columns": known,
            "privacy": {"k": 3},
            "suppression": "10%",
            "release": "release.parquet",
            **changes,
        }
        return {k: v for k, v in policy.items() if v is not None}

    def policy(self, columns: dict[str, object] | None = None, **changes: object) -> str:
        """Write that policy; JSON is YAML. Give its path."""
        text = json.dumps(self.mapping(columns, **changes), indent=1, ensure_ascii=False)
        return str(self.write("policy.yml", text))

    def files(self) -> dict[str, bytes | None]:
        """Every file below the folder with its bytes."""
        found: dict[str, bytes | None] = {}
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            found[name] = path.read_bytes() if path.is_file() else None
        return found

    def run(self, *args: object):
        """Run a command in the folder; an exception that is not an exit is the test's failure."""
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            result = CliRunner().invoke(main, [str(a) for a in args])
        finally:
            os.chdir(before)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    def done(self, *args: object) -> str:
        """Run a command that must succeed."""
        result = self.run(*args)
        assert result.exit_code == 0, result.output
        return result.stdout

    def refused(self, *args: object, code: int = 1, told: tuple[str, ...] = CANARIES) -> str:
        """Run a command that must end in one error, telling no value and writing nothing."""
        before = self.files()
        result = self.run(*args)
        assert result.exit_code == code, result.output
        assert self.files() == before, "a refused command wrote something"
        for canary in told:
            assert canary not in result.output, "a data value is in a message"
        assert result.stderr.startswith(("error: ", "Usage: "))
        return result.stderr


@pytest.fixture(scope="session")
def lab_in() -> type[Lab]:
    """Makes a lab of a folder."""
    return Lab


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    folder = tmp_path / "lab"
    folder.mkdir()
    return Lab(folder)


@pytest.fixture(scope="session")
def kept(tmp_path_factory, lab_in):
    """The folder of a lab whose release has its certificate, made once."""
    made = lab_in(tmp_path_factory.mktemp("kept"))
    released(made)
    made.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    return made.folder


@pytest.fixture
def certified(kept, lab_in, tmp_path):
    """A lab whose release has its certificate: what is said of it starts from its own folder."""
    folder = tmp_path / "la'b [1]"
    shutil.copytree(kept, folder)
    return lab_in(folder)
