"""Entropy l-diversity: the values of every class have at least the entropy of l values of equal share."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.documents.records import Given, Record
from kanon_sql.documents.shapes import Name, Number, Parsed, check
from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.privacy_model import (
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
    exact,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.documents.shapes import Shape
    from kanon_sql.privacy.privacy_model import PrivacyModel

TOLERANCE = 2
"""Billionths of a nat by which an entropy may fall short: logarithms have nine places, and each is rounded."""


def _evenly(l: Decimal) -> Decimal:  # noqa: E741  the literature's letter
    check(("", l >= 1, "must be at least 1"))
    return exact(l)


def least_entropy(l: Decimal) -> int:  # noqa: E741
    """Return the entropy of l values of equal share, in units of 10^-9 nats, less the tolerance.

    >>> least_entropy(Decimal(1)), least_entropy(Decimal(2))
    (0, 693147178)
    """
    return max(math.floor(l.ln() * FRACTION_UNIT) - TOLERANCE, 0)


@dataclass(frozen=True, slots=True)
class ValueEntropy(Measure):
    """Shannon's entropy of the values of a class, in units of 10^-9 nats, rounded down."""

    of: SensitiveAttribute

    fragment: ClassVar[str] = "entropy"
    distribution: ClassVar[Distribution] = Distribution.OF_CLASS
    channels: ClassVar[frozenset[Channel]] = OF_VALUES
    why_not: ClassVar[str] = "does not weigh the values of a class; leave out entropy_l"
    lost: ClassVar[str] = "lost_by_share"
    numerator: ClassVar[str] = "entropy_of_rows"
    denominator: ClassVar[str] = "valued_rows"
    reported: ClassVar[str] = "least_entropy_l"

    @property
    def sensitive(self) -> SensitiveAttribute:
        return self.of

    @property
    def numbers(self) -> Mapping[str, int]:
        return {"worst": 0}

    @property
    def loosest(self) -> int:
        return 0

    @property
    def one(self) -> int:
        return FRACTION_UNIT

    @property
    def claimed(self) -> str:
        return f"entropy of the values of {self.of}, in nats"

    def in_unit(self, counted: int) -> float:
        """Return how many values of equal share have this entropy, rounded to an l that a policy could ask for."""
        found = round(math.exp(counted / FRACTION_UNIT), 6)
        reached = least_entropy(Decimal(str(found))) <= counted
        return found if reached else max(round(found - 0.000001, 6), 1.0)

    def __str__(self) -> str:
        return f"evenly spread values of {self.of}, by their entropy"


@dataclass(frozen=True, slots=True)
class EntropyDiversity:
    """The entropy of every class's sensitive values is at least ln l (Machanavajjhala et al., 2006, definition 4.1).

    Decided to two billionths of a nat, so that a class of l values of equal share fits. Monotone where no row is
    suppressed: entropy is concave, so a union of classes has at least the least of their entropies (ibid., 4.1).

    >>> str(EntropyDiversity("disease", Decimal(3)))
    'entropy 3-diversity of disease'
    """

    column: Annotated[str, Name(SENSITIVE)]
    l: Annotated[Decimal, Parsed(Number(positive=True, below=10**6), _evenly)]  # noqa: E741
    nulls: Annotated[SensitiveNulls, Given("sensitive_nulls")] = SensitiveNulls.NOT_COUNTED

    monotony: ClassVar[Monotony] = Monotony.UNSUPPRESSED
    key: ClassVar[str] = "entropy_l"
    words: ClassVar[re.Pattern[str]] = re.compile(
        r"entropy ([0-9]{1,6}\.?[0-9]*)-diversity( of .+)", re.DOTALL
    )
    named: ClassVar[str] = "entropy l-diversity"
    stricter_below: ClassVar[bool] = False

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy."""
        return Record(cls)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        entropy = ValueEntropy(SensitiveAttribute(self.column, self.nulls))
        least = least_entropy(self.l)
        step = max(least - least_entropy(max(self.l - 1, Decimal(1))), 1)
        return (Requirement(entropy, least, step=step),)

    def __str__(self) -> str:
        return f"entropy {self.l:f}-diversity of {self.column}{self.nulls.words}"
