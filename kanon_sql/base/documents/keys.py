"""Shapes of mappings: one key, any keys, or one of several forms with different keys."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

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

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.base.documents.lines import Item

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
