"""The order of a quasi-identifier's values on a line, where it is cut into intervals."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, assert_never

from kanon_sql.base.documents.shapes import (
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
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.hierarchies.specs import EXACT, DateUnit

if TYPE_CHECKING:
    from kanon_sql.base.documents.keys import Item


class OrderKind(StrEnum):
    """The kinds of orders: of numbers, dates or texts, by frequency, or of a list.

    `TEXT` follows the hierarchy of a quasi-identifier that lists its values; `ALPHABETICAL` and all other texts go by
    their bytes. `FREQUENCY` puts the value with the most rows first, so it follows from the rows of the source; values
    with equal counts go by their bytes.
    """

    NUMBER = "number"
    DATE = "date"
    TEXT = "text"
    ALPHABETICAL = "alphabetical"
    FREQUENCY = "frequency"
    LIST = "list"


BY_BYTES = {OrderKind.TEXT, OrderKind.ALPHABETICAL, OrderKind.FREQUENCY}
"""Orders of texts, which are ordered by their bytes if nothing else distinguishes them."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The order of a list of values, which are compared as texts."""

    values: tuple[str, ...]


EXACT_UNIT = 10**15
"""Numbers are compared as wholes of this many parts of a unit, which is exact for 15 decimals."""
CALENDAR = (DateUnit.DAY, DateUnit.MONTH, DateUnit.QUARTER, DateUnit.YEAR)
"""The units that an order of dates may have."""


@dataclass(frozen=True, slots=True)
class Dates:
    """Dates and times by whole units of the calendar; an interval is from a first day to a last one.

    The default is the month for dates and timestamps alike, as most days of birth belong to one person.
    There is no order by exact dates and times, because these would be released as bounds.
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
"""Orders whose places are units. The bounds of units are not values of single rows."""

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
"""The names of orders for values that follow no hierarchy: of sensitive columns, and in certificates."""
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
    """Build an order from the `order` and `snap` (width of intervals) of a policy. Raises Wrong."""
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
    """Whether the median value of some rows represents them; otherwise the most frequent value does.

    A median means nothing without an order, or in an order of texts.
    """
    return order is not None and order not in BY_BYTES
