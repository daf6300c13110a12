"""delta-disclosure privacy: no value is much more, or much less, frequent in a class than in the table."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.documents.records import Given, Record
from kanon_sql.documents.shapes import Name, Number, Parsed
from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.privacy_model import (
    BEYOND,
    FRACTION_UNIT,
    SENSITIVE,
    Monotony,
    Requirement,
    SensitiveAttribute,
    SensitiveNulls,
    exact,
    step_of,
)
from kanon_sql.privacy.references import ComparedWith, TableComparison

if TYPE_CHECKING:
    from kanon_sql.documents.shapes import Shape
    from kanon_sql.privacy.privacy_model import PrivacyModel

MOST_DELTA = 29
"""2^29 is some half a billion: a ratio of shares that no class of a table of fewer rows exceeds."""

DELTA = Parsed(Number(positive=True, below=MOST_DELTA), exact)


class Absent(StrEnum):
    """Whether a class fails if it lacks a value of the table, or any row of the source; else this is ignored."""

    FAILS = "fails"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class ShareRatio(TableComparison):
    """The greatest ratio of a value's shares in a class and in a table, the larger divided by the smaller.

    Counted in units of 10^-9, rounded down, plus one unit: the ratio is less than a bound in whole units exactly where
    the count is at most that bound. A ratio of 2^delta has the logarithm delta, to base 2.
    """

    of_persons: ClassVar[bool] = True
    fragment: ClassVar[str] = "share_ratio"
    why_not: ClassVar[str] = (
        "does not weigh the values of a class against those of a table; leave out delta_disclosure"
    )
    reported: ClassVar[str] = "largest_delta"

    @property
    def loosest(self) -> int:
        return BEYOND

    @property
    def one(self) -> int:
        return FRACTION_UNIT

    def in_unit(self, counted: int) -> float:
        """Return the logarithm of the ratio to base 2."""
        return round(math.log2(max(counted, 1) / FRACTION_UNIT), 6)

    def __str__(self) -> str:
        return f"ratio of a value's shares of {self.of} in the class and in the {self.by.table}"


@dataclass(frozen=True, slots=True)
class AbsentValues(ShareRatio):
    """How many values of the table a class does not have."""

    fragment: ClassVar[str] = "absent_values"
    why_not: ClassVar[str] = ShareRatio.why_not
    reported: ClassVar[str] = "most_absent_values"

    @property
    def one(self) -> int:
        return 1

    def in_unit(self, counted: int) -> int:
        return counted

    def beyond(self, whole: int, bound: int) -> str:
        del whole, bound
        return (
            f"absent: fails asks that every class has every value of {self.of}; say absent: ignored"
        )

    def __str__(self) -> str:
        return f"values of {self.of} in the {self.by.table} that a class does not have"


@dataclass(frozen=True, slots=True)
class DeltaDisclosure:
    """abs(log2(p / q)) is less than delta, for every value of every class (Brickell and Shmatikov, KDD 2008).

    p is the value's share in the class, q that in the table (ibid., definition 1, which leaves the logarithm's base
    open: 2 is the stricter of the usual ones). An `absent` value has no logarithm: by the definition the class fails.

    If absent values are ignored, the model is never monotone: a value that a class lacks may be too rare in its union
    with another class. If they fail, it is monotone without suppression, as a value's share in a union lies between
    its shares in the classes.

    >>> str(DeltaDisclosure("disease", Decimal("1.5"), Absent.IGNORED))
    '1.5-disclosure privacy of disease, absent values ignored'
    """

    column: Annotated[str, Name(SENSITIVE)]
    delta: Annotated[Decimal, DELTA]
    absent: Absent = Absent.FAILS
    reference: ComparedWith = ComparedWith.BOTH
    nulls: Annotated[SensitiveNulls, Given("sensitive_nulls")] = SensitiveNulls.NOT_COUNTED

    key: ClassVar[str] = "delta_disclosure"
    words: ClassVar[re.Pattern[str]] = re.compile(
        r"([0-9]{1,2}\.?[0-9]*)-disclosure privacy( of .+)", re.DOTALL
    )
    named: ClassVar[str] = "delta-disclosure privacy"
    stricter_below: ClassVar[bool] = True

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy."""
        return Record(cls)

    @property
    def monotony(self) -> Monotony:
        return Monotony.UNSUPPRESSED if self.absent is Absent.FAILS else Monotony.NEVER

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        attribute = SensitiveAttribute(self.column, self.nulls)
        found: list[Requirement] = []
        for by in self.reference.references:
            bound = self._ratio(self.delta)
            step = max(
                self._ratio(self.delta + Decimal(step_of(self.delta)) / FRACTION_UNIT) - bound, 1
            )
            found.append(Requirement(ShareRatio(attribute, by), bound, step=step))
            if self.absent is Absent.FAILS:
                found.append(Requirement(AbsentValues(attribute, by), 0))
        return tuple(found)

    @staticmethod
    def _ratio(delta: Decimal) -> int:
        """Return 2^delta in units of 10^-9, rounded down, which is exact for a whole delta."""
        return int(Decimal(2) ** delta * FRACTION_UNIT)

    def __str__(self) -> str:
        about = (
            f"{self.column}{self.nulls.words}, absent values {self._absent}{self.reference.words}"
        )
        return f"{self.delta:f}-disclosure privacy of {about}"

    @property
    def _absent(self) -> str:
        return "fail" if self.absent is Absent.FAILS else "ignored"
