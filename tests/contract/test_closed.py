"""What is forgotten raises: a match tells every case apart, and privacy models are told apart in one place."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from measures import measures

import kanon_sql
from kanon_sql.privacy.declared_models import MODELS as REGISTERED

ROOM = Path(kanon_sql.__file__).parent
MODULES = {str(path.relative_to(ROOM)): path for path in sorted(ROOM.rglob("*.py"))}
MODELS = {each.__name__ for each in (*REGISTERED, *measures())}
"""The privacy models and their measures: who counts them reads what they state, and knows none of them."""


@cache
def parsed(module):
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def is_default(case):
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and not case.guard


def ends_there(case):
    """Whether the last statement of a case raises, itself or by assert_never."""
    last = case.body[-1]
    called = (
        last.value.func if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None
    )
    return isinstance(last, ast.Raise) or getattr(called, "id", None) == "assert_never"


def test_a_match_ends_in_a_default_that_raises():
    """An open set is asked for by `if`: what a `match` does not name is a mistake, and no default."""
    open_ended = [
        f"{module}:{node.lineno}"
        for module in MODULES
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.Match)
        and not (is_default(node.cases[-1]) and ends_there(node.cases[-1]))
    ]
    assert open_ended == []


def test_nobody_asks_which_model_it_is():
    """Nobody filters by the type of a model or a measure, as who does so leaves out what comes later."""
    found = [
        f"{module}:{node.lineno}"
        for module in MODULES
        if not module.startswith("privacy/")
        for node in ast.walk(parsed(module))
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", None) == "isinstance"
            and MODELS & {each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name)}
        )
        or (isinstance(node, ast.MatchClass) and getattr(node.cls, "id", None) in MODELS)
    ]
    assert found == []
