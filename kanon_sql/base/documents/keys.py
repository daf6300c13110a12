"""Read documents: the keys of their mappings, each with its line, and faults that name both."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field, replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import yaml

from kanon_sql.base.documents.shapes import (
    Known,
    Refused,
    Schema,
    Shape,
    any_of,
    read_all,
    refuse,
    suggestion,
)
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import Fault, InputError, PolicyError

if TYPE_CHECKING:
    from collections.abc import Sequence


Scalar = str | int | float | bool | Decimal | None


@dataclass(slots=True)
class Reading:
    """State of reading one document: its faults, and values of its earlier parts that later parts need."""

    faults: list[Fault] = field(default_factory=list)
    known: dict[str, Any] = field(default_factory=dict)
    any_text: bool = False
    """Whether texts may contain NUL. True only for documents whose texts are sent to no database."""
    refused: set[str] = field(default_factory=set)
    """Paths of values of an unknown type, for which one fault is enough."""


@dataclass(frozen=True, slots=True)
class Item:
    """A value of a document with its location (`path`, `line`)."""

    value: dict[str, Item] | list[Item] | Scalar
    path: str
    line: int | None
    reading: Reading = field(compare=False, repr=False)
    written: str = ""
    """A scalar as it was written: YAML reads the ZIP code 02134 as an octal number."""

    @property
    def faults(self) -> list[Fault]:
        """The faults found so far in the whole document."""
        return self.reading.faults

    @property
    def entries(self) -> dict[str, Item]:
        """The entries of a mapping; empty for any other value."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def members(self) -> list[Item]:
        """The members of a list; any other value is a list of one."""
        return self.value if isinstance(self.value, list) else [self]

    def fault(self, what: str) -> None:
        """Add a fault of this value to those of the document."""
        if self.path not in self.reading.refused:
            self.faults.append(Fault(self.path, what, self.line))

    def at(self, key: Sequence[str | int]) -> Item:
        """Return the value at a path of mapping keys and list indexes, or the last value before a missing key."""
        found = self
        for each in key:
            below = found.entries.get(each) if isinstance(each, str) else found.members[each]
            if below is None:
                break
            found = below
        return found

    def lines(self) -> dict[str, int]:
        """Map the path of this value, and of every value below it, to its line."""
        below = self.value if isinstance(self.value, list) else list(self.entries.values())
        found = {path: line for each in below for path, line in each.lines().items()}
        return found if self.line is None else {**found, self.path: self.line}


def read_yaml(
    text: str,
    subject: str,
    error: type[InputError] = PolicyError,
    *,
    any_text: bool = False,
) -> Item:
    """Read one YAML document. A repeated key is a fault. Raises `error` for text that is empty or no YAML."""
    try:
        node = compose(text, subject)
        if node is not None:
            return _from_node(node, "", Reading(any_text=any_text))
    except InputError as why:
        raise error(subject, why.faults) from why
    except RecursionError as why:
        raise error(subject, [Fault("", "is nested too deeply")]) from why
    raise error(subject, [Fault("", "is empty")])


def _from_node(node: yaml.Node, path: str, reading: Reading) -> Item:
    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        entries: dict[str, Item] = {}
        for key, value in node.value:
            at_line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                reading.faults.append(Fault(path, "has a key that is not a text", at_line))
                continue
            name = _text(str(key.value), path, at_line, reading)
            below = _below(path, name)
            if name in entries:
                reading.faults.append(Fault(below, "is given twice; keep one entry", at_line))
                continue
            child = _from_node(value, below, reading)
            entries[name] = Item(child.value, below, at_line, reading, child.written)
        return Item(entries, path, line, reading)
    if isinstance(node, yaml.SequenceNode):
        members = [_from_node(v, _at(path, i), reading) for i, v in enumerate(node.value)]
        return Item(members, path, line, reading)
    written = _text(str(node.value), path, line, reading)
    value = _scalar(node)
    return Item(written if isinstance(value, str) else value, path, line, reading, written)


def _text(text: str, path: str, line: int | None, reading: Reading) -> str:
    """Return the text with surrogate pairs joined. Faults: unpaired surrogates, and NUL unless `any_text`.

    PyYAML reads an escaped emoji as two surrogates. No database accepts NUL.
    """
    encoded = text.encode("utf-16", "surrogatepass")
    whole = encoded.decode("utf-16", "replace")
    if whole.encode("utf-16") != encoded:
        reading.faults.append(
            Fault(path, "contains half a character (an unpaired surrogate)", line)
        )
    if "\x00" in whole and not reading.any_text:
        reading.faults.append(Fault(path, "contains a NUL character", line))
    return whole if reading.any_text else whole.replace("\x00", "\ufffd")


def _at(path: str, index: int) -> str:
    return path if _in_tree(path) else f"{path}[{index}]"


def _in_tree(path: str) -> bool:
    return path == "tree" or path.endswith("hierarchy.tree")


def _below(path: str, name: str) -> str:
    """Extend a path by a key, except below a tree: its keys are values of the data."""
    if _in_tree(path):
        return path
    return f"{path}.{name}" if path else name


def _scalar(node: yaml.Node) -> Scalar:
    """Resolve a scalar; dates and other objects stay texts as they were written."""
    if node.tag == "tag:yaml.org,2002:float":
        try:
            number = Decimal(node.value.replace("_", ""))
        except ArithmeticError:
            return float("nan")
        return number if number.is_finite() else float("nan")
    if node.tag in {f"tag:yaml.org,2002:{kind}" for kind in ("int", "bool", "null")}:
        try:
            value = yaml.constructor.SafeConstructor().construct_object(node)
        except (ValueError, LookupError, ArithmeticError):
            return str(node.value)
        return value if isinstance(value, int | bool) else None
    return str(node.value)


def read_mapping(
    value: object, subject: str = "policy", error: type[InputError] = PolicyError
) -> Item:
    """Read a document that is passed from Python as nested mappings and lists."""
    try:
        return _from_object(value, "", Reading())
    except RecursionError as why:
        raise error(subject, [Fault("", "is nested too deeply")]) from why


def _from_object(value: object, path: str, reading: Reading) -> Item:
    if isinstance(value, Mapping):
        entries = {}
        for key, member in value.items():
            name = _text(str(key), path, None, reading)
            entries[name] = _from_object(member, _below(path, name), reading)
        return Item(entries, path, None, reading)
    if isinstance(value, list | tuple):
        members = [_from_object(v, _at(path, i), reading) for i, v in enumerate(value)]
        return Item(members, path, None, reading)
    if isinstance(value, str):
        value = _text(value, path, None, reading)
    if isinstance(value, Decimal) and not value.is_finite():
        value = float("nan")
    if isinstance(value, int) and abs(value) >= 10**30:
        value = float("inf")
    if value is None or isinstance(value, str | int | float | bool | Decimal):
        return Item(value, path, None, reading, str(value))
    reading.refused.add(path)
    reading.faults.append(
        Fault(path, f"is a {type(value).__name__}, which cannot be part of a policy")
    )
    return Item(None, path, None, reading)


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


T = TypeVar("T")
V = TypeVar("V")


@dataclass
class Object:
    """The JSON Schema of a mapping in parts. `others` is additionalProperties, `more` further keywords."""

    properties: dict[str, Schema] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    others: Schema | bool = False
    more: Schema = field(default_factory=dict)

    def joined(self, other: Object) -> Object:
        return Object(
            {**self.properties, **other.properties},
            [*self.required, *other.required],
            self.others or other.others,
            {**self.more, **other.more},
        )

    def schema(self) -> Schema:
        return {
            "type": "object",
            "additionalProperties": self.others,
            "required": self.required,
            "properties": self.properties,
            **self.more,
        }


class Keys(Shape[T]):
    """The shape of a mapping, or of some of its keys where other shapes read the other keys."""

    builds: object = None
    """The class of the values that the shape builds. `Keyed` chooses the form to write a value in by it."""

    @property
    def open(self) -> bool:
        """Whether any key is allowed."""
        return False

    @property
    @abstractmethod
    def keys(self) -> Sequence[str]:
        """The keys of this shape."""

    def look(self, key: str, entry: Item) -> None:
        """Note the faults of the value of `key`, although the mapping has another form than this one."""
        del key, entry

    @abstractmethod
    def take(self, item: Item, entries: Mapping[str, Item]) -> T:
        """Build the value from these entries of a mapping. Notes faults, and raises Refused without a value."""

    @abstractmethod
    def objects(self) -> list[Object]:
        """Return one Object for each form that the mapping may have."""

    def write(self, value: T, known: Known) -> dict[str, object]:
        """Return `value` as a mapping. Raises TypeError for a shape that kanon-sql only reads."""
        del value, known
        raise TypeError(f"{type(self).__name__} is not written")

    def read(self, item: Item) -> T:
        return self.take(item, entries_of(item, self.keys, open=self.open))

    def schema(self) -> Schema:
        return any_of([each.schema() for each in self.objects()])


def entries_of(
    item: Item,
    keys: Sequence[str],
    *,
    open: bool = False,  # noqa: A002
    noun: str = "key",
) -> dict[str, Item]:
    """Return the entries of a mapping. Each key outside `keys` is a fault, unless the mapping is `open`."""
    if not isinstance(item.value, dict):
        raise refuse(item, "must be a mapping of names to values")
    for name, entry in item.entries.items():
        if name not in keys and not open:
            close = suggestion(name, keys)
            supported = f"{'' if close else ';'} supported: {', '.join(keys)}"
            entry.fault(f"unknown {noun}{close}{'' if close and noun == 'key' else supported}")
    return item.entries


@dataclass(frozen=True)
class Only(Keys[T]):
    """A mapping with exactly one key. Reading it returns the value of that key."""

    key: str
    of: Shape[T]

    @property
    def keys(self) -> Sequence[str]:
        return (self.key,)

    def take(self, item: Item, entries: Mapping[str, Item]) -> T:
        if self.key not in entries:
            raise refuse(item, f"has no {self.key}")
        return self.of.read(entries[self.key])

    def objects(self) -> list[Object]:
        return [Object({self.key: self.of.schema()}, [self.key])]


@dataclass(frozen=True)
class MapOf(Keys[dict[str, V]], Generic[V]):
    """A mapping of names to values of one shape. Without the shape `name`, any text is a name."""

    of: Shape[V]
    name: Shape[str] | None = None

    @property
    def keys(self) -> Sequence[str]:
        return ()

    @property
    def open(self) -> bool:
        return True

    @property
    def written(self) -> str:  # type: ignore[override]
        return f"{{{'NAME' if self.name is None else self.name.written}: {self.of.written}, ...}}"

    def take(self, item: Item, entries: Mapping[str, Item]) -> dict[str, V]:
        del item
        return dict(read_all(partial(self._read_entry, *each) for each in entries.items()))

    def _read_entry(self, key: str, entry: Item) -> tuple[str, V]:
        if self.name is not None:
            self.name.read(replace(entry, value=key, written=key))
        return key, self.of.read(entry)

    def objects(self) -> list[Object]:
        return [Object(others=self.of.schema())]

    def write(self, value: dict[str, V], known: Known) -> dict[str, object]:
        return {key: self.of.write(each, known) for key, each in value.items()}


class _Variants(Keys[T]):
    """A mapping that has one of several forms. The forms differ in their keys."""

    def __init__(
        self, forms: Mapping[str, Keys[Any]], *, hints: Mapping[str, str] | None = None
    ) -> None:
        self.forms, self.hints = forms, hints or {}

    def owners(self, key: str) -> list[str]:
        return [name for name, form in self.forms.items() if key in form.keys]

    def chosen(self, form: Keys[Any], of: str, item: Item, entries: Mapping[str, Item]) -> T:
        """Read the chosen form. A key that only other forms have is a fault."""
        for key, entry in entries.items():
            if key not in form.keys and (owners := self.owners(key)):
                entry.fault(f"goes with {of}{' or '.join(owners)}{self.hints.get(key, '')}")
                with suppress(Refused):  # so that a fault of its value is listed too
                    self.forms[owners[0]].look(key, entry)
        found: T = form.take(item, entries)
        return found


class Tagged(_Variants[T]):
    """A mapping whose key `tag` names its form, or `default`. Values have the name as the attribute `tag`.

    A null value means the form `null`.
    """

    def __init__(
        self,
        tag: str,
        forms: Mapping[str, Keys[Any]],
        *,
        default: str | None = None,
        lacking: str | None = None,
        null: str | None = None,
    ) -> None:
        super().__init__(forms)
        self.tag, self.default, self.lacking, self.null = tag, default, lacking, null

    @property
    def keys(self) -> Sequence[str]:
        return tuple(dict.fromkeys([self.tag, *(k for f in self.forms.values() for k in f.keys)]))

    def take(self, item: Item, entries: Mapping[str, Item]) -> T:
        tag = entries.get(self.tag)
        if tag is None and self.default is None:
            raise refuse(item, self.lacking or f"has no {self.tag}")
        chosen = self.default if tag is None else tag.value
        chosen = self.null if tag is not None and tag.value is None else chosen
        if tag is not None and (not isinstance(chosen, str) or chosen not in self.forms):
            raise refuse(tag, f"must be one of {', '.join(self.forms)}")
        others = {key: entry for key, entry in entries.items() if key != self.tag}
        return self.chosen(self.forms[str(chosen)], f"{self.tag}: ", item, others)

    def objects(self) -> list[Object]:
        """Return one Object for each form. Forms with equal schemas share one, whose tag lists their names."""

        def tag(names: list[str]) -> Schema:
            enum = [*names, None] if self.null in names else names
            return {"const": names[0]} if len(enum) == 1 else {"enum": enum}

        found: list[tuple[Object, list[str]]] = []
        for name, form in self.forms.items():
            for each in form.objects():
                same = next((names for known, names in found if known == each), None)
                if same is None:
                    found.append((each, [str(name)]))
                else:
                    same.append(str(name))
        return [
            Object({self.tag: tag(names)}, [] if self.default in names else [self.tag]).joined(each)
            for each, names in found
        ]

    def write(self, value: T, known: Known) -> dict[str, object]:
        name = str(getattr(value, self.tag))
        return {self.tag: name, **self.forms[name].write(value, known)}


class Keyed(_Variants[T]):
    """A mapping that has exactly one key of `forms`, which sets its form, or none and the form `default`.

    A key of `forms` may also be a key within another form. Where a mapping has both keys, that other form is meant.
    """

    def __init__(
        self,
        forms: Mapping[str, Keys[Any]],
        *,
        default: Keys[Any] | None = None,
        hints: Mapping[str, str] | None = None,
        lacking: str | None = None,
    ) -> None:
        super().__init__(forms, hints=hints)
        self.default, self.lacking = default, lacking

    @property
    def keys(self) -> Sequence[str]:
        every = [*self.forms.values(), *([] if self.default is None else [self.default])]
        return tuple(dict.fromkeys([*self.forms, *(key for form in every for key in form.keys)]))

    def take(self, item: Item, entries: Mapping[str, Item]) -> T:
        named = [key for key in self.forms if key in entries]
        there = [
            key for key in named if not any(key in self.forms[o].keys for o in named if o != key)
        ]
        if len(there) == 1:
            form = self.forms[there[0]]
            for key, entry in entries.items():
                if key not in form.keys and key in self.keys and not self.owners(key):
                    entry.fault(f"does not go with {there[0]}")
            return self.chosen(form, "", item, entries)
        if not there and self.default is not None:
            return self.chosen(self.default, "", item, entries)
        *names, last = self.forms
        raise refuse(
            item, self.lacking or f"must have exactly one of {', '.join(names)} and {last}"
        )

    def objects(self) -> list[Object]:
        forms = [*self.forms.values(), *([] if self.default is None else [self.default])]
        return [each for form in forms for each in form.objects()]

    def write(self, value: T, known: Known) -> dict[str, object]:
        for form in self.forms.values():
            if form.builds is type(value):
                return form.write(value, known)
        if self.default is None:
            raise TypeError(f"no form is of {type(value).__name__}")
        return self.default.write(value, known)
