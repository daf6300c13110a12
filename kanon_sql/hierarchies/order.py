"""The order of a quasi-identifier's values on a line, where it is cut into intervals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from kanon_sql.hierarchies.specs import EXACT, DateUnit

if TYPE_CHECKING:
    from decimal import Decimal


class OrderKind(StrEnum):
    """As numbers, as dates, by the bytes of their texts, or as a list says."""

    NUMBER = "number"
    DATE = "date"
    TEXT = "text"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Listed:
    """Values in the order of a list, by their texts."""

    values: tuple[str, ...]


CALENDAR = (DateUnit.DAY, DateUnit.MONTH, DateUnit.QUARTER, DateUnit.YEAR)
"""The units that dates are told by."""


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
