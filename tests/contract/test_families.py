"""How many places ask which member of a family something is, which the member should answer itself.

A place is a comparison with a member, a test of its class, a case of a `match`, or a class in a table or set, outside
of the family's own folder.
Each ceiling is lowered with the places that go; one more place is a decision, which its commit gives the reason for.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest
from trees import nodes_of

import kanon_sql
from kanon_sql.base.sql.words import WORDS
from kanon_sql.counting.plans.recodings import Recoding
from kanon_sql.policy import masks, outputs
from kanon_sql.policy.hierarchies.specs import KINDS
from kanon_sql.policy.output import Output
from kanon_sql.policy.search_options import Options
from kanon_sql.release.warehouse_sql import COUNTING, NO_COUNTING, WAREHOUSES, WHY_NOT

PACKAGE = Path(kanon_sql.__file__).parent
RECODINGS = {each.__name__ for each in get_args(Recoding)}
OPTIONS = {each.__name__ for each in get_args(Options)}
CLASSES = {
    "hierarchy kind": ({each.__name__ for each in KINDS}, "policy/hierarchies"),
    "recoding": (RECODINGS, "recoding"),
    "options of a search": (OPTIONS, "policy/search_options"),
    "output": (
        {type(each).__name__ for each in outputs.OUTPUTS} | {"OutputOfRows"},
        "policy/output",
    ),
    "masking action": ({each.__name__ for each in masks.MASKS} | {"Mask"}, "policy/mask"),
}
OBJECTS = {name for name, each in vars(outputs).items() if isinstance(each, Output)}
"""The outputs that have names, so that a column can be given one."""
MEMBERS = {
    "destination format": (
        {"Format", "LakeFormat"},
        ("engines/locations", "engines/destination_format", "engines/lakes"),
    ),
    "algorithm": ({"Algorithm"}, ("policy/search_options",)),
}
DIALECTS = {*WORDS, *WAREHOUSES, *COUNTING, *NO_COUNTING, *WHY_NOT}
NAMED = {"DUCKDB", "POSTGRES", "SPARK", "MYSQL"}
"""Constants that stand for a dialect's name, or for its engine."""
OF_DIALECTS = ("engines/duckdb", "engines/postgres", "engines/spark", "base/sql/words")
MOST = {
    "hierarchy kind": (0, 0, 0),
    "recoding": (0, 0, 0),
    "options of a search": (2, 2, 2),
    "algorithm": (1, 1, 1),
    "output": (0, 0, 0),
    "masking action": (0, 0, 0),
    "destination format": (0, 0, 0),
    "dialect by name": (12, 4, 2),
}
"""Places, modules and rooms at most."""


def places(family):
    """The lines that ask, by module."""
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).with_suffix("").as_posix()
        for node in nodes_of(path):
            if asks(node, family) and not module.startswith(home(family)):
                yield module, node.lineno


def home(family):
    """Where the family's members are, which may ask."""
    if family == "dialect by name":
        return OF_DIALECTS
    return (CLASSES.get(family) or MEMBERS[family])[1]


def asks(node, family):
    if family == "output" and isinstance(node, ast.Compare):
        return any(map(is_output, (node.left, *node.comparators)))
    if family == "dialect by name":
        return any(map(names_a_dialect, compared_in(node)))
    if family in CLASSES:
        classes, _ = CLASSES[family]
        if isinstance(node, ast.MatchClass):
            return getattr(node.cls, "id", None) in classes
        return any(
            getattr(inner, "id", None) in classes
            for each in compared_classes(node)
            for inner in ast.walk(each)
        )
    enumerations, _ = MEMBERS[family]

    def is_member(each):
        return isinstance(each, ast.Attribute) and getattr(each.value, "id", None) in enumerations

    return any(is_member(inner) for each in compared_in(node) for inner in ast.walk(each))


def compared_in(node):
    """What a comparison, or a case of a `match`, compares."""
    if isinstance(node, ast.MatchValue):
        return [node.value]
    return [node.left, *node.comparators] if isinstance(node, ast.Compare) else []


def names_a_dialect(node):
    return any(
        (isinstance(each, ast.Constant) and each.value in DIALECTS)
        or (isinstance(each, ast.Name) and each.id in NAMED)
        for each in ast.walk(node)
    )


def compared_classes(node):
    """The expressions that a node compares a class with."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, classes]):
            return [classes]
        case ast.Compare(ops=[ast.Is() | ast.IsNot() | ast.In() | ast.NotIn()]):
            return [each for each in node.comparators if not isinstance(each, ast.Call)]
        case ast.Dict():
            return [each for each in node.keys if each is not None]
        case ast.Set():
            return node.elts
        case _:
            return []


def is_output(compared):
    """Whether an output is compared: by its name, or what a policy states of it by its text."""
    inner = list(ast.walk(compared))
    attributes = {each.attr for each in inner if isinstance(each, ast.Attribute)}
    by_text = {"output", "key"} <= attributes or ast.unparse(compared).startswith("str(")
    named = {each.id for each in inner if isinstance(each, ast.Name)}
    return bool(OBJECTS & named) or (by_text and "output" in attributes) or is_bare(compared)


def is_bare(compared):
    return isinstance(compared, ast.Attribute) and compared.attr == "output"


@pytest.mark.parametrize("family", MOST)
def test_no_more_places_ask_which_member_it_is(family):
    found = list(places(family))
    modules = {module for module, _ in found}
    rooms = {module.partition("/")[0] for module in modules}
    assert all(
        have <= most
        for have, most in zip((len(found), len(modules), len(rooms)), MOST[family], strict=True)
    )


@pytest.mark.parametrize(
    ("family", "code"),
    [
        ("recoding", "isinstance(plan.recoding, FullDomain | MultiNode)"),
        ("recoding", "match recoding:\n case MultiNode(nodes=nodes): pass"),
        ("recoding", "recoding_of(search) is Multidimensional"),
        ("recoding", "type(recoding) not in {FullDomain, MultiNode}"),
        ("recoding", "WORDS = {FullDomain: 'rows at one node'}"),
        ("hierarchy kind", "isinstance(kind, (str, MaskHierarchy))"),
        ("output", "output in {LABELS, NODE}"),
        ("output", "column.output is one"),
        ("output", "column.output.key == 'bounds'"),
        ("output", "str(column.output) in {'set', 'node'}"),
        ("output", "isinstance(column.output, BoundsOutput)"),
        ("destination format", "match form:\n case Format.CSV: pass"),
        ("destination format", "table.format is not LakeFormat.DELTA"),
        ("dialect by name", "target.dialect == DUCKDB"),
        ("dialect by name", "dialect in {'spark', 'databricks'}"),
        ("dialect by name", "match engine.dialect:\n case 'postgres': pass"),
    ],
)
def test_a_place_that_asks_is_recognized(family, code):
    assert any(asks(node, family) for node in ast.walk(ast.parse(code)))
