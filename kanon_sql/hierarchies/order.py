"""The order of a quasi-identifier's values on a line, where it is cut into intervals."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, assert_never

from kanon_sql.documents.shapes import (
    ByKind,
    Number,
    OneOf,
    Parsed,
    Schema,
    Several,
    Shape,
    Text,
    Wrong,
    any_of,
    check,
)
from kanon_sql.hierarchies.specs import EXACT, DateUnit
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from kanon_sql.documents.lines import Item


class OrderKind(StrEnum):
    """As numbers, as dates, as texts, by how many rows have them, or in the order of a list.

    Texts of a quasi-identifier whose hierarchy lists its values follow that hierarchy, `ALPHABETICAL` ones do not;
    all others go by the bytes of their texts. By `FREQUENCY` the most frequent value is first, and values that equally
    many rows have go by their bytes: the order follows from the rows of the source.
    """

    NUMBER = "number"
    DATE = "date"
    TEXT = "text"
    ALPHABETICAL = "alphabetical"
    FREQUENCY = "frequency"
    LIST = "list"


BY_BYTES = {OrderKind.TEXT, OrderKind.ALPHABETICAL, OrderKind.FREQUENCY}
"""Orders of texts, in which values that nothing else distinguishes go by their bytes."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Values in the order of a list, by their texts."""

    values: tuple[str, ...]


CALENDAR = (DateUnit.DAY, DateUnit.MONTH, DateUnit.QUARTER, DateUnit.YEAR)
"""The units of orders of dates."""


@dataclass(frozen=True, slots=True)
class Dates:
    """Dates and times by whole units of the calendar; an interval is from a first day to a last one.

    Whatever the type, the default is the month: a birth date may be a timestamp, and most days of one
    have one person. There is no order of dates by their own values, which would be released as bounds.
    """

    unit: DateUnit = DateUnit.MONTH


@dataclass(frozen=True, slots=True)
class Steps:
    """Numbers by whole steps: each lies in one interval [n * width, (n + 1) * width)."""

    width: Decimal

    @property
    def scale(self) -> int:
        """Decimal places of the bounds."""
        return max(0, -int(EXACT.normalize(self.width).as_tuple().exponent))


Snapped = Dates | Steps
"""Orders whose places are units, whose bounds are of no single row."""

Order = OrderKind | Listed | Dates | Steps


def _listed(values: tuple[str, ...]) -> Listed:
    """Build an order by a list. Its entries are values of the table, so a message has only their numbers."""
    twice = []
    for text, times in Counter(values).items():
        if times > 1:
            at = [str(number) for number, each in enumerate(values, start=1) if each == text]
            twice.append(("", f"names one value {times} times: entries {', '.join(at)}"))
    if twice:
        raise Wrong(*twice)
    return Listed(values)


class Snap(Shape[DateUnit | Decimal]):
    """The width of intervals: a unit of the calendar, or a number."""

    def read(self, item: Item) -> DateUnit | Decimal:
        if isinstance(item.value, str) or not isinstance(item.value, int | float | Decimal):
            return OneOf(DateUnit, among=CALENDAR).read(item)
        return Number(positive=True).read(item)

    def schema(self) -> Schema:
        return any_of([OneOf(DateUnit, among=CALENDAR).schema(), Number(positive=True).schema()])


def _named(order: OrderKind) -> OrderKind:
    what = "list the values themselves: order: [low, middle, high]"
    check(("", order is not OrderKind.LIST, what))
    return order


NAMED = [each for each in OrderKind if each is not OrderKind.LIST]
OF_QUASI = {OrderKind.ALPHABETICAL, OrderKind.FREQUENCY}
PLAIN = [each for each in NAMED if each not in OF_QUASI]
"""The orders of values that follow no hierarchy: of sensitive columns, and in certificates."""
LISTED: Shape[OrderKind | Listed] = Parsed(
    Several(Text(), alone=False, empty="lists no value"), _listed
)
ORDER: Shape[OrderKind | Listed] = ByKind(
    plain=Parsed(
        OneOf(OrderKind, among=[*PLAIN, OrderKind.LIST]),
        _named,
        {"enum": [each.value for each in PLAIN]},
    ),
    listed=LISTED,
)
ORDER_OF_QUASI: Shape[OrderKind | Listed] = ByKind(
    plain=Parsed(OneOf(OrderKind), _named, {"enum": [each.value for each in NAMED]}),
    listed=LISTED,
)


def ordered(
    order: Annotated[OrderKind | Listed | None, ORDER_OF_QUASI] = None,
    snap: Annotated[DateUnit | Decimal | None, Snap()] = None,
) -> Order | None:
    """Build an order with the width of its intervals, as a policy states both."""
    if snap is None:
        return Dates() if order is OrderKind.DATE else order
    match order:
        case OrderKind.DATE:
            if not isinstance(snap, DateUnit):
                raise Wrong(("snap", f"must be one of {', '.join(CALENDAR)}"))
            return Dates(snap)
        case OrderKind.NUMBER:
            if isinstance(snap, DateUnit):
                raise Wrong(("snap", "must be a number"))
            return Steps(snap)
        case (
            OrderKind.TEXT
            | OrderKind.ALPHABETICAL
            | OrderKind.FREQUENCY
            | OrderKind.LIST
            | Listed()
            | None
        ):
            raise Wrong(("snap", "goes with order: number or date"))
        case _:
            assert_never(order)


def has_median(order: Order | None) -> bool:
    """Whether the value in the middle of some rows represents them, and not the most frequent one.

    It says nothing without an order, and of texts.
    """
    return order is not None and order not in BY_BYTES
