"""Shapes of mappings: one key, any keys, or one of several forms with different keys."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kanon_sql.documents.shapes import (
    Known,
    Refused,
    Schema,
    Shape,
    any_of,
    read_all,
    refuse,
    suggestion,
)
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.documents.lines import Item

T = TypeVar("T")
V = TypeVar("V")


@dataclass
class Object:
    """The JSON Schema of a mapping while it is put together: its keys, and which are required."""

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
    """The shape of a mapping, or of some of its keys where another shape has the rest."""

    builds: object = None
    """The class of its values, by which `Keyed` finds the form to write a value in."""

    @property
    def open(self) -> bool:
        """Whether any key is allowed."""
        return False

    @property
    @abstractmethod
    def keys(self) -> Sequence[str]:
        """The keys of this shape."""

    def look(self, key: str, entry: Item) -> None:
        """Note the faults of the value of a key that belongs to another form than the one chosen."""
        del key, entry

    @abstractmethod
    def take(self, item: Item, entries: Mapping[str, Item]) -> T:
        """Read the value from these entries of a mapping; note faults and raise Refused."""

    @abstractmethod
    def objects(self) -> list[Object]:
        """Describe each form that the mapping may have."""

    def write(self, value: T, known: Known) -> dict[str, object]:
        """Return the mapping of a value. Shapes of what only users write cannot."""
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
    """Return the entries of a mapping; one of none of these `keys` is a fault, unless it is `open`."""
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
    """A mapping with one key, of whose value it is built."""

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
    """A mapping of names to values of one shape; without `name` any text is a name."""

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
    """One of several forms of a mapping, which differ in their keys."""

    def __init__(
        self, forms: Mapping[str, Keys[Any]], *, hints: Mapping[str, str] | None = None
    ) -> None:
        self.forms, self.hints = forms, hints or {}

    def owners(self, key: str) -> list[str]:
        return [name for name, form in self.forms.items() if key in form.keys]

    def chosen(self, form: Keys[Any], of: str, item: Item, entries: Mapping[str, Item]) -> T:
        """Read one form; a key of another form is a fault."""
        for key, entry in entries.items():
            if key not in form.keys and (owners := self.owners(key)):
                entry.fault(f"goes with {of}{' or '.join(owners)}{self.hints.get(key, '')}")
                with suppress(Refused):  # so that a fault of its value is listed too
                    self.forms[owners[0]].look(key, entry)
        found: T = form.take(item, entries)
        return found


class Tagged(_Variants[T]):
    """The form named by the key `tag`, or the default; a value has the name as its attribute `tag`."""

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
        others = {key: entry for key, entry in entries.items() if key != self.tag}
        return self.chosen(self.forms[str(chosen)], f"{self.tag}: ", item, others)

    def objects(self) -> list[Object]:
        """Describe the forms, those with the same keys as one."""

        def tag(names: list[str]) -> Schema:
            return {"const": names[0]} if len(names) == 1 else {"enum": names}

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
    """The form of whichever key of `forms` is there, exactly one; or the `default` where none is.

    A key of a form may be an entry of another one, which is meant where both keys are there.
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
