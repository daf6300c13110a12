"""Shapes of mappings, derived from the classes that they are read into.

A class or function states its document by its own signature: a parameter is a key, its type the
shape of the value. `Annotated` says what the type cannot: another shape, another place (`Key`), what
is missing without it (`Needed`), a value that no key has (`Given`, `Unwritten`). What a class
refuses to be built of (`check`) is a fault of its document. Adding a key is adding a field.
"""

from __future__ import annotations

import inspect
import types
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from kanon_sql.documents.keys import Keys, MapOf, Object, entries_of
from kanon_sql.documents.shapes import (
    Known,
    Number,
    OneOf,
    Real,
    Refused,
    Schema,
    Several,
    Shape,
    Text,
    Truth,
    Whole,
    Wrong,
    any_of,
    note,
)
from kanon_sql.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kanon_sql.documents.lines import Item

T = TypeVar("T")
V = TypeVar("V")
NO_DEFAULT = inspect.Parameter.empty


@dataclass(frozen=True)
class Key:
    """Where a field stands, by the keys from its record down; `*` is in place of its own keys."""

    path: str


@dataclass(frozen=True)
class Needed:
    """A key that must be there, though there is a default to go on with; what its lack means."""

    words: str | None = None


@dataclass(frozen=True)
class Given:
    """A value that no key has: an earlier part of the document made it known under this name."""

    name: str
    of: Callable[[Any], object] = lambda value: value


class Null:
    """A key that is always there, and null where it says nothing."""


class Omitted:
    """A key that is left out where it says nothing, though a value is built with it."""


class Unwritten:
    """A value that is of a run, and of no document."""


@dataclass(frozen=True)
class Field:
    """A parameter of what a record builds, and the shape of what is given for it."""

    name: str
    shape: Shape[Any]
    default: object
    needed: Needed | None
    nullable: bool
    derived: bool = False

    @property
    def always(self) -> bool:
        """Whether the key must be there."""
        return self.needed is not None or self.default is NO_DEFAULT

    def read(self, item: Item) -> object:
        nothing = self.nullable and item.value is None
        return None if nothing else self.shape.read(item)

    def schema(self) -> Schema:
        described = self.shape.schema()
        if not self.nullable:
            return described
        if "enum" in described:
            return {**described, "enum": [*described["enum"], None]}  # type: ignore[misc]
        if isinstance(described.get("type"), str):
            return {**described, "type": [described["type"], "null"]}
        return any_of([described, {"type": "null"}])

    def write(self, value: object, known: Known) -> object:
        return None if value is None else self.shape.write(value, known)


@dataclass
class _Group:
    """Keys of a mapping: fields, groups of them, and shapes that stand there with keys of their own.

    A part that has keys of its own stands under the name of its field, behind a star.
    """

    parts: dict[str, Field | _Group] = field(default_factory=dict)

    @property
    def within(self) -> list[tuple[str, Keys[Any]]]:
        """Give the shapes whose keys stand here, by the names of their fields."""
        found = [each for key, each in self.parts.items() if key.startswith("*")]
        return [
            (each.name, each.shape)
            for each in found
            if isinstance(each, Field) and isinstance(each.shape, Keys)
        ]

    @property
    def plain(self) -> dict[str, Field | _Group]:
        """Give the parts that are one key each."""
        return {key: each for key, each in self.parts.items() if not key.startswith("*")}

    @property
    def open(self) -> bool:
        return any(shape.open for _, shape in self.within)

    @property
    def keys(self) -> list[str]:
        return [*self.plain, *(key for _, shape in self.within for key in shape.keys)]

    def schema(self) -> Schema:
        return any_of([each.schema() for each in _objects(self)])

    def place(self, path: Sequence[str], made: Field) -> None:
        """Put a field where it stands."""
        head, *rest = path
        if not rest:
            self.parts[f"*{made.name}" if head == "*" else head] = made
            return
        below = self.parts.setdefault(head, _Group())
        if not isinstance(below, _Group):
            raise TypeError(f"{head} is a key, and a group of keys")
        below.place(rest, made)


class Record(Keys[T]):
    """A mapping that becomes one value, by a class or function with a parameter for each key.

    Of the keys `any_of` one must be there, or `lacking` is what is wrong.
    """

    def __init__(
        self, build: Callable[..., T], *, any_of: Sequence[str] = (), lacking: str = ""
    ) -> None:
        self.build, self.any_of, self.lacking = build, any_of, lacking
        self.builds = build

    @cached_property
    def _given(self) -> dict[str, Given]:
        return {name: each for name, _, each in self._marked(Given)}

    @cached_property
    def root(self) -> _Group:
        """Lay the parameters out as keys; a class may list its `KEYS` in another order."""
        root = _Group()
        hidden = {name for marker in (Given, Unwritten) for name, *_ in self._marked(marker)}
        for name, hint, default, derived in self._parameters():
            if name not in hidden:
                made, path = _field(name, hint, default, derived=derived)
                root.place(path, made)
        return root

    def _parameters(self) -> Iterator[tuple[str, Any, object, bool]]:
        hints = _hints(self.build)
        given = inspect.signature(self.build).parameters
        order = getattr(self.build, "KEYS", tuple(given))
        for name in order:
            if name in given:
                yield name, hints[name], given[name].default, False
            else:
                getter = getattr(self.build, name).fget
                yield name, _hints(getter)["return"], NO_DEFAULT, True

    def _marked(self, kind: type[V]) -> Iterator[tuple[str, Any, V]]:
        for name, hint in _hints(self.build).items():
            for each in _markers(hint):
                if isinstance(each, kind):
                    yield name, hint, each
                elif each is kind:
                    yield name, hint, kind()

    @property
    def keys(self) -> Sequence[str]:
        return self.root.keys

    @property
    def open(self) -> bool:
        return self.root.open

    @property
    def written(self) -> str:  # type: ignore[override]
        told = {
            key: each for key, each in self.fields.items() if not self.any_of or key in self.any_of
        }
        return f"{{{', '.join(f'{key}: {each.shape.written}' for key, each in told.items())}}}"

    @property
    def fields(self) -> dict[str, Field]:
        """Give the fields that are keys of the mapping itself."""
        return {key: each for key, each in self.root.parts.items() if isinstance(each, Field)}

    def take(self, item: Item, entries: Mapping[str, Item]) -> T:
        values: dict[str, object] = {}
        self._take(self.root, item, entries, values)
        lacks = self.any_of and not set(self.any_of) & set(entries)
        if lacks and set(entries) <= set(self.keys):
            item.fault(self.lacking)
        known = item.reading.known
        values |= {
            name: each.of(known[each.name])
            for name, each in self._given.items()
            if each.name in known
        }
        return self._built(item, values)

    def _built(self, item: Item, values: dict[str, object]) -> T:
        """Build the value; where keys are at fault go on without them, for faults of what follows."""
        while self._required <= values.keys():
            try:
                return self.build(**values)
            except Wrong as wrong:
                note(item, wrong)
                without = {key for key, _ in wrong.problems} & values.keys()
                if not without:
                    break
                values = {key: value for key, value in values.items() if key not in without}
        raise Refused

    @cached_property
    def _required(self) -> set[str]:
        given = inspect.signature(self.build).parameters.values()
        return {each.name for each in given if each.default is NO_DEFAULT}

    def look(self, key: str, entry: Item) -> None:
        if key in self.fields:
            self.fields[key].read(entry)

    def _take(
        self, group: _Group, item: Item, entries: Mapping[str, Item], values: dict[str, object]
    ) -> None:
        """Read every key, those of groups too; what is at fault is no value."""
        for key, part in group.plain.items():
            entry = entries.get(key)
            with suppress(Refused):
                if entry is None:
                    _note_absent(item, key, part)
                    if isinstance(part, Field) and part.default is None:
                        values[part.name] = None
                elif isinstance(part, _Group):
                    self._take(part, entry, entries_of(entry, part), values)
                elif part.derived:
                    part.read(entry)
                else:
                    values[part.name] = part.read(entry)
        left = {key: entry for key, entry in entries.items() if key not in group.parts}
        for name, shape in group.within:
            with suppress(Refused):
                values[name] = shape.take(item, left)

    def objects(self) -> list[Object]:
        found = _objects(self.root)
        if self.any_of:
            lacks: Schema = {"anyOf": [{"required": [key]} for key in self.any_of]}
            found = [each.joined(Object(more=lacks)) for each in found]
        return found

    def write(self, value: T, known: Known) -> dict[str, object]:
        return _written(self.root, value, known)


def _note_absent(item: Item, key: str, part: Field | _Group) -> None:
    """Note that a key is not there, if it must be."""
    if isinstance(part, Field) and not part.always:
        return
    words = part.needed.words if isinstance(part, Field) and part.needed else None
    if item.path:
        item.fault(words or f"has no {key}")
    else:
        item.faults.append(Fault(key, f"is missing; {words}" if words else "is missing"))


def _objects(group: _Group) -> list[Object]:
    found = [Object()]
    for key, part in group.plain.items():
        needed = isinstance(part, _Group) or part.always
        own = Object({key: part.schema()}, [key] if needed else [])
        found = [each.joined(own) for each in found]
    for _, shape in group.within:
        found = [each.joined(form) for each in found for form in shape.objects()]
    return found


def _written(group: _Group, value: object, known: Known) -> dict[str, object]:
    written: dict[str, object] = {}
    for key, part in group.parts.items():
        if isinstance(part, _Group):
            written[key] = _written(part, value, known)
            continue
        of = getattr(value, part.name)
        if isinstance(part.shape, Keys) and key.startswith("*"):
            written |= part.shape.write(of, known)
        elif part.always or of != part.default:
            written[key] = part.write(of, known)
    return written


def _markers(hint: object) -> tuple[object, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def _hints(of: Callable[..., Any]) -> dict[str, Any]:
    """Give the types of a signature with what is said beside them."""
    return get_type_hints(of, include_extras=True)


def _field(
    name: str, hint: object, default: object, *, derived: bool
) -> tuple[Field, tuple[str, ...]]:
    markers = _markers(hint)
    bare = get_args(hint)[0] if markers else hint
    needed = next((each for each in markers if isinstance(each, Needed)), None)
    path = next((each.path for each in markers if isinstance(each, Key)), name)
    if Null in markers or Omitted in markers:
        default = NO_DEFAULT if Null in markers else None
    nullable = type(None) in get_args(bare) and default is NO_DEFAULT
    return Field(name, shape_of(hint), default, needed, nullable, derived), tuple(path.split("."))


def shape_of(hint: object) -> Shape[Any]:
    """Give the shape of a type: what is said beside it, or what goes with every value of that type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        told = [each for each in arguments if isinstance(each, Shape)]
        return told[0] if told else shape_of(arguments[0])
    if origin in {Union, types.UnionType}:
        (only,) = [each for each in arguments if each is not type(None)]
        return shape_of(only)
    if origin is tuple:
        return Several(shape_of(arguments[0]), alone=False)
    if origin is not None and len(arguments) == 2:
        return MapOf(shape_of(arguments[1]))
    if not inspect.isclass(hint):
        raise TypeError(f"no document holds {hint}")
    if issubclass(hint, StrEnum):
        return OneOf(hint)
    return PLAIN[hint] if hint in PLAIN else Record(hint)


PLAIN: dict[type, Shape[Any]] = {
    str: Text(),
    int: Whole(least=0),
    bool: Truth(),
    float: Real(),
    Decimal: Number(),
}
