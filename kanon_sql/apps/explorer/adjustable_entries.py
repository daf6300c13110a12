"""The entries of a policy that a user of the explorer can change: bounds of models, suppression, hierarchies."""

from __future__ import annotations

import copy
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias, cast

import yaml

from kanon_sql.apps.explorer.searched_state import ReleaseUse, entries_for, use_of
from kanon_sql.base.documents import keys
from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import Fault, InputError, PolicyError
from kanon_sql.policy.hierarchies.specs import KINDS
from kanon_sql.policy.model import Role
from kanon_sql.policy.privacy.declared_models import MODELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.policy.model import Policy


Plain: TypeAlias = "dict[str, Plain] | list[Plain] | str | int | float | bool | None"
"""A value of a policy."""
Place: TypeAlias = tuple[str | int, ...]
"""Where an entry is: keys of mappings and indexes of lists."""
Edits: TypeAlias = "Sequence[tuple[Place, Plain | Removal]]"


class Removal(Enum):
    """The value that removes an entry at the top of a policy, with its line."""

    REMOVED = "removed"


REMOVED = Removal.REMOVED

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
    wanted = keys.load(text, subject) if edits else None
    try:
        for place, value in edits:
            wanted = _with(wanted, place, value)
            root = keys.compose(text, subject)
            if root is not None:
                start, end, words = _patch(text, root, place, value)
                text = text[:start] + words + text[end:]
        is_wanted = not edits or keys.load(text, subject) == wanted
    except InputError:  # the edited text is no YAML
        is_wanted = False
    if not is_wanted:
        what = "shares entries by aliases, or is written in a way that no entry of it can be replaced by itself"
        raise PolicyError(subject, [Fault("", f"{what}; write them out")])
    return text


def _with(document: object, place: Place, value: Plain | Removal) -> object:
    """Return a copy of plain values with one entry replaced or added."""
    if not place:
        return value
    key, *rest = place
    if key == APPEND:
        return [*(document if isinstance(document, list) else [document]), value]
    found = copy.copy(document)
    if isinstance(found, dict) and value is REMOVED:
        found.pop(key, None)
    elif isinstance(found, dict):
        found[key] = _with(found.get(key), tuple(rest), value)
    elif isinstance(found, list) and isinstance(key, int):
        found[key] = _with(found[key], tuple(rest), value)
    return found


def _patch(
    text: str, node: yaml.Node, place: Place, value: Plain | Removal
) -> tuple[int, int, str]:
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
        if value is REMOVED:
            return 0, 0, ""
        return _insertion(text, node, key, value)
    if rest:
        return _patch(text, found, tuple(rest), value)
    if value is REMOVED:
        return *_line_of(text, found), ""
    return found.start_mark.index, _end(found), indent + flow(value)


def _line_of(text: str, node: yaml.Node) -> tuple[int, int]:
    """Return the start and the end of the line of a value, whose key stands on it, with its comment."""
    line_end = text.find("\n", node.end_mark.index)
    start = text.rfind("\n", 0, node.start_mark.index) + 1
    return start, len(text) if line_end < 0 else line_end + 1


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


WHOLE = {"k", "l"}
"""Names of bounds that are whole numbers, in the models of the page; the l of entropy_l is any number."""

STATED = tuple(kind.key for kind in KINDS if not kind.is_elsewhere)
"""Kinds of hierarchies that the page may state; none of them names a file, a table or a query."""

LONGEST = 100_000
"""The most characters of an entry that the page may send."""

OFFERED = {"distinct_l": "l", "t_closeness": "t"}
"""Models that can be added for a sensitive column, with the names of their bounds."""


@dataclass(frozen=True, slots=True)
class AdjustableEntry:
    """One entry that the page can change: its place in the policy, and its name and text for a reader.

    `kind` is use, bound, suppression, hierarchy or model; an entry of kind model adds one, and the one of kind use
    stands for the entries that the use of the release needs. `words` is the entry's text in the policy, empty where the
    policy does not have it.
    """

    key: str
    kind: str
    place: Place
    name: str
    words: str
    of: str = ""
    model: str = ""
    whole: bool = False
    fixed: bool = False

    def document(self) -> dict[str, object]:
        """Return the entry as plain values for the page."""
        return {
            "key": self.key,
            "kind": self.kind,
            "name": self.name,
            "words": self.words,
            "of": self.of,
            "model": self.model,
            "whole": self.whole,
            "fixed": self.fixed,
        }


class AdjustableEntries:
    """A policy's text, and its entries by their keys."""

    def __init__(self, text: str, policy: Policy) -> None:
        self.text = text
        self.subject = policy.subject
        document = keys.load(text, policy.subject)
        plain = document if isinstance(document, dict) else {}
        self._policy, self._plain = policy, plain
        use = use_of(policy)
        found = [
            AdjustableEntry("use", "use", (), "use", "" if use is None else use.value),
            *_bounds(plain.get("privacy")),
            *_offers(plain.get("privacy"), policy),
            AdjustableEntry(
                "suppression",
                "suppression",
                ("suppression",),
                "suppression limit",
                flow(plain.get("suppression", 0)),
            ),
            *_hierarchies(plain, policy),
        ]
        self.entries = {each.key: each for each in found}

    def edited(self, words: Mapping[str, str], held: Mapping[str, int]) -> str:
        """Return the policy's text with new texts of some entries, and with the levels of `held` columns.

        Raises PolicyError for wrong texts, and InputError for entries that the page cannot change.
        """
        edits: list[tuple[Place, Plain | Removal]] = []
        faults: list[Fault] = []
        for key, text in words.items():
            entry = self.entries.get(key)
            if entry is None or len(text) > LONGEST:
                raise InputError(
                    "explorer", [Fault(printable(key), "is no entry that can be changed here")]
                )
            if text == entry.words:
                continue
            try:
                edits += self._edits_of(entry, text)
            except InputError as error:
                faults += [Fault(entry.key, fault.what) for fault in error.faults]
        if faults:
            raise PolicyError(self.subject, faults)
        for name, level in held.items():
            edits.append((("columns", name, "levels"), {"least": level, "most": level}))
        return edited(self.text, edits, self.subject)

    def _edits_of(self, entry: AdjustableEntry, text: str) -> Edits:
        """Return the edits for a new text of an entry. Raises InputError."""
        if entry.kind != "use":
            return [(entry.place, _value(entry, text))]
        if text not in set(ReleaseUse):
            what = f"must be one of {', '.join(ReleaseUse)}"
            raise InputError(entry.key, [Fault("", what)])
        needed = entries_for(ReleaseUse(text), self._policy, self._plain)
        return [
            ((key,), REMOVED if value is None else cast("Plain", value)) for key, value in needed
        ]

    def key_of(self, where: str) -> str | None:
        """Return the key of the entry at the place of a fault; None where no entry of the page is there."""
        for each in self.entries.values():
            place = ".".join(map(str, each.place))
            listed = place.replace("privacy.", "privacy[", 1).replace(".", "].", 1)
            if where == each.key or any(
                path and where.startswith(path) for path in (place, listed)
            ):
                return each.key
        return None


def _value(entry: AdjustableEntry, text: str) -> Plain:
    """Read the new value of an entry. Raises InputError."""
    value = keys.load(text, entry.key)
    if entry.kind == "hierarchy":
        kept: Plain = value if isinstance(value, dict) else str(value)
        kinds = list(value) if isinstance(value, dict) else [value]
        if not kinds or not set(map(str, kinds)) & set(STATED):
            what = f"must be one of {', '.join(STATED)}; files, tables and queries are named in the policy"
            raise InputError(entry.key, [Fault("", what)])
        return kept
    if entry.kind == "model":
        return {entry.model: {"column": entry.of, entry.name: _number(value, entry)}}
    return _number(value, entry)


def _number(value: object, entry: AdjustableEntry) -> str | int | float:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise InputError(entry.key, [Fault("", "must be a number")])
    return value


def _bounds(privacy: object) -> Iterator[AdjustableEntry]:
    """Yield an entry for each number of the privacy models."""
    listed = isinstance(privacy, list)
    for at, entry in enumerate(privacy if isinstance(privacy, list) else [privacy]):
        if not isinstance(entry, dict):
            continue
        above: Place = ("privacy", at) if listed else ("privacy",)
        columns = _names(entry.get("over"))
        for model in MODELS:
            stated = entry.get(model.key)
            if stated is None:
                continue
            options: dict[str, Plain] = stated if isinstance(stated, dict) else {model.key: stated}
            of = str(options.get("column", "")) or (f"over {columns}" if columns else "")
            for name, value in options.items():
                if not _is_number(value):
                    continue
                own: Place = (model.key, name) if isinstance(stated, dict) else (model.key,)
                place = (*above, *own)
                key = "-".join(map(str, place))
                whole = name in WHOLE and model.key in {"k", "distinct_l", "k_map", "recursive_l"}
                yield AdjustableEntry(
                    key, "bound", place, name, flow(value), of, model.named, whole
                )


def _names(over: object) -> str:
    if not over:
        return ""
    return ", ".join(map(str, over if isinstance(over, list) else [over]))


def _is_number(value: object) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, str):
        return value.replace(".", "", 1).isdecimal()
    return isinstance(value, int | float)


def _offers(privacy: object, policy: Policy) -> Iterator[AdjustableEntry]:
    """Yield an entry for each model of a sensitive column that could be added to the policy."""
    asked = {
        (str(model), str(of.get("column")))
        for entry in (privacy if isinstance(privacy, list) else [privacy])
        if isinstance(entry, dict)
        for model, of in entry.items()
        if isinstance(of, dict)
    }
    for column in policy.with_role(Role.SENSITIVE):
        for model, name in OFFERED.items():
            if (model, column.name) not in asked:
                key = f"add-{model}-{column.name}"
                place: Place = ("privacy", APPEND)
                yield AdjustableEntry(
                    key, "model", place, name, "", column.name, model, name in WHOLE
                )


def _hierarchies(plain: Mapping[str, object], policy: Policy) -> Iterator[AdjustableEntry]:
    columns = plain.get("columns")
    for column in policy.quasi:
        stated = columns.get(column.name) if isinstance(columns, dict) else None
        words = stated.get("hierarchy") if isinstance(stated, dict) else None
        kinds = list(words) if isinstance(words, dict) else [words]
        fixed = not set(map(str, kinds)) & set(STATED)
        place: Place = ("columns", column.name, "hierarchy")
        yield AdjustableEntry(
            f"hierarchy-{column.name}",
            "hierarchy",
            place,
            "hierarchy",
            "" if words is None else flow(words),
            column.name,
            fixed=fixed,
        )
