"""(alpha, k)-anonymity's alpha: no value of a sensitive attribute has too great a share of a class."""

from __future__ import annotations

import re
from decimal import Decimal  # noqa: TC003  its record reads the annotations
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.documents.records import Given, Record
from kanon_sql.documents.shapes import Name
from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.privacy_model import (
    FRACTION,
    FRACTION_UNIT,
    OF_VALUES,
    SENSITIVE,
    Channel,
    Distribution,
    Measure,
    Monotony,
    Requirement,
    SensitiveAttribute,
    SensitiveNulls,
    step_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.documents.shapes import Shape
    from kanon_sql.privacy.privacy_model import PrivacyModel


@dataclass(frozen=True, slots=True)
class LargestShare(Measure):
    """The share of the most frequent value among the rows of a class that have a value.

    Counted in units of 10^-9, rounded up: exact for a bound in whole units. A class without a value has the share 1.
    """

    of: SensitiveAttribute

    fragment: ClassVar[str] = "largest_share"
    at_most: ClassVar[bool] = True
    distribution: ClassVar[Distribution] = Distribution.OF_CLASS
    of_persons: ClassVar[bool] = True
    channels: ClassVar[frozenset[Channel]] = OF_VALUES | {Channel.DBT}
    why_not: ClassVar[str] = "does not weigh the values of a class; leave out alpha"
    lost: ClassVar[str] = "lost_by_share"
    numerator: ClassVar[str] = "most_frequent"
    denominator: ClassVar[str] = "valued_rows"
    reported: ClassVar[str] = "largest_share"
    audit: ClassVar[str] = "alpha"

    @property
    def sensitive(self) -> SensitiveAttribute:
        return self.of

    @property
    def numbers(self) -> Mapping[str, int]:
        return {"unit": FRACTION_UNIT, "worst": FRACTION_UNIT}

    @property
    def loosest(self) -> int:
        return FRACTION_UNIT

    @property
    def one(self) -> int:
        return FRACTION_UNIT

    def audit_arguments(self, bound: int) -> Mapping[str, object]:
        return {"sensitive": self.of.column, "alpha": bound / FRACTION_UNIT}

    def __str__(self) -> str:
        return f"largest share of a value of {self.of}"


@dataclass(frozen=True, slots=True)
class Alpha:
    """No value of a sensitive attribute has more than alpha of a class (Wong, Li, Fu and Wang, KDD 2006).

    Monotone where no row is suppressed: the share of a value in a union of classes is at most the greatest of
    its shares in them (ibid., lemma 1).

    >>> str(Alpha("disease", Decimal("0.5")))
    '0.5-bounded share of disease'
    """

    column: Annotated[str, Name(SENSITIVE)]
    alpha: Annotated[Decimal, FRACTION]
    nulls: Annotated[SensitiveNulls, Given("sensitive_nulls")] = SensitiveNulls.NOT_COUNTED

    monotony: ClassVar[Monotony] = Monotony.UNSUPPRESSED
    key: ClassVar[str] = "alpha"
    words: ClassVar[re.Pattern[str]] = re.compile(
        r"([01]\.?[0-9]*)-bounded share( of .+)", re.DOTALL
    )
    named: ClassVar[str] = "alpha-bounded share"
    stricter_below: ClassVar[bool] = True

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy."""
        return Record(cls)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        share = LargestShare(SensitiveAttribute(self.column, self.nulls))
        return (Requirement(share, int(self.alpha * FRACTION_UNIT), step=step_of(self.alpha)),)

    def __str__(self) -> str:
        return f"{self.alpha:f}-bounded share of {self.column}{self.nulls.words}"
