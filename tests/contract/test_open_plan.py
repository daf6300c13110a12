"""A plan is opened in one place, so that no command can leave out a check."""

from __future__ import annotations

import ast
from pathlib import Path

from trees import tree_of

import kanon_sql

PACKAGE = Path(kanon_sql.__file__).parent
HOME = PACKAGE / "recoding" / "planning" / "open_plan.py"
CHECKS = {"open_plan", "check_plan"}
CHECKED = CHECKS | {"claimed_by", "count_error"}
"""What checks a plan, or calls what does."""
READERS = {
    "apps/dbt/check_project.py": {"plan_problems"},  # lists what differs, and refuses nothing
    "evidence/explanation/plan_diff.py": set(),  # compares two plans, of whatever policies
    "apps/python/plan_recoding.py": {
        "make_plan"
    },  # `plan --resume`: a search has a hash of its own policy
}
"""Modules that read a plan without opening it, and what they call instead."""
TREES = {
    path.relative_to(PACKAGE).as_posix(): tree_of(path)
    for path in PACKAGE.rglob("*.py")
    if path != HOME
}


def called(tree):
    return {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def test_who_names_a_plan_has_it_checked():
    namers = [
        node
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and "name_plan" in called(node)
    ]
    assert len(namers) >= 5
    assert [each.name for each in namers if not called(each) & CHECKED] == []


def test_what_a_certificate_claims_is_of_a_plan_that_was_checked():
    (claimed_by,) = (
        node
        for node in ast.walk(TREES["evidence/certificate/certify.py"])
        if isinstance(node, ast.FunctionDef) and node.name == "claimed_by"
    )
    assert called(claimed_by) & CHECKS


def test_few_read_a_plan_without_opening_it():
    readers = {name for name, tree in TREES.items() if "read_plan" in called(tree)}
    assert readers == READERS.keys()
    assert [name for name in readers if not READERS[name] <= called(TREES[name])] == []


def test_nobody_else_compares_a_plan_with_its_policy():
    compared = [
        name
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and "policy_digest" in ast.unparse(node)
    ]
    assert compared == []


def test_the_checks_are_private_to_their_module():
    imported = {
        alias.name
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and node.module == "kanon_sql.recoding.planning.open_plan"
        for alias in node.names
    }
    assert imported == CHECKS | {
        "AGAIN",
        "NamedPlan",
        "name_plan",
        "plan_problems",
        "policy_at_hand",
        "read_plan",
    }
