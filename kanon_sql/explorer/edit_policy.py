"""Edits entries of a policy's text in place, so that comments, order and all other text stay."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, TypeAlias

import yaml

from kanon_sql.documents import yaml_text
from kanon_sql.errors import Fault, InputError, PolicyError

if TYPE_CHECKING:
    from collections.abc import Sequence

Plain: TypeAlias = "dict[str, Plain] | list[Plain] | str | int | float | bool | None"
"""A value of a policy."""
Place: TypeAlias = tuple[str | int, ...]
"""Where an entry is: keys of mappings and indexes of lists."""
Edits: TypeAlias = "Sequence[tuple[Place, Plain]]"

APPEND = -1
"""The index that appends a member to a list; a mapping becomes a list of itself and the member."""


def flow(value: Plain) -> str:
    """Write a value as YAML on one line.

    >>> flow({"intervals": [5, 10]}), flow("4%"), flow("yes")
    ('{intervals: [5, 10]}', '4%', "'yes'")
    """
    text = _on_one_line(value, allow_unicode=True)
    if "\n" in text or yaml.safe_load(text) != value:  # a line break of Unicode, which YAML folds
        text = _on_one_line(value, allow_unicode=False)
    return text


def _on_one_line(value: Plain, *, allow_unicode: bool) -> str:
    text = yaml.safe_dump(
        value,
        default_flow_style=True,
        default_style=None if allow_unicode else '"',
        allow_unicode=allow_unicode,
        sort_keys=False,
        width=float("inf"),
    )
    return str(text).removesuffix("\n").removesuffix("\n...")


def edited(text: str, edits: Edits, subject: str) -> str:
    """Replace entries of a policy's text, and add those that are missing.

    Guarantee: the new text has these entries, and all others are unchanged. Raises PolicyError where that is not
    possible, for example where an alias shares an entry.
    """
    wanted = yaml_text.load(text, subject) if edits else None
    try:
        for place, value in edits:
            wanted = _with(wanted, place, value)
            root = yaml_text.compose(text, subject)
            if root is not None:
                start, end, words = _patch(text, root, place, value)
                text = text[:start] + words + text[end:]
        is_wanted = not edits or yaml_text.load(text, subject) == wanted
    except InputError:  # the edited text is no YAML
        is_wanted = False
    if not is_wanted:
        what = "shares entries by aliases, or is written in a way that no entry of it can be replaced by itself"
        raise PolicyError(subject, [Fault("", f"{what}; write them out")])
    return text


def _with(document: object, place: Place, value: Plain) -> object:
    """Return a copy of plain values with one entry replaced or added."""
    if not place:
        return value
    key, *rest = place
    if key == APPEND:
        return [*(document if isinstance(document, list) else [document]), value]
    found = copy.copy(document)
    if isinstance(found, dict):
        found[key] = _with(found.get(key), tuple(rest), value)
    elif isinstance(found, list) and isinstance(key, int):
        found[key] = _with(found[key], tuple(rest), value)
    return found


def _patch(text: str, node: yaml.Node, place: Place, value: Plain) -> tuple[int, int, str]:
    """Return the start and the end of the text to replace, and the new text."""
    key, *rest = place
    found, indent = None, ""
    if isinstance(node, yaml.MappingNode):
        for name, of in node.value:
            if name.value == str(key):
                found = of
                below = of.start_mark.line > name.end_mark.line
                # A list may stand as far to the left as its key; no other value does.
                indent = "  " if below and of.start_mark.column <= name.start_mark.column else ""
    elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key != APPEND:
        found = node.value[key]
    if found is None:
        return _insertion(text, node, key, value)
    if rest:
        return _patch(text, found, tuple(rest), value)
    return found.start_mark.index, _end(found), indent + flow(value)


def _insertion(text: str, node: yaml.Node, key: str | int, value: Plain) -> tuple[int, int, str]:
    """Return the patch that adds an entry to a mapping, or a member to a list or to a mapping made a list."""
    start, end = node.start_mark.index, _end(node)
    if key == APPEND and isinstance(node, yaml.MappingNode):
        inner = text[start:end] if node.flow_style else flow(_plain(node))
        return start, end, f"[{inner}, {flow(value)}]"
    words = f"- {flow(value)}" if key == APPEND else f"{flow(str(key))}: {flow(value)}"
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        line_end = text.find("\n", end)
        at = len(text) if line_end < 0 else line_end
        indent = " " * node.start_mark.column
        return at, at, f"\n{indent}{words}"
    words = words.removeprefix("- ")
    closing = end - 1
    before = len(text[:closing].rstrip())
    return before, closing, f"{', ' if _members(node) else ''}{words}"


def _members(node: yaml.Node) -> Sequence[object]:
    return node.value if isinstance(node, yaml.CollectionNode) else ()


def _plain(node: yaml.Node) -> Plain:
    loader = yaml.SafeLoader("")
    try:
        value: Plain = loader.construct_document(node)
    finally:
        loader.dispose()
    return value


def _end(node: yaml.Node) -> int:
    """Return the index where a value ends; the end mark of a block lies after blank lines and comments below it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(node, yaml.MappingNode) else last)
    return int(node.end_mark.index)
