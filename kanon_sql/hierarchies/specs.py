"""Generalization hierarchies as a policy states them: where the levels come from, never rows.

A hierarchy's level 0 is the column itself; its last level is one value for all, the root.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Context, Decimal
from enum import StrEnum

ROOT = "*"


@dataclass(frozen=True, slots=True)
class CsvHierarchy:
    """A file of lines `value, generalization, ..., root`, separated by `;`, `,` or a tab.

    `ragged` lets short lines through: the value stands in for the levels it lacks.
    """

    path: str
    delimiter: str | None = None
    ragged: bool = False


@dataclass(frozen=True, slots=True)
class TableHierarchy:
    """A table of the database: its first column is the value, the others the levels in order."""

    name: str
    ragged: bool = False


@dataclass(frozen=True, slots=True)
class QueryHierarchy:
    """A query in the database, read like `TableHierarchy`."""

    sql: str
    ragged: bool = False


@dataclass(frozen=True, slots=True)
class TreeHierarchy:
    """A tree written in the policy; each path runs from the leaf to the root."""

    paths: tuple[tuple[str, ...], ...]
    ragged: bool = False

    @property
    def height(self) -> int:
        return max(len(path) for path in self.paths) - 1


LONGEST_MASK = 10_000
"""Characters of the longest text that a mask is for."""


@dataclass(frozen=True, slots=True)
class MaskHierarchy:
    """Text of at most `length` characters, masked from the right, `steps` characters a level.

    >>> MaskHierarchy(5).height
    5
    """

    length: int
    steps: tuple[int, ...] = ()
    character: str = "*"

    @property
    def masked(self) -> tuple[int, ...]:
        """How many characters each level masks; the last level masks all."""
        steps = self.steps or tuple(range(1, self.length + 1))
        return steps if steps[-1] == self.length else (*steps, self.length)

    @property
    def height(self) -> int:
        return len(self.masked)


EXACT = Context(prec=64)
"""Arithmetic that rounds no bound of an interval: each has thirty digits at most."""


@dataclass(frozen=True, slots=True)
class IntervalHierarchy:
    """Numbers in half-open intervals [low, high), one width a level, then the root.

    Below `bottom` and from `top` on there is one interval each. Exact decimal arithmetic.
    """

    widths: tuple[Decimal, ...]
    offset: Decimal = Decimal(0)
    bottom: Decimal | None = None
    top: Decimal | None = None

    @property
    def height(self) -> int:
        return len(self.widths) + 1

    @property
    def scale(self) -> int:
        """Decimal places of the finest bound."""
        numbers = [*self.widths, self.offset, self.bottom or Decimal(0), self.top or Decimal(0)]
        return max(max(0, -int(EXACT.normalize(n).as_tuple().exponent)) for n in numbers)


class DateUnit(StrEnum):
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"


@dataclass(frozen=True, slots=True)
class DateHierarchy:
    """Dates and timestamps by calendar units (weeks as in ISO 8601), then the root."""

    units: tuple[DateUnit, ...]

    @property
    def height(self) -> int:
        return len(self.units) + 1


@dataclass(frozen=True, slots=True)
class SuppressHierarchy:
    """One step: the value itself, or nothing of it."""

    height: int = field(default=1, init=False)


HierarchySpec = (
    CsvHierarchy
    | TableHierarchy
    | QueryHierarchy
    | TreeHierarchy
    | MaskHierarchy
    | IntervalHierarchy
    | DateHierarchy
    | SuppressHierarchy
)


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A hierarchy as it was found: its height, and a hash of every value's path to the root."""

    height: int
    digest: str
