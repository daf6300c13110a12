"""The models that compare the values of a class with those of a table: the source, the released rows, or both.

t-closeness, beta-likeness and delta-disclosure privacy, and their base: each measure counts how far the shares of a
sensitive attribute in a class are from its shares in the table.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, assert_never

from kanon_sql.base.documents.records import Given, Record, Unwritten
from kanon_sql.base.documents.shapes import Name, Number, Parsed, check
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.hierarchies.order import Listed, Order, OrderKind
from kanon_sql.policy.privacy.privacy_model import (
    FRACTION,
    FRACTION_UNIT,
    OF_VALUES,
    POSITIVE,
    SENSITIVE,
    Channel,
    DeclaredModel,
    Distribution,
    Measure,
    MeasureOfValues,
    Monotony,
    Reference,
    Requirement,
    SensitiveAttribute,
    SensitiveNulls,
    exact,
    step_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.base.documents.shapes import Known, Shape
    from kanon_sql.policy.privacy.privacy_model import PrivacyModel


class ComparedWith(StrEnum):
    """The table that a policy compares classes with.

    Before a release only its maker knows the source's distribution; afterwards, readers can count only that of the
    released rows. With both, neither distribution shows more than the model allows.
    """

    BOTH = "both"
    SOURCE = "source"
    RELEASE = "release"

    @property
    def references(self) -> tuple[Reference, ...]:
        """Return the tables; with both, the source decides which classes fit."""
        match self:
            case ComparedWith.BOTH:
                return (Reference.SOURCE, Reference.RELEASE)
            case ComparedWith.SOURCE:
                return (Reference.SOURCE,)
            case ComparedWith.RELEASE:
                return (Reference.RELEASE,)
            case _:
                assert_never(self)

    @property
    def words(self) -> str:
        """Return the words that follow a model's text; empty for the default.

        >>> ComparedWith.BOTH.words, ComparedWith.SOURCE.words
        ('', ', compared with the source alone')
        """
        return "" if self is ComparedWith.BOTH else f", compared with the {self} alone"


CHOSEN_APART = frozenset({Channel.SEVERAL_NODES, Channel.DATAFLY})
"""Channels that choose the released classes one after the other, and compare no class with all of them."""


@dataclass(frozen=True, slots=True)
class TableComparison(MeasureOfValues):
    """A measure that compares the values of a class with those of a table."""

    by: Reference

    at_most: ClassVar[bool] = True
    in_billionths: ClassVar[bool] = True
    distribution: ClassVar[Distribution] = Distribution.OF_TABLE
    channels: ClassVar[frozenset[Channel]] = OF_VALUES

    @property
    def reference(self) -> Reference:
        return self.by

    @property
    def by_source(self) -> Measure:
        return replace(self, by=Reference.SOURCE)

    def refusal(self, channel: Channel) -> str | None:
        if self.by is Reference.SOURCE and channel in {Channel.CERTIFICATE, Channel.VERIFY}:
            return "compares no class with the source: say reference: both or release"
        if self.by is Reference.RELEASE and channel in CHOSEN_APART:
            return "does not compare classes with the released rows: say reference: source"
        return Measure.refusal(self, channel)


class GroundDistance(StrEnum):
    """The distance of two values: the same for all pairs, by the values between in their order, or by the hierarchy."""

    EQUAL = "equal"
    ORDERED = "ordered"
    HIERARCHICAL = "hierarchical"


@dataclass(frozen=True, slots=True)
class Distance(TableComparison):
    """The distance of a class's values from a table's: half the sum of the differences of their shares.

    The source includes the suppressed rows (as in ARX): its distribution is taken to be known. Counted in units of
    10^-9, rounded up: exact for a bound in whole units. A class without a value that counts has the distance 1.
    """

    fragment: ClassVar[str] = "t_closeness"
    why_not: ClassVar[str] = (
        "does not weigh the values of a class against those of a table; leave out t_closeness"
    )
    lost: ClassVar[str] = "lost_by_shift"
    numerator: ClassVar[str] = "more_than_expected"
    denominator: ClassVar[str] = "rows_by_rows"
    reported: ClassVar[str] = "largest_distance"

    @property
    def numbers(self) -> Mapping[str, int]:
        return {"worst": FRACTION_UNIT}

    @property
    def loosest(self) -> int:
        return FRACTION_UNIT

    def __str__(self) -> str:
        return f"distance of {self.of} from the {self.by.table}"


@dataclass(frozen=True, slots=True)
class OrderedDistance(Distance):
    """The distance of a class's values from a table's, in the order of the values.

    It is the sum of the differences of cumulative shares at each of the table's m values, divided by m - 1: the earth
    mover's distance where neighbors are 1 / (m - 1) apart (Li et al., 2007, 5.1).
    """

    fragment: ClassVar[str] = "ordered_distance"
    distribution: ClassVar[Distribution] = Distribution.IN_ORDER
    lost: ClassVar[str] = "lost_by_share"
    numerator: ClassVar[str] = "moved_rows"
    denominator: ClassVar[str] = "rows_by_rows_by_steps"
    reported: ClassVar[str] = "largest_ordered_distance"

    def refusal(self, channel: Channel) -> str | None:
        if channel is Channel.CERTIFICATE and isinstance(self.of.order, Listed):
            return "states no value: give the column an order by number, date or text, or say distance: equal"
        return Distance.refusal(self, channel)

    def __str__(self) -> str:
        return f"ordered distance of {self.of} from the {self.by.table}"


@dataclass(frozen=True, slots=True)
class TreeDistance(Distance):
    """The distance of a class's values from a table's, in the hierarchy of their column.

    The distance of two values is the height of the lowest node above both, divided by the height of the root: the
    number of levels above the values. The earth mover's distance moves at each node the lesser of its children's total
    surplus and total deficit (Li et al., 2007, 5.2). A node is a label of a level.
    """

    fragment: ClassVar[str] = "tree_distance"
    distribution: ClassVar[Distribution] = Distribution.IN_TREE
    lost: ClassVar[str] = "lost_by_share"
    numerator: ClassVar[str] = "moved_in_tree"
    denominator: ClassVar[str] = "rows_by_rows_by_height"
    reported: ClassVar[str] = "largest_hierarchical_distance"

    def refusal(self, channel: Channel) -> str | None:
        if channel in WITHOUT_HIERARCHY:
            return (
                "does not read the hierarchy of a sensitive column: say distance: equal or ordered"
            )
        return Distance.refusal(self, channel)

    def __str__(self) -> str:
        return f"hierarchical distance of {self.of} from the {self.by.table}"


WITHOUT_HIERARCHY = frozenset(
    {Channel.CERTIFICATE, Channel.VERIFY, Channel.SCRIPT, Channel.NEW_ROWS}
)
"""Channels that count single values without the hierarchies of their columns."""


def _of_column(model: TCloseness, known: Known) -> TCloseness:
    """Add the order of the column's values from the policy, by default by number, or check that it has a hierarchy."""
    (column,) = (each for each in known["columns"] if each.name == model.column)
    match model.distance:
        case GroundDistance.EQUAL:
            return model
        case GroundDistance.ORDERED:
            return replace(model, order=column.order or OrderKind.NUMBER)
        case GroundDistance.HIERARCHICAL:
            what = f"hierarchical needs a hierarchy of {model.column}: add one to its column"
            check(("distance", getattr(column, "hierarchy", what) is not None, what))
            return model
        case _:
            assert_never(model.distance)


@dataclass(frozen=True, slots=True)
class TCloseness(DeclaredModel):
    """Every class's values are at most t from the table's (Li, Li and Venkatasubramanian, 2007).

    Monotone where no row is suppressed: the distance is convex, so a union of classes has at most the greatest of
    their distances (ibid., generalization property). With suppression, a class that a node suppresses may be merged
    at a coarser node with a class that fits, so that neither is released.

    >>> str(TCloseness("disease", Decimal("0.25")))
    '0.25-closeness of disease (equal distance)'
    """

    column: Annotated[str, Name(SENSITIVE)]
    t: Annotated[Decimal, FRACTION]
    distance: GroundDistance = GroundDistance.EQUAL
    reference: ComparedWith = ComparedWith.BOTH
    order: Annotated[Order | None, Unwritten] = None
    nulls: Annotated[SensitiveNulls, Given("sensitive_nulls")] = SensitiveNulls.NOT_COUNTED

    monotony: ClassVar[Monotony] = Monotony.UNSUPPRESSED
    key: ClassVar[str] = "t_closeness"
    words: ClassVar[re.Pattern[str]] = re.compile(r"([01]\.?[0-9]*)-closeness( of .+)", re.DOTALL)
    named: ClassVar[str] = "t-closeness"

    @classmethod
    def stated(cls) -> Shape[PrivacyModel]:
        """Return the shape of the model in a policy."""
        return Parsed(Record(cls), _of_column, context=True)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        in_tree = self.distance is GroundDistance.HIERARCHICAL
        attribute = SensitiveAttribute(self.column, self.nulls, self.order, in_tree)
        bound, step = int(self.t * FRACTION_UNIT), step_of(self.t)
        return tuple(
            Requirement(self._measure(attribute, by), bound, step=step)
            for by in self.reference.references
        )

    def _measure(self, of: SensitiveAttribute, by: Reference) -> Distance:
        match self.distance:
            case GroundDistance.EQUAL:
                return Distance(of, by)
            case GroundDistance.ORDERED:
                return OrderedDistance(of, by)
            case GroundDistance.HIERARCHICAL:
                return TreeDistance(of, by)
            case _:
                assert_never(self.distance)

    def __str__(self) -> str:
        how = f"({self.distance} distance){self.reference.words}"
        return f"{self.t:f}-closeness of {self.column}{self.nulls.words} {how}"


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
class BetaLikeness(DeclaredModel):
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
    in_billionths: ClassVar[bool] = False

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
class DeltaDisclosure(DeclaredModel):
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
