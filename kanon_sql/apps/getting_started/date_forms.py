"""Finds how dates are written in columns of texts and numbers, by counts of shapes. No value leaves the database.

A pattern is proposed where the values themselves decide about the order of day, month and year. Where no day is
above 12 the order is a question, and never a guess.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from itertools import product
from string import digits
from typing import TYPE_CHECKING, Literal, TypeVar

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.source.person_keys import BIRTH
from kanon_sql.engines.base import whole
from kanon_sql.engines.source.source_sql import sample_rows
from kanon_sql.policy.text_formats import DIRECTIVE, MONTHS, NUMBER_OF_DAYS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.getting_started.column_profiles import ColumnProfile, DateUnit
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Engine

Order = Literal["day_first", "month_first", "year_first"]
NAMES = tuple(name for names in MONTHS for name in names)
"""The names of months in several languages."""
SIGNS = ("", "t", "tz", "z", "q", "w")
"""The letters that a date has besides the name of a month."""
SUFFIXED = (
    *(("1st", "1"), ("2nd", "2"), ("3rd", "3"), ("1er", "1")),
    *((f"{each}th", each) for each in digits),
)
"""The last digit of a day with what follows it in English and French, and the digit."""
PLAIN = digits + " ./-,:+EP"
MARKS = " ./-,:+tzqwEPB"
MOST_SHAPES = 40
READ = 0.9
"""The least share of a column's values that its patterns read."""
RIVAL = 5
"""An order of day and month is out if it fails at this many times the values that the best order fails at."""
SERIAL = re.compile(
    r"(^|_)(date|datum|fecha|dob|born|birth\w*|geburt\w*|naissance|nacimiento)($|_)|_(at|on|dt)$|[a-z](date|datum)$"
)
"""Names of columns whose numbers may be the serial numbers of days in Excel."""
NAMED = re.compile(
    r"(^|_)(date|datum|data|fecha|day|tag|jour|time|timestamp|datetime|ts|epoch|dob|born|birth\w*|geburt\w*|naissance|"
    r"nacimiento|created|updated|modified|admitted|admission|discharged?|visited|visit|seen|died|death|start|end|begin|"
    r"from|until|since|when|month|monat|mois|mes|period|quarter)($|_|\d)|_(at|on|dt)$|[a-z](date|datum|time)$"
)
"""Names of columns whose numbers may be days or moments; they are matched with `folded` names."""
COUNT = re.compile(r"[9Y]+(\.[9Y]+)?")
CLOCK = re.compile(
    r"(?P<day>.+?)(?P<clock>(?P<gap>, | |t)9:9(?P<second>:9(?P<fraction>\.[9Y]+)?)?(?P<half> ?P)?"
    r"(?P<gap_of_zone> ?)(?P<zone>z|[+-](9:9|Y|9))?)"
)
THREE = re.compile(r"9(\. |[./ -])9\1(Y|9)")
YEAR_FIRST = re.compile(r"Y([./ -])9\1(9)")
DAY_OF_NAME = re.compile(r"9(\. |[./ -]|)B(\.? |[./ -]|)(Y|9)")
NAME_OF_DAY = re.compile(r"B(\.? |[./ -]|)9(, |,| |-)(Y|9)")
SPANISH = re.compile(r"9 E B( E | )Y")
YEAR_OF_NAME = re.compile(r"Y([./ -]|)B([./ -]|)9")
MONTH_OF_YEAR = re.compile(r"9([./ -])Y|Y([./ -])9")
NAME_OF_YEAR = re.compile(r"B(\.?,? |[./ -]|)(Y|9)|Y([./ -])B")
QUARTER = re.compile(r"Y([ ./-]?)q9|q9([ ./-])Y")
WEEK = re.compile(r"Y([ ./-]?)w9")
YEARS = range(1800, 2201)
NO_YEAR = 9999
YEAR = {"Y": "%Y", "9": "%y"}


@dataclass(frozen=True, slots=True)
class DateShape:
    """A shape of a column's texts, with its rows, the bounds of its first three numbers, and the rows that an order reads."""

    shape: str
    rows: int
    bounds: tuple[tuple[int, int], ...]
    orders: Mapping[Order, int]
    first_is_day: int
    second_is_day: int
    digits: Mapping[Order, int]

    def are_years(self, place: int) -> bool:
        """Whether all numbers in a place can be years; 9999 stands for none."""
        least, largest = self.bounds[place]
        return least in YEARS and (largest in YEARS or largest == NO_YEAR)

    def are_months(self, place: int, *, most: int = 12) -> bool:
        least, largest = self.bounds[place]
        return least >= 1 and largest <= most


@dataclass(frozen=True, slots=True)
class DatesWritten:
    """The patterns of a column of dates with the rows that have their shape, the most frequent first.

    Where the order of day and month is open, `choices` are the patterns of each order, and `patterns` those of the
    first. `two_digits` says whether a pattern has a year of two digits, `unit` the shortest time that all patterns
    state.
    """

    patterns: tuple[tuple[str, int], ...]
    choices: tuple[tuple[Order, tuple[tuple[str, int], ...]], ...] = ()

    @property
    def two_digits(self) -> bool:
        return any("%y" in text for text, _ in self.patterns)

    @property
    def unit(self) -> DateUnit:
        texts = [text for text, _ in self.patterns]
        if any("%q" in text for text in texts):
            return "quarter"
        of_days = ("%d", "%V", "epoch", "epoch_ms", "excel")
        return "day" if all(any(of in text for of in of_days) for text in texts) else "month"

    @property
    def rows(self) -> int:
        return sum(rows for _, rows in self.patterns)


def find_date_shapes(
    engine: Engine, table: exp.Table, columns: Sequence[str]
) -> dict[str, list[DateShape]]:
    """Count the shapes of columns that may be those of dates."""
    found: dict[str, list[DateShape]] = {name: [] for name in columns}
    if not columns:
        return found
    orders: tuple[Order, ...] = ("day_first", "month_first", "year_first")
    for number, shape, *counts in engine.fetch(date_shapes(table, columns)):
        rows, *of = map(whole, counts)
        found[columns[whole(number)]].append(
            DateShape(
                str(shape),
                rows,
                tuple(zip(of[0:6:2], of[1:6:2], strict=True)),
                dict(zip(orders, of[6:9], strict=True)),
                of[9],
                of[10],
                dict(zip(orders, of[11:14], strict=True)),
            )
        )
    return found


def dates_written(shapes: Sequence[DateShape], present: int, *, name: str) -> DatesWritten | None:
    """Return the patterns that read at least nine tenths of a column's `present` values; None if no patterns do.

    Whole numbers count days or seconds only if the column's folded `name` is that of a date.
    """
    if not present:
        return None
    named = NAMED.search(name) is not None
    if named and (counted := _counted_time(shapes, present, name)) is not None:
        return counted
    found: Counter[str] = Counter()
    open_: dict[Order, Counter[str]] = {}
    evidence = _evidence(shapes)
    for each in shapes:
        day, clock = _split(each.shape)
        asked = _patterns(each, day, evidence, named=named)
        if len(asked) == 1:
            ((_, text),) = asked
            found[text + clock] += each.rows
        for order, text in asked if len(asked) > 1 else ():
            open_.setdefault(order, Counter())[text + clock] += each.rows
    asked_rows = max((sum(of.values()) for of in open_.values()), default=0)
    if sum(found.values()) + asked_rows < READ * present:
        return None
    if not open_:
        return DatesWritten(tuple(found.most_common()))
    choices = tuple(
        (order, tuple((found + open_[order]).most_common()))
        for order in sorted(open_)
        if sum(open_[order].values()) == asked_rows
    )
    return DatesWritten(choices[0][1], choices)


def _counted_time(shapes: Sequence[DateShape], present: int, name: str) -> DatesWritten | None:
    """Return the word for numbers that count days or seconds, by their size; None if they are no such numbers."""
    alone = [each for each in shapes if COUNT.fullmatch(each.shape)]
    rows = sum(each.rows for each in alone)
    if rows < present or not alone or _is_compact(alone, rows):
        return None
    least = min(each.bounds[0][0] for each in alone)
    largest = max(each.bounds[0][1] for each in alone)
    days = (2_101, 80_000) if BIRTH.fullmatch(name) else (10_000, 80_000)  # above any year
    for text, low, high, fits in (
        ("excel", *days, SERIAL.search(name) is not None),
        ("epoch", 100_000_000, 7_300_000_000, True),  # 1973 to 2201
        ("epoch_ms", 100_000_000_000, 7_300_000_000_000, True),
    ):
        if fits and low <= least and largest < high:
            return DatesWritten(((text, rows),))
    return None


def _is_compact(shapes: Sequence[DateShape], rows: int) -> bool:
    """Whether numbers of eight digits are days as 19360221, and no seconds."""
    return max(sum(each.digits.values()) for each in shapes) >= READ * rows


def _split(shape: str) -> tuple[str, str]:
    """Split a shape into that of the day and the pattern of the time.

    >>> _split("9.9.Y 9:9"), _split("Y-9-9t9:9:9.Y9z"), _split("9/9/Y 9:9 P")
    (('9.9.Y', ' %H:%M'), ('Y-9-9', 'T%H:%M:%S.%f%z'), ('9/9/Y', ' %I:%M %p'))
    """
    found = CLOCK.fullmatch(shape)
    if found is None:
        return shape, ""
    half = (found["half"] or "").replace("P", "%p")
    parts = [
        found["gap"].upper(),
        "%I:%M" if half else "%H:%M",
        ":%S" if found["second"] else "",
        ".%f" if found["fraction"] else "",
        half,
        f"{found['gap_of_zone']}%z" if found["zone"] else "",
    ]
    return found["day"], "".join(parts)


def _evidence(shapes: Sequence[DateShape]) -> dict[str, tuple[Order, ...]]:
    """Return the orders that the numbers between each separator allow: one, or several that nothing decides between."""
    alike: dict[str, list[DateShape]] = {}
    for each in shapes:
        if (found := THREE.fullmatch(_split(each.shape)[0])) is not None:
            alike.setdefault(found[1] + found[2], []).append(each)
    allowed = {key: _orders_of(of, short=key.endswith("9")) for key, of in alike.items()}
    for (
        key,
        orders,
    ) in allowed.items():  # years of four digits are written in the order of those of two
        other = allowed.get(key[:-1] + ("Y" if key.endswith("9") else "9"), ())
        if len(orders) > 1 and len(other) == 1 and other[0] in orders:
            allowed[key] = other
    return allowed


def _orders_of(shapes: Sequence[DateShape], *, short: bool) -> tuple[Order, ...]:
    """Return the orders that texts with one separator allow; only a year of two digits can come first."""
    fits: Counter[Order] = Counter()
    for each in shapes:
        for order, count in each.orders.items():
            fits[order] += count if short or order != "year_first" else 0
    orders = _allowed(fits, sum(each.rows for each in shapes))
    if short and "year_first" in orders and len(orders) > 1:
        first, third = ([each.bounds[place] for each in shapes] for place in (0, 2))
        if _are_all_days(first) != _are_all_days(third):
            year_first = _are_all_days(third)
            return tuple(each for each in orders if (each == "year_first") == year_first)
    return orders


def _are_all_days(bounds: Sequence[tuple[int, int]]) -> bool:
    """Whether numbers go from the first days of a month to its last ones, as those of a few years do not."""
    return min(least for least, _ in bounds) <= 3 and max(largest for _, largest in bounds) >= 28


def _allowed(fits: Mapping[Order, int], rows: int) -> tuple[Order, ...]:
    """Return the orders that read nearly all rows, without those that clearly fail at more of them than the best.

    >>> _allowed({"day_first": 100, "month_first": 40}, 100), _allowed({"day_first": 9, "month_first": 9}, 9)
    (('day_first',), ('day_first', 'month_first'))
    """
    best = max(fits.values())
    if best < READ * rows:
        return ()
    least = rows - best
    return tuple(
        order
        for order, count in fits.items()
        if count and (count == best or rows - count < RIVAL * least)
    )


def _patterns(
    each: DateShape, day: str, evidence: Mapping[str, tuple[Order, ...]], *, named: bool
) -> list[tuple[Order, str]]:
    """Return the patterns that a shape of a day can have, each with its order; several where nothing decides."""
    if (found := THREE.fullmatch(day)) is not None:
        gap, year = found[1], YEAR[found[2]]
        written: dict[Order, str] = {
            "day_first": f"%d{gap}%m{gap}{year}",
            "month_first": f"%m{gap}%d{gap}{year}",
            "year_first": f"%y{gap}%m{gap}%d",
        }
        return [(order, written[order]) for order in evidence[gap + found[2]]]
    if (found := YEAR_FIRST.fullmatch(day)) is not None:
        return (
            [("year_first", f"%Y{found[1]}%m{found[1]}%d")]
            if each.are_years(0) or each.orders["year_first"] >= READ * each.rows
            else []
        )
    if day == "YY" and day == each.shape:
        return _of_digits(each)
    texts = [*_with_name(each, day), *_of_months(each, day, named=named)]
    return [("day_first", text) for text in texts[:1]]


def _of_digits(each: DateShape) -> list[tuple[Order, str]]:
    written: dict[Order, str] = {
        "day_first": "%d%m%Y",
        "month_first": "%m%d%Y",
        "year_first": "%Y%m%d",
    }
    return [(order, written[order]) for order in _allowed(each.digits, each.rows)]


def _with_name(each: DateShape, day: str) -> Iterator[str]:
    """Yield the patterns of days with the name of a month."""
    if (found := DAY_OF_NAME.fullmatch(day)) is not None:
        after = _without_dot(found[2])
        if found[3] == "Y" or each.first_is_day >= READ * each.rows:
            yield f"%d{found[1]}%b{after}{YEAR[found[3]]}"
        elif each.second_is_day >= READ * each.rows:
            yield f"%y{found[1]}%b{after}%d"
    if (found := NAME_OF_DAY.fullmatch(day)) is not None:
        yield f"%b{_without_dot(found[1])}%d{found[2]}{YEAR[found[3]]}"
    if (found := SPANISH.fullmatch(day)) is not None:
        yield f"%d de %b{' de ' if 'E' in found[1] else ' '}%Y"
    if (found := YEAR_OF_NAME.fullmatch(day)) is not None:
        yield f"%Y{found[1]}%b{found[2]}%d"


def _of_months(each: DateShape, day: str, *, named: bool) -> Iterator[str]:
    """Yield the patterns of months, quarters and weeks."""
    is_first = day.startswith("Y")
    year, other = (0, 1) if is_first else (1, 0)
    if (found := MONTH_OF_YEAR.fullmatch(day)) is not None:
        gap = found[1] or found[2]
        if each.are_months(other) and each.are_years(year) and (named or gap != "."):
            yield f"%Y{gap}%m" if is_first else f"%m{gap}%Y"
    if (found := NAME_OF_YEAR.fullmatch(day)) is not None:
        if is_first:
            yield f"%Y{found[3]}%b"
        elif found[2] == "Y" or each.bounds[0][1] > 31:
            yield f"%b{_without_dot(found[1])}{YEAR[found[2]]}"
    quarters = each.are_years(year) and each.are_months(other, most=4)
    if quarters and (found := QUARTER.fullmatch(day)) is not None:
        yield f"%Y{found[1]}Q%q" if is_first else f"Q%q{found[2]}%Y"
    if each.are_years(year) and each.are_months(other, most=53) and (found := WEEK.fullmatch(day)):
        yield f"%G{found[1]}W%V"
    if day == "Y9" and named and each.shape == "Y9":
        least, largest = each.bounds[0]
        if least // 100 in YEARS and largest // 100 in YEARS:
            yield "%Y%m"


def _without_dot(gap: str) -> str:
    """Leave out the dot after an abbreviated name, which is read with or without it."""
    return gap[1:] if len(gap) > 1 and gap.startswith(".") else gap


def date_shapes(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the shapes of texts that may be dates or times."""
    leaves = {
        "source": source,
        "columns": [column(text, of="s") for text in columns],
        "months": [literal(text) for text in NAMES],
        "suffixed": [
            {"written": literal(text), "digit": literal(digit)} for text, digit in SUFFIXED
        ],
        "marks_of_suffixes": [literal(f"%{text}%") for text in ("1st", "2nd", "3rd", "1er", "th")],
        "signs": [literal(text) for text in SIGNS],
        "digits": literal(digits),
        "nines": literal("9" * 10),
        "plain": literal(PLAIN),
        "marks": literal(MARKS),
        "dashes": literal("-" * len(MARKS)),
        "nothing": literal(""),
        "most": MOST_SHAPES,
    }
    return Statement("getting_started/date_shapes", leaves)


FIRST = 5_000
"""The rows of a larger table by which columns of other texts are left out before all rows are looked at."""
FEWEST_FIRST = 100
"""The fewest of these rows that must have a value, so that they can speak for all."""
SomeShape = TypeVar("SomeShape")


def first_rows(run: Session, table: exp.Table, rows: int) -> exp.Table | None:
    """Return the first rows of a table that are looked at; None of one that has few."""
    if rows <= 4 * FIRST:
        return None
    return run.scratch.create("first", sample_rows, table, FIRST, of=rows)


def shapes_of(
    run: Session,
    table: exp.Table,
    first: exp.Table | None,
    columns: Sequence[ColumnProfile],
    *,
    find: Callable[[Engine, exp.Table, Sequence[str]], dict[str, list[SomeShape]]],
    read: Callable[[SomeShape], int],
) -> dict[str, list[SomeShape]]:
    """Find the shapes of columns; none of a column of which fewer than half of what is needed are read in the first rows."""
    found: dict[str, list[SomeShape]] = {each.name: [] for each in columns}
    asked = [each.name for each in columns]
    if first is not None:
        sure = [each for each in columns if not each.is_number and _of_first(each) >= FEWEST_FIRST]
        seen = find(run.engine, first, [each.name for each in sure])
        other = {
            each.name
            for each in sure
            if sum(map(read, seen[each.name])) < READ / 2 * _of_first(each)
        }
        asked = [name for name in asked if name not in other]
    return found | find(run.engine, table, asked)


def _of_first(profile: ColumnProfile) -> float:
    """Return about how many of the first rows have a value of a column."""
    return profile.present * FIRST / profile.rows


WRITTEN: dict[str, tuple[str, ...]] = {
    "H": ("00", "0"), "I": ("12",), "M": ("00",), "S": ("00",), "f": ("000", "000000"), "p": ("AM", "am"),
    "z": ("Z", "+00:00", "+0000"),
}  # fmt: skip
"""How a pattern's directives write midnight."""


def texts_of_day(day: date, pattern: str) -> Iterator[str]:
    """Yield the texts by which a pattern of dates writes a day.

    >>> list(texts_of_day(date(1900, 1, 1), "%d.%m.%Y")), list(texts_of_day(date(1900, 1, 1), "excel"))
    (['01.01.1900', '1.1.1900'], ['2'])
    >>> "31 Dec. 9999" in texts_of_day(date(9999, 12, 31), "%d %b %Y")
    True
    """
    if pattern in NUMBER_OF_DAYS:
        per_day, first, _ = NUMBER_OF_DAYS[pattern]
        yield str(((day - date(1970, 1, 1)).days + first) * per_day)
        return
    numbers = {
        "Y": f"{day.year:04}",
        "y": f"{day.year % 100:02}",
        "q": str((day.month + 2) // 3),
        "G": f"{day.isocalendar().year:04}",
        "V": f"{day.isocalendar().week:02}",
    }
    names = dict.fromkeys(MONTHS[day.month - 1])
    named = tuple(
        case(each) + dot
        for each in names
        for case in (str.title, str.lower, str.upper)
        for dot in ("", ".")
    )
    others = {**WRITTEN, "b": named, "B": named}
    parts = DIRECTIVE.split(pattern)
    for two in (True, False):
        dated = {
            "d": f"{day.day:02}" if two else str(day.day),
            "m": f"{day.month:02}" if two else str(day.month),
        }
        texts = [
            (part,)
            if n % 2 == 0
            else ((numbers | dated)[part],)
            if part in numbers | dated
            else others.get(part, ("",))
            for n, part in enumerate(parts)
        ]
        yield from dict.fromkeys("".join(each) for each in product(*texts))
