"""Recursive (c, l)-diversity: a class's most frequent value is not much more frequent than its rare values together."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.documents.records import Given, Record
from kanon_sql.documents.shapes import Anything, Name, Parsed, Whole, Wrong, check
from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.privacy_model import (
    BEYOND,
    OF_VALUES,
    SENSITIVE,
    Channel,
    Distribution,
    Measure,
    Monotony,
    Requirement,
    SensitiveAttribute,
    SensitiveNulls,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.documents.shapes import Shape
    from kanon_sql.privacy.privacy_model import PrivacyModel

MOST_PARTS = 10**9
"""The greatest denominator of c; its numerator may be a million times as great."""


def _rational(value: object) -> Fraction:
    text = str(value)
    if isinstance(value, bool) or not re.fullmatch(
        r"[0-9]{1,9}(/0*[1-9][0-9]{0,8}|\.[0-9]{1,9})?", text
    ):
        raise Wrong(("", "must be a number such as 3 or 0.5, or a fraction such as 4/3"))
    found = Fraction(text)
    check(
        ("", 0 < found < 10**6, "must be more than 0 and less than 1,000,000"),
        ("", found.denominator <= MOST_PARTS, "must have at most 9 decimal places"),
    )
    return found


RATIONAL = Parsed(
    Anything(),
    _rational,
    {
        "anyOf": [
            {"type": "number", "exclusiveMinimum": 0},
            {"type": "string", "pattern": "^[0-9]+/[0-9]+$"},
        ]
    },
)


@dataclass(frozen=True, slots=True)
class LeastC(Measure):
    """The least c, in units of 1 / `unit`, with which a class fits recursive (c, l)-diversity.

    The comparison is r_1 < c * (r_l + ... + r_m), r being the counts of the class's m values in descending order. It is
    exact: c is a whole number of units. As 1 has about 10^9 units, the count hardly depends on the c asked for.
    """

    of: SensitiveAttribute
    l: int  # noqa: E741  the literature's letter
    unit: int

    fragment: ClassVar[str] = "recursive"
    at_most: ClassVar[bool] = True
    distribution: ClassVar[Distribution] = Distribution.RANKED
    channels: ClassVar[frozenset[Channel]] = OF_VALUES
    why_not: ClassVar[str] = "does not weigh the values of a class; leave out recursive_l"
    lost: ClassVar[str] = "lost_by_rank"
    reported: ClassVar[str] = "largest_c"

    @property
    def sensitive(self) -> SensitiveAttribute:
        return self.of

    @property
    def numbers(self) -> Mapping[str, int]:
        return {"l": self.l, "unit": self.unit}

    @property
    def loosest(self) -> int:
        return BEYOND

    @property
    def one(self) -> int:
        return self.unit

    def __str__(self) -> str:
        return f"c of recursive (c, {self.l})-diversity of {self.of}"


@dataclass(frozen=True, slots=True)
class RecursiveDiversity:
    """In every class r_1 < c * (r_l + ... + r_m), r being the counts of its m values in descending order.

    A class of fewer than l values does not fit (Machanavajjhala et al., 2006, definition 4.2). Monotone where no row
    is suppressed (ibid., theorem 4.2).

    >>> str(RecursiveDiversity("disease", Fraction(3), 2))
    'recursive (3, l)-diversity of disease, l = 2'
    """

    column: Annotated[str, Name(SENSITIVE)]
    c: Annotated[Fraction, RATIONAL]
    l: Annotated[int, Whole(1)]  # noqa: E741  the literature's letter
    nulls: Annotated[SensitiveNulls, Given("sensitive_nulls")] = SensitiveNulls.NOT_COUNTED

    monotony: ClassVar[Monotony] = Monotony.UNSUPPRESSED
    key: ClassVar[str] = "recursive_l"
    words: ClassVar[re.Pattern[str]] = re.compile(
        r"recursive \(([0-9]{1,18}(?:/[0-9]{1,18})?), l\)-diversity( of .+)", re.DOTALL
    )
    named: ClassVar[str] = "recursive (c, l)-diversity"
    stricter_below: ClassVar[bool] = True

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy."""
        return Record(cls)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        attribute = SensitiveAttribute(self.column, self.nulls)
        parts = MOST_PARTS // self.c.denominator
        unit, bound = self.c.denominator * parts, self.c.numerator * parts
        return (Requirement(LeastC(attribute, self.l, unit), bound, step=unit),)

    def __str__(self) -> str:
        return f"recursive ({self.c}, l)-diversity of {self.column}{self.nulls.words}, l = {self.l}"
