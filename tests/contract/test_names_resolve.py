"""Names in texts resolve: dotted names of the package in tests and pages, and paths of files in pages."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pages
import trees
from offenders import offenders

ROOT = Path(__file__).parents[2]
DOTTED = re.compile(r"kanon_sql(?:\.\w+)+")
PATH = re.compile(r"`((?:\.ci|benchmarks|docs|kanon_sql|templates|tests)/[^`\s:]*)`")
OF_USERS = {"docs/guides/dbt.md", "docs/guides/sqlmesh.md"}
"""Pages about a project of the user's, which has folders of the same names."""


def resolve(name):
    """Import the longest part of a dotted name that is a module, and take its attributes."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:length]))
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("kanon_sql"):
                return  # of an extra that is not installed
            continue
        for attribute in parts[length:]:
            found = getattr(found, attribute)
        return
    raise AssertionError(name)


def nodes_of(*folders):
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield from trees.nodes_of(file)


def texts_in(nodes):
    return {
        each.value
        for each in nodes
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }


def statements():
    """The names of all statements: those of templates, and of the commands in one."""
    for path in (ROOT / "templates" / "sql").rglob("*.sql.j2"):
        yield path.name.removesuffix(".sql.j2")
        yield from re.findall(r'if command == "(\w+)"', path.read_text(encoding="utf-8"))


def test_dotted_names_in_tests_resolve():
    """A patched name that went would be patched in vain, or fail in a tier that is seldom run."""
    names = {
        text for text in texts_in(nodes_of("tests", "benchmarks", "docs")) if DOTTED.fullmatch(text)
    }
    assert len(names) > 20
    assert offenders(resolve, [(name,) for name in sorted(names)]) == {}


def test_no_module_assigns_a_constant_twice():
    """A second one overwrites the first, for the functions above it too: so a bound of 0.99 became 0.9 as two modules were joined."""
    twice = {}
    for file in sorted((ROOT / "kanon_sql").rglob("*.py")):
        names = [
            target.id
            for node in ast.parse(file.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        ]
        if again := {name for name in names if names.count(name) > 1}:
            twice[file.name] = again
    assert twice == {}


def test_no_test_puts_a_dotted_name_together():
    """A name in parts is checked by nothing: after a move the test fails, and in a weekly run nobody sees it for days."""
    put_together = [
        ast.unparse(node)
        for file in sorted((ROOT / "tests").rglob("*.py"))
        if file != Path(__file__)
        for node in trees.nodes_of(file)
        if isinstance(node, ast.JoinedStr)
        and isinstance(node.values[0], ast.Constant)
        and str(node.values[0].value).startswith("kanon_sql.")
    ]
    assert put_together == []


def test_statements_that_tests_wait_for_exist():
    """A run that is to die at a statement of another name would not die."""
    compared = [
        node
        for node in nodes_of("tests")
        if isinstance(node, ast.Compare)
        and ast.unparse(node.left) in {"statement.name", "ready.step", "statement.step"}
    ]
    names = {
        text.replace(" ", "_")
        for node in compared
        for other in node.comparators
        for text in texts_in(ast.walk(other))
    }
    assert names
    assert names - {*statements()} == set()


def test_dotted_names_in_pages_resolve():
    texts = [pages.text_of(name) for name in pages.names()]
    names = {found for text in texts for found in re.findall(rf"`({DOTTED.pattern})`", text)}
    assert names
    assert offenders(resolve, [(name,) for name in sorted(names)]) == {}


def test_paths_in_pages_exist():
    def check(_, path):
        assert list(ROOT.glob(re.sub(r"<[^>]*>", "*", path).rstrip("/")))

    named = [
        (name, path)
        for name in pages.names()
        if name not in OF_USERS
        for path in PATH.findall(pages.text_of(name))
    ]
    assert len(named) > 30
    assert offenders(check, named) == {}


def test_what_is_gone_is_recognised():
    gone = ["nowhere", "errors.Nothing", "engines.connect.POSTGRES.no"]
    assert len(offenders(resolve, [(f"kanon_sql.{name}",) for name in gone])) == len(gone)
    resolve("kanon_sql.engines.connect.POSTGRES")
