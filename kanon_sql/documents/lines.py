"""A YAML document or a Python mapping as values that know their line, so that faults can say it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TypeVar

import yaml

from kanon_sql.documents.yaml_text import compose
from kanon_sql.errors import Fault, InputError, PolicyError

PLACES = 15
"""Digits before and after the point that intervals are exact in."""

MOST = 10**18
"""No whole number of a policy is greater: every database counts as far."""

Choice = TypeVar("Choice", bound=StrEnum)
Scalar = str | int | float | bool | Decimal | None


@dataclass(frozen=True, slots=True)
class Item:
    """A value of a document, where it stands (`path`, `line`), and where faults are listed."""

    value: dict[str, Item] | list[Item] | Scalar
    path: str
    line: int | None
    faults: list[Fault] = field(compare=False, repr=False)
    written: str = ""
    """A scalar as it was written: YAML reads 02134 as an octal number, a ZIP code is not one."""

    def fault(self, what: str) -> None:
        self.faults.append(Fault(self.path, what, self.line))

    def lines(self) -> dict[str, int]:
        """Give the line of every entry below this one, by its path."""
        members = self.value if isinstance(self.value, list) else []
        if isinstance(self.value, dict):
            members = list(self.value.values())
        below = {path: line for member in members for path, line in member.lines().items()}
        return below if self.line is None else {**below, self.path: self.line}

    def mapping(self, *, known: Sequence[str] | None = None) -> dict[str, Item]:
        """Give the entries of a mapping; an entry that is not `known` is a fault."""
        if not isinstance(self.value, dict):
            self.fault("must be a mapping of names to values")
            return {}
        if known is not None:
            for name, item in self.value.items():
                if name not in known:
                    close = difflib.get_close_matches(name, known, n=1)
                    hint = (
                        f"; did you mean {close[0]}?" if close else f"; known: {', '.join(known)}"
                    )
                    item.fault(f"is not a key that is known here{hint}")
        return self.value

    def items(self) -> list[Item]:
        """Give the members of a list; a single value stands for a list of one."""
        if isinstance(self.value, list):
            return self.value
        return [self]

    def text(self) -> str | None:
        """Give a non-empty text."""
        if isinstance(self.value, str) and self.value:
            return self.value
        self.fault("must be a text")
        return None

    def integer(self, *, least: int | None = None, most: int = MOST) -> int | None:
        """Give a whole number of at least `least` and at most `most`."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int):
            self.fault("must be a whole number")
            return None
        if least is not None and value < least:
            self.fault(f"must be at least {least}")
            return None
        if value > most:
            self.fault(f"must be at most {'10^18' if most == MOST else most}")
            return None
        return value

    def decimal(self) -> Decimal | None:
        """Give an exact number."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            self.fault("must be a number")
            return None
        number = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
        if not number.is_finite():
            self.fault("must be a finite number")
            return None
        exponent = number.as_tuple().exponent
        if not isinstance(exponent, int) or exponent < -PLACES or number.copy_abs() >= 10**PLACES:
            self.fault(f"must be a number below 10^{PLACES} with at most {PLACES} decimal places")
            return None
        return number

    def boolean(self) -> bool:
        if isinstance(self.value, bool):
            return self.value
        self.fault("must be true or false")
        return False

    def choice(self, choices: type[Choice]) -> Choice | None:
        """Give the member of an enumeration that is written here."""
        names = [member.value for member in choices]
        if isinstance(self.value, str) and self.value in names:
            return choices(self.value)
        self.fault(f"must be one of {', '.join(names)}")
        return None


def read_yaml(text: str, subject: str) -> Item:
    """Read one YAML document; a key given twice is a fault, not a silent overwrite."""
    try:
        node = compose(text, subject)
        if node is not None:
            return _from_node(node, "", [])
    except InputError as error:
        raise PolicyError(subject, error.faults) from error
    except RecursionError as error:
        raise PolicyError(subject, [Fault("", "is nested too deeply")]) from error
    raise PolicyError(subject, [Fault("", "is empty; a policy is a mapping")])


def _from_node(node: yaml.Node, path: str, faults: list[Fault]) -> Item:
    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        entries: dict[str, Item] = {}
        for key, value in node.value:
            spot = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                faults.append(Fault(path, "has a key that is not a text", spot))
                continue
            name = _text(str(key.value), path, spot, faults)
            below = _below(path, name)
            if name in entries:
                faults.append(Fault(below, "is given twice; keep one entry", spot))
                continue
            child = _from_node(value, below, faults)
            entries[name] = Item(child.value, below, spot, faults, child.written)
        return Item(entries, path, line, faults)
    if isinstance(node, yaml.SequenceNode):
        members = [_from_node(v, _at(path, i), faults) for i, v in enumerate(node.value)]
        return Item(members, path, line, faults)
    written = _text(str(node.value), path, line, faults)
    value = _scalar(node)
    return Item(written if isinstance(value, str) else value, path, line, faults, written)


def _text(text: str, path: str, line: int | None, faults: list[Fault]) -> str:
    """Give a text without what no database takes: NUL, and half a character, are faults.

    PyYAML reads an escaped emoji as two halves, which are joined here.
    """
    encoded = text.encode("utf-16", "surrogatepass")
    whole = encoded.decode("utf-16", "replace")
    if whole.encode("utf-16") != encoded:
        faults.append(Fault(path, "holds half a character", line))
    if "\x00" in whole:
        faults.append(Fault(path, "holds a NUL character", line))
    return whole.replace("\x00", "\ufffd")


def _at(path: str, index: int) -> str:
    return path if _in_tree(path) else f"{path}[{index}]"


def _in_tree(path: str) -> bool:
    return path == "tree" or path.endswith("hierarchy.tree")


def _below(path: str, name: str) -> str:
    """Extend a path by a key, but not into a tree: its keys are values of the data."""
    if _in_tree(path):
        return path
    return f"{path}.{name}" if path else name


def _scalar(node: yaml.Node) -> Scalar:
    """Resolve a scalar; dates and other objects stay the text they were written as."""
    if node.tag == "tag:yaml.org,2002:float":
        try:
            number = Decimal(node.value.replace("_", ""))
        except ArithmeticError:
            return float("nan")
        return number if number.is_finite() else float("nan")
    if node.tag in {f"tag:yaml.org,2002:{kind}" for kind in ("int", "bool", "null")}:
        loader = yaml.SafeLoader("")
        try:
            value = loader.construct_object(node)
        except (ValueError, LookupError, ArithmeticError):
            return str(node.value)
        finally:
            loader.dispose()
        return value if isinstance(value, int | bool) else None
    return str(node.value)


def read_mapping(value: object) -> Item:
    """Read a policy given from Python as nested mappings and lists."""
    try:
        return _from_object(value, "", [])
    except RecursionError as error:
        raise PolicyError("policy", [Fault("", "is nested too deeply")]) from error


def _from_object(value: object, path: str, faults: list[Fault]) -> Item:
    if isinstance(value, Mapping):
        entries = {}
        for key, member in value.items():
            name = _text(str(key), path, None, faults)
            entries[name] = _from_object(member, _below(path, name), faults)
        return Item(entries, path, None, faults)
    if isinstance(value, list | tuple):
        members = [_from_object(v, _at(path, i), faults) for i, v in enumerate(value)]
        return Item(members, path, None, faults)
    if isinstance(value, str):
        value = _text(value, path, None, faults)
    if isinstance(value, Decimal) and not value.is_finite():
        value = float("nan")
    if isinstance(value, int) and abs(value) >= 10**30:
        value = float("inf")
    if value is None or isinstance(value, str | int | float | bool | Decimal):
        return Item(value, path, None, faults, str(value))
    faults.append(Fault(path, f"is a {type(value).__name__}, which a policy cannot hold"))
    return Item(None, path, None, faults)
