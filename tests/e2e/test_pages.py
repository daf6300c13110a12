"""Every block of every page runs as it is written, and prints what the page shows.

A line `...` of a page stands for any lines, and an ellipsis within a line for any text.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys

import duckdb
import jsonschema
import pages
import pytest
import yaml
from click.testing import CliRunner

from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.schema.read_schema import read_schema_policy
from kanon_sql.base.documents.keys import read_yaml
from kanon_sql.policy.read_policy import is_schema_policy, policy_from, policy_schema

ADULT = pages.ROOT.parent / "shared" / "data" / "adult"
SAMPLE = pages.ROOT / "kanon_sql" / "apps" / "sample" / "people.yml"
TWICE = """
import contextlib, io, sys
program = compile(sys.stdin.read(), "page", "exec")
with contextlib.redirect_stdout(io.StringIO()):
    exec(program, {"__name__": "__main__"})
exec(program, {"__name__": "__main__"})
"""
UPDATE = os.environ.get("KANON_UPDATE_GOLDEN") == "1"
RUN_HERE = [
    name
    for name in pages.names()
    if "run by" not in pages.marks_of(name)
    and any(block.not_run is None for block in pages.blocks_of(name))
]

LONG = {
    "docs/explanation/algorithms.md",
    "docs/explanation/privacy-models.md",
    "docs/explanation/recodings.md",
    "docs/guides/certificates.md",
    "docs/guides/choose-an-algorithm.md",
    "docs/guides/choose-columns-and-k.md",
    "docs/guides/explain-and-compare.md",
    "docs/guides/from-other-tools.md",
    "docs/guides/measure-quality.md",
    "docs/guides/measure-risk.md",
    "docs/guides/mondrian.md",
    "docs/guides/new-rows.md",
    "docs/guides/persons.md",
    "docs/guides/python.md",
    "docs/guides/report.md",
    "docs/guides/write-a-policy.md",
    "docs/index.md",
    "docs/recipes/clinical-trials.md",
    "docs/recipes/gdpr.md",
    "docs/recipes/hipaa.md",
    "docs/recipes/public-files.md",
}
"""Pages that take seconds, or start from one that does: of the rest."""
assert set(RUN_HERE) >= LONG


@pytest.fixture(scope="module")
def folder_after(tmp_path_factory):
    """The folder that a page leaves, and what is wrong with the page; each page is run once."""
    left = {}

    def after(name):
        if name not in left:
            folder = tmp_path_factory.mktemp("page")
            marks = pages.marks_of(name)
            if "after" in marks:
                shutil.copytree(after(f"docs/{marks['after']}"), folder, dirs_exist_ok=True)
            if "needs" in marks:
                if not ADULT.is_dir() and not pages.blocks_of(name, adult=False):
                    pytest.skip("the Adult files are not beside the repository")
                for file in ADULT.glob("*.csv"):
                    shutil.copy(file, folder)
            run_page(name, folder)
            left[name] = folder
        return left[name]

    return after


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in RUN_HERE],
)
def test_a_page_runs_as_it_is_written(name, folder_after):
    folder_after(name)


def run_page(name, folder):
    printed, policy = None, SAMPLE.read_text(encoding="utf-8")
    for block in pages.blocks_of(name, adult=ADULT.is_dir()):
        if block.not_run is not None:
            continue
        match block.kind:
            case "python" | "yaml" | "csv" if block.title is not None:
                (folder / block.title).write_text(block.text, encoding="utf-8")
                policy = block.text if block.kind == "yaml" else policy
            case "sh":
                printed = run_shell(block.text, folder)
            case "text":
                assert printed is not None, f"{name}: nothing printed this"
                if UPDATE and "...\n" not in block.text:
                    update(name, block.text, printed)
                else:
                    assert_shown(block.text, printed)
            case "sql":
                printed = run_queries(block.text, folder)
            case "python":
                printed = run_python(block.text, folder)
            case "yaml":
                check_policy(block.text, policy)
            case _:
                raise AssertionError(f"{name}: nothing runs a block of {block.kind!r}")


def update(name, shown, printed):
    """Show in the page what is printed now; a block that leaves lines out is for a person to mend."""
    if comparable(shown) != comparable(printed):
        before, after = (f"```text\n{text}```" for text in (shown, re.sub(r" +\n", "\n", printed)))
        page = pages.ROOT / name
        page.write_text(
            page.read_text(encoding="utf-8").replace(before, after, 1), encoding="utf-8"
        )


def run_shell(text, folder):
    """Run the lines of a block one by one, and give what they print."""
    printed = []
    where = folder
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        if words[0] == "cd":
            where = where / words[1]
        elif words[0] == "kanon-sql" and not set(words) & {"|", "||", "&&", ">"}:
            printed.append(run_command(words[1:], where))
        else:
            printed.append(run_program(line, where))
    return "".join(printed)


def run_command(words, folder):
    with contextlib.chdir(folder):
        done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.stdout


def run_program(line, folder):
    if os.name != "posix":
        pytest.skip("pages are written for a POSIX shell")
    for program in re.findall(r"(?:^|&& |\| )([\w-]+)", line):
        if shutil.which(program) is None:
            pytest.skip(f"no {program}")
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-ec", line],
        cwd=folder, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (line, done.stdout, done.stderr)
    return done.stdout


def run_python(text, folder):
    """Run a program twice in one process, as it may be run again; give what it prints the second time."""
    done = subprocess.run(
        [sys.executable, "-c", TWICE],
        input=text, cwd=folder, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (text, done.stdout, done.stderr)
    return done.stdout


def run_queries(text, folder):
    """Run statements on an empty DuckDB, and give the rows of queries as its shell shows them."""
    shown = []
    with contextlib.chdir(folder), duckdb.connect() as connection:
        for statement in connection.extract_statements(text):
            rows = connection.sql(statement.query)
            if statement.type == duckdb.StatementType.SELECT:
                shown.append(f"{str(rows).rstrip()}\n")
    return "".join(shown)


def check_policy(text, whole):
    """A policy can be read; a part of one, in the place of the page's last policy, or the sample's."""
    if "version" not in (part := yaml.safe_load(text)) and is_schema_policy(yaml.safe_load(whole)):
        schema = yaml.safe_load(whole)
        schema["tables"] |= part
        assert read_schema_policy(schema).tables.keys() >= part.keys()
        return
    if "columns:" not in text:
        whole = {**yaml.safe_load(whole), **yaml.safe_load(text)}
        text = yaml.safe_dump(whole, sort_keys=False)
    jsonschema.validate(yaml.safe_load(text), policy_schema())
    assert policy_from(read_yaml(text, "page.md"), subject="page.md").quasi


def comparable(text):
    """Without seconds, and without blanks at the ends of lines, which editors remove."""
    text = re.sub(r"in \d+\.\d\d s", "in some s", text)
    heading = re.search(r"^(.*?) +seconds  ", text, re.MULTILINE)
    if heading is not None:  # a table with a column of them, which ends there in each of its lines
        start, end = len(heading[1]), heading.end() - heading.start() - 2
        row = rf"^(.{{{start}}}) .{{{end - start - 1}}}(?= )"
        text = re.sub(row, r"\1", text, flags=re.MULTILINE)
    return re.sub(r" +$", "", text, flags=re.MULTILINE)


def assert_shown(shown, printed):
    """What a page shows is what was printed, but for what it leaves out."""
    printed = comparable(printed)
    pieces = re.split(r"^\.\.\.\n", comparable(shown), flags=re.MULTILINE)
    at = 0
    for number, piece in enumerate(pieces):
        pattern = re.escape(piece).replace("…", "[^\n]*")
        ends = r"\Z" if number == len(pieces) - 1 and piece else ""
        found = re.compile(f"^{pattern}{ends}", re.MULTILINE).search(printed, at)
        assert found is not None, f"not printed:\n{piece}\nbut:\n{printed[at:]}"
        assert number > 0 or found.start() == 0, printed
        at = found.end()


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a\nb\n", "a\nb\n"),
        ("a\n...\n", "a\nb\nc\n"),
        ("...\nb\n", "a\nb\n"),
        ("a\n...\nc\n", "a\nb\nc\n"),
        ("a … c\n", "a b c\n"),
        ("done in 0.12 s\n", "done in 3.45 s\n"),
        (
            "by   seconds   rows\na       0.12     34\n",
            "by   seconds   rows\na       3.45     34\n",
        ),
    ],
)
def test_a_page_may_leave_lines_out(shown, printed):
    assert_shown(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a\n", "a\nb\n"),
        ("b\n", "a\nb\n"),
        ("a\n...\n", "b\na\n"),
        ("a\n...\nc\n", "a\nb\nc\nd\n"),
        ("a\n...\nb\n...\nc\n", "a\nc\nb\n"),
        ("a … c\n", "a\nc\n"),
        (
            "by   seconds   rows\na       0.12     34\n",
            "by   seconds   rows\na       0.12     35\n",
        ),
    ],
)
def test_what_a_page_shows_and_nothing_printed_is_found(shown, printed):
    with pytest.raises(AssertionError):
        assert_shown(shown, printed)
