"""The interface of all kinds of hierarchies: keys in a policy, SQL of the labels, descriptions.

Each kind is one class. Code that uses hierarchies calls methods of the object and never compares types.
"""

from __future__ import annotations

import re
from decimal import ROUND_FLOOR, Decimal, InvalidOperation
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from kanon_sql.base.documents.keys import Keys  # noqa: TC001  records resolve the types of a class
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
RULED_UNITS = {"day", "month", "quarter", "year", "decade", "century"}


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
    """Whether the values that its rule labels are dates."""
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
