"""What every kind of hierarchy answers: how a policy states it, how SQL makes its labels, and how words describe it.

A kind is one class that answers every channel itself. Who needs an answer asks the object, and compares no types.
"""

from __future__ import annotations

import re
from decimal import ROUND_FLOOR, Decimal, InvalidOperation
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from kanon_sql.documents.keys import Keys  # noqa: TC001  records resolve the types of a class
from kanon_sql.errors import InternalError
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = "*"
"""The label of a root, which says nothing of a row."""


class Match(StrEnum):
    """By what an entry is that of a value beside being its text; with several, by all of them."""

    TRIM = "trim"
    FOLD = "fold"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Rule:
    """How a value gets its label in words that every database shares: a shape of its template, and what it prints.

    Of the `values` texts and numbers are printed as literals; `unit` is a unit of the calendar.
    """

    shape: str
    values: Mapping[str, str | int | None]
    unit: str | None = None


class HierarchyKind:
    """One kind of hierarchy: a frozen dataclass whose fields are what a policy states of it.

    Its labels follow from each value by a rule, unless it `has_entries`: then they are listed, in one of a file, a
    table, a query or the policy. What a kind does not answer is refused in its words, or raises InternalError.
    """

    __slots__ = ()

    key: ClassVar[str]
    """The key of a policy by which it is stated, as in `{mask: 5}`."""
    shape: ClassVar[Keys[Any]]
    """How a policy states it, with its key."""

    has_entries: ClassVar[bool] = False
    """Whether it names its values, as text; the others' labels are made by rule from the values of the source."""
    is_elsewhere: ClassVar[bool] = False
    """Whether its entries are outside of the policy."""
    delimiter: str | None = None
    """What separates the fields of its file; None where it is found there."""
    ragged: bool = False
    """Whether a short entry stands in for the levels that it lacks."""
    match: tuple[Match, ...] = ()
    """By what else than their text its entries are compared with values."""

    part: ClassVar[str] = ""
    """The part of a template that makes its labels by rule."""
    no_path: ClassVar[str | None] = None
    """What is the matter with distinct values that its rule gives no labels; None where it labels every value."""
    casts_texts: ClassVar[bool] = False
    """Whether its rule casts a text, and fails with one that is no number or day."""
    character: str | None = None
    """The character of the policy that its labels hold."""

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
    def bounded_levels(self) -> range:
        """The levels whose labels have bounds, which can be released as two columns of numbers."""
        return range(0)

    @property
    def scale(self) -> int:
        """Decimal places of the finest of these bounds."""
        return 0

    @property
    def longest(self) -> int | None:
        """Characters of the longest text that it labels; None where texts may have any length."""
        return None

    @property
    def height(self) -> int:
        """Levels above the values themselves, where the policy says how many."""
        raise InternalError(f"{self.key}: only its entries say how many levels it has")

    @property
    def root(self) -> str:
        """The label that a rule ends in."""
        return ROOT

    @property
    def described(self) -> str:
        """Describe it in words, without a value that it lists."""
        raise InternalError(f"{self.key}: no words describe it")

    def becomes(self, level: int, height: int) -> str:
        """Describe the labels of a level from 1 to its `height`."""
        if level >= height:
            return "nothing: one label for all values"
        return self.label_words(level)

    def label_words(self, level: int) -> str:
        """Describe the labels of a level below the root."""
        raise InternalError(f"{self.key}: no words describe level {level}")

    def made_up(self, levels: Sequence[int], label: str) -> str | None:
        """Make up a value that a label of these levels stands for, of the label alone; None where that cannot be."""
        del levels
        return member_of_range(label)

    def leaves(self, *, bounded: bool) -> dict[str, object]:
        """Give the leaves of its `part`; with `bounded`, values with the same bounds have the same labels."""
        del bounded
        raise InternalError(f"{self.key} has entries, and no rule")

    def rule(self, level: int) -> Rule | None:
        """Give the rule of a level in words that every database shares; None where values are released unchanged.

        Asked only where `why_no_rule` gives no reason.
        """
        if level == 0:
            return None
        if level >= self.height:
            return Rule("root", {"root": self.root})
        return self.label_rule(level)

    def label_rule(self, level: int) -> Rule:
        """Give the rule of a level below the root."""
        raise InternalError(f"{self.key} has no rule of level {level} that every database shares")

    def why_no_rule(self, level: int, family: str, *, characters: bool) -> str | None:
        """Give the reason why a rule of a level between values and root is not the same in another database, if so.

        `family` is that of the column's type there; the database counts `characters` as ours do, or otherwise.
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
"""How far into an interval its example lies: at no bound, and at no centre."""


def member_of_range(label: str) -> str | None:
    """Make up a number of an interval of numbers, or a day of one of days.

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
    """Give the decimal place of two bounds, or a finer one where they are too close."""
    places = min(int(low.as_tuple().exponent), int(high.as_tuple().exponent), 0)
    return Decimal(1).scaleb(places)


def _day_in(label: str) -> str | None:
    """Make up a day in the month of an interval's last day."""
    for pattern in DAYS:
        if (found := pattern.fullmatch(label)) is not None:
            first, _, last, day = found.groups()
            return f"{last}-17" if first < last and day > "17" else None
    return None
