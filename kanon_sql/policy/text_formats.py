"""How the texts of a column write dates or numbers: the keys `format` and `unparsed` of a policy.

A format brings regular expressions for whole texts, and says which group of each holds which part. Where the source is
opened, a text that matches is read as ISO 8601 (`1936-02-21`), or as a plain number (`-2500.12`); all that comes later
sees these texts alone. The expressions have no backslash and no class by name, so that every engine reads them alike.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, ClassVar, Literal, TypedDict, get_args

from kanon_sql.base.documents.keys import Keyed
from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import (
    ByKind,
    OneOf,
    Parsed,
    Several,
    Shape,
    Text,
    Whole,
    check,
)
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.files.file_texts import Missing  # noqa: TC001  a Record reads it

Part = Literal["year", "short_year", "month", "quarter", "week", "name", "day", "hour", "minute", "second", "fraction", "half", "open", "sign", "digits", "close", "days"]  # fmt: skip
"""What a group of an expression holds; `name` is a month's, `half` the first letter of AM or PM, and `open` and `close`
the parentheses of a negative number."""
PARTS: tuple[Part, ...] = get_args(Part)
ALWAYS: frozenset[Part] = frozenset({"year", "short_year", "digits", "days"})
"""Parts of which each expression has one, which is not empty where it matches."""
DIRECTIVE = re.compile("%(.?)", re.DOTALL)
NUMBER_OF_DAYS = {
    "epoch": (86_400, 0, 11),
    "epoch_ms": (86_400_000, 0, 14),
    "excel": (1, 25_569, 6),
}
"""Words for numbers that are dates: how many units a day has, the number of 1970-01-01, and the most digits."""
WORD = "[^0-9 .,/:-]+"
GROUPS: dict[str, tuple[Part, int]] = {
    "Y": ("year", 4), "y": ("short_year", 2), "m": ("month", 2), "q": ("quarter", 1), "d": ("day", 2),
    "G": ("year", 4), "V": ("week", 2),
    "H": ("hour", 2), "I": ("hour", 2), "M": ("minute", 2), "S": ("second", 2), "f": ("fraction", 9),
}  # fmt: skip
"""The directives of numbers with the most digits that they have."""
SUFFIX = "(?:[Ss][Tt]|[Nn][Dd]|[Rr][Dd]|[Tt][Hh]|[Ee][Rr])?"
"""What may follow the number of a day beside the name of its month: 1st, 28th, 1er."""
FIXED = frozenset("YGyq")
"""Directives that always have all their digits."""
OTHERS: dict[str, tuple[Part | None, str]] = {
    "b": ("name", f"({WORD})[.]?"),
    "B": ("name", f"({WORD})[.]?"),
    "a": (None, f"{WORD}[.]?"),
    "A": (None, f"{WORD}[.]?"),
    "p": ("half", "([AaPp])[.]?[Mm][.]?"),
    "z": (None, "(?:[Zz]| ?[+-][0-9]{2}(?::?[0-9]{2})?)"),
}
MONTHS: tuple[tuple[str, ...], ...] = (
    ("jan", "january", "januar", "jänner", "janvier", "janv", "enero", "ene"),
    ("feb", "february", "februar", "february", "février", "fÉvrier", "fevrier", "févr", "fÉvr", "fevr", "fév", "febrero"),
    ("mar", "march", "märz", "mÄrz", "maerz", "mär", "mÄr", "mrz", "mars", "marzo"),
    ("apr", "april", "avril", "avr", "abril", "abr"),
    ("may", "mai", "mayo"),
    ("jun", "june", "juni", "juin", "junio"),
    ("jul", "july", "juli", "juillet", "juil", "julio"),
    ("aug", "august", "août", "aoÛt", "aout", "agosto", "ago"),
    ("sep", "sept", "september", "septembre", "septiembre", "setiembre"),
    ("oct", "october", "okt", "oktober", "octobre", "octubre"),
    ("nov", "november", "novembre", "noviembre"),
    ("dec", "december", "dez", "dezember", "décembre", "dÉcembre", "decembre", "déc", "dÉc", "diciembre", "dic"),
)  # fmt: skip
"""Names of months in English, German, French and Spanish, in lower case; capitals with accents stay in some databases."""
UNSAFE = frozenset("\\^[]\x00\n\r")
"""Characters that no pattern has: dialects differ in how a class of characters reads them."""
SPACES = " \u00a0\u202f"
"""The blank, and the two blanks without a break that numbers are grouped by."""


class Unparsed(StrEnum):
    """What becomes of a text that no format reads: a fault, or NULL."""

    REFUSE = "refuse"
    NULL = "null"


@dataclass(frozen=True, slots=True)
class TextPattern:
    """One expression, and what each of its groups holds; for numbers that are dates, the units of a day."""

    kind: Literal["date", "week", "number", "days"]
    pattern: str
    parts: tuple[Part, ...]
    per_day: int = 1
    first_day: int = 0
    removed: str = ""
    """Characters that are left out of the digits of a number."""
    decimal: str = "."

    @property
    def always(self) -> Part:
        """A part that is not empty where the expression matches."""
        return next(each for each in self.parts if each in ALWAYS)


@dataclass(frozen=True, slots=True)
class DateFormat:
    """Dates in one of several patterns, in the words of strptime; the first that a text matches reads it.

    A year of two digits is the last such year that is not after `latest`.
    """

    dates: Annotated[tuple[str, ...], Several(Text(), empty="must name at least one pattern")]
    latest: Annotated[int | None, Whole(1000, most=9999)] = None

    is_dates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for pattern in self.dates:
            check(("dates", not (why := _why_no_date(pattern, self.latest)), why))

    def patterns(self) -> list[TextPattern]:
        """Return how to read a text, in the order in which it is tried."""
        found = []
        for pattern in self.dates:
            if pattern in NUMBER_OF_DAYS:
                per_day, first, most = NUMBER_OF_DAYS[pattern]
                number = f" *(-?[0-9]{{1,{most}}})(?:[.][0-9]*)? *"
                found.append(TextPattern("days", number, ("days",), per_day, first))
            else:
                expression, parts = _expression_of(pattern)
                found.append(TextPattern("week" if "week" in parts else "date", expression, parts))
        return found

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the policy that statements hold."""
        return self.dates


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """Numbers with a decimal sign, thousands that a sign parts, and texts before or after them that are left out.

    A number in parentheses is negative, and one with an exponent is written out.
    """

    decimal: Annotated[str, Text(character=True)] = "."
    thousands: Annotated[str | None, Text(character=True)] = None
    affixes: Annotated[tuple[str, ...], Several(Text())] = ()

    is_dates: ClassVar[bool] = False
    latest: ClassVar[None] = None

    def __post_init__(self) -> None:
        signs = {self.decimal, self.thousands}
        plain = not any(
            _is_unsafe(each) for each in (self.decimal, self.thousands or "", *self.affixes)
        )
        check(
            ("", plain, "no sign and no text beside a number has a backslash, ^, [ or ]"),
            ("thousands", self.decimal != self.thousands, "must differ from decimal"),
            ("", not any(each and re.match("[0-9()+-]", each) for each in signs), "a sign is no digit, parenthesis, + or -"),
            ("affixes", not any(re.search("[0-9()]", each) for each in self.affixes), "a text beside a number has no digit and no parenthesis"),
        )  # fmt: skip

    def patterns(self) -> list[TextPattern]:
        """Return how to read a text, in the order in which it is tried."""
        grouped = self.thousands or ""
        grouped = SPACES if grouped in SPACES else grouped
        point = f"[{self.decimal}]"
        whole = "[0-9]+"
        if grouped:
            whole = f"(?:[0-9]{{1,3}}(?:[{grouped}][0-9]{{3}})+|{whole})"
        plain = f"{whole}(?:{point}[0-9]*)?|{point}[0-9]+"
        digits = f"{plain}|[0-9]{{1,9}}(?:{point}[0-9]{{0,15}})?[eE][+-]?(?:0?[0-9]|1[0-5])"
        blanks = f"[{SPACES}]*"
        beside = "|".join(_literal(each) for each in sorted(self.affixes, key=len, reverse=True))
        beside = f"(?:(?:{beside}){blanks})?" if beside else ""
        number = f"{beside}([+-]?){blanks}{beside}({digits}){blanks}{beside}"
        pattern = f"{blanks}([(]?){blanks}{number}([)]?){blanks}"
        parts: tuple[Part, ...] = ("open", "sign", "digits", "close")
        removed = grouped if self.thousands else ""
        return [TextPattern("number", pattern, parts, removed=removed, decimal=self.decimal)]

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the policy that statements hold."""
        return (self.decimal, *([self.thousands] if self.thousands else []), *self.affixes)


TextFormat = DateFormat | NumberFormat


class OfColumn(TypedDict):
    """The fields of a column that say how its texts are read."""

    missing: tuple[str, ...]
    format: TextFormat | None
    unparsed: Unparsed


def _is_unsafe(text: str) -> bool:
    return not UNSAFE.isdisjoint(text)


def _literal(text: str) -> str:
    """Write a text as an expression that matches it alone; a blank matches any number of blanks.

    >>> _literal("a. m (x)")
    'a[.] +m +[(]x[)]'
    """
    signs = (each if each.isalnum() else " +" if each == " " else f"[{each}]" for each in text)
    return re.sub(r"( \+)+", " +", "".join(signs))


def _expression_of(pattern: str) -> tuple[str, tuple[Part, ...]]:
    """Return the expression of a pattern of dates, with what its groups hold.

    >>> _expression_of("%d.%m.%Y")
    (' *([0-9]{1,2})[.]([0-9]{1,2})[.]([0-9]{4}) *', ('day', 'month', 'year'))
    >>> _expression_of("%Y%m%d")[0]
    ' *([0-9]{4})([0-9]{2})([0-9]{2}) *'

    A day beside the name of its month may be written as 28th.
    """
    parts = DIRECTIVE.split(pattern)  # texts at even places, directives at odd ones
    written, groups = [_literal(parts[0])], list[Part]()
    for at in range(1, len(parts), 2):
        letter, after = parts[at], parts[at + 1]
        beside = (not parts[at - 1] and at > 1) or (not after and at + 2 < len(parts))
        if letter in GROUPS:
            part, most = GROUPS[letter]
            exact = letter in FIXED or (beside and letter != "f")
            written.append(f"([0-9]{{{most}}})" if exact else f"([0-9]{{1,{most}}})")
            groups.append(part)
            if part == "day" and not beside and not {"b", "B"}.isdisjoint(parts[1::2]):
                written.append(SUFFIX)
        else:
            named, expression = OTHERS[letter]
            written.append(expression)
            if named is not None:
                groups.append(named)
        written.append(_literal(after))
    return f" *{''.join(written)} *", tuple(groups)


def _why_no_date(pattern: str, latest: int | None) -> str:
    """Say why a pattern reads no dates; an empty text if it does.

    >>> _why_no_date("%d.%m", None), _why_no_date("%d.%m.%y", None), _why_no_date("%Y-Q%q", None)
    ('must have a year (%Y or %y) and a month (%m, %b or %q), or %G and %V', 'has %y; add latest, the last year that it can mean', '')
    """
    if pattern in NUMBER_OF_DAYS:
        return ""
    letters = DIRECTIVE.findall(pattern)
    unknown = [each for each in letters if each not in GROUPS and each not in OTHERS]
    if unknown:
        known = ", ".join(f"%{each}" for each in (*GROUPS, *OTHERS))
        return f"has %{unknown[0]}; it may have {known}, or be one of {', '.join(NUMBER_OF_DAYS)}"
    parts = [GROUPS[each][0] if each in GROUPS else OTHERS[each][0] for each in letters]
    has = {each for each in parts if each is not None}
    one_year = len(has & {"year", "short_year"}) == 1
    one_month = len(has & {"month", "name", "quarter", "week"}) == 1
    rules = (
        (not _is_unsafe(pattern), "has a backslash, ^, [ or ], or ends a line"),
        (one_year and one_month, "must have a year (%Y or %y) and a month (%m, %b or %q), or %G and %V"),
        (letters.count("G") == letters.count("V"), "has one of %G and %V; the year and the week of ISO 8601 go together"),
        (len(has) == len([each for each in parts if each]), "has one directive twice"),
        ("day" not in has or has.isdisjoint({"quarter", "week"}), "has a day, and a quarter or a week in place of its month"),
        ("hour" not in has or {"day", "minute"} <= has, "has an hour; it needs a day and a minute"),
        (not has & {"minute", "half"} or "hour" in has, "has minutes or %p; it needs an hour"),
        ("second" not in has or "minute" in has, "has seconds; it needs minutes"),
        ("fraction" not in has or "second" in has, "has %f; it needs seconds"),
        ("short_year" not in has or latest is not None, "has %y; add latest, the last year that it can mean"),
    )  # fmt: skip
    return next((why for holds, why in rules if not holds), "")


def _of_dates(dates: tuple[str, ...]) -> TextFormat:
    return DateFormat(dates)


_PATTERNS: Shape[TextFormat] = Parsed(
    Several(Text(), empty="must name at least one pattern"), _of_dates
)
FORMAT: Shape[TextFormat] = ByKind(
    plain=_PATTERNS,
    listed=_PATTERNS,
    mapping=Keyed(
        {"dates": Record(DateFormat)},
        default=Record(
            NumberFormat,
            any_of=("decimal", "thousands", "affixes"),
            lacking="has neither dates nor decimal, thousands or affixes",
        ),
    ),
)
"""The shape of a column's format in a policy."""


@dataclass(frozen=True, slots=True)
class ReadTexts:
    """How the texts of a column are read: those that stand for NULL, and how the others write dates or numbers."""

    missing: Missing = ()
    format: Annotated[TextFormat | None, FORMAT] = None
    unparsed: Annotated[Unparsed | None, OneOf(Unparsed, null=Unparsed.NULL)] = None

    def __post_init__(self) -> None:
        check(("unparsed", self.unparsed is None or self.format is not None, "goes with format"))

    @property
    def of_column(self) -> OfColumn:
        """Return the fields of a column of a policy."""
        unparsed = self.unparsed or Unparsed.REFUSE
        return {"missing": self.missing, "format": self.format, "unparsed": unparsed}
