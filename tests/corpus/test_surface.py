"""What users type and import is frozen: no command, option, key or public name is lost unnoticed.

KANON_UPDATE_GOLDEN=1 writes `tests/corpus/surface` anew; its diff is the list of what changed for users.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import json
import os
import signal
from functools import reduce
from importlib.metadata import entry_points
from operator import getitem
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import kanon_sql

SURFACE = Path(__file__).parent / "surface"


@pytest.fixture(scope="module")
def command():
    """The command line as it is installed, caught as it begins, wherever its module is."""
    (installed,) = entry_points(group="console_scripts", name="kanon-sql")
    caught = []
    before = {ending: signal.getsignal(ending) for ending in (signal.SIGTERM, signal.SIGINT)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(click.Group, "main", lambda group, *_, **__: caught.append(group))
        installed.load()()
    for ending, handler in before.items():
        signal.signal(ending, handler)
    (group,) = caught
    return group


def hold(name, lines):
    text = "".join(f"{line}\n" for line in lines)
    path = SURFACE / f"{name}.txt"
    if os.environ.get("KANON_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def commands(group, context, path=()):
    """Each command with its arguments and options, those that no help lists too."""
    for name in sorted(group.list_commands(context)):
        each = group.get_command(context, name)
        hidden = "  (hidden)" if each.hidden else ""
        yield " ".join((*path, name)) + hidden
        for parameter in sorted(each.params, key=lambda p: (p.param_type_name, p.opts)):
            yield "    " + told(parameter)
        if isinstance(each, click.Group):
            yield from commands(each, click.Context(each, parent=context), (*path, name))


def told(parameter):
    words = [" ".join(sorted((*parameter.opts, *parameter.secondary_opts)))]
    if parameter.param_type_name == "argument":
        words = [parameter.make_metavar(click.Context(click.Command("any")))]
    elif not parameter.is_flag:
        choices = getattr(parameter.type, "choices", None)
        words.append("|".join(map(str, choices)) if choices else parameter.type.name.upper())
    words += ["required"] * (parameter.required and parameter.param_type_name == "option")
    words += ["many"] * (getattr(parameter, "multiple", False) or parameter.nargs != 1)
    words += ["(hidden)"] * getattr(parameter, "hidden", False)
    return " ".join(words)


def test_the_commands_and_their_options(command):
    hold("commands", commands(command, click.Context(command)))


def paths(schema, root, path=""):
    """Each key with what it may hold; what is said in several branches is one."""
    if "$ref" in schema:
        named = schema["$ref"].removeprefix("#/").split("/")
        yield from paths(reduce(getitem, named, root), root, path)
    for branch in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(branch, ()):
            yield from paths(each, root, path)
    for branch in {"then", "else"} & schema.keys():
        yield from paths(schema[branch], root, path)
    for name, each in schema.get("properties", {}).items():
        yield from paths(each, root, f"{path}.{name}".lstrip("."))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from paths(schema["additionalProperties"], root, f"{path}.*")
    if isinstance(schema.get("items"), dict):
        yield from paths(schema["items"], root, path)
    values = schema["enum"] if "enum" in schema else [schema["const"]] if "const" in schema else ()
    for value in values:
        yield f"{path} = {json.dumps(value, ensure_ascii=False)}"
    types = schema.get("type", ())
    for kind in [types] if isinstance(types, str) else types:
        if kind not in {"object", "array"} and not values:
            yield f"{path}: {kind}"


@pytest.mark.parametrize("options", [(), ("--certificate",)], ids=["policy", "certificate"])
def test_the_keys_of_what_is_written_in_files(command, options):
    printed = CliRunner().invoke(command, ["schema", *options])
    assert printed.exit_code == 0, printed.output
    schema = json.loads(printed.output)
    hold("certificate" if options else "policy", sorted(set(paths(schema, schema))))


def test_the_algorithms_and_their_options(command):
    printed = CliRunner().invoke(command, ["algorithms", "--json"])
    assert printed.exit_code == 0, printed.output
    found = json.loads(printed.output)["algorithms"]
    hold("algorithms", [f"{each['name']} {json.dumps(each['options'])}" for each in found])


class Plain(ast.NodeTransformer):
    """Puts a type in the place of what is said beside it for documents."""

    def visit_Subscript(self, node):
        if getattr(node.value, "id", "") == "Annotated":
            return self.visit(node.slice.elts[0])
        return self.generic_visit(node)


def plain_type(hint):
    return ast.unparse(Plain().visit(ast.parse(str(hint), mode="eval")))


def members(name, each):
    """A class or a function with its signature, and what a reader of it may use."""
    if inspect.isfunction(each):
        yield f"{name}{inspect.signature(each)}"
        return
    bases = [base.__name__ for base in each.__mro__[1:-1] if not base.__name__.startswith("_")]
    yield f"class {name}({', '.join(bases)})"
    if issubclass(each, enum.Enum):
        yield from (f"    {member.name} = {member.value!r}" for member in each)
        return
    if dataclasses.is_dataclass(each):
        yield from sorted(
            f"    {field.name}: {plain_type(field.type)}" for field in dataclasses.fields(each)
        )
    fields = getattr(each, "__dataclass_fields__", {})
    own = {name: value for base in reversed(each.__mro__[:-1]) if base.__module__.startswith("kanon_sql")
           for name, value in vars(base).items()}  # fmt: skip
    for member, value in sorted(own.items()):
        if member.startswith("_") or member in fields:
            continue
        if isinstance(value, property):
            yield f"    {member} -> {value.fget.__annotations__.get('return')}"
        elif callable(value) or isinstance(value, classmethod | staticmethod):
            yield f"    {member}{inspect.signature(getattr(each, member))}"


def test_the_public_names():
    hold(
        "names",
        [line for name in kanon_sql.__all__ for line in members(name, getattr(kanon_sql, name))],
    )
