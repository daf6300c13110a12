"""The README's quickstart runs as it is written, and prints what it shows."""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from kanon_sql.cli.commands import main

ROOT = Path(__file__).parents[2]
ADULT = ROOT.parent / "shared" / "data" / "adult"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder that the quickstart asks for."""
    if not ADULT.is_dir():
        pytest.skip("the Adult files are not beside the repository")
    if not (ROOT / "README.md").is_file():
        pytest.skip("no README beside the tests")
    made = tmp_path_factory.mktemp("readme")
    for file in ADULT.glob("*.csv"):
        shutil.copy(file, made)
    return made


@pytest.fixture(scope="module")
def blocks():
    """The blocks of the quickstart by kind, in order; the policy of all keys comes after them."""
    return blocks_after("## Quickstart")


def blocks_after(heading):
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition(f"{heading}\n")[2]
    found: dict[str, list[str]] = {}
    for kind, block in FENCE.findall(text):
        found.setdefault(kind, []).append(block)
    return found


def comparable(text):
    return re.sub(r"in \d+\.\d\d s", "in some s", text)


def run(folder, line):
    """Run a line of README in this process; gives what it prints."""
    words = shlex.split(line)
    assert words[0] == "kanon-sql"
    with contextlib.chdir(folder):
        done = CliRunner().invoke(main, words[1:])
    assert done.exit_code == 0, done.output
    return done.stdout


def run_alone(folder, line):
    """Run a line of README in a process of its own, as a newcomer does."""
    words = shlex.split(line)
    assert words[0] == "kanon-sql"
    done = subprocess.run(
        [sys.executable, "-m", "kanon_sql", *words[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def planned(folder, blocks):
    """The folder once the quickstart's plan was made."""
    (folder / "adult.yml").write_text(blocks["yaml"][0], encoding="utf-8")
    run(folder, "kanon-sql plan adult.yml")
    return folder


def test_the_quickstart_prints_what_it_shows(folder, blocks):
    (folder / "adult.yml").write_text(blocks["yaml"][0], encoding="utf-8")
    *lines, last = blocks["sh"][0].splitlines()
    said = "".join(run(folder, line) for line in lines) + run_alone(folder, last)
    assert comparable(said) == comparable(blocks["text"][0])
    _script_after_the_quickstart(folder, blocks)
    _shown_in_the_shell(folder, blocks)
    _python_after_the_quickstart(folder, blocks)


@pytest.mark.slow
def test_a_plan_is_explained_and_compared_as_it_shows(planned):
    shown = blocks_after("### Why this plan, and what others would have been")
    explain, compare = shown["sh"][0].splitlines()
    told = run(planned, explain)
    assert (planned / "adult.svg").read_text(encoding="utf-8").startswith("<svg")
    for line in shown["text"][0].splitlines():
        assert line == "..." or line in told.splitlines()
    quick = {"optimal", "mingen", "datafly", "greedy", "lightning"}
    rows = rows_of_comparison(run(planned, f"{compare} --algorithms {','.join(quick)}"))
    assert rows.keys() == quick
    assert {name: rows_of_comparison(shown["text"][1])[name] for name in quick} == rows


def test_a_diff_of_plans_begins_as_it_shows(planned):
    shown = blocks_after("### What changed from one plan to another")
    *_, said = [run(planned, line) for line in shown["sh"][0].splitlines()]
    assert said.startswith(shown["text"][0])


def test_scripts_for_other_databases_begin_as_it_shows(planned):
    shown = blocks_after("### A script for another database")
    for line, begins in zip(
        shown["sh"][0].splitlines(), shown["text"][0].split("...\n"), strict=True
    ):
        assert run(planned, line).startswith(begins)


def rows_of_comparison(text):
    """The rows by what searched, without the seconds, which are of the machine."""
    rows = [line.split() for line in text.splitlines()]
    return {row[0]: [*row[1:6], *row[7:]] for row in rows if len(row) == 13 and "," in row[1]}


def test_some_rows_and_several_adversaries_print_what_they_show(folder):
    shown = blocks_after("### Rows by a condition, and several sets of quasi-identifiers")
    (folder / "women.yml").write_text(shown["yaml"][0], encoding="utf-8")
    said = "".join(run(folder, line) for line in shown["sh"][0].splitlines())
    assert comparable(said) == comparable(shown["text"][0])


@pytest.mark.slow
def test_boxes_print_what_they_show(folder):
    shown = blocks_after("### Boxes: Mondrian")
    (folder / "boxes.yml").write_text(shown["yaml"][0], encoding="utf-8")
    said = "".join(run(folder, line) for line in shown["sh"][0].splitlines())
    assert comparable(said) == comparable(shown["text"][0])


def test_parts_print_what_they_show(folder):
    shown = blocks_after("### Parts of columns: top-down, bottom-up and K-Optimize")
    (folder / "parts.yml").write_text(shown["yaml"][0], encoding="utf-8")
    said = "".join(run(folder, line) for line in shown["sh"][0].splitlines())
    assert comparable(said) == comparable(shown["text"][0])


def test_a_table_in_place_prints_what_it_shows(folder):
    shown = blocks_after("## A table in place")
    (folder / "hospital.yml").write_text(shown["yaml"][0], encoding="utf-8")
    make, *lines = shown["sh"][0].splitlines()
    _, database, _, text = shlex.split(make)
    with contextlib.chdir(folder), duckdb.connect(database) as connection:
        connection.execute(text)
    said = "".join(run(folder, line) for line in lines)
    assert comparable(said) == comparable(shown["text"][0])


def test_a_certificate_prints_what_it_shows(planned):
    run(planned, "kanon-sql apply adult.plan.yml --replace")
    shown = blocks_after("## The certificate of a release")
    said = "".join(run(planned, line) for line in shown["sh"][0].splitlines())
    assert said == shown["text"][0]
    enter, script = shown["sh"][1].splitlines()
    shell, openssl = shutil.which("duckdb"), shutil.which("openssl")
    if shell is not None:
        words = [shell, *shlex.split(script, comments=True)[1:]]
        where = planned / shlex.split(enter)[1]
        done = subprocess.run(words, cwd=where, capture_output=True, text=True, check=True)
        assert done.stdout == shown["text"][1]
    if openssl is not None:
        pytest.importorskip("cryptography")
        for line in shown["sh"][2].splitlines():
            for part in line.split(" && "):
                if part.startswith("kanon-sql"):
                    run(planned, part)
                else:
                    subprocess.run(shlex.split(part), cwd=planned, check=True)


def test_the_lake_is_made_as_it_is_shown(folder):
    shown = blocks_after("## A Parquet lake")
    (folder / "lake.yml").write_text(shown["yaml"][0], encoding="utf-8")
    make, *lines = shown["sh"][0].splitlines()
    with contextlib.chdir(folder):
        duckdb.sql(shlex.split(make)[2])
    for line in lines:
        said = run(folder, line)
    assert said.startswith("PASS")
    assert (folder / "lake_k5" / "sex=Male" / "race=White").is_dir()


def _script_after_the_quickstart(folder, blocks):
    remove, piped = blocks["sh"][1].splitlines()
    assert remove == "rm adult_k5.parquet"
    (folder / "adult_k5.parquet").unlink()
    script = run(folder, piped.partition("|")[0])
    with duckdb.connect(str(folder / "shell.duckdb")) as connection:
        connection.execute(script).fetchall()


def _shown_in_the_shell(folder, blocks):
    query = re.search(r"^D (.*;)$", blocks["text"][1], re.MULTILINE)
    assert query is not None
    shown = re.findall(r"^│ ([A-Z].*)│$", blocks["text"][1], re.MULTILINE)
    cells = [tuple(cell.strip() for cell in line.split("│")) for line in shown]
    text = query[1].replace("adult_k5.parquet", str(folder / "adult_k5.parquet"))
    assert cells
    assert [tuple(map(str, row)) for row in duckdb.sql(text).fetchall()] == cells


def _python_after_the_quickstart(folder, blocks):
    code, *_ = blocks["python"]
    for _ in range(2):  # it may be run again
        done = subprocess.run(
            [sys.executable, "-c", code + "\nassert safe.num_rows > 29000\n"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "'age': 3" in done.stdout
