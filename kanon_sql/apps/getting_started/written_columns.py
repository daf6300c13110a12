"""Finds what `init` adds to columns by how numbers and values are written: formats, missing values, listed orders.

A text such as 1.234 is one thousand or one, and a column of nothing else is a question, and never a guess.

The keys are `format` and `unparsed` of a policy, and entries of `missing`: codes such as 999, and days such as
1900-01-01, that stand for a missing value. Reasons hold counts and patterns, and no value. An ENUM or an ordered
categorical lists its values as part of its type, so a policy may list them, and groups neighbours in that order.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from string import digits
from typing import TYPE_CHECKING, Literal

import yaml

from kanon_sql.apps.getting_started.clean_source import rounded_down
from kanon_sql.apps.getting_started.column_profiles import profile_columns
from kanon_sql.apps.getting_started.date_forms import (
    NAMED,
    READ,
    dates_written,
    find_date_shapes,
    shapes_of,
)
from kanon_sql.base.documents.text import clause, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql import quoting
from kanon_sql.base.sql.quoting import column, literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.source.person_keys import folded
from kanon_sql.counting.source.text_files import ReadColumn, count_unparsed, read_texts
from kanon_sql.engines.base import whole
from kanon_sql.engines.frames import declared_orders
from kanon_sql.policy.model import Role
from kanon_sql.policy.text_formats import DateFormat, NumberFormat

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.getting_started.column_profiles import ColumnProfile, DateUnit
    from kanon_sql.apps.getting_started.date_forms import DatesWritten
    from kanon_sql.apps.getting_started.init_source import InitSource
    from kanon_sql.apps.getting_started.propose_columns import ProposedColumn
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Engine
    from kanon_sql.policy.text_formats import TextFormat


ALONE = "a measurement of which "
"""The beginning of the reason for dropping a measure that identifies rows."""
STEPS = 50
"""About how many steps lie in the middle of a measure that is rounded, and the least width of it."""
WAYS = tuple(
    (decimal, thousands)
    for thousands, decimal in product(("", ",", ".", " ", "'"), ".,")
    if decimal != thousands
)
"""Decimal signs, and signs between thousands."""
BLANKS = "\u00a0\u202f\u2009"
"""Blanks that do not break or are narrow, which stand between thousands."""
SIGNS = digits + ".,' ()+-"
MOST_WORDS = 20
READ_NUMBERS, READ_DIGITS = 0.9, 0.995
"""The least share of a column's values that are read as numbers, and of those with a digit."""
RIVAL = 5
"""A decimal sign is out if it fails at this many times the values that the other one fails at."""
FEW = 0.005
"""The greatest share of numbers with another word than the unit, which are left out as mistakes."""
MOSTLY_UNIT, NEARLY_ALL = 0.5, 0.98
"""The least shares of numbers with a unit that is known, and with any other word after them."""
SHARES = frozenset({"%", "percent", "prozent", "‰"})
"""Words for shares: 5% and 0.05 may be the same."""
Sign = Literal["decimals", "thousands"]
CURRENCIES = frozenset(
    "€ $ £ ¥ ₹ eur euro euros usd us$ gbp chf fr. jpy inr cad aud sek nok dkk pln czk huf zł kr r$ kč dollars".split()  # noqa: SIM905
)
"""Words before or after an amount, in lower case."""
UNITS = frozenset(
    """
    % percent prozent ‰ kg g mg µg ug ng lb lbs oz t km m cm mm µm mi ft in inch inches l dl ml µl °c °f
    h hr hrs hours min mins minutes s sec secs ms d day days tage w weeks wochen mo months monate y yr yrs year years jahre
    mmhg bpm kpa mmol/l mg/dl g/dl g/l iu iu/l u/l kcal kj kwh mw kw hz mhz ghz gb mb kb tb km/h mph m/s kg/m² m² km² ha
    """.split()  # noqa: SIM905  a list of a hundred strings says no more
)
"""Words after a number, in lower case."""


@dataclass(frozen=True, slots=True)
class NumberShape:
    """The texts of a column with the same words around a number: their rows, and those that each of `WAYS` reads.

    Of the rows, `whole` ones have digits alone, and `zero_led` ones of these begin with a needless zero. In `all_rows`
    of the column there is a digit.
    """

    before: str
    after: str
    rows: int
    read: tuple[int, ...]
    whole: int
    zero_led: int
    all_rows: int

    @property
    def word(self) -> str:
        return (self.before or self.after).casefold()


@dataclass(frozen=True, slots=True)
class NumbersWritten:
    """How a column's numbers are written, and the rows that are read so.

    Where texts such as 1.234 leave it open, `choices` are the two readings, and this is the first of them.
    """

    decimal: str
    thousands: str
    affixes: tuple[str, ...]
    rows: int
    choices: tuple[tuple[Sign, NumbersWritten], ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether the database itself reads such numbers."""
        return self.decimal == "." and not self.thousands and not self.affixes


def find_number_shapes(
    engine: Engine, table: exp.Table, columns: Sequence[str]
) -> dict[str, list[NumberShape]]:
    """Count the texts of columns that have one number in them."""
    found: dict[str, list[NumberShape]] = {name: [] for name in columns}
    if not columns:
        return found
    for number, before, after, *counts in engine.fetch(number_shapes(table, columns)):
        rows, *read = map(whole, counts)
        found[columns[whole(number)]].append(
            NumberShape(str(before), str(after), rows, tuple(read[:-3]), *read[-3:])
        )
    return found


def are_codes(shapes: Sequence[NumberShape]) -> bool:
    """Whether whole numbers have needless zeros in front, so that they are codes and no numbers."""
    return any(each.zero_led for each in shapes if not each.word)


def numbers_written(shapes: Sequence[NumberShape], present: int) -> NumbersWritten | None:
    """Return how a column's numbers are written; None if its `present` values are no numbers.

    Nearly all texts with a digit must be read, as other ones with a digit are codes, and at least nine tenths of all
    texts: the others are words.
    """
    taken = _of_one_unit(shapes)
    read = [sum(each.read[n] for each in taken) for n in range(len(WAYS))]
    if not taken or max(read) < READ_NUMBERS * present or are_codes(taken):
        return None
    if max(read) < READ_DIGITS * shapes[0].all_rows:
        return None
    affixes = dict.fromkeys(text for each in taken for text in (each.before, each.after) if text)
    best: dict[str, NumbersWritten] = {}
    for (decimal, thousands), rows in zip(WAYS, read, strict=True):
        if decimal not in best or rows > best[decimal].rows:
            best[decimal] = NumbersWritten(decimal, thousands, tuple(affixes), rows)
    point, comma = best["."], best[","]
    all_rows = sum(each.rows for each in taken)
    if sum(each.whole for each in taken) == all_rows:
        return point
    for first, second in ((point, comma), (comma, point)):
        missed = all_rows - first.rows
        if first.rows > second.rows and all_rows - second.rows >= RIVAL * missed:
            return first
    of_thousands, of_decimals = (point, comma) if point.thousands else (comma, point)
    choices: tuple[tuple[Sign, NumbersWritten], ...] = (
        ("decimals", of_decimals),
        ("thousands", of_thousands),
    )
    return replace(of_decimals, choices=choices)


def _of_one_unit(shapes: Sequence[NumberShape]) -> list[NumberShape]:
    """Return the shapes of numbers without a word, and of those with one word that is a unit, in any case.

    None are returned where a second unit is frequent, as numbers of one are not comparable with those of the other, or
    where a part of the numbers are percentages.
    """
    read = [each for each in shapes if max(each.read) and not (each.before and each.after)]
    rows: Counter[tuple[str, bool]] = Counter()
    for each in read:
        rows[each.word, bool(each.after)] += each.rows
    all_rows = sum(rows.values())
    words = [key for key, _ in rows.most_common() if key[0]]
    units = list(
        dict.fromkeys(
            word
            for word, after in words
            if _is_unit(word, after=after, share=rows[word, after] / all_rows)
        )
    )
    if any(rows[key] > FEW * all_rows for key in words if key[0] not in units):
        return []
    if len(units) > 1 or (units and units[0] in SHARES and any(not each.word for each in read)):
        return []
    return [each for each in read if each.word in {"", *units}]


def _is_unit(word: str, *, after: bool, share: float) -> bool:
    """Whether a word beside a part of all numbers is a unit; letters before a number, and single ones, make codes.

    >>> [_is_unit(w, after=a, share=0.99) for w, a in (("€", False), ("kg", True), ("kg", False), ("v", True))]
    [True, True, False, False]
    """
    if word in CURRENCIES:
        return share > FEW
    if word in UNITS:
        return after and share > MOSTLY_UNIT
    return after and len(word) > 1 and share > NEARLY_ALL


def _pattern(decimal: str, thousands: str) -> str:
    """Return the expression of a number without its sign; no thousand begins with a zero, or has an exponent."""
    plain = f"(?:[0-9]+(?:[{decimal}][0-9]*)?|[{decimal}][0-9]+)(?:[eE][+-]?[0-9]{{1,2}})?"
    if not thousands:
        return plain
    return f"(?:{plain}|[1-9][0-9]{{0,2}}(?:[{thousands}][0-9]{{3}})+(?:[{decimal}][0-9]*)?)"


def number_shapes(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the texts that have one number, by the words around it, and by how numbers can be written."""
    leaves = {
        "source": source,
        "columns": [column(text, of="s") for text in columns],
        "ways": [
            {"pattern": literal(f"({_pattern(*way)})"), "as": quoting.name(f"read_{n}")}
            for n, way in enumerate(WAYS)
        ],
        "digits": literal(digits),
        "others": literal(digits[1:-1]),
        "nines": literal("9" * len(digits[1:-1])),
        "signs": literal(SIGNS),
        "blanks": literal(BLANKS),
        "turned": literal(" " * len(BLANKS)),
        "nothing": literal(""),
        "most": MOST_WORDS,
    }
    return Statement("getting_started/number_shapes", leaves)


DIGITS_OF_A_DAY = 8
UNREAD = 0.05
"""The greatest share of a column's values that no format reads, for which a format is proposed."""
AHEAD = re.compile(
    r"expir|valid|(^|_)(due|until|end|next|planned|deadline|maturity|appointment)($|_)"
)
"""Names of columns with days that are yet to come."""
YEARS_AHEAD = 30


@dataclass(frozen=True, slots=True)
class WrittenAs:
    """A format of a column, and the reason in counts."""

    format: TextFormat
    why: str

    @property
    def entry(self) -> str:
        """Write the format as a policy does.

        >>> WrittenAs(DateFormat(("%d.%m.%Y",)), "").entry, WrittenAs(NumberFormat(",", "."), "").entry
        ("format: '%d.%m.%Y'", "format: {decimal: ',', thousands: .}")
        """
        of = self.format
        stated: object
        if isinstance(of, NumberFormat):
            signs = {
                "decimal": of.decimal,
                "thousands": of.thousands,
                "affixes": list(of.affixes),
            }
            stated = {key: value for key, value in signs.items() if value}
        elif of.latest is not None:
            stated = {"dates": list(of.dates), "latest": of.latest}
        else:
            stated = of.dates[0] if len(of.dates) == 1 else list(of.dates)
        listed = yaml.safe_dump(
            [stated], default_flow_style=True, width=10**6, allow_unicode=True, sort_keys=False
        )
        return f"format: {listed.strip()[1:-1]}"


@dataclass(frozen=True, slots=True)
class WrittenColumn:
    """A column of texts that a format reads, with its profile as it is read.

    Of `present` texts, no format reads `unread` ones. Where the texts leave open how they are read, there are `choices`,
    each under its answer, with the profile of what is read so.
    """

    profile: ColumnProfile
    written: WrittenAs
    present: int
    unread: int
    choices: tuple[tuple[str, WrittenAs, ColumnProfile], ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether only a person can say how its texts are read."""
        return bool(self.choices)

    @property
    def decided(self) -> TextFormat | None:
        """Return its format, unless a person must say which."""
        return None if self.is_open else self.written.format

    def answered(self, answers: Mapping[str, str]) -> WrittenAs | None:
        """Return the format, by the answers where it is open; None without an answer."""
        if not self.is_open:
            return self.written
        answer = answers.get(self.profile.name)
        return next((written for name, written, _ in self.choices if name == answer), None)

    def profile_by(self, answer: str) -> ColumnProfile:
        """Return its profile as an answer says that its texts are read."""
        return next((of for name, _, of in self.choices if name == answer), self.profile)

    def sentence(self, written: WrittenAs | None) -> str:
        """Say in counts how its texts are read, or what only a person can say."""
        rows = f"{self.present - self.unread:,} of {self.present:,} rows"
        if written is None:
            name = printable(self.profile.name)
            answers = " or ".join(f"--read {name}={answer}" for answer, *_ in self.choices)
            ways = " or ".join(each.why for _, each, _ in self.choices)
            return f"{rows} can be {ways}, and no value decides: say {answers}"
        unread = f"; {self.unread:,} are not, and become NULL" if self.unread else ""
        return f"{rows} are {written.why}{unread}"


def with_format(
    each: ProposedColumn, found: WrittenColumn | None, ways: Mapping[str, str]
) -> ProposedColumn:
    """Add to a proposed entry how its texts are read, by the answers where that is open.

    Texts of columns that are released as they are stay so if some of them would be NULL, and none of them counts as NULL.
    """
    if found is None:
        return each
    written = found.answered(ways)
    if written is not None and not found.unread:
        each = _rounded(each)
    if each.role is Role.IDENTIFYING and (written is not None or not each.undecided):
        return each
    if found.unread and each.role is not Role.QUASI:
        present = min(each.profile.present + found.unread, each.profile.rows)
        return replace(each, profile=replace(each.profile, present=present))
    sentence = replace(each, why=f"{each.why}; {found.sentence(written)}")
    if written is None:
        return sentence
    rest = [each.rest, written.entry, "unparsed: null" if found.unread else ""]
    return replace(sentence, rest=", ".join(filter(None, rest)))


def _rounded(each: ProposedColumn) -> ProposedColumn:
    """Return the entry that rounds an amount in place of one that drops it, as the query that cleans plain amounts does."""
    spread = each.profile.spread
    if not each.why.startswith(ALONE) or spread is None or spread.middle < STEPS:
        return each
    rest = f"action: round, to: {rounded_down(spread.middle / STEPS):.0f}"
    why = f"looks like a measurement, and is rounded; {clause(each.profile.unique, 'row', 'have a value that no other row has')}"
    return replace(each, role=Role.INSENSITIVE, rest=rest, why=why)


def find_written(
    run: Session,
    table: exp.Table,
    profiles: Sequence[ColumnProfile],
    first: exp.Table | None = None,
) -> tuple[dict[str, WrittenColumn], set[str]]:
    """Find the columns that need a format to be read as dates or numbers, and those of codes of digits, which are no numbers.

    The table has NULL in the place of words for a missing value, and the profiles are those of its columns. `first` has
    `FIRST` of its rows, if it has many.
    """
    texts = [
        each for each in profiles if each.kind == "text" and not each.is_date and _has_digits(each)
    ]
    counts = [
        each
        for each in profiles
        if each.kind == "number" and each.is_whole and NAMED.search(folded(each.name))
    ]
    found: dict[str, tuple[ColumnProfile, list[tuple[str, WrittenAs]], DateUnit]] = {}
    days = [each for each in (*texts, *counts) if _may_be_days(each)]
    shapes = shapes_of(run, table, first, days, find=find_date_shapes, read=lambda each: each.rows)
    for each in days:
        dates = dates_written(shapes[each.name], each.present, name=folded(each.name))
        if dates is not None:
            found[each.name] = (each, _as_dates(each, dates), dates.unit)
    codes = {each.name for each in texts if each.is_postal}
    texts = [each for each in texts if each.name not in found and not each.is_postal]
    of_numbers = shapes_of(run, table, first, texts, find=find_number_shapes, read=_read_as_amounts)
    for each in texts:
        numbers = numbers_written(of_numbers[each.name], each.present)
        if numbers is not None and (
            numbers.choices or not numbers.is_plain or each.numbers < each.present
        ):
            found[each.name] = (each, _as_numbers(numbers), "day")
    codes |= {each.name for each in texts if each.is_number and are_codes(of_numbers[each.name])}
    return _read(run, table, found), codes


def _read_as_amounts(each: NumberShape) -> int:
    """Return how many texts of a shape are numbers, unless letters before them make them codes."""
    return 0 if each.before and each.word not in CURRENCIES else max(each.read)


def _has_digits(profile: ColumnProfile) -> bool:
    """Whether some texts of a column may have a digit, by its most frequent shapes."""
    shown = sum(rows for _, rows in profile.shapes)
    return shown < profile.present or any(
        shape is None or "9" in shape for shape, _ in profile.shapes
    )


def _may_be_days(profile: ColumnProfile) -> bool:
    """Whether texts may be days: digits alone are if there are eight of them, or if the name says so."""
    if NAMED.search(folded(profile.name)) is not None:
        return True
    no_days = sum(rows for shape, rows in profile.shapes if shape and not _is_of_a_day(shape))
    if no_days > (1 - READ) * profile.present:
        return False
    return profile.digits < profile.present or profile.longest >= DIGITS_OF_A_DAY


def _is_of_a_day(shape: str) -> bool:
    """Whether a shape may be that of days: of digits alone, with a time, or with one, two or four digits in a row.

    >>> [_is_of_a_day(each) for each in ("99.99.9999", "9a Aaa 9999", "99999999", "99999.99", "A9999999")]
    [True, True, True, False, False]
    """
    runs = [len(each) for each in re.findall("9+", shape)]
    return ":" in shape or runs == [len(shape)] or set(runs) <= {1, 2, 4}


def _as_dates(profile: ColumnProfile, dates: DatesWritten) -> list[tuple[str, WrittenAs]]:
    """Return the formats of a column of dates under their answers; one if its values decide."""
    latest = None
    if dates.two_digits:
        ahead = YEARS_AHEAD if AHEAD.search(folded(profile.name)) else 0
        latest = datetime.now(UTC).year + ahead
    years = f", with years of two digits up to {latest}" if latest else ""
    formats: list[tuple[str, WrittenAs]] = []
    for answer, patterns in dates.choices or (("", dates.patterns),):
        rows = f"{patterns[0][0]} writes them"
        if len(patterns) > 1:
            rows = " or ".join(f"{text} ({rows:,})" for text, rows in patterns)
        of = DateFormat(tuple(text for text, _ in patterns), latest)
        formats.append((answer, WrittenAs(of, f"days as {rows}{years}")))
    return formats


def _as_numbers(numbers: NumbersWritten) -> list[tuple[str, WrittenAs]]:
    formats: list[tuple[str, WrittenAs]] = []
    for answer, each in numbers.choices or (("", numbers),):
        signs = [f"{each.decimal!r} before decimals"]
        signs += [f"{each.thousands!r} between thousands"] if each.thousands else []
        signs += [f"{' or '.join(each.affixes)} beside them"] if each.affixes else []
        of = NumberFormat(each.decimal, each.thousands or None, each.affixes)
        formats.append((answer, WrittenAs(of, f"numbers with {', '.join(signs)}")))
    return formats


def _read(
    run: Session,
    table: exp.Table,
    found: Mapping[str, tuple[ColumnProfile, list[tuple[str, WrittenAs]], DateUnit]],
) -> dict[str, WrittenColumn]:
    """Profile columns as each of their formats reads them, without those that leave too many texts unread."""
    read: dict[str, list[tuple[ColumnProfile, int]]] = {name: [] for name in found}
    for n in range(max((len(formats) for _, formats, _ in found.values()), default=0)):
        for name, each in _read_by(run, table, found, n).items():
            read[name].append(each)
    columns = {}
    for name, profiles in read.items():
        before, formats, _ = found[name]
        (profile, unread), *_ = profiles
        if unread <= UNREAD * before.present:
            choices = tuple(
                (answer, written, of)
                for (answer, written), (of, _) in zip(formats, profiles, strict=True)
            )
            columns[name] = WrittenColumn(
                profile,
                formats[0][1],
                before.present,
                unread,
                choices if len(choices) > 1 else (),
            )
    return columns


def _read_by(
    run: Session,
    table: exp.Table,
    found: Mapping[str, tuple[ColumnProfile, list[tuple[str, WrittenAs]], DateUnit]],
    n: int,
) -> dict[str, tuple[ColumnProfile, int]]:
    """Profile the columns that have so many formats by the nth one, and count the texts that it does not read."""
    read = [
        ReadColumn(each, format=found[each.name][1][n][1].format, keeps_others=False)
        for each in run.engine.columns(table)
        if each.name in found and len(found[each.name][1]) > n
    ]
    unread = run.engine.fetch_counts(count_unparsed(table, read))
    view = run.scratch.table("as_read")
    run.see(view, read_texts(view, table, read))
    profiles = profile_columns(run.engine, view, run.engine.columns(view), shapes=False)
    return {
        each.name: (replace(each, unit=found[each.name][2]), count)
        for each, count in zip(profiles, unread, strict=True)
    }


def as_before(profile: ColumnProfile, before: ColumnProfile) -> ColumnProfile:
    """Return the profile of a column that is read anew, with what its texts as they are written have shown before.

    The shapes of plain numbers that a format has made are not those of codes.
    """
    shapes = profile.shapes if before.shapes else ()
    return replace(profile, shapes=shapes, unit=before.unit)


FEWEST, MOST = 3, 100
"""The fewest listed values that are grouped, and the most that a policy lists."""


def with_listed_values(
    opened: InitSource, profiles: Mapping[str, ColumnProfile], *, cured: Container[str]
) -> dict[str, ColumnProfile]:
    """Return profiles with the values that the types of columns list; the texts of a cured column may be others."""
    engine = opened.run.engine
    if opened.frame is not None:
        found = declared_orders(opened.frame)
    elif names := [each.name for each in engine.columns(opened.view) if each.enum]:
        rows = engine.fetch(listed_values(opened.view, names))
        found = {
            name: tuple(str(label) for number, label in rows if whole(number) == n)
            for n, name in enumerate(names)
        }
    else:
        found = {}
    listed = {
        name: values
        for name, values in found.items()
        if FEWEST <= len(values) <= MOST and name not in cured
    }
    return {
        name: replace(each, listed=listed[name]) if name in listed else each
        for name, each in profiles.items()
    }


def listed_values(source: exp.Table, names: Sequence[str]) -> Statement:
    """Read the values that the types of columns list."""
    leaves = {"source": source, "columns": [column(each, of="s") for each in names]}
    return Statement("getting_started/listed_values", leaves)
