"""t-closeness with equal distance: no class's values are distributed much otherwise than the table's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal  # noqa: TC003  its record reads the annotations
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.documents.records import Given, Record
from kanon_sql.documents.shapes import Name
from kanon_sql.privacy.privacy_model import (
    FRACTION,
    FRACTION_UNIT,
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
    from kanon_sql.documents.shapes import Shape
    from kanon_sql.privacy.privacy_model import PrivacyModel


class GroundDistance(StrEnum):
    """How far one value is from another: as far as any."""

    EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class Distance(Measure):
    """How far the values of a class are from the table's: half the sum of what their shares differ by.

    The table is the source, with the rows that are suppressed (as in ARX): what is known of all. In units of
    10^-9, rounded up: exact for a bound in whole units. A class of NULLs that do not count is as far as can be.
    """

    of: SensitiveAttribute

    fragment: ClassVar[str] = "t_closeness"
    at_most: ClassVar[bool] = True
    distribution: ClassVar[Distribution] = Distribution.OF_TABLE
    channels: ClassVar[frozenset[Channel]] = frozenset(
        {Channel.LATTICE, Channel.SEVERAL_NODES, Channel.DATAFLY, Channel.RELEASE, Channel.NEW_ROWS}
    )
    why_not: ClassVar[str] = (
        "does not weigh the values of a class against those of the source; leave out t_closeness"
    )
    reported: ClassVar[str] = "largest_distance"

    @property
    def sensitive(self) -> SensitiveAttribute:
        return self.of

    @property
    def loosest(self) -> int:
        return FRACTION_UNIT

    def as_written(self, counted: int) -> float:
        return counted / FRACTION_UNIT

    def __str__(self) -> str:
        return f"distance of {self.of} from the table"


@dataclass(frozen=True, slots=True)
class TCloseness:
    """Every class's values are at most t from the table's (Li, Li and Venkatasubramanian, 2007).

    Monotone where no row is suppressed: the distance of a union of classes is at most the greatest of theirs,
    as it is convex (ibid., generalization property). A class that does not fit may be left out at a node, and
    take one that did with it at a coarser one.

    >>> str(TCloseness("disease", Decimal("0.25")))
    '0.25-closeness of disease (equal distance)'
    """

    column: Annotated[str, Name(SENSITIVE)]
    t: Annotated[Decimal, FRACTION]
    distance: GroundDistance = GroundDistance.EQUAL
    nulls: Annotated[SensitiveNulls, Given("sensitive_nulls")] = SensitiveNulls.NOT_COUNTED

    monotony: ClassVar[Monotony] = Monotony.UNSUPPRESSED
    key: ClassVar[str] = "t_closeness"
    words: ClassVar[re.Pattern[str]] = re.compile(r"([01]\.?[0-9]*)-closeness( of .+)", re.DOTALL)
    named: ClassVar[str] = "t-closeness"
    stricter_below: ClassVar[bool] = True

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Give the shape that a policy states it by."""
        return Record(cls)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        distance = Distance(SensitiveAttribute(self.column, self.nulls))
        # Explanations relax t by a hundredth, or by less where t has more decimals.
        step = FRACTION_UNIT // 10 ** max(-int(self.t.as_tuple().exponent), 2)
        return (Requirement(distance, int(self.t * FRACTION_UNIT), step=step),)

    def __str__(self) -> str:
        return f"{self.t:f}-closeness of {self.column}{self.nulls.words} ({self.distance} distance)"
