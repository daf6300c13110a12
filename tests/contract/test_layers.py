"""The rooms import downwards only, and the first of the rules of the house are kept.

errors < model < sql < engine < search < flow < cli; `__init__` and `__main__` stand on top.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from offenders import offenders

import kanon_sql

PACKAGE = Path(kanon_sql.__file__).parent
ORDER = ["errors", "model", "sql", "engine", "search", "flow", "cli", "__init__", "__main__"]
FILES = sorted(PACKAGE.rglob("*.py"))
DRIVERS = {"duckdb", "psycopg", "pyspark", "pandas", "pyarrow", "polars", "fsspec"}
DRIVERS_OF = {
    "kanon_sql.engine.duckdb": {"duckdb"},
    "kanon_sql.engine.duckdb_session": {"duckdb"},
    "kanon_sql.engine.objects": {"fsspec"},
    "kanon_sql.engine.postgres": {"psycopg"},
    "kanon_sql.engine.spark_session": {"pyspark"},
    "kanon_sql.engine.spark": {"pyspark", "pyarrow"},  # a session is sent rows as Arrow
}
STATEMENT = re.compile(
    r"""\b(ALTER|ATTACH|COPY|CREATE|DELETE|DESCRIBE|DROP|INSERT|PRAGMA|UPDATE)\s
      | \b(FROM|GROUP\ BY|HAVING|JOIN|LIMIT|ORDER\ BY|SELECT|SET|UNION|VALUES|WHERE|WITH)
        \s+([A-Z"'*({0-9]|\w+\.|\Z)""",
    re.VERBOSE,
)


def failing(check):
    """The modules that a check fails on."""
    return offenders(
        lambda name: check(PACKAGE / name), [(str(path.relative_to(PACKAGE)),) for path in FILES]
    )


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def dotted(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts)


def rank(module):
    """Give a module's room; the package itself is `__init__`, which stands above them."""
    parts = module.split(".")
    return ORDER.index(parts[1] if len(parts) > 1 else "__init__")


def imports(tree):
    """Every module that is imported anywhere: in functions, and for types alone, as well."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if is_module(inner) else str(node.module)


def is_module(name):
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def ours(tree):
    return [name for name in imports(tree) if name.split(".")[0] == "kanon_sql"]


def types_only(tree):
    """The nodes beneath `if TYPE_CHECKING:`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from (inner for each in node.body for inner in ast.walk(each))


def test_imports_point_down():
    def check(path):
        here = rank(dotted(path))
        upward = [name for name in ours(tree_of(path)) if rank(name) > here]
        if path.parent.name == "cli":  # the command line says what a user of the package says
            upward = [name for name in upward if name != "kanon_sql"]
        assert upward == []

    assert failing(check) == {}


def test_only_the_engine_imports_its_driver():
    def check(path):
        tree = tree_of(path)
        for_types = set(types_only(tree))
        found = {
            name.split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom) and node not in for_types
            for name in imports(ast.Module([node], []))
        }
        assert found & DRIVERS <= DRIVERS_OF.get(dotted(path), set())

    assert failing(check) == {}


def documentation(tree):
    """The constants that are texts for readers: docstrings of modules, classes, attributes."""
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def sql_in(tree):
    told = documentation(tree)
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node not in told
        and STATEMENT.search(node.value)
    ]


def test_sql_is_written_in_templates_alone():
    """But for dialect.py, which spells the words that differ between the databases."""

    def check(path):
        assert path.name == "dialect.py" or sql_in(tree_of(path)) == []

    assert failing(check) == {}


@pytest.mark.parametrize(
    "line",
    [
        'run(f"SELECT {name} FROM t")',
        'run(f"DROP TABLE {t}")',
        'x = "CREATE " + "TABLE " + t',
        "say('COPY t TO x')",
        'run("SET " + name)',
        'sql += " WHERE a.b = 1"',
    ],
)
def test_sql_in_python_is_recognised(line):
    assert sql_in(ast.parse(line))


@pytest.mark.parametrize("line", ['"""SELECT A"""', "raise E('must be exactly one SELECT')"])
def test_talk_about_sql_is_no_sql(line):
    assert not sql_in(ast.parse(line))


def test_statements_reach_the_connection_in_one_place():
    def check(path):
        calls = [
            node
            for node in ast.walk(tree_of(path))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in {"execute", "executemany", "sql", "query"}
            and node.args
            and not isinstance(node.func.value, ast.Name)
        ]
        if dotted(path) in DRIVERS_OF:
            assert not any(isinstance(call.args[0], ast.JoinedStr | ast.Constant) for call in calls)
        else:
            assert [call for call in calls if call.func.attr.startswith("execute")] == []

    assert failing(check) == {}


def test_the_package_comes_up_without_any_frame_library():
    code = "import sys, kanon_sql, kanon_sql.cli.commands; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"pandas", "polars", "psycopg", "pyarrow", "pyspark"} & set(told.stdout.split()) == set()
