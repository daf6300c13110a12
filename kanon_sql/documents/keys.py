"""Shapes of mappings: one key, any keys, and one of several forms that have keys of their own."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from kanon_sql.documents.shapes import (
    Known,
    Refused,
    Schema,
    Shape,
    any_of,
    refuse,
    suggestion,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.documents.lines import Item

T = TypeVar("T")
V = TypeVar("V")


@dataclass
class Object:
    """The keys of a mapping: what each holds, and which must be there."""

    properties: dict[str, Schema] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    rest: Schema | bool = False
    more: Schema = field(default_factory=dict)

    def joined(self, other: Object) -> Object:
        """Give the keys of both."""
        return Object(
            {**self.properties, **other.properties},
            [*self.required, *other.required],
            self.rest or other.rest,
            {**self.more, **other.more},
        )

    def schema(self) -> Schema:
        """Describe a mapping of these keys and no other."""
        return {
            "type": "object",
            "additionalProperties": self.rest,
            "required": self.required,
            "properties": self.properties,
            **self.more,
        }


class Keys(Shape[T]):
    """The shape of a mapping, or of some keys of one that others share with it."""

    builds: object = None
    """The class of its values, where it tells them from those of other forms."""

    @property
    def open(self) -> bool:
        """Whether it takes every key that nobody else does."""
        return False

    @property
    @abstractmethod
    def keys(self) -> Sequence[str]:
        """Name the keys that are its own."""

    def look(self, key: str, entry: Item) -> None:
        """Note the faults of one key, where it goes with another form."""
        del key, entry

    @abstractmethod
    def take(self, item: Item, entries: Mapping[str, Item]) -> T:
        """Read it from these entries of a mapping."""

    @abstractmethod
    def objects(self) -> list[Object]:
        """Describe each form that it may have."""

    def write(self, value: T, known: Known) -> dict[str, object]:
        """Give its keys with what stands under them; what a user writes is only read."""
        del value, known
        raise TypeError(f"{type(self).__name__} is not written")

    def read(self, item: Item) -> T:
        return self.take(item, entries_of(item, self))

    def schema(self) -> Schema:
        return any_of([each.schema() for each in self.objects()])


class HasKeys(Protocol):
    """What says which keys it knows, and whether it takes any other."""

    @property
    def keys(self) -> Sequence[str]: ...

    @property
    def open(self) -> bool: ...


def entries_of(item: Item, shape: HasKeys, noun: str = "key") -> dict[str, Item]:
    """Give the entries of a mapping that a shape knows; any other is a fault, which lists the known ones."""
    if not isinstance(item.value, dict):
        raise refuse(item, "must be a mapping of names to values")
    for name, entry in item.entries.items():
        if name not in shape.keys and not shape.open:
            close = suggestion(name, shape.keys)
            supported = f"{'' if close else ';'} supported: {', '.join(shape.keys)}"
            entry.fault(f"unknown {noun}{close}{'' if close and noun == 'key' else supported}")
    return item.entries


@dataclass(frozen=True)
class Only(Keys[T]):
    """One key, whose value says everything."""

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

    def write(self, value: T, known: Known) -> dict[str, object]:
        return {self.key: self.of.write(value, known)}


@dataclass(frozen=True)
class Just(Keys[T]):
    """No key at all: the form is the value."""

    value: T

    @property
    def keys(self) -> Sequence[str]:
        return ()

    def take(self, item: Item, entries: Mapping[str, Item]) -> T:
        del item, entries
        return self.value

    def objects(self) -> list[Object]:
        return [Object()]

    def write(self, value: T, known: Known) -> dict[str, object]:
        del value, known
        return {}


@dataclass(frozen=True)
class MapOf(Keys[dict[str, V]], Generic[V]):
    """A mapping of names to values of one shape; `name` is the shape of a name, if not any does."""

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
        found, whole = {}, True
        for key, entry in entries.items():
            try:
                if self.name is not None:
                    self.name.read(type(entry)(key, entry.path, entry.line, entry.reading, key))
                found[key] = self.of.read(entry)
            except Refused:
                whole = False
        if not whole:
            raise Refused
        return found

    def objects(self) -> list[Object]:
        return [Object(rest=self.of.schema())]

    def write(self, value: dict[str, V], known: Known) -> dict[str, object]:
        return {key: self.of.write(each, known) for key, each in value.items()}


class _Variants(Keys[T]):
    """One of several forms of a mapping, which have keys of their own."""

    def __init__(
        self, forms: Mapping[str, Keys[Any]], *, hints: Mapping[str, str] | None = None
    ) -> None:
        self.forms, self.hints = forms, hints or {}

    def owners(self, key: str) -> list[str]:
        """Name the forms that have a key."""
        return [name for name, form in self.forms.items() if key in form.keys]

    def chosen(self, form: Keys[Any], of: str, item: Item, entries: Mapping[str, Item]) -> T:
        """Read one form; a key of others is a fault."""
        for key, entry in entries.items():
            if key not in form.keys and (owners := self.owners(key)):
                entry.fault(f"goes with {of}{' or '.join(owners)}{self.hints.get(key, '')}")
                with suppress(Refused):  # what else is wrong with it is told beside that
                    self.forms[owners[0]].look(key, entry)
        found: T = form.take(item, entries)
        return found


class Tagged(_Variants[T]):
    """The form that one key names, or the default; a value knows its own form by that attribute."""

    def __init__(
        self,
        tag: str,
        forms: Mapping[str, Keys[Any]],
        *,
        default: str | None = None,
        lacking: str | None = None,
    ) -> None:
        super().__init__(forms)
        self.tag, self.default, self.lacking = tag, default, lacking

    @property
    def keys(self) -> Sequence[str]:
        return tuple(dict.fromkeys([self.tag, *(k for f in self.forms.values() for k in f.keys)]))

    def take(self, item: Item, entries: Mapping[str, Item]) -> T:
        tag = entries.get(self.tag)
        if tag is None and self.default is None:
            raise refuse(item, self.lacking or f"has no {self.tag}")
        chosen = self.default if tag is None else tag.value
        if tag is not None and (not isinstance(chosen, str) or chosen not in self.forms):
            raise refuse(tag, f"must be one of {', '.join(self.forms)}")
        own = {key: entry for key, entry in entries.items() if key != self.tag}
        return self.chosen(self.forms[str(chosen)], f"{self.tag}: ", item, own)

    def objects(self) -> list[Object]:
        """Describe the forms, those of the same keys as one."""
        found: list[tuple[Object, list[str]]] = []
        for name, form in self.forms.items():
            for each in form.objects():
                same = next((names for known, names in found if known == each), None)
                if same is None:
                    found.append((each, [str(name)]))
                else:
                    same.append(str(name))
        return [
            Object({self.tag: _one_of(names)}, [] if self.default in names else [self.tag]).joined(
                each
            )
            for each, names in found
        ]

    def write(self, value: T, known: Known) -> dict[str, object]:
        name = str(getattr(value, self.tag))
        return {self.tag: name, **self.forms[name].write(value, known)}


def _one_of(names: list[str]) -> Schema:
    return {"const": names[0]} if len(names) == 1 else {"enum": names}


class Keyed(_Variants[T]):
    """The form whose own key is there, exactly one; or the `default`, where none is."""

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
        there = [key for key in self.forms if key in entries]
        if len(there) == 1:
            return self.chosen(self.forms[there[0]], "", item, entries)
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
