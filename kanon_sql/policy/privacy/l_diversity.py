"""The models that bound how the values of a sensitive attribute are spread within each class.

Distinct, entropy and recursive (c, l)-diversity (Machanavajjhala et al., ICDE 2006), and the alpha of
(alpha, k)-anonymity (Wong et al., KDD 2006). Each is a measure, which a class is counted by, and the model that bounds it.
"""

from __future__ import annotations

import math
import re
from dataclasses import field
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar

from kanon_sql.base.documents.records import LATER, Given, Unwritten
from kanon_sql.base.documents.shapes import Anything, Name, Number, Parsed, Whole, Wrong, check
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.privacy.privacy_model import (
    EVERY_CHANNEL,
    FRACTION,
    FRACTION_UNIT,
    OF_VALUES,
    SENSITIVE,
    Channel,
    DeclaredModel,
    Distribution,
    Measure,
    MeasureOfValues,
    Monotony,
    Requirement,
    SensitiveAttribute,
    SensitiveNulls,
    exact,
    step_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class DistinctValues(MeasureOfValues):
    """How many different values of a sensitive attribute a class holds.

    NULL is an unknown value, which makes no class more diverse: it is not counted unless the policy
    declares it to be a value like any other.
    """

    fragment: ClassVar[str] = "distinct_values"
    of_groups: ClassVar[bool] = True
    channels: ClassVar[frozenset[Channel]] = EVERY_CHANNEL
    reported: ClassVar[str] = "least_distinct"
    claim: ClassVar[str] = "distinct_l_diversity"
    audit: ClassVar[str] = "l_diversity"

    @property
    def loosest(self) -> int:
        """Return 1 where NULL is a value, as every class then holds one value at least; else 0."""
        return int(self.of.counts_null)

    def audit_arguments(self, bound: int) -> Mapping[str, object]:
        return {"sensitive": self.of.column, "l": bound}

    def beyond(self, whole: int, bound: int) -> str:
        if whole:
            return Measure.beyond(self, whole, bound)
        return (
            f"the whole table has 0 {self} where the policy asks every class for {bound}: "
            f"sensitive_nulls: value counts NULL as a value"
        )

    def __str__(self) -> str:
        return f"distinct values of {self.of}"


@dataclass(frozen=True, slots=True)
class DistinctDiversity(DeclaredModel):
    """Every class holds at least l different sensitive values (Machanavajjhala et al., 2006, 4.2).

    Monotone: a union of classes holds every value of each (ibid., theorem 4.1's argument for distinct values).

    >>> str(DistinctDiversity("disease", 3))
    'distinct 3-diversity of disease'
    """

    column: Annotated[str, Name(SENSITIVE)]
    l: Annotated[int, Whole(1)]  # noqa: E741  the literature's letter
    monotony: Annotated[Monotony, Unwritten] = Monotony.ALWAYS
    nulls: Annotated[SensitiveNulls, Given("sensitive_nulls")] = field(
        default=SensitiveNulls.NOT_COUNTED, metadata=LATER
    )

    key: ClassVar[str] = "distinct_l"
    words: ClassVar[re.Pattern[str]] = re.compile(
        r"distinct ([0-9]{1,18})-diversity( of .+)", re.DOTALL
    )
    named: ClassVar[str] = "distinct l-diversity"
    stricter_below: ClassVar[bool] = False

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        attribute = SensitiveAttribute(self.column, self.nulls)
        return (Requirement(DistinctValues(attribute), self.l),)

    def __str__(self) -> str:
        return f"distinct {self.l}-diversity of {self.column}{self.nulls.words}"


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
class ValueEntropy(MeasureOfValues):
    """Shannon's entropy of the values of a class, in units of 10^-9 nats, rounded down."""

    fragment: ClassVar[str] = "entropy"
    distribution: ClassVar[Distribution] = Distribution.OF_CLASS
    channels: ClassVar[frozenset[Channel]] = OF_VALUES
    why_not: ClassVar[str] = "does not weigh the values of a class; leave out entropy_l"
    lost: ClassVar[str] = "lost_by_share"
    numerator: ClassVar[str] = "entropy_of_rows"
    denominator: ClassVar[str] = "valued_rows"
    reported: ClassVar[str] = "least_entropy_l"
    in_billionths: ClassVar[bool] = True

    @property
    def numbers(self) -> Mapping[str, int]:
        return {"worst": 0}

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
class EntropyDiversity(DeclaredModel):
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

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        entropy = ValueEntropy(SensitiveAttribute(self.column, self.nulls))
        least = least_entropy(self.l)
        step = max(least - least_entropy(max(self.l - 1, Decimal(1))), 1)
        return (Requirement(entropy, least, step=step),)

    def __str__(self) -> str:
        return f"entropy {self.l:f}-diversity of {self.column}{self.nulls.words}"


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
class LeastC(MeasureOfValues):
    """The least c, in units of 1 / `unit`, with which a class fits recursive (c, l)-diversity.

    The comparison is r_1 < c * (r_l + ... + r_m), r being the counts of the class's m values in descending order. It is
    exact: c is a whole number of units. As 1 has about 10^9 units, the count hardly depends on the c asked for.
    """

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
    def numbers(self) -> Mapping[str, int]:
        return {"l": self.l, "unit": self.unit}

    @property
    def one(self) -> int:
        return self.unit

    def __str__(self) -> str:
        return f"c of recursive (c, {self.l})-diversity of {self.of}"


@dataclass(frozen=True, slots=True)
class RecursiveDiversity(DeclaredModel):
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

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        attribute = SensitiveAttribute(self.column, self.nulls)
        parts = MOST_PARTS // self.c.denominator
        unit, bound = self.c.denominator * parts, self.c.numerator * parts
        return (Requirement(LeastC(attribute, self.l, unit), bound, step=unit),)

    def __str__(self) -> str:
        return f"recursive ({self.c}, l)-diversity of {self.column}{self.nulls.words}, l = {self.l}"


@dataclass(frozen=True, slots=True)
class LargestShare(MeasureOfValues):
    """The share of the most frequent value among the rows of a class that have a value.

    Counted in units of 10^-9, rounded up: exact for a bound in whole units. A class without a value has the share 1.
    """

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
    in_billionths: ClassVar[bool] = True
    audit: ClassVar[str] = "alpha"

    @property
    def numbers(self) -> Mapping[str, int]:
        return {"unit": FRACTION_UNIT, "worst": FRACTION_UNIT}

    @property
    def loosest(self) -> int:
        return FRACTION_UNIT

    def audit_arguments(self, bound: int) -> Mapping[str, object]:
        return {"sensitive": self.of.column, "alpha": bound / FRACTION_UNIT}

    def __str__(self) -> str:
        return f"largest share of a value of {self.of}"


@dataclass(frozen=True, slots=True)
class Alpha(DeclaredModel):
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

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        share = LargestShare(SensitiveAttribute(self.column, self.nulls))
        return (Requirement(share, int(self.alpha * FRACTION_UNIT), step=step_of(self.alpha)),)

    def __str__(self) -> str:
        return f"{self.alpha:f}-bounded share of {self.column}{self.nulls.words}"
