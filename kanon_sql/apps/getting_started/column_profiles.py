"""Profiles of columns: counts of values and rows, shapes of texts, quantiles, and patterns that column names match.

A profile holds no value of a text. Patterns are matched with `folded` names.
"""

from __future__ import annotations

import re
from dataclasses import field, fields, replace
from decimal import Decimal
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TYPE_CHECKING, Literal

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.source.person_keys import batches, folded
from kanon_sql.engines.base import whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import ColumnType, Engine


Kind = Literal["text", "number", "date", "other", "nested"]
DateUnit = Literal["day", "month", "quarter"]
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
INFINITE = ("infinity", "-infinity")
"""Days that databases have which are no day of a calendar: no hierarchy has a place for them."""
SENTINELS = (
    "1900-01-01", "1901-01-01", "1899-12-31", "1899-12-30", "1800-01-01", "1753-01-01", "1111-11-11", "0001-01-01",
    "1970-01-01", "2099-12-31", "2999-12-31", "9999-01-01", "9999-12-01", "9999-12-31",
    *INFINITE,
)  # fmt: skip
"""Days that programs write where they know none."""
SHARES = ("0.01", "0.05", "0.5", "0.95", "0.99")
"""Quantiles of numbers and dates."""
BOUND = 10**15
"""Numbers that are not below it are in no quantile."""
LONGEST_SHAPE = 20
MOST_SHAPES = 8
MOST_VALUES = 8
SIGNS = ascii_uppercase + ascii_lowercase
MARKS = "A" * 26 + "a" * 26
PLAIN = "9Aa_ -./:,+()"
"""The characters of shapes that are shown: all others could be a value's own."""
DIRECT = re.compile(
    r"(^|_)(name|initials?|surname|firstname|lastname|forename|ssn|nhs|mrn|e?mail|phone|tel|fax|address|street|"
    r"passport|iban|account|ip|url|username|login|license|licence|plate|vin|tail_?num(ber)?|imei)($|_)"
)
CODE = re.compile(r"(^|_)(id|no|nr|number|key|code|ref|uuid)$")
"""Names of columns whose numbers identify something, and are no amounts."""
KNOWN_QUASI = re.compile(
    r"(^|_)(age|sex|gender|zip|zipcode|postcode|postal|birth|birthdate|dob|race|ethnicity|marital|"
    r"education|occupation|job|workclass|country|nationality|region|state|county|city|language|"
    r"religion|children|employer|school|latitude|longitude|lat|lon|lng)($|_)"
)
ZIP = re.compile(
    r"(^|_)(zip|zip_?codes?|post_?codes?|postal|postal_?codes?|plz|postleitzahl\w*|cod_?postale?|codpostal|avviamento|"
    r"post_?(nummer|nr|num)|postinumero|pocztowy|smerovaci|pin_?code|eircode)($|_|\d)|^(cp|cap|cep|psc)$"
)
"""Names of columns of postal codes, in the languages of the words for a missing value."""
SHORTEST_POSTAL, LONGEST_POSTAL = 4, 20
"""The lengths of the longest value of a column of postal codes; a few values may be words."""
COORDINATE = re.compile(r"(^|_)(latitude|longitude|lat|lon|lng)($|_)")
AGE = re.compile(r"(^|_)age($|_)")
MEASURE = re.compile(
    r"(^|_)(amount|charge|charges|price|cost|costs|fee|total|balance|payment|paid|revenue|length|stay|los|"
    r"duration|minutes|seconds|days|dose|dosage|weight|height|bmi|pressure|temperature|glucose|rate|"
    r"quantity|count|visits|fnlwgt|gain|loss)($|_)"
)
HEALTH = re.compile(
    r"disease|diagnos|(^|_)(icd|mrn|nhs|ward|patient|hospital|clinic)($|_|\d)|medication|symptom|illness|"
    r"treatment|therap|admission|admitted|discharge|hiv"
)


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
    `trimmed` values without these blanks, and `folded` values in one case. `unbounded` rows have a number without a
    place on a line: infinite, not a number, or not below 10^15; `huge` ones are finite, and no interval holds them.
    `shortest` and `longest` are lengths of texts. `listed` are the values that the column's type lists, in its order. Dates are
    known to the `unit`.
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
    code: str | None = field(default=None, kw_only=True)
    """The scheme of codes that most values are codes of; `coded` rows are."""
    coded: int = field(default=0, kw_only=True)
    direct: str | None = field(default=None, kw_only=True)
    """The kind of direct identifiers that all values have the form of."""
    huge: int = field(default=0, kw_only=True)
    listed: tuple[str, ...] = field(default=(), kw_only=True)
    unit: DateUnit = field(default="day", kw_only=True)

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
    def is_postal(self) -> bool:
        """Whether it has postal codes, by its name and the length of its values: places, which no size orders."""
        return SHORTEST_POSTAL <= self._width <= LONGEST_POSTAL and bool(
            ZIP.search(folded(self.name))
        )

    @property
    def _width(self) -> int:
        if self.kind != "number":
            return self.longest
        return 0 if self.spread is None or self.fractions else len(f"{self.spread.largest:.0f}")

    @property
    def nearly_unique(self) -> bool:
        """Whether at least half of its rows have a value that no other row has."""
        return self.values > 1 and 2 * self.unique >= max(self.present, 1)


COUNTS = [each.name for each in fields(ColumnProfile) if not each.kw_only and each.type == "int"][
    1:
]
"""The names of a profile's counts, without `rows`."""


def profile_columns(
    engine: Engine, table: exp.Table, columns: Sequence[ColumnType], *, shapes: bool = True
) -> list[ColumnProfile]:
    """Profile columns of a table by all its rows; the shapes of texts are left out where a caller needs none."""
    return [
        each for some in batches(columns) for each in _profiled(engine, table, some, shapes=shapes)
    ]


def _profiled(
    engine: Engine, table: exp.Table, columns: Sequence[ColumnType], *, shapes: bool
) -> list[ColumnProfile]:
    kinds = [(each.name, _kind(each)) for each in columns]
    counted = engine.fetch(column_counts(table, kinds))
    profiles = {
        each.name: ColumnProfile(
            each.name,
            each.type,
            kind,
            *map(whole, row[1:-2]),
            family=each.family,
            unbounded=whole(row[-2]),
            huge=whole(row[-1]),
        )
        for each, (_, kind), row in zip(columns, kinds, counted, strict=True)
    }
    texts = [name for name, kind in kinds if kind == "text" and shapes]
    found = _shapes(engine, table, texts)
    spreads = _spreads(engine, table, list(profiles.values()))
    sentinels = _sentinels(engine, table, [each for each in profiles.values() if each.is_date])
    return [
        replace(
            profile,
            shapes=found.get(name, ()),
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
    for number, shape, rows in engine.fetch(column_shapes(table, names)):
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
    fetched = engine.fetch(column_quantiles(table, measured))
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
    fetched = engine.fetch(sentinel_dates(table, [each.name for each in dates]))
    found = {}
    for each, row in zip(dates, fetched, strict=True):
        usual = OUTLYING * each.present / max(each.values, 1)
        counted = zip(SENTINELS, map(whole, row[1:]), strict=True)
        found[each.name] = tuple(
            (day, n) for day, n in counted if n >= (1 if day in INFINITE else max(3, usual))
        )
    return found


def column_counts(source: exp.Table, columns: Sequence[tuple[str, str]]) -> Statement:
    """Count what the values of each column are like; a column is a name and the kind of its type."""
    described = [{"column": column(text, of="s"), "kind": kind} for text, kind in columns]
    leaves = {
        "source": source,
        "columns": described,
        "one": literal(1),
        "digits": literal(digits),
        "nothing": literal(""),
        "bound": literal(BOUND),
    }
    return Statement("getting_started/column_counts", leaves)


def column_shapes(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the most frequent shapes of columns of texts."""
    leaves = {
        "source": source,
        "columns": [column(text, of="s") for text in columns],
        "digits": literal(digits),
        "nines": literal("9" * len(digits)),
        "signs": literal(SIGNS),
        "marks": literal(MARKS),
        "plain": literal(PLAIN),
        "nothing": literal(""),
        "longest": LONGEST_SHAPE,
        "most": MOST_SHAPES,
    }
    return Statement("getting_started/column_shapes", leaves)


def column_quantiles(source: exp.Table, columns: Sequence[tuple[str, str, bool]]) -> Statement:
    """Find how numbers and dates are spread; a column is a name, the kind of its values, and whether that is its type."""
    leaves = {
        "source": source,
        "columns": [
            {"column": column(text, of="s"), "kind": kind, "is_typed": is_typed}
            for text, kind, is_typed in columns
        ],
        "shares": [
            {"share": literal(Decimal(share)), "as": name(f"share_{n}")}
            for n, share in enumerate(SHARES)
        ],
        "bound": literal(BOUND),
    }
    return Statement("getting_started/column_quantiles", leaves)


def sentinel_dates(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the rows of each of `SENTINELS` in columns of dates."""
    leaves = {
        "source": source,
        "columns": [column(text, of="s") for text in columns],
        "sentinels": [
            {"day": literal(day), "as": name(f"day_{n}")} for n, day in enumerate(SENTINELS)
        ],
    }
    return Statement("getting_started/sentinel_dates", leaves)


def frequent_values(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Read the most frequent values of some columns, which are data."""
    leaves = {
        "source": source,
        "columns": [column(text, of="s") for text in columns],
        "most": MOST_VALUES,
    }
    return Statement("getting_started/frequent_values", leaves)


def cleaned_rows(
    columns: Sequence[Mapping[str, object]],
    *,
    kind: str,
    origin: exp.Table | None = None,
    path: str = "",
    delimiter: str | None = None,
    has_header: bool = True,
    required: str | None = None,
) -> Statement:
    """Select the rows of a table or of files after the cures of their columns, where the `required` one is not NULL.

    A column has a name, the name of its cure, and what that needs: `length`, `shortest`, `width`, `is_text`,
    and the texts that stand for a `missing` value, where a cure reads numbers.
    """
    described = [
        {
            "column": column(str(each["name"])),
            "as": name(str(each["name"])),
            "cure": each["cure"],
            "length": each.get("length", 0),
            "shortest": each.get("shortest", 0),
            "width": literal(Decimal(str(each.get("width", 1)))),
            "is_text": each.get("is_text", False),
            "missing": [literal(text) for text in _texts(each.get("missing"))],
        }
        for each in columns
    ]
    leaves = {
        "origin": origin,
        "path": literal(path),
        "kind": kind,
        "delimiter": literal(delimiter) if delimiter else None,
        "names": [] if has_header else [literal(str(each["name"])) for each in columns],
        "required": column(required) if required else None,
        "columns": described,
        "digits": literal(digits),
        "nothing": literal(""),
        "zero": literal("0"),
        "bound": literal(BOUND),
    }
    return Statement("getting_started/cleaned_rows", leaves)


def _texts(value: object) -> Sequence[str]:
    return value if isinstance(value, tuple) else ()
