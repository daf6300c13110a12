"""Kinds of hierarchies that make labels by rule, and the list of all kinds.

A hierarchy's level 0 is the column itself; its last level is one value for all, the root, or several.
"""

from __future__ import annotations

import re
from dataclasses import field
from decimal import Context, Decimal
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, ClassVar, assert_never

from kanon_sql.base.documents.keys import Keyed, Only
from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import (
    ByKind,
    Fixed,
    Number,
    OneOf,
    Parsed,
    Several,
    Whole,
    check,
)
from kanon_sql.base.documents.text import counted, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.hierarchies.codes import CodeHierarchy
from kanon_sql.policy.hierarchies.entries import (
    Character,
    CsvHierarchy,
    HierarchyKind,
    QueryHierarchy,
    Rule,
    TableHierarchy,
    TreeHierarchy,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.base.documents.shapes import Shape

LONGEST_MASK = 10_000
"""The greatest length of a mask, in characters."""
LETTERS, DIGITS = "abcdefghij", "3748261905"
WRITTEN_OTHERWISE = "if they are written otherwise, format says how"


@dataclass(frozen=True, slots=True)
class MaskHierarchy(HierarchyKind):
    """Text of at most `length` characters, masked from the right: `steps` characters at each level.

    >>> MaskHierarchy(5).height, MaskHierarchy(5).described, MaskHierarchy(5).label_words(2)
    (5, 'text of at most 5 characters, masked from the right', 'its first 3 of 5 characters')
    >>> [MaskHierarchy(5).made_up([2], label) for label in ("021**", "*****", "02134")]
    ['02137', None, None]
    """

    key: ClassVar[str] = "mask"
    part: ClassVar[str] = "sql/hierarchies/part/by_mask.sql.j2"
    no_path: ClassVar[str] = "are longer than the mask"

    length: Annotated[int, Whole(1, LONGEST_MASK)]
    steps: Annotated[tuple[int, ...], Several(Whole(1))] = ()
    character: Character = "*"

    def __post_init__(self) -> None:
        ends = [*self.steps, self.length + 1]
        growing = all(low < high for low, high in pairwise(ends))
        check(("steps", growing, "must grow, and end at the length or before"))

    @property
    def masked(self) -> tuple[int, ...]:
        """The number of characters that each level masks; the last level masks all."""
        steps = self.steps or tuple(range(1, self.length + 1))
        return steps if steps[-1] == self.length else (*steps, self.length)

    @property
    def height(self) -> int:
        return len(self.masked)

    @property
    def longest(self) -> int:
        return self.length

    @property
    def root(self) -> str:
        return self.character * self.length

    @property
    def described(self) -> str:
        return f"text of at most {counted(self.length, 'character')}, masked from the right"

    def label_words(self, level: int) -> str:
        kept = self.length - self.masked[level - 1]
        return f"its first {'character' if kept == 1 else kept} of {self.length} characters"

    def made_up(self, levels: Sequence[int], label: str) -> str | None:
        del levels
        kept = label.rstrip(self.character)
        masked = len(label) - len(kept)
        if not kept or not masked:
            return None
        filled = DIGITS if kept.isdigit() else LETTERS
        return kept + "".join(filled[n % len(filled)] for n in range(masked))

    def leaves(self, *, bounded: bool) -> dict[str, object]:
        from kanon_sql.base.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

        del bounded
        return {
            "length": self.length,
            "levels": [
                {"kept": self.length - masked, "mask": literal(self.character * masked)}
                for masked in self.masked[:-1]
            ],
        }

    def rule(self, level: int) -> Rule | None:
        # A text that is longer than the mask has no label at any level.
        return HierarchyKind.rule(self, level) or Rule("unmasked", {"length": self.length})

    def label_rule(self, level: int) -> Rule:
        masked = self.masked[level - 1]
        values = {"length": self.length, "kept": self.length - masked}
        return Rule("mask", {**values, "mask": self.character * masked})

    def why_no_rule(self, level: int, family: str, *, characters: bool) -> str | None:
        del level
        if not characters:
            return "is masked by characters, which that database counts otherwise"
        if family not in {"text", "integer"}:
            return f"is of {family} values, whose texts differ"
        return None


MaskHierarchy.shape = Only(
    MaskHierarchy.key,
    ByKind(
        mapping=Record(MaskHierarchy),
        plain=Parsed(Whole(1, LONGEST_MASK), MaskHierarchy),
    ),
)


EXACT = Context(prec=64)
"""Decimal arithmetic that never rounds a bound of an interval, as each has at most thirty digits."""


def _is_multiple(finer: Decimal, width: Decimal) -> bool:
    return width > finer and not EXACT.remainder(width, finer)


WIDTHS = Several(
    Number(positive=True),
    empty="must be a list of widths",
    follows=_is_multiple,
    unless="must be a multiple of the width before it, or a level would cut across it",
)


@dataclass(frozen=True, slots=True)
class IntervalHierarchy(HierarchyKind):
    """Numbers in half-open intervals [low, high), one width a level, then the root.

    Below `bottom` and from `top` on there is one interval each. Bounds are exact decimals.

    >>> IntervalHierarchy((Decimal(5), Decimal(20))).label_words(2)
    'an interval of 20'
    """

    key: ClassVar[str] = "intervals"
    part: ClassVar[str] = "sql/hierarchies/part/by_intervals.sql.j2"
    of_numbers: ClassVar[bool] = True
    no_path: ClassVar[str] = f"are not numbers between -10^15 and 10^15; {WRITTEN_OTHERWISE}"
    casts_texts: ClassVar[bool] = True

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
    def bounded_levels(self) -> range:
        return range(1, self.height)

    @property
    def scale(self) -> int:
        """Decimal places of the finest bound."""
        numbers = [*self.widths, self.offset, self.bottom or Decimal(0), self.top or Decimal(0)]
        return max(max(0, -int(EXACT.normalize(n).as_tuple().exponent)) for n in numbers)

    @property
    def whole_numbers(self) -> bool:
        """Whether all bounds are whole numbers with which a database calculates in eight bytes."""
        numbers = [*self.widths, self.offset, self.bottom or Decimal(0), self.top or Decimal(0)]
        return self.scale == 0 and all(abs(each) < 10**15 for each in numbers)

    @property
    def described(self) -> str:
        below = "" if self.bottom is None else f", one below {self.bottom:f}"
        above = "" if self.top is None else f", one from {self.top:f} on"
        widths = joined([f"{width:f}" for width in self.widths], "or")
        return f"intervals of {widths}{below}{above}"

    def label_words(self, level: int) -> str:
        return f"an interval of {self.widths[level - 1]:f}"

    def leaves(self, *, bounded: bool) -> dict[str, object]:
        from kanon_sql.base.sql.quoting import literal  # noqa: PLC0415  a policy is read without sqlglot

        places = self.scale
        unit = Decimal(10) ** places

        def scaled(number: Decimal | None) -> int | None:
            return None if number is None else int(EXACT.multiply(number, unit))

        def label(sign: str, number: Decimal | None) -> str:
            return "" if number is None else f"{sign} {number:.{places}f}"

        return {
            "bounded": bounded,
            "unit": literal(int(unit)),
            "step": literal(Decimal(1).scaleb(-places)) if places else None,
            "places": places,
            "offset": scaled(self.offset),
            "bottom": scaled(self.bottom),
            "above": scaled(self.top),
            "bottom_label": literal(label("<", self.bottom)),
            "above_label": literal(label(">=", self.top)),
            "widths": [scaled(width) for width in self.widths],
        }

    def label_rule(self, level: int) -> Rule:
        bottom = None if self.bottom is None else int(self.bottom)
        above = None if self.top is None else int(self.top)
        return Rule(
            "interval",
            {
                "offset": int(self.offset),
                "width": int(self.widths[level - 1]),
                "bottom": bottom,
                "above": above,
                "bottom_label": None if bottom is None else f"< {bottom}",
                "above_label": None if above is None else f">= {above}",
            },
        )

    def why_no_rule(self, level: int, family: str, *, characters: bool) -> str | None:
        del level, characters
        whole = family in {"text", "integer"} and self.scale == 0
        return None if whole else "is in intervals of numbers that are not whole"


IntervalHierarchy.shape = Only(
    IntervalHierarchy.key,
    ByKind(mapping=Record(IntervalHierarchy), plain=Parsed(WIDTHS, IntervalHierarchy)),
)


class DateUnit(StrEnum):
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"
    TWENTY_YEARS = "20_years"
    FORTY_YEARS = "40_years"
    CENTURY = "century"


CALENDAR = {
    "century": 0, "forty": 0, "forty_last": 0, "twenty": 0, "twenty_last": 0, "decade": 0, "year": 4, "quarter": 0, "month": 2, "day": 2, "week_year": 4, "week": 2,
}  # fmt: skip
"""The parts of a date in labels, with the digits that each is padded to; 0 means no padding."""

PARTS_OF = {
    DateUnit.DAY: ("year", "month", "day"),
    DateUnit.WEEK: ("week_year", "week"),
    DateUnit.MONTH: ("year", "month"),
    DateUnit.QUARTER: ("year", "quarter"),
    DateUnit.YEAR: ("year",),
    DateUnit.DECADE: ("decade",),
    DateUnit.TWENTY_YEARS: ("twenty", "twenty_last"),
    DateUnit.FORTY_YEARS: ("forty", "forty_last"),
    DateUnit.CENTURY: ("century",),
}
"""The parts of a date that the label of each unit consists of."""

MONTHS = {
    DateUnit.DAY: 0, DateUnit.MONTH: 1, DateUnit.QUARTER: 3, DateUnit.YEAR: 12, DateUnit.DECADE: 120,
    DateUnit.TWENTY_YEARS: 240, DateUnit.FORTY_YEARS: 480, DateUnit.CENTURY: 1200,
}  # fmt: skip
"""How many months each unit spans, 0 for a day. A week begins in any month."""


ACROSS = "40_years cross the borders of centuries: say one of both"
TOGETHER = {DateUnit.TWENTY_YEARS: 20, DateUnit.FORTY_YEARS: 40}
"""The years of a unit of several years; the first is a multiple of their number."""
WITHIN = {
    DateUnit.DECADE: 3, DateUnit.TWENTY_YEARS: 13, DateUnit.FORTY_YEARS: 13, DateUnit.CENTURY: 37,
}  # fmt: skip
"""The year of a unit of which a day is made up, counted from its first."""


@dataclass(frozen=True, slots=True)
class DateHierarchy(HierarchyKind):
    """Dates and timestamps by calendar units (weeks as in ISO 8601), then the root."""

    key: ClassVar[str] = "dates"
    part: ClassVar[str] = "sql/hierarchies/part/by_dates.sql.j2"
    no_path: ClassVar[str] = f"are not finite dates; {WRITTEN_OTHERWISE}"
    casts_texts: ClassVar[bool] = True
    of_dates: ClassVar[bool] = True

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
            ("", not {DateUnit.FORTY_YEARS, DateUnit.CENTURY} <= {*self.units}, ACROSS),
        )

    @property
    def height(self) -> int:
        return len(self.units) + 1

    @property
    def described(self) -> str:
        return f"dates by {joined(self.units, 'or')}"

    def months(self, level: int) -> int | None:
        units = (DateUnit.DAY, *self.units)  # a value is a day
        return MONTHS.get(units[level]) if level < self.height else None

    def label_words(self, level: int) -> str:
        unit = self.units[level - 1]
        return f"{TOGETHER[unit]} years" if unit in TOGETHER else f"the {unit}"

    def made_up(self, levels: Sequence[int], label: str) -> str | None:
        one = len(levels) == 1 and 0 < levels[0] <= len(self.units)
        return day_of(self.units[levels[0] - 1], label) if one else None

    def leaves(self, *, bounded: bool) -> dict[str, object]:
        from kanon_sql.base.sql.quoting import (  # noqa: PLC0415  a policy is read without sqlglot
            column,
            name,
        )

        del bounded
        needed = {part for unit in self.units for part in PARTS_OF[unit]}
        numbers = [
            {
                "part": part,
                "as": name(f"{part}_text"),
                "number": column(f"{part}_number"),
                "width": width,
                "most": 10**width - 1,
            }
            for part, width in CALENDAR.items()
            if part in needed
        ]
        return {"numbers": numbers, "units": [unit.value for unit in self.units]}

    def label_rule(self, level: int) -> Rule:
        return Rule("date", {}, self.units[level - 1].value)

    def why_no_rule(self, level: int, family: str, *, characters: bool) -> str | None:
        del characters
        if self.units[level - 1] is DateUnit.WEEK:
            return "is in weeks, which databases number in several ways"
        if family not in {"text", "date"}:
            return f"is of {family} values, of which databases read the days differently: cast it to a date in the source"
        return None


DateHierarchy.shape = Only(
    DateHierarchy.key,
    Parsed(
        Several(OneOf(DateUnit), empty="must be a list of units such as [month, year]"),
        DateHierarchy,
    ),
)


def day_of(unit: DateUnit, label: str) -> str | None:
    """Make up a day in the month, quarter, year or years that a label names; None for others.

    >>> day_of(DateUnit.QUARTER, "1980-Q3"), day_of(DateUnit.DECADE, "1980s"), day_of(DateUnit.YEAR, "*")
    ('1980-08-17', '1983-08-17', None)
    """
    found = re.fullmatch(r"(\d{4})(?:s|-Q(\d)|-(\d{2})|-\d{4})?", label)
    if found is None:
        return None
    year, quarter, month = found.groups()
    match unit:
        case DateUnit.MONTH:
            return f"{year}-{month}-17" if month else None
        case DateUnit.QUARTER:
            return f"{year}-{3 * int(quarter) - 1:02d}-17" if quarter else None
        case DateUnit.YEAR:
            return f"{year}-08-17" if label == year else None
        case DateUnit.DECADE | DateUnit.TWENTY_YEARS | DateUnit.FORTY_YEARS | DateUnit.CENTURY:
            own = len(label) == len("1960-1979") if unit in TOGETHER else label.endswith("s")
            return f"{int(year) + WITHIN[unit]:04d}-08-17" if own else None
        case (
            DateUnit.DAY | DateUnit.WEEK
        ):  # a label of a day is that day, and one of a week has no day in it
            return None
        case _:
            assert_never(unit)


@dataclass(frozen=True, slots=True)
class SuppressHierarchy(HierarchyKind):
    """A hierarchy of one level: a value is kept, or replaced by the root."""

    key: ClassVar[str] = "suppress"
    part: ClassVar[str] = "sql/hierarchies/part/by_suppression.sql.j2"

    height: int = field(default=1, init=False)

    @property
    def described(self) -> str:
        return "kept or removed as a whole"

    def leaves(self, *, bounded: bool) -> dict[str, object]:
        del bounded
        return {}


SuppressHierarchy.shape = Only(
    SuppressHierarchy.key,
    Parsed(Fixed(word=True, words="must be true"), lambda _: SuppressHierarchy()),
)


KINDS: tuple[type[HierarchyKind], ...] = (
    CsvHierarchy,
    TableHierarchy,
    QueryHierarchy,
    TreeHierarchy,
    MaskHierarchy,
    IntervalHierarchy,
    DateHierarchy,
    CodeHierarchy,
    SuppressHierarchy,
)
"""Every kind of hierarchy."""

HIERARCHY: Shape[HierarchyKind] = ByKind(
    plain=Parsed(
        Fixed(
            "suppress",
            "must be suppress, or a mapping such as {csv: file}, {mask: 5} or {intervals: [5, 10]}",
        ),
        lambda _: SuppressHierarchy(),
    ),
    mapping=Keyed({kind.key: kind.shape for kind in KINDS}),
)
"""The shape of a hierarchy in a policy."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A hierarchy after it was read: its height, and a hash of its entries (`digest_of`).

    With `several_roots` its last level has several labels, and a column is generalized no further.
    """

    height: int
    digest: str
    several_roots: bool = False

    @property
    def root(self) -> int:
        """The level at which all values have one label: above the last level if there are several roots."""
        return self.height + self.several_roots
