"""The commands: found by name without being imported, listed as they describe themselves."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from trees import nodes_of

import kanon_sql
from kanon_sql.apps.cli.command_line import COMMANDS, main
from kanon_sql.apps.cli.console import STEPS

HEAVY = {"duckdb", "sqlglot", "jinja2", "rich", "yaml", "psycopg", "pyspark"}


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_the_version_and_the_list_of_commands_import_nothing_heavy(option):
    code = f"""
import sys
from kanon_sql.apps.cli import main
sys.argv = ["kanon-sql", {option!r}]
try:
    main()
finally:
    print(*{{name.split(".")[0] for name in sys.modules}}, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "kanon-sql" in done.stdout
    imported = set(done.stderr.split())
    assert {"click", "kanon_sql"} <= imported
    assert imported & HEAVY == set()


def test_a_database_and_what_draws_tables_are_imported_when_they_are_used():
    code = (
        "import sys; from kanon_sql.apps.cli.command_line import main; "
        "[main.commands[name] for name in main.commands if name != 'demo']; "
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"kanon_sql.apps.cli.commands.understand", "click"} <= set(done.stdout.split())
    assert not {"rich", "duckdb"} & set(done.stdout.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_as_it_describes_itself(name):
    command = main.commands[name]
    assert command.name == name
    first = (command.help or "").partition("\n\n")[0]
    assert " ".join(first.split()) == COMMANDS[name]


def test_no_other_command_is_known():
    assert main.commands.get("undo") is None
    assert list(COMMANDS) == main.list_commands(click.Context(main))


def test_plan_in_a_dbt_project_by_its_earlier_spelling_is_dbt_plan(tmp_path):
    for spelling in (["--dbt", str(tmp_path)], [f"--dbt={tmp_path}"]):
        earlier = CliRunner().invoke(main, ["plan", "-k", "5", *spelling, "--select", "x"])
        now = CliRunner().invoke(main, ["dbt", "plan", str(tmp_path), "-k", "5", "--select", "x"])
        warning, _, error = earlier.stderr.partition("\n")
        assert warning == "warning: plan --dbt is now: kanon-sql dbt plan"
        assert "dbt_project.yml" in error
        assert (earlier.exit_code, error) == (now.exit_code, now.stderr)


def options_of(command):
    """Every option of a command and of the commands in it, by its flag."""
    for each in command.params:
        if isinstance(each, click.Option):
            yield each.opts[0], each
    for each in getattr(command, "commands", {}).values():
        yield from options_of(each)


@pytest.mark.parametrize("flag", ["--json", "--source", "--threads", "--memory-limit", "--metric"])
def test_an_option_of_many_commands_is_one_option(flag):
    texts = {each.help for name, each in options_of(main) if name == flag}
    assert len(texts) == 1


def test_every_option_has_a_help_text():
    assert [name for name, each in options_of(main) if not each.help] == []


ROWS = "\n".join(f"{20 + n % 40};{10000 + n % 7};{'flu' if n % 3 else 'cold'}" for n in range(90))
SMALL = """
version: 1
source: people.csv
entity: row
privacy: {k: 3}
suppression: 10%
columns:
  age: {role: quasi, hierarchy: {intervals: [10, 20]}}
  zip: {role: quasi, hierarchy: {mask: 5}}
  disease: {role: insensitive}
"""
MOST_MODULES = 215
"""The modules of the package that a plan on DuckDB by `optimal` may import, of about 470: each costs it a millisecond."""


@pytest.fixture(scope="module")
def imported_by_plan(tmp_path_factory):
    """The modules that a process imports which makes one plan, for a file that no terminal shows."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "people.csv").write_text(f"age;zip;disease\n{ROWS}\n", encoding="utf-8")
    (folder / "policy.yml").write_text(SMALL, encoding="utf-8")
    code = """
import sys
from kanon_sql.apps.cli import main
sys.argv = ["kanon-sql", "plan", "policy.yml", "--json"]
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert '"optimal": true' in done.stdout
    return set(done.stderr.split())


def test_a_plan_imports_no_more_modules_than_it_needs(imported_by_plan):
    own = {name for name in imported_by_plan if name.split(".")[0] == "kanon_sql"}
    assert 100 < len(own) <= MOST_MODULES


def test_a_plan_imports_its_own_algorithm_and_engine_alone(imported_by_plan):
    families = (
        "recoding.searches",
        "recoding.single_dimensional",
        "recoding.multidimensional.mondrian",
    )
    found = {
        name.removeprefix("kanon_sql.")
        for name in imported_by_plan
        if name.removeprefix("kanon_sql.").startswith(families)
    }
    assert "recoding.searches.optimal" in found
    others = {f"recoding.searches.{name}" for name in ("lightning", "incognito")}
    assert (
        found & {*others, "recoding.single_dimensional", "recoding.multidimensional.mondrian"}
        == set()
    )
    assert imported_by_plan & {"psycopg", "pyspark", "pandas", "pyarrow", "rich"} == set()
    slices = {name.split(".")[1] for name in imported_by_plan if name.startswith("kanon_sql.")}
    assert slices & {"charts", "explanation", "explorer", "reports", "attacks"} == set()


def test_every_step_of_a_run_is_shown_in_words():
    """A step without words would be printed as an improvement of a search."""
    calls = [
        node.args[0].value
        for path in Path(kanon_sql.__file__).parent.rglob("*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "step"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ]
    assert len(calls) > 20
    assert {*calls} <= {*STEPS}
