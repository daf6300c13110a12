"""What `import kanon_sql` promises: these names, typed and explained."""

from __future__ import annotations

import ast
import inspect
from importlib.metadata import entry_points, version
from pathlib import Path

from offenders import offenders

import kanon_sql

PUBLIC = {name: getattr(kanon_sql, name) for name in kanon_sql.__all__}
FUNCTIONS = {name: each for name, each in PUBLIC.items() if inspect.isfunction(each)}
CLASSES = {name: each for name, each in PUBLIC.items() if inspect.isclass(each)}


def test_all_is_sorted_and_names_each_once():
    assert list(kanon_sql.__all__) == sorted(set(kanon_sql.__all__))


def test_every_public_name_is_imported_from_the_module_that_defines_it():
    tree = ast.parse(Path(kanon_sql.__file__).read_text(encoding="utf-8"))
    typed = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("kanon_sql.")
        for alias in node.names
    }
    assert {name: each.__module__ for name, each in PUBLIC.items()} == kanon_sql._HOMES == typed


def test_all_is_everything_public_of_the_package():
    there = {
        name
        for name, each in vars(kanon_sql).items()
        if not name.startswith("_")
        and (inspect.isclass(each) or inspect.isfunction(each))
        and each.__module__.startswith("kanon_sql.")
    }
    assert there == set(kanon_sql.__all__)


def test_dir_lists_public_names_alone():
    assert sorted(dir(kanon_sql)) == sorted([*kanon_sql.__all__, "__version__"])


def test_everything_public_is_a_function_or_a_class():
    assert PUBLIC.keys() == FUNCTIONS.keys() | CLASSES.keys()


def test_what_users_type_is_there():
    promised = {"anonymize", "apply", "compile_sql", "lint", "plan", "read_policy", "verify"}
    assert promised <= FUNCTIONS.keys()


def test_public_names_have_docstrings_of_their_own():
    def check(name, each):
        text = each.__doc__ or ""
        assert text.strip().endswith((".", ")", "`")) or "\n" in text, text
        assert not text.startswith(f"{name}("), "the docstring that dataclasses make by themselves"

    assert offenders(check, PUBLIC.items()) == {}


WITHOUT_EXAMPLE = {
    "certify",
    "verify_certificate",
    "certify_dbt",
    "check_dbt",
    "plan_dbt",
    "keep_dbt_keys",
}
"""They need files that a guide makes; its blocks are run."""


def test_public_functions_say_what_they_take_give_and_raise():
    """With an example, which is run as a doctest."""

    def check(name, function):
        text = inspect.getdoc(function)
        body, sections = text.split("\n\nArgs:\n")
        assert body
        arguments, rest = sections.split("\n\nReturns:\n")
        named = [
            line.strip().partition(":")[0]
            for line in arguments.splitlines()
            if not line.startswith(" " * 8)
        ]
        assert named == list(inspect.signature(function).parameters)
        assert "\n\nRaises:\n    " in rest
        assert ("\n\n>>> " in rest) == (name not in WITHOUT_EXAMPLE)

    assert offenders(check, FUNCTIONS.items()) == {}


def test_public_functions_are_typed():
    def check(_, function):
        signature = inspect.signature(function)
        assert signature.return_annotation is not inspect.Signature.empty
        for parameter in signature.parameters.values():
            assert parameter.annotation is not inspect.Parameter.empty, parameter

    assert offenders(check, FUNCTIONS.items()) == {}


def test_arguments_after_the_second_are_keyword_only():
    def check(_, function):
        kinds = [p.kind for p in inspect.signature(function).parameters.values()]
        assert all(kind is inspect.Parameter.KEYWORD_ONLY for kind in kinds[2:])

    assert offenders(check, FUNCTIONS.items()) == {}


def test_public_methods_are_typed():
    def check(_, owner):
        for method, each in vars(owner).items():
            if method.startswith("_") or not inspect.isfunction(each):
                continue
            assert "return" in each.__annotations__, method
            names = list(inspect.signature(each).parameters)[1:]
            assert set(names) <= each.__annotations__.keys(), method

    assert offenders(check, CLASSES.items()) == {}


def test_every_error_is_a_kanon_error():
    errors = [each for each in CLASSES.values() if issubclass(each, Exception)]
    errors = [each for each in errors if not issubclass(each, Warning)]
    assert errors
    assert all(issubclass(each, kanon_sql.KanonError) for each in errors)


def test_a_users_fault_is_also_a_value_error():
    for name in ("PolicyError", "HierarchyError", "SourceError", "ReleaseError", "StalePlanError"):
        assert issubclass(CLASSES[name], kanon_sql.InputError)
        assert issubclass(CLASSES[name], ValueError)


def test_the_version_has_one_source():
    assert kanon_sql.__version__ == version("kanon-sql")


def test_the_command_is_installed():
    (command,) = entry_points(group="console_scripts", name="kanon-sql")
    assert command.value == "kanon_sql.apps.cli:main"
