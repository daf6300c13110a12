"""beta-likeness: no value is much more frequent in a class, by its own share, than in the table."""

from __future__ import annotations

import re
from decimal import Decimal  # noqa: TC003  its record reads the annotations
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.documents.records import Given, Record
from kanon_sql.documents.shapes import Name
from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.privacy_model import (
    BEYOND,
    FRACTION_UNIT,
    POSITIVE,
    SENSITIVE,
    Monotony,
    Requirement,
    SensitiveAttribute,
    SensitiveNulls,
    step_of,
)
from kanon_sql.privacy.references import ComparedWith, TableComparison

if TYPE_CHECKING:
    from kanon_sql.documents.shapes import Shape
    from kanon_sql.privacy.privacy_model import PrivacyModel


@dataclass(frozen=True, slots=True)
class Gain(TableComparison):
    """The greatest gain (p - q) / q of a value in a class, p being its share in the class, q its share in a table.

    Counted in units of 10^-9, rounded up: exact for a bound in whole units.
    """

    of_persons: ClassVar[bool] = True
    fragment: ClassVar[str] = "beta_likeness"
    why_not: ClassVar[str] = (
        "does not weigh the values of a class against those of a table; leave out beta_likeness"
    )
    lost: ClassVar[str] = "lost_by_gain"
    reported: ClassVar[str] = "largest_gain"

    @property
    def loosest(self) -> int:
        return BEYOND

    @property
    def one(self) -> int:
        return FRACTION_UNIT

    def __str__(self) -> str:
        return f"gain of a value of {self.of} over its share in the {self.by.table}"


@dataclass(frozen=True, slots=True)
class GainBeyondLogarithm(Gain):
    """The greatest excess of a value's gain over -ln q; a bound of 0 limits every gain to -ln q.

    Decided to a billionth: logarithms have nine places.
    """

    fragment: ClassVar[str] = "gain_beyond_logarithm"
    lost: ClassVar[str] = ""
    reported: ClassVar[str] = "largest_gain_beyond_logarithm"

    def __str__(self) -> str:
        return (
            f"gain of a value of {self.of} beyond -ln q, q being its share in the {self.by.table}"
        )


@dataclass(frozen=True, slots=True)
class BetaLikeness:
    """(p - q) / q is at most beta, for every value of every class (Cao and Karras, PVLDB 2012, definition 2).

    p is the value's share in the class, q that in the table. The `enhanced` form also bounds it by -ln q, which limits
    frequent values too (ibid., definition 3). Monotone where no row is suppressed: a value's share in a union of
    classes is at most the greatest of its shares in them (ibid., lemma 1).

    >>> str(BetaLikeness("disease", Decimal(2)))
    '2-likeness of disease (basic)'
    """

    column: Annotated[str, Name(SENSITIVE)]
    beta: Annotated[Decimal, POSITIVE]
    enhanced: bool = False
    reference: ComparedWith = ComparedWith.BOTH
    nulls: Annotated[SensitiveNulls, Given("sensitive_nulls")] = SensitiveNulls.NOT_COUNTED

    monotony: ClassVar[Monotony] = Monotony.UNSUPPRESSED
    key: ClassVar[str] = "beta_likeness"
    words: ClassVar[re.Pattern[str]] = re.compile(
        r"([0-9]{1,6}\.?[0-9]*)-likeness( of .+)", re.DOTALL
    )
    named: ClassVar[str] = "beta-likeness"
    stricter_below: ClassVar[bool] = True

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy."""
        return Record(cls)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        attribute = SensitiveAttribute(self.column, self.nulls)
        bound, step = int(self.beta * FRACTION_UNIT), step_of(self.beta)
        found: list[Requirement] = []
        for by in self.reference.references:
            found.append(Requirement(Gain(attribute, by), bound, step=step))
            if self.enhanced:
                found.append(Requirement(GainBeyondLogarithm(attribute, by), 0))
        return tuple(found)

    def __str__(self) -> str:
        form = "enhanced" if self.enhanced else "basic"
        about = f"{self.column}{self.nulls.words} ({form}){self.reference.words}"
        return f"{self.beta:f}-likeness of {about}"
