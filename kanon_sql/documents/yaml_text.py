"""Parse untrusted YAML text to a tree or plain values. Aliases are limited, and faults have a line."""

from __future__ import annotations

import re

import yaml

from kanon_sql.errors import Fault, InputError

ALIASED = 100_000
"""Most values that the aliases of a document may expand to. Aliases of aliases multiply: six lines
can expand to a million values."""
TOO_MANY = f"its aliases expand to more than {ALIASED:,} values; write out the values"

UNREADABLE = (
    yaml.YAMLError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
)
"""Errors that PyYAML raises where it cannot parse text, or cannot build a number or date from it."""


def compose(text: str, subject: str) -> yaml.Node | None:
    """Parse one document to a tree, or None if it is empty. Raises InputError."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if root is not None:
            _check_aliases(root, {})
    except UNREADABLE as error:
        raise _refusal(error, subject) from error
    return root


def load(text: str, subject: str) -> object:
    """Parse one document to plain values. Raises InputError."""
    root = compose(text, subject)
    loader = yaml.SafeLoader("")
    try:
        return None if root is None else loader.construct_document(root)
    except UNREADABLE as error:
        raise _refusal(error, subject) from error
    finally:
        loader.dispose()


def _refusal(error: Exception, subject: str) -> InputError:
    what, line = "is not YAML text", None
    if isinstance(error, yaml.MarkedYAMLError):
        what = f"is not YAML: {error.problem}"
        line = error.problem_mark.line + 1 if error.problem_mark else None
    elif isinstance(error, RecursionError):
        what = "is nested too deeply"
    return InputError(subject, [Fault("", what, line)])


def _check_aliases(node: yaml.Node, sizes: dict[int, int]) -> int:
    """Return how many values a tree expands to. Raises MarkedYAMLError if aliases add more than ALIASED."""
    if id(node) not in sizes:
        below = node.value if isinstance(node, yaml.CollectionNode) else ()
        pairs = isinstance(node, yaml.MappingNode)
        members = [each for pair in below for each in pair] if pairs else below
        size = 1 + sum(_check_aliases(each, sizes) for each in members)
        sizes[id(node)] = size
        if size > len(sizes) + ALIASED:
            raise yaml.MarkedYAMLError(problem=TOO_MANY, problem_mark=node.start_mark)
    return sizes[id(node)]


def quoted(text: str) -> str:
    """Quote a text so that YAML reads exactly that text; a plain word is returned unchanged.

    Characters that are not printable, such as marks of direction, are escaped: the text cannot look like another.

    >>> print(quoted("birth_date"), quoted("no"), quoted("a: b"))
    birth_date "no" "a: b"
    """
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*([-./][A-Za-z0-9_]+)*", text)
    reserved = text.casefold() in {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
    if plain and not reserved:
        return text
    shown = text.isprintable()
    written = yaml.dump(text, default_style='"', allow_unicode=shown, width=float("inf"))
    return str(written).rstrip("\n")
