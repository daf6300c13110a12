"""Generalization hierarchies as a policy states them: where the levels come from, never rows.

A hierarchy's level 0 is the column itself; its last level is one value for all, the root, or several.
"""

from __future__ import annotations

from dataclasses import field
from decimal import Context, Decimal
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from kanon_sql.documents.keys import Keyed, Only
from kanon_sql.documents.records import LATER, Key, Record
from kanon_sql.documents.shapes import (
    ByKind,
    Fixed,
    Number,
    OneOf,
    Parsed,
    Refused,
    Schema,
    Several,
    Shape,
    Text,
    Whole,
    check,
    refuse,
)
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.documents.lines import Item

ROOT = "*"
Ragged = Annotated[
    bool, Fixed("repeat", "must be repeat: a short path repeats its value up to its parent")
]
Character = Annotated[str, Text(character=True)]


class Match(StrEnum):
    """By what an entry is that of a value beside being its text; with several, by all of them."""

    TRIM = "trim"
    FOLD = "fold"
    NUMBER = "number"


Matches = Annotated[
    tuple[Match, ...], Several(OneOf(Match), empty="must name trim, fold or number")
]


class Tree(Shape[tuple[tuple[str, ...], ...]]):
    """Groups of groups of values below one root, or several; each leaf has a path. The texts are data."""

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


@dataclass(frozen=True, slots=True)
class CsvHierarchy:
    """A file of lines `value, generalization, ..., root`, separated by `;`, `,` or a tab.

    `ragged` lets short lines through: the value stands in for the levels it lacks.
    """

    path: Annotated[str, Key("csv")]
    delimiter: Character | None = None
    ragged: Ragged = False
    match: Matches = field(default=(), metadata=LATER)


@dataclass(frozen=True, slots=True)
class TableHierarchy:
    """A table of the database: its first column is the value, the others the levels in order."""

    name: Annotated[str, Key("table")]
    ragged: Ragged = False
    match: Matches = field(default=(), metadata=LATER)


@dataclass(frozen=True, slots=True)
class QueryHierarchy:
    """A query in the database, read like `TableHierarchy`."""

    sql: Annotated[str, Key("query")]
    ragged: Ragged = False
    match: Matches = field(default=(), metadata=LATER)


@dataclass(frozen=True, slots=True)
class TreeHierarchy:
    """A tree written in the policy; each path runs from the leaf to the root."""

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


LONGEST_MASK = 10_000
"""Characters of the longest text that a mask is for."""


@dataclass(frozen=True, slots=True)
class MaskHierarchy:
    """Text of at most `length` characters, masked from the right, `steps` characters a level.

    >>> MaskHierarchy(5).height
    5
    """

    length: Annotated[int, Whole(1, LONGEST_MASK)]
    steps: Annotated[tuple[int, ...], Several(Whole(1))] = ()
    character: Character = "*"

    def __post_init__(self) -> None:
        ends = [*self.steps, self.length + 1]
        growing = all(low < high for low, high in pairwise(ends))
        check(("steps", growing, "must grow, and end at the length or before"))

    @property
    def masked(self) -> tuple[int, ...]:
        """How many characters each level masks; the last level masks all."""
        steps = self.steps or tuple(range(1, self.length + 1))
        return steps if steps[-1] == self.length else (*steps, self.length)

    @property
    def height(self) -> int:
        return len(self.masked)


EXACT = Context(prec=64)
"""Arithmetic that rounds no bound of an interval: each has thirty digits at most."""


def _is_multiple(finer: Decimal, width: Decimal) -> bool:
    return width > finer and not EXACT.remainder(width, finer)


WIDTHS = Several(
    Number(positive=True),
    empty="must be a list of widths",
    follows=_is_multiple,
    unless="must be a multiple of the width before it, or a level would cut across it",
)


@dataclass(frozen=True, slots=True)
class IntervalHierarchy:
    """Numbers in half-open intervals [low, high), one width a level, then the root.

    Below `bottom` and from `top` on there is one interval each. Exact decimal arithmetic.
    """

    widths: Annotated[tuple[Decimal, ...], WIDTHS]
    offset: Decimal = Decimal(0)
    bottom: Decimal | None = None
    top: Decimal | None = None

    def __post_init__(self) -> None:
        bounded = self.bottom is None or self.top is None or self.bottom < self.top
        check(("top", bounded, "must be above bottom"))

    @property
    def height(self) -> int:
        return len(self.widths) + 1

    @property
    def scale(self) -> int:
        """Decimal places of the finest bound."""
        numbers = [*self.widths, self.offset, self.bottom or Decimal(0), self.top or Decimal(0)]
        return max(max(0, -int(EXACT.normalize(n).as_tuple().exponent)) for n in numbers)


class DateUnit(StrEnum):
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"


@dataclass(frozen=True, slots=True)
class DateHierarchy:
    """Dates and timestamps by calendar units (weeks as in ISO 8601), then the root."""

    units: tuple[DateUnit, ...]

    def __post_init__(self) -> None:
        weeks = DateUnit.WEEK in self.units
        order = [list(DateUnit).index(unit) for unit in self.units if unit is not DateUnit.WEEK]
        last = not weeks or self.units[-1] is DateUnit.WEEK
        crossing = "weeks cross the borders of months and years; week can only be the last unit"
        check(
            ("", last, crossing),
            ("", all(a < b for a, b in pairwise(order)), "units must grow from fine to coarse"),
            ("", not weeks or not any(order), "only day can come before week"),
        )

    @property
    def height(self) -> int:
        return len(self.units) + 1


@dataclass(frozen=True, slots=True)
class SuppressHierarchy:
    """One step: the value itself, or nothing of it."""

    height: int = field(default=1, init=False)


WithEntries = CsvHierarchy | TableHierarchy | QueryHierarchy | TreeHierarchy
HierarchySpec = WithEntries | MaskHierarchy | IntervalHierarchy | DateHierarchy | SuppressHierarchy


UNITS = Several(OneOf(DateUnit), empty="must be a list of units such as [month, year]")
HIERARCHY: Shape[HierarchySpec] = ByKind(
    plain=Parsed(
        Fixed(
            "suppress",
            "must be suppress, or a mapping such as {csv: file}, {mask: 5} or {intervals: [5, 10]}",
        ),
        lambda _: SuppressHierarchy(),
    ),
    mapping=Keyed(
        {
            "csv": Record(CsvHierarchy),
            "table": Record(TableHierarchy),
            "query": Record(QueryHierarchy),
            "tree": Record(TreeHierarchy),
            "mask": Only(
                "mask",
                ByKind(
                    mapping=Record(MaskHierarchy),
                    plain=Parsed(Whole(1, LONGEST_MASK), MaskHierarchy),
                ),
            ),
            "intervals": Only(
                "intervals",
                ByKind(
                    mapping=Record(IntervalHierarchy),
                    plain=Parsed(WIDTHS, IntervalHierarchy),
                ),
            ),
            "dates": Only("dates", Parsed(UNITS, DateHierarchy)),
            "suppress": Only(
                "suppress",
                Parsed(Fixed(word=True, words="must be true"), lambda _: SuppressHierarchy()),
            ),
        }
    ),
)
"""How a policy states a hierarchy."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A hierarchy as it was found: its height, and a hash of every value's path to the root.

    One of `several_roots` ends in as many labels, and a column goes no further than those.
    """

    height: int
    digest: str
    several_roots: bool = False

    @property
    def root(self) -> int:
        """The level at which a column says nothing of a row: one above the last where there are several roots."""
        return self.height + self.several_roots
