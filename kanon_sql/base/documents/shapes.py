"""Shapes of values: a shape reads a value of a document, describes it as JSON Schema, and writes it.

Reading notes every fault with its location, without any value of the data, and goes on; `Refused` is
raised where there is no value to go on with. `records.py` derives the shape of a mapping from a class.
"""

from __future__ import annotations

import difflib
import re
from abc import ABC, abstractmethod
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kanon_sql.base.documents.keys import Item

T = TypeVar("T")
S = TypeVar("S")
Schema = dict[str, object]
Known = dict[str, Any]
"""Values of earlier parts of a document that later parts need, such as the names of its columns."""

PLACES = 15
"""Most digits before, and after, the decimal point of a number, so that interval bounds are exact."""

MOST = 10**18
"""The greatest whole number of a document; every database has integers as large."""


class Refused(Exception):  # noqa: N818  never leaves the reading of a document
    """A value cannot be read; the reason is among the faults of the document."""


class Wrong(ValueError):  # noqa: N818  becomes faults of a document
    """Values that cannot be combined. A problem is a key, a path of keys or "" (the entry), and a message."""

    def __init__(self, *problems: tuple[str | tuple[str | int, ...], str]) -> None:
        self.problems = problems
        super().__init__("; ".join(what for _, what in problems))


def check(*rules: tuple[str | tuple[str | int, ...], bool, str]) -> None:
    """Raise Wrong with every rule that fails; a rule is a key, whether it is met, and a message."""
    problems = [(key, what) for key, holds, what in rules if not holds]
    if problems:
        raise Wrong(*problems)


def refuse(item: Item, what: str) -> Refused:
    """Note a fault and return the exception to raise."""
    item.fault(what)
    return Refused()


def read_all(reads: Iterable[Callable[[], T]]) -> list[T]:
    """Read several values; Refused is raised after the last of them, so that all faults are noted."""
    found, refused = [], False
    for read in reads:
        try:
            found.append(read())
        except Refused:
            refused = True
    if refused:
        raise Refused
    return found


def noted(item: Item, build: Callable[..., T], *values: object) -> T:
    """Return `build(*values)`. Where that raises Wrong, note its problems as faults and raise Refused."""
    try:
        return build(*values)
    except Wrong as wrong:
        note(item, wrong)
        raise Refused from None


def note(item: Item, wrong: Wrong) -> None:
    """Note each problem as a fault of its entry."""
    for key, what in wrong.problems:
        path = (key,) if isinstance(key, str) else key
        item.at([part for part in path if part != ""]).fault(what)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Suggest a known name that is spelled similarly in any case, if there is one.

    >>> suggestion("supression", ["suppression", "source"]), suggestion("ZIP", ["zip"])
    ('; did you mean suppression?', '; did you mean zip?')
    """
    folded = {each.casefold(): each for each in sorted(known)}
    close = difflib.get_close_matches(name.casefold(), folded, n=1)
    return f"; did you mean {folded[close[0]]}?" if close else ""


class Shape(ABC, Generic[T]):
    """The accepted form of a value. `written` is its notation in `kanon-sql algorithms`."""

    written = "VALUE"

    @abstractmethod
    def read(self, item: Item) -> T:
        """Return the value, or note a fault and raise Refused."""

    @abstractmethod
    def schema(self) -> Schema:
        """Return the JSON Schema of the accepted values."""

    def write(self, value: T, known: Known) -> object:
        """Return `value` as plain values, from which `read` would build an equal value."""
        del known
        return value


@dataclass(frozen=True)
class Text(Shape[str]):
    """A text that is not empty, or of exactly one `character`, or `any` text."""

    character: bool = False
    any: bool = False
    pattern: str | None = None
    """Regular expression that the whole text must match."""
    written = "TEXT"

    def read(self, item: Item) -> str:
        if not isinstance(item.value, str) or not (item.value or self.any):
            raise refuse(item, "must be a text")
        if self.character and len(item.value) != 1:
            raise refuse(item, "must be one character")
        if self.pattern is not None and not re.fullmatch(self.pattern, item.value):
            raise refuse(item, f"must match {self.pattern}")
        return item.value

    def schema(self) -> Schema:
        if self.pattern is not None:
            return {"type": "string", "pattern": f"^{self.pattern}$"}
        longest = {"maxLength": 1} if self.character else {}
        return {"type": "string", **({} if self.any else {"minLength": 1}), **longest}


@dataclass(frozen=True)
class Whole(Shape[int]):
    """A whole number from `least` to `most`."""

    least: int | None = None
    most: int = MOST
    written: str = "NUMBER"

    def read(self, item: Item) -> int:
        value, least = item.value, self.least
        if isinstance(value, int) and not isinstance(value, bool):  # noqa: SIM102  for the types
            if (least is None or value >= least) and value <= self.most:
                return value
        lower = "" if least is None else f" of at least {least}, and"
        most = "10^18" if self.most == MOST else f"{self.most:,}"
        raise refuse(item, f"must be a whole number{lower} at most {most}")

    def schema(self) -> Schema:
        least = {} if self.least is None else {"minimum": self.least}
        return {"type": "integer", **least, "maximum": self.most}


@dataclass(frozen=True)
class Number(Shape[Decimal]):
    """An exact number; if `positive`, greater than 0, and less than `below`."""

    positive: bool = False
    below: int | None = None

    written = "NUMBER"

    def read(self, item: Item) -> Decimal:
        value = item.value
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            raise refuse(item, "must be a number")
        number = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
        if not number.is_finite():
            raise refuse(item, "must be a finite number")
        exponent = number.as_tuple().exponent
        if not isinstance(exponent, int) or exponent < -PLACES or number.copy_abs() >= 10**PLACES:
            what = f"must be a number below 10^{PLACES} with at most {PLACES} decimal places"
            raise refuse(item, what)
        if (self.positive and number <= 0) or (self.below is not None and number >= self.below):
            upper = "" if self.below is None else f" and less than {self.below:,}"
            raise refuse(item, f"must be more than 0{upper}")
        return number

    def schema(self) -> Schema:
        lower = {"exclusiveMinimum": 0} if self.positive else {}
        upper = {} if self.below is None else {"exclusiveMaximum": self.below}
        return {"type": "number", **lower, **upper}


class Real(Shape[float]):
    """A floating-point number, such as a quality metric or a cost."""

    def read(self, item: Item) -> float:
        if isinstance(item.value, bool) or not isinstance(item.value, int | float | Decimal):
            raise refuse(item, "must be a number")
        try:
            return float(item.value)
        except OverflowError:
            raise refuse(item, "is too large") from None

    def schema(self) -> Schema:
        return {"type": "number"}


class Boolean(Shape[bool]):
    """True or false."""

    def read(self, item: Item) -> bool:
        if not isinstance(item.value, bool):
            raise refuse(item, "must be true or false")
        return item.value

    def schema(self) -> Schema:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Fixed(Shape[bool]):
    """One constant, such as `true`, read as True. Any other value is a fault with the message `words`."""

    word: str | int | bool
    words: str

    def read(self, item: Item) -> bool:
        if item.value != self.word or isinstance(item.value, bool) is not isinstance(
            self.word, bool
        ):
            raise refuse(item, self.words)
        return True

    def schema(self) -> Schema:
        return {"const": self.word}


@dataclass(frozen=True)
class OneOf(Shape[T]):
    """A member of an enumeration or a list, or of `among` only, by its text. A null value means the member `null`."""

    choices: Iterable[T]
    null: T | None = None
    among: Sequence[T] = ()

    @property
    def values(self) -> list[str]:
        return [str(each) for each in self.among or self.choices]

    @property
    def written(self) -> str:  # type: ignore[override]
        return " | ".join(self.values)

    def read(self, item: Item) -> T:
        if item.value is None and self.null is not None:
            return self.null
        if not isinstance(item.value, str) or item.value not in self.values:
            raise refuse(item, f"must be one of {', '.join(self.values)}")
        return next(each for each in self.choices if str(each) == item.value)

    def schema(self) -> Schema:
        return {"enum": [*self.values, *([] if self.null is None else [None])]}

    def write(self, value: T, known: Known) -> object:
        del known
        return str(value)


@dataclass(frozen=True)
class Name(Shape[str]):
    """A name that an earlier part of the document published under `of`.

    A name that is published as `doubtful` has faults of its own already, so it is accepted here.
    """

    of: str

    written = "COLUMN"

    def read(self, item: Item) -> str:
        text = Text().read(item)
        known = item.reading.known
        if text not in known[self.of] and text not in known.get("doubtful", ()):
            close = suggestion(text, known[self.of])
            raise refuse(item, f"{text} is not a {self.of}{close}")
        return text

    def schema(self) -> Schema:
        return Text().schema()


@dataclass(frozen=True)
class Several(Shape[tuple[T, ...]]):
    """A list. With `alone`, a single value is read as a list of one."""

    of: Shape[T]
    alone: bool = True
    empty: str | None = None
    """The message for an empty list; None accepts it."""
    follows: Callable[[T, T], bool] | None = None
    """Whether a member may follow the one before it; `unless` is the message if it may not."""
    unless: str = ""

    @property
    def written(self) -> str:  # type: ignore[override]
        return f"[{self.of.written}, ...]"

    def read(self, item: Item) -> tuple[T, ...]:
        if not self.alone and not isinstance(item.value, list):
            raise refuse(item, "must be a list")
        if not item.members and self.empty is not None:
            raise refuse(item, self.empty)
        before: list[T] = []

        def member(each: Item) -> T:
            value = self.of.read(each)
            if before and self.follows is not None and not self.follows(before[-1], value):
                raise refuse(each, self.unless)
            before.append(value)
            return value

        return tuple(read_all(partial(member, each) for each in item.members))

    def schema(self) -> Schema:
        least = {} if self.empty is None else {"minItems": 1}
        listed = {"type": "array", "items": self.of.schema(), **least}
        return {"anyOf": [self.of.schema(), listed]} if self.alone else listed

    def write(self, value: tuple[T, ...], known: Known) -> object:
        return [self.of.write(each, known) for each in value]


@dataclass(frozen=True)
class Parsed(Shape[T], Generic[S, T]):
    """A value that `parse` builds from a value of the shape `of`. If `parse` raises Wrong, it is a fault.

    With `context`, `parse` also receives the values that earlier parts of the document published.
    """

    of: Shape[S]
    parse: Callable[..., T]
    described: Schema | None = None
    unparse: Callable[[T], S] | None = None
    context: bool = False

    @property
    def written(self) -> str:  # type: ignore[override]
        return self.of.written

    def read(self, item: Item) -> T:
        known = (item.reading.known,) if self.context else ()
        return noted(item, self.parse, self.of.read(item), *known)

    def schema(self) -> Schema:
        return self.described or self.of.schema()

    def write(self, value: T, known: Known) -> object:
        return self.of.write(value if self.unparse is None else self.unparse(value), known)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Published(Shape[T]):
    """A value that is published under `name`, so that later parts of the document can look it up."""

    name: str
    of: Shape[T]

    def read(self, item: Item) -> T:
        value = self.of.read(item)
        item.reading.known[self.name] = value
        return value

    def schema(self) -> Schema:
        return self.of.schema()

    def write(self, value: T, known: Known) -> object:
        known[self.name] = value
        return self.of.write(value, known)


class Anything(Shape[object]):
    """Any value, returned as plain Python values for a function that checks them."""

    def read(self, item: Item) -> object:
        value = item.value
        if isinstance(value, dict):
            return {key: self.read(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.read(each) for each in value]
        return float(value) if isinstance(value, Decimal) else value

    def schema(self) -> Schema:
        return {}


@dataclass(frozen=True)
class ByKind(Shape[T]):
    """A mapping, a list or another value, each with a different shape."""

    mapping: Shape[T] | None = None
    listed: Shape[T] | None = None
    plain: Shape[T] | None = None
    words: str = "must be a mapping of names to values"

    def read(self, item: Item) -> T:
        is_list = isinstance(item.value, list) and self.listed is not None
        shape = self.listed if is_list else self.plain
        shape = self.mapping if isinstance(item.value, dict) else shape
        if shape is None:
            raise refuse(item, self.words)
        return shape.read(item)

    def schema(self) -> Schema:
        shapes = [each for each in (self.plain, self.listed, self.mapping) if each is not None]
        return any_of([each.schema() for each in shapes])


def any_of(schemas: Sequence[Schema]) -> Schema:
    """Return the schema of a value that has one of several schemas. Nested choices are flattened."""
    flat = [each for of in schemas for each in (of["anyOf"] if set(of) == {"anyOf"} else [of])]  # type: ignore[attr-defined]
    return flat[0] if len(flat) == 1 else {"anyOf": flat}
