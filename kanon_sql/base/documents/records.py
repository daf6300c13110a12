"""Shapes of mappings, derived from the classes that they are read into.

The signature of a class or function describes its document: each parameter is a key, and its type the
shape of the value. `Annotated` adds what a type cannot express: another shape, another location (`Key`), a
message for when it is missing (`Needed`), a value that has no key (`Given`, `Unwritten`). Where a class calls
`check` as it is built, each rule that fails is a fault of its document. To add a key, add a field.
"""

from __future__ import annotations

import inspect
import types
from contextlib import suppress
from dataclasses import field
from decimal import Decimal
from enum import StrEnum
from functools import cache, cached_property
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

from kanon_sql.base.documents.keys import Keys, MapOf, Object, entries_of
from kanon_sql.base.documents.shapes import (
    Boolean,
    Known,
    Number,
    OneOf,
    Real,
    Refused,
    Schema,
    Several,
    Shape,
    Text,
    Whole,
    Wrong,
    any_of,
    note,
)
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kanon_sql.base.documents.keys import Item

T = TypeVar("T")
V = TypeVar("V")
NO_DEFAULT = inspect.Parameter.empty

LATER = {"later": True}
HASHED_AS = "hashed_as"
"""Names, in a field's metadata, what the field was called when policies with it were first hashed."""
"""Metadata of a field added in a later version. A policy with its default has the same hash as before."""


@dataclass(frozen=True)
class Key:
    """The location of a field: dotted keys from its record down. `*`: its shape reads several keys there."""

    path: str


@dataclass(frozen=True)
class Needed:
    """Marks a key as required although it has a default to read on with. `words` say that it is missing."""

    words: str | None = None


@dataclass(frozen=True)
class Given:
    """Marks a parameter without a key. `of` computes it from what an earlier part published as `name`."""

    name: str
    of: Callable[[Any], object] = lambda value: value


class Null:
    """Marks a key that is always written, as null where the value is None."""


class Omitted:
    """Marks a key that is not written where the value is None, although the parameter is required."""


class Unwritten:
    """Marks a parameter of one run only. It has no key: documents neither hold nor set it."""


@dataclass(frozen=True)
class Field:
    """A parameter of a record's class or function. A `derived` one is a property, and no argument."""

    name: str
    shape: Shape[Any]
    default: object
    needed: Needed | None
    nullable: bool
    derived: bool = False

    @property
    def always(self) -> bool:
        """Whether the key is required."""
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
    """The keys of a mapping: fields, nested groups, and fields whose shapes read several of its keys.

    `parts` are by key. A field that reads several keys is there by a star and its name.
    """

    parts: dict[str, Field | _Group] = field(default_factory=dict)

    @property
    def within(self) -> list[tuple[str, Keys[Any]]]:
        """Pairs of a field's name and its shape, for fields that read several keys here."""
        found = [each for key, each in self.parts.items() if key.startswith("*")]
        return [
            (each.name, each.shape)
            for each in found
            if isinstance(each, Field) and isinstance(each.shape, Keys)
        ]

    @property
    def plain(self) -> dict[str, Field | _Group]:
        """The parts that have one key each."""
        return {key: each for key, each in self.parts.items() if not key.startswith("*")}

    @property
    def open(self) -> bool:
        return any(shape.open for _, shape in self.within)

    @property
    def keys(self) -> list[str]:
        return [*self.plain, *(key for _, shape in self.within for key in shape.keys)]

    def schema(self) -> Schema:
        return any_of([each.schema() for each in _objects(self)])

    def add(self, path: Sequence[str], made: Field) -> None:
        """Add a field at its location."""
        head, *rest = path
        if not rest:
            self.parts[f"*{made.name}" if head == "*" else head] = made
            return
        below = self.parts.setdefault(head, _Group())
        if not isinstance(below, _Group):
            raise TypeError(f"{head} is a key, and a group of keys")
        below.add(rest, made)


class Record(Keys[T]):
    """A mapping from which a class or function builds a value, with a parameter for each key.

    At least one of the keys `any_of` is required; `lacking` is the message if none is there.
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
        """Arrange the parameters as keys. A class may order them, and add properties, by the attribute `KEYS`."""
        root = _Group()
        hidden = {name for marker in (Given, Unwritten) for name, *_ in self._marked(marker)}
        for name, hint, default, derived in self._parameters():
            if name not in hidden:
                made, path = _field(name, hint, default, derived=derived)
                root.add(path, made)
        return root

    def _parameters(self) -> Iterator[tuple[str, Any, object, bool]]:
        hints = _hints(self.build)
        parameters = inspect.signature(self.build).parameters
        order = getattr(self.build, "KEYS", tuple(parameters))
        for name in order:
            if name in parameters:
                yield name, hints[name], parameters[name].default, False
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
        listed = [
            f"{key}: {each.shape.written}"
            for key, each in self.fields.items()
            if not self.any_of or key in self.any_of
        ]
        return f"{{{', '.join(listed)}}}"

    @property
    def fields(self) -> dict[str, Field]:
        """The fields that are keys of the mapping itself, not of groups within it."""
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
        """Build the value. Retries without the keys at fault, so as to note further faults; may raise Refused."""
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
        parameters = inspect.signature(self.build).parameters.values()
        return {each.name for each in parameters if each.default is NO_DEFAULT}

    def look(self, key: str, entry: Item) -> None:
        if key in self.fields:
            self.fields[key].read(entry)

    def _take(
        self, group: _Group, item: Item, entries: Mapping[str, Item], values: dict[str, object]
    ) -> None:
        """Read every key of the group and its nested groups into `values`. A key at fault gets no entry."""
        for key, part in group.plain.items():
            entry = entries.get(key)
            with suppress(Refused):
                if entry is None:
                    _note_absent(item, key, part)
                    if isinstance(part, Field) and part.default is None:
                        values[part.name] = None
                elif isinstance(part, _Group):
                    self._take(part, entry, entries_of(entry, part.keys, open=part.open), values)
                elif part.derived:
                    part.read(entry)
                else:
                    values[part.name] = part.read(entry)
        others = {key: entry for key, entry in entries.items() if key not in group.parts}
        for name, shape in group.within:
            with suppress(Refused):
                values[name] = shape.take(item, others)

    def objects(self) -> list[Object]:
        found = _objects(self.root)
        if self.any_of:
            lacks: Schema = {"anyOf": [{"required": [key]} for key in self.any_of]}
            found = [each.joined(Object(more=lacks)) for each in found]
        return found

    def write(self, value: T, known: Known) -> dict[str, object]:
        return _written(self.root, value, known)


def _note_absent(item: Item, key: str, part: Field | _Group) -> None:
    """Note the fault of an absent key, if the key is required."""
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
        one = Object({key: part.schema()}, [key] if needed else [])
        found = [each.joined(one) for each in found]
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


@cache
def _hints(of: Callable[..., Any]) -> Mapping[str, Any]:
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
    """Return the shape in the annotations of a type, or the default shape of the type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        annotated = [each for each in arguments if isinstance(each, Shape)]
        return annotated[0] if annotated else shape_of(arguments[0])
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
    bool: Boolean(),
    float: Real(),
    Decimal: Number(),
}
