"""The syntax trees of Python files, each parsed once for all tests of a run."""

from __future__ import annotations

import ast
from functools import cache


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path):
    return tuple(ast.walk(tree_of(path)))
