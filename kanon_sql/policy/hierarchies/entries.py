"""The interface of all kinds of hierarchies, and the kinds that list their values: by file, table, query, or as a tree.

Each kind is one class, with its keys in a policy, the SQL of its labels, and its descriptions. Code that uses
hierarchies calls methods of the object and never compares types.
"""

from __future__ import annotations

import re
from dataclasses import field
from decimal import ROUND_FLOOR, Decimal, InvalidOperation
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from kanon_sql.base.documents.keys import Keys  # noqa: TC001  records resolve the types of a class
from kanon_sql.base.documents.records import LATER, Key, Record
from kanon_sql.base.documents.shapes import (
    Fixed,
    OneOf,
    Refused,
    Schema,
    Several,
    Shape,
    Text,
    check,
    refuse,
)
from kanon_sql.base.documents.text import counted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.files.file_texts import Encoding  # noqa: TC001  a Record reads it
from kanon_sql.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.base.documents.keys import Item


ROOT = "*"
"""The label of a root, which all values share."""


class Match(StrEnum):
    """A way to match entries with values whose texts differ; several ways apply together."""

    TRIM = "trim"
    FOLD = "fold"
    NUMBER = "number"


SHAPES: dict[str, set[str]] = {
    "root": {"root"},
    "mask": {"length", "kept", "mask"},
    "unmasked": {"length"},
    "interval": {"offset", "width", "bottom", "above", "bottom_label", "above_label"},
    "date": set(),
    "code": set(),
}
"""The shapes that `warehouse_labels.sql.j2` has, each with the values that it prints."""
RULED_UNITS = {"day", "month", "quarter", "year", "decade", "20_years", "40_years", "century"}


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that labels values in SQL that all databases share: a `shape` of the template, and values.

    Texts and numbers of `values` are printed as literals; `unit` is a unit of the calendar, and `code` are the leaves of
    a scheme of codes.
    """

    shape: str
    values: Mapping[str, str | int | None]
    unit: str | None = None
    code: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        # The template would release a value of an unknown shape as it is, and a date of an unknown unit by its day.
        known = SHAPES.get(self.shape) == set(self.values)
        dated = (self.unit in RULED_UNITS) is (self.shape == "date")
        if not known or not dated or (self.code is not None) is not (self.shape == "code"):
            raise InternalError(f"no template has a rule {self.shape} of these values")


class HierarchyKind:
    """One kind of hierarchy: a frozen dataclass whose fields are the options that a policy states.

    Its labels follow from each value by a rule, unless it `has_entries`: then they are listed, in one of a file, a
    table, a query or the policy. A method that a kind must override, but does not, raises InternalError.
    """

    __slots__ = ()

    key: ClassVar[str]
    """The key by which a policy states it, as in `{mask: 5}`."""
    shape: ClassVar[Keys[Any]]
    """The shape of its entry in a policy, with the key."""

    has_entries: ClassVar[bool] = False
    """Whether it lists its values, as text. Otherwise a rule makes labels from the source's values."""
    is_elsewhere: ClassVar[bool] = False
    """Whether its entries are outside of the policy."""
    delimiter: str | None = None
    """The separator of the fields of its file; None if it is detected."""
    encoding: str | None = None
    """The encoding of its file, of which a run reads a copy then; None for UTF-8."""
    ragged: bool = False
    """Whether a short entry stands in for the levels that it lacks."""
    match: tuple[Match, ...] = ()
    """The ways in which its entries are compared with values; empty for equal texts."""

    part: ClassVar[str] = ""
    """The template fragment that makes its labels by rule."""
    no_path: ClassVar[str | None] = None
    """The end of a message about values that its rule cannot label; None if it labels every value."""
    casts_texts: ClassVar[bool] = False
    """Whether its rule casts texts, so that a text that is no number or day fails."""
    of_dates: ClassVar[bool] = False
    of_numbers: ClassVar[bool] = False
    """Whether the values that its rule labels are dates, or numbers."""
    top: Decimal | None = None
    """The number from which on all numbers have one label, at all levels above the values."""
    character: str | None = None
    """The masking character in its labels, which the policy states."""

    @property
    def file(self) -> str | None:
        """The file that holds its entries."""
        return None

    @property
    def table(self) -> str | None:
        """The table that holds its entries."""
        return None

    @property
    def query(self) -> str | None:
        """The query that selects its entries."""
        return None

    @property
    def rows(self) -> Sequence[Sequence[str | None]] | None:
        """The entries that the policy lists, each with a label for every level or None."""
        return None

    @property
    def digest(self) -> str:
        """What a plan compares: a hash of entries that are in the package; most kinds state all they are in the policy."""
        return "in the policy"

    @property
    def codes(self) -> str | None:
        """The name of the scheme whose codes its values are."""
        return None

    @property
    def bounded_levels(self) -> range:
        """The levels whose labels have bounds, which can be released as two columns of numbers."""
        return range(0)

    def months(self, level: int) -> int | None:
        """Return how many months of the calendar a label of a level spans, 0 if it is a day; None for other labels."""
        del level
        return None

    @property
    def scale(self) -> int:
        """Decimal places of the finest bound at `bounded_levels`."""
        return 0

    def labels_some(self, family: str) -> bool:
        """Whether only some values of a family of types have a label: at no level are rows of the others released."""
        return self.has_entries or self.codes is not None or (self.casts_texts and family == "text")

    @property
    def longest(self) -> int | None:
        """Characters of the longest text that it labels; None where texts may have any length."""
        return None

    @property
    def height(self) -> int:
        """The number of levels above the values. Raises InternalError if only the entries determine it."""
        raise InternalError(f"{self.key}: only its entries say how many levels it has")

    @property
    def root(self) -> str:
        """The label of the root in a hierarchy by rule."""
        return ROOT

    @property
    def described(self) -> str:
        """A description in words, without a value that it lists."""
        raise InternalError(f"{self.key}: no words describe it")

    @property
    def whole_numbers(self) -> bool:
        """Whether its rule calculates with whole numbers where the values are of such a type."""
        return False

    def becomes(self, level: int, height: int) -> str:
        """Describe the labels of a level from 1 to its `height`."""
        if level >= height:
            return "nothing: one label for all values"
        return self.label_words(level)

    def label_words(self, level: int) -> str:
        """Describe the labels of a level below the root."""
        raise InternalError(f"{self.key}: no words describe level {level}")

    def made_up(self, levels: Sequence[int], label: str) -> str | None:
        """Make up a value that a label of these levels stands for, from the label alone; None if impossible."""
        del levels
        return member_of_range(label)

    def leaves(self, *, bounded: bool) -> dict[str, object]:
        """Return the leaves of its `part`; with `bounded`, values with equal bounds get equal labels."""
        del bounded
        raise InternalError(f"{self.key} has entries, and no rule")

    def rule(self, level: int) -> Rule | None:
        """Return the rule of a level in SQL that all databases share; None if values are released unchanged.

        Call it only if `why_no_rule` returns None.
        """
        if level == 0:
            return None
        if level >= self.height:
            return Rule("root", {"root": self.root})
        return self.label_rule(level)

    def label_rule(self, level: int) -> Rule:
        """Return the rule of a level between the values and the root."""
        raise InternalError(f"{self.key} has no rule of level {level} that every database shares")

    def why_no_rule(self, level: int, family: str, *, characters: bool) -> str | None:
        """Return why another database would label values differently at an inner level; None if it does not.

        `family` is the family of the column's type there. With `characters` that database counts characters as the
        supported ones do.
        """
        del level, family, characters
        return f"is generalized by {self.key}, for which no rule is known that all databases share"


NUMBER = r"(-?\d+(?:\.\d+)?)"
RANGES = (
    re.compile(rf"\[{NUMBER}, {NUMBER}[\])]"),
    re.compile(rf"{NUMBER} to {NUMBER}"),
    re.compile(r"(\d+)-(\d+)"),
)
DATE = r"(\d{4}-\d{2})-(\d{2})"
DAYS = (re.compile(rf"\[{DATE}, {DATE}[\])]"), re.compile(rf"{DATE} to {DATE}"))
WITHIN = Decimal("0.85")
"""The position of an example in its interval, as a share of the width: not at a bound or the center."""


def member_of_range(label: str) -> str | None:
    """Make up a number or a day inside the interval that a label states; None if there is none inside.

    >>> [member_of_range(label) for label in ("[20, 40)", "20 to 25", "20-39", "[0.5, 1.0)", "[7, 7]", "1980-03")]
    ['37', '24', '36', '0.9', None, None]
    >>> member_of_range("[2022-10-01, 2022-11-30]"), member_of_range("[2022-10-01, 2022-10-01]")
    ('2022-11-17', None)
    """
    return _number_in(label) or _day_in(label)


def _number_in(label: str) -> str | None:
    for pattern in RANGES:
        if (found := pattern.fullmatch(label)) is None:
            continue
        try:
            low, high = map(Decimal, found.groups())
            inner = (low + (high - low) * WITHIN).quantize(_unit(low, high), ROUND_FLOOR)
        except InvalidOperation:
            return None
        return f"{inner:f}" if low <= inner < high else None
    return None


def _unit(low: Decimal, high: Decimal) -> Decimal:
    places = min(int(low.as_tuple().exponent), int(high.as_tuple().exponent), 0)
    return Decimal(1).scaleb(places)


def _day_in(label: str) -> str | None:
    """Return the 17th of the month in which an interval of days ends; None if it may lie outside."""
    for pattern in DAYS:
        if (found := pattern.fullmatch(label)) is not None:
            first, _, last, day = found.groups()
            return f"{last}-17" if first < last and day > "17" else None
    return None


Ragged = Annotated[
    bool, Fixed("repeat", "must be repeat: a short path repeats its value up to its parent")
]
Character = Annotated[str, Text(character=True)]
Matches = Annotated[
    tuple[Match, ...], Several(OneOf(Match), empty="must name trim, fold or number")
]


class Tree(Shape[tuple[tuple[str, ...], ...]]):
    """The shape of a tree: nested groups of values below one root or several, as paths. Texts are data."""

    def read(self, item: Item) -> tuple[tuple[str, ...], ...]:
        if not item.entries:
            raise refuse(item, "must be a mapping of roots to what lies below them")
        before = len(item.faults)
        paths = tuple(_paths(item, ()))
        if not paths:
            item.fault("has no leaf")
        if len(item.faults) > before:
            raise Refused
        return paths

    def schema(self) -> Schema:
        return {"type": "object", "minProperties": 1}


def _paths(item: Item, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(item.value, dict | list) and not item.value:
        item.fault("has a group without members")
    elif isinstance(item.value, list):
        for child in item.members:
            yield from _paths(child, above)
    elif isinstance(item.value, dict):
        for name, child in item.entries.items():
            if child.value is None:
                yield (name, *above)
            else:
                yield from _paths(child, (name, *above))
    elif item.value is None:
        item.fault("has a leaf that is null; quote it if it is a text")
    else:
        yield (item.written, *above)


class ListedHierarchy(HierarchyKind):
    """A hierarchy that lists its values, each with its labels level by level."""

    __slots__ = ()

    has_entries: ClassVar[bool] = True

    def becomes(self, level: int, height: int) -> str:
        return f"{'the coarsest' if level >= height else 'a'} group of the hierarchy"


@dataclass(frozen=True, slots=True)
class CsvHierarchy(ListedHierarchy):
    """A file of lines `value, generalization, ..., root`, separated by `;`, `,` or a tab.

    With `ragged` short lines are allowed: the value stands in for the levels that its line lacks.
    """

    key: ClassVar[str] = "csv"
    is_elsewhere: ClassVar[bool] = True

    path: Annotated[str, Key("csv")]
    delimiter: Character | None = None
    encoding: Encoding | None = field(default=None, metadata=LATER)
    ragged: Ragged = False
    match: Matches = field(default=(), metadata=LATER)

    @property
    def file(self) -> str:
        return self.path

    @property
    def described(self) -> str:
        return f"the hierarchy of the file {self.path}"


@dataclass(frozen=True, slots=True)
class TableHierarchy(ListedHierarchy):
    """A table of the database: its first column is the value, the others the levels in order."""

    key: ClassVar[str] = "table"
    is_elsewhere: ClassVar[bool] = True

    name: Annotated[str, Key("table")]
    ragged: Ragged = False
    match: Matches = field(default=(), metadata=LATER)

    @property
    def table(self) -> str:
        return self.name

    @property
    def described(self) -> str:
        return f"the hierarchy of the table {self.name}"


@dataclass(frozen=True, slots=True)
class QueryHierarchy(ListedHierarchy):
    """A query in the database, read like `TableHierarchy`."""

    key: ClassVar[str] = "query"
    is_elsewhere: ClassVar[bool] = True

    sql: Annotated[str, Key("query")]
    ragged: Ragged = False
    match: Matches = field(default=(), metadata=LATER)

    @property
    def query(self) -> str:
        return self.sql

    @property
    def described(self) -> str:
        return "the hierarchy of a query of the policy"


@dataclass(frozen=True, slots=True)
class TreeHierarchy(ListedHierarchy):
    """A tree written in the policy; each path runs from the leaf to the root."""

    key: ClassVar[str] = "tree"

    paths: Annotated[tuple[tuple[str, ...], ...], Key("tree"), Tree()]
    ragged: Ragged = False
    match: Matches = field(default=(), metadata=LATER)

    def __post_init__(self) -> None:
        leaves = [path[0] for path in self.paths]
        twice = len(leaves) - len(set(leaves))
        depths = {len(path) for path in self.paths}
        uneven = "has leaves at different depths; write ragged: repeat to let short paths repeat their leaf"
        check(
            ("tree", self.ragged or len(depths) <= 1, uneven),
            ("tree", not twice, f"has {twice} leaves twice"),
            (
                "tree",
                len(leaves) == 1 or depths != {1},
                "has values alone; name the groups that they are in",
            ),
        )

    @property
    def height(self) -> int:
        return max(len(path) for path in self.paths) - 1

    @property
    def rows(self) -> Sequence[Sequence[str | None]]:
        width = self.height + 1
        return [[*path, *[None] * (width - len(path))] for path in self.paths]

    @property
    def described(self) -> str:
        return f"a hierarchy that the policy lists, of {counted(len(self.paths), 'value')}"


for _kind in (CsvHierarchy, TableHierarchy, QueryHierarchy, TreeHierarchy):
    _kind.shape = Record(_kind)
