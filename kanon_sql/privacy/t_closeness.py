"""t-closeness: the distribution of values in every class is close to that in the table."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal  # noqa: TC003  its record reads the annotations
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, assert_never

from kanon_sql.documents.records import Given, Record, Unwritten
from kanon_sql.documents.shapes import Name, Parsed, check
from kanon_sql.hierarchies.order import Listed, Order, OrderKind
from kanon_sql.late_dataclass import dataclass
from kanon_sql.privacy.privacy_model import (
    FRACTION,
    FRACTION_UNIT,
    SENSITIVE,
    Channel,
    Distribution,
    Monotony,
    Requirement,
    SensitiveAttribute,
    SensitiveNulls,
    step_of,
)
from kanon_sql.privacy.references import ComparedWith, TableComparison

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.documents.shapes import Known, Shape
    from kanon_sql.privacy.privacy_model import PrivacyModel, Reference


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

    @property
    def one(self) -> int:
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
class TCloseness:
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
    stricter_below: ClassVar[bool] = True

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
