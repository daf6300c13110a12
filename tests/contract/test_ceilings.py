"""How large the house may be: growth is a decision, which a commit that raises a number here gives its reason for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from trees import nodes_of

import kanon_sql
from kanon_sql.base.sql.templates import template_root

PACKAGE = Path(kanon_sql.__file__).parent
TESTS = Path(__file__).parents[1]
CEILINGS = {
    "modules": 320,
    "lines of the package": 109_417,
    "lines of its longest module": 600,
    "imports of one module by another": 3_443,
    "templates": 888,
    "lines of templates": 17_836,
    "lines of recorded statements": 14_614,
}


def lines_of(paths):
    return [len(path.read_text(encoding="utf-8").splitlines()) for path in paths]


def imported(path):
    nodes = nodes_of(path)
    named = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    named |= {each.name for node in nodes if isinstance(node, ast.Import) for each in node.names}
    return {each for each in named if each.partition(".")[0] == PACKAGE.name}


@pytest.fixture(scope="module")
def measured():
    modules = sorted(PACKAGE.rglob("*.py"))
    templates = sorted(Path(str(template_root())).rglob("*.sql.j2"))
    sizes = lines_of(modules)
    return {
        "modules": len(modules),
        "lines of the package": sum(sizes),
        "lines of its longest module": max(sizes),
        "imports of one module by another": sum(len(imported(path)) for path in modules),
        "templates": len(templates),
        "lines of templates": sum(lines_of(templates)),
        "lines of recorded statements": sum(lines_of((TESTS / "golden").rglob("*.sql"))),
    }


@pytest.mark.parametrize("what", CEILINGS)
def test_the_house_is_no_larger_than_it_may_be(measured, what):
    said = f"{what}: {measured[what]:,}; raise the number in CEILINGS by a commit that says why"
    assert measured[what] <= CEILINGS[what], said


@pytest.mark.parametrize("what", CEILINGS)
def test_a_ceiling_is_close_above_what_is_there(measured, what):
    """One that is far above would let the house grow unseen: lower it with what shrinks."""
    assert CEILINGS[what] <= 1.02 * measured[what]
