"""Profiles of columns: counts of values and rows, shapes of texts, quantiles. They hold no value of a text."""

from __future__ import annotations

import re
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Literal

from kanon_sql.engines.base import whole
from kanon_sql.getting_started import column_profiles_sql as statements
from kanon_sql.getting_started.column_profiles_sql import INFINITE, SENTINELS
from kanon_sql.late_dataclass import dataclass
from kanon_sql.source.person_keys_sql import batches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType, Engine

Kind = Literal["text", "number", "date", "other", "nested"]
NESTED = re.compile(
    r"[\[\]<>]|\b(struct|map|union|list|json|jsonb|blob|binary|bytea|xml|array|variant)\b",
    re.IGNORECASE,
)
"""Matches types with nested or binary values."""
KINDS: dict[str, Kind] = {
    "text": "text",
    "integer": "number",
    "decimal": "number",
    "float": "number",
    "date": "date",
    "timestamp": "date",
}
OUTLYING = 5
"""A day that may stand for an unknown one does so if it has this many times the rows of a value on average."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The least and largest number of a column, or day since 1970, and the quantiles 0.01, 0.05, 0.5, 0.95, 0.99."""

    least: float
    largest: float
    low: float
    lower: float
    median: float
    upper: float
    high: float

    @property
    def middle(self) -> float:
        """Return the width of the middle nine tenths of the values."""
        return self.upper - self.lower

    @property
    def reach(self) -> float:
        return self.largest - self.least


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """The counts of one column: `values`, `trimmed` and `folded` count distinct values, all others rows.

    `unique` rows have a value that no other row has. `padded` rows have a text with blanks at its ends; there are
    `trimmed` values without these blanks, and `folded` values in one case. `unbounded` rows have a number that no
    interval holds: infinite, not a number, or not below 10^15. `shortest` and `longest` are lengths of texts.
    """

    name: str
    type: str
    kind: Kind
    rows: int
    present: int
    values: int
    unique: int
    padded: int
    trimmed: int
    folded: int
    unknown: int
    digits: int
    numbers: int
    fractions: int
    dates: int
    clocks: int
    shortest: int
    longest: int
    family: str = field(kw_only=True)
    unbounded: int = field(default=0, kw_only=True)
    shapes: tuple[tuple[str | None, int], ...] = field(default=(), kw_only=True)
    spread: Spread | None = field(default=None, kw_only=True)
    sentinels: tuple[tuple[str, int], ...] = field(default=(), kw_only=True)

    @property
    def nulls(self) -> int:
        return self.rows - self.present

    @property
    def is_date(self) -> bool:
        """Whether its values are dates or times, by its type or as texts."""
        return self.kind == "date" or (
            self.kind == "text" and self.dates == self.present > 0 and self.digits == 0
        )

    @property
    def is_number(self) -> bool:
        return self.kind == "number" or (self.kind == "text" and self.numbers == self.present > 0)

    @property
    def is_whole(self) -> bool:
        """Whether all its numbers are whole ones."""
        return self.is_number and not self.fractions

    @property
    def nearly_unique(self) -> bool:
        """Whether at least half of its rows have a value that no other row has."""
        return self.values > 1 and 2 * self.unique >= max(self.present, 1)


COUNTS = [each.name for each in fields(ColumnProfile) if not each.kw_only and each.type == "int"][
    1:
]
"""The names of a profile's counts, without `rows`."""


def profile_columns(
    engine: Engine, table: exp.Table, columns: Sequence[ColumnType]
) -> list[ColumnProfile]:
    """Profile columns of a table by all its rows."""
    return [each for some in batches(columns) for each in _profiled(engine, table, some)]


def _profiled(
    engine: Engine, table: exp.Table, columns: Sequence[ColumnType]
) -> list[ColumnProfile]:
    kinds = [(each.name, _kind(each)) for each in columns]
    counted = engine.fetch(statements.column_counts(table, kinds))
    profiles = {
        each.name: ColumnProfile(
            each.name,
            each.type,
            kind,
            *map(whole, row[1:-1]),
            family=each.family,
            unbounded=whole(row[-1]),
        )
        for each, (_, kind), row in zip(columns, kinds, counted, strict=True)
    }
    shapes = _shapes(engine, table, [name for name, kind in kinds if kind == "text"])
    spreads = _spreads(engine, table, list(profiles.values()))
    sentinels = _sentinels(engine, table, [each for each in profiles.values() if each.is_date])
    return [
        replace(
            profile,
            shapes=shapes.get(name, ()),
            spread=spreads.get(name),
            sentinels=sentinels.get(name, ()),
        )
        for name, profile in profiles.items()
    ]


def not_counted(column: ColumnType, rows: int) -> ColumnProfile:
    """Return the profile, with counts of 0, of a column that needs no proposal."""
    zeros = (0,) * len(COUNTS)
    return ColumnProfile(
        column.name, column.type, _kind(column), rows, *zeros, family=column.family
    )


def _kind(column: ColumnType) -> Kind:
    if NESTED.search(column.type):
        return "nested"
    if column.type.lower().startswith("timestamp"):
        return "date"  # with a time zone, too, which is no family of its own
    return "text" if column.enum else KINDS.get(column.family, "other")


def _shapes(
    engine: Engine, table: exp.Table, names: Sequence[str]
) -> dict[str, tuple[tuple[str | None, int], ...]]:
    if not names:
        return {}
    found: dict[str, list[tuple[str | None, int]]] = {}
    for number, shape, rows in engine.fetch(statements.column_shapes(table, names)):
        of = found.setdefault(names[whole(number)], [])
        of.append((None if shape is None else str(shape), whole(rows)))
    return {name: tuple(each) for name, each in found.items()}


def _spreads(
    engine: Engine, table: exp.Table, profiles: Sequence[ColumnProfile]
) -> dict[str, Spread]:
    measured = [
        (each.name, "date" if each.is_date else each.kind, each.kind != "text")
        for each in profiles
        if each.is_date or each.is_number
    ]
    if not measured:
        return {}
    fetched = engine.fetch(statements.column_quantiles(table, measured))
    return {
        measured[whole(row[0])][0]: Spread(*(float(str(cell)) for cell in row[1:]))
        for row in fetched
        if None not in row
    }


def _sentinels(
    engine: Engine, table: exp.Table, dates: Sequence[ColumnProfile]
) -> dict[str, tuple[tuple[str, int], ...]]:
    """Find the listed days that stand for an unknown one, as they are far more frequent than other days."""
    if not dates:
        return {}
    fetched = engine.fetch(statements.sentinel_dates(table, [each.name for each in dates]))
    found = {}
    for each, row in zip(dates, fetched, strict=True):
        usual = OUTLYING * each.present / max(each.values, 1)
        counted = zip(SENTINELS, map(whole, row[1:]), strict=True)
        found[each.name] = tuple(
            (day, n) for day, n in counted if n >= (1 if day in INFINITE else max(3, usual))
        )
    return found
