"""The base class of dialects' words, with the spelling that most dialects share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from sqlglot import exp

from kanon_sql.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Print = Callable[[object], str]

NUMBER = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?"
CLOCK = "[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?"
PLAIN = "-?(0|[1-9][0-9]*)([.][0-9]*[1-9])?"
"""A number without needless zeros, signs and points: 70 and 70.5, and neither 070 nor 70.0."""
POINTED = "-?(0|[1-9][0-9]*)[.](0|[0-9]*[1-9])"
"""A number with at least one decimal, and no needless zero beyond it: 70.0 and 70.25, and neither 70 nor 70.50."""
ZONE = "Z| ?[+-][0-9]{2}(:?[0-9]{2})?"
MOMENT = f"[0-9]{{4,6}}-[0-9]{{2}}-[0-9]{{2}}( [(]BC[)])?({CLOCK}({ZONE})?)?( BC)?"


PARTS_OF_TIME = frozenset({"year", "quarter", "month", "week", "day", "hour", "minute"})


def _whole(number: object) -> int:
    """Return a whole number that a member of a family states. Raises InternalError for anything else."""
    if not isinstance(number, int):
        raise InternalError(f"a {type(number).__name__} is no whole number")
    return number


class Words(ABC):
    """One dialect's spelling of expressions. Each method takes leaves and returns quoted SQL text."""

    title: ClassVar[str]
    """The database's name in messages."""
    shell: ClassVar[str]
    """The command that runs a script in the database's own shell."""
    local_files: ClassVar[bool] = False
    """Whether its shell reads and writes files by paths of this machine, and reads variables of the environment."""
    transactions: ClassVar[bool] = False
    """Whether a script is one transaction, at whose end its tables of rows must be dropped."""
    names_paths: ClassVar[bool] = False
    """Whether a query may name a path as a table of the format's schema, as in parquet.`/a`."""
    calls_by_dot: ClassVar[bool] = False
    """Whether `row.function` calls a function without parentheses."""
    text_type: ClassVar[str]
    double_type: ClassVar[str] = "DOUBLE"
    half_hash_type: ClassVar[str] = "UUID"
    """The type of a hash of 128 bits, which is compared and joined as a number where there is such a type."""
    moment_type: ClassVar[str] = "TIMESTAMP"
    """The type of a date with a time of day, without a zone."""
    whole_text: ClassVar[tuple[str, str]] = ("^(?:", ")$")
    """What stands before and after a pattern that a whole text must match."""
    before_christ: ClassVar[str] = "(BC)"
    """The suffix of a date before the year 1, in a text that is cast to a date."""

    def __init__(self, print_leaf: Print) -> None:
        self._print = print_leaf

    def placeholder(self, number: int) -> str:
        """Return the placeholder of the nth bound value of a statement."""
        del number
        return "?"

    def text(self, value: object) -> str:
        """Cast a value to text."""
        return f"CAST({self._print(value)} AS {self.text_type})"

    def as_json(self, value: object) -> str:
        """Convert a nested value to a text that no other value has."""
        return self.text(value)

    @abstractmethod
    def byte_length(self, text: object) -> str:
        """Count the bytes of a text in UTF-8."""

    @abstractmethod
    def bytes(self, value: object) -> str:
        """Return the bytes of a value's text, for comparisons that must ignore collations."""

    @abstractmethod
    def plain(self, value: object) -> str:
        """Convert a value to text without the value's own collation: equal only to text of the same bytes."""

    @abstractmethod
    def read_bytes(self, value: object) -> str:
        """Convert the result of `bytes` back to text."""

    @abstractmethod
    def repeated(self, times: object) -> str:
        """Repeat a query's row `times` times. The value numbers the copies from 0."""

    def same(self, left: object, right: object, *, nulls: bool = True) -> str:
        """Compare two values, with NULL equal to NULL, in a form that a hash join can use.

        Without `nulls`, no right value is NULL, so that a NULL at the left equals none of them: DuckDB looks whole
        numbers up in an array then, in half of the time.
        """
        if not nulls:
            return f"{self._print(left)} = {self._print(right)}"
        return f"{self._print(left)} IS NOT DISTINCT FROM {self._print(right)}"

    def whole_sum(self, number: object, *, narrow: bool) -> str:
        """Sum whole numbers to a 64-bit number. With `narrow`, they and their sum have 31 bits at most."""
        del narrow
        return f"CAST(SUM({self._print(number)}) AS BIGINT)"

    def scratch_table(self, table: object) -> str:
        """Return the words after CREATE for a scratch table. One in a user's schema outlives its session."""
        return f"TEMP TABLE {self._print(self._table(table))}"

    def scratch_view(self, view: object) -> str:
        """Return the words after CREATE for a scratch view."""
        return f"TEMP VIEW {self._print(view)}"

    @abstractmethod
    def in_part(self, parts: object, values: Sequence[object]) -> str:
        """Test whether a hash puts the values into the first of `parts` parts. Equal values share a part."""

    @abstractmethod
    def hashed(self, text: object) -> str:
        """Hash a text to a whole number of 60 bits, the same in every dialect.

        The number is the first eight bytes of the text's MD5, as a little-endian number, without the lowest four
        bits. MD5 detects changes; it keeps no secret.
        """

    def _hashed_digits(self, text: object) -> str:
        """Write the fifteen hexadecimal digits of `hashed`."""
        printed = self._print(text)
        digits = ", ".join(f"SUBSTR(MD5({printed}), {at}, 2)" for at in range(15, 1, -2))
        return f"CONCAT({digits}, SUBSTR(MD5({printed}), 1, 1))"

    @abstractmethod
    def sha256(self, text: object) -> str:
        """Hash a text by SHA-256, as 64 digits in lower case."""

    @abstractmethod
    def joined(self, text: object) -> str:
        """Join the texts of a group, which hold no comma, by commas in the order of their bytes; an empty text for none."""

    @abstractmethod
    def in_order(self, text: object, place: object) -> str:
        """Join the texts of a group by bars, in the order of `place`."""

    def multiset(self, text: object) -> str:
        """Join the texts of a group to one text that only the same multiset of texts has.

        A text must hold no comma, or must show by itself where it ends.
        """
        return self.joined(text)

    def logarithm(self, count: object) -> str:
        """Take the natural logarithm of a count to nine places, so that sums of it are exact."""
        return f"CAST(ROUND(LN({self._print(count)}), 9) AS DECIMAL(12, 9))"

    @abstractmethod
    def _matches(self, text: str, pattern: str) -> str:
        """Test whether a whole text matches a pattern without backslashes, which dialects read differently."""

    def _whole(self, pattern: object) -> str:
        """Print a pattern that matches whole texts alone."""
        if not isinstance(pattern, exp.Literal):
            raise InternalError("a pattern is a literal")
        begin, end = self.whole_text
        return self._print(exp.Literal.string(f"{begin}{pattern.this}{end}"))

    @abstractmethod
    def groups(self, value: object, pattern: object, count: int) -> str:
        """Return the texts of a pattern's groups, of which there are `count`, where a value matches as a whole.

        The pattern is a literal without backslashes.
        """

    @abstractmethod
    def group(self, groups: object, number: int) -> str:
        """Return one of the texts of `groups`, from 1; an empty text or NULL where a value does not match."""

    def day_text(self, number: object, per_day: int, first_day: int) -> str:
        """Write the day as ISO 8601 that a text of whole units counts, of which a day has `per_day`; 1970-01-01 is `first_day`."""
        number_of = self._cast_if(self._print(number), self.double_type)
        days = f"FLOOR({number_of} / {int(per_day)}) - {int(first_day)}"
        return self._day_text(days)

    def week_text(self, year: object, week: object) -> str:
        """Write the Monday of a week of ISO 8601, of texts of digits, as ISO 8601; NULL if the year has no such week."""
        of, number = (self._cast_if(self._print(each), self.double_type) for each in (year, week))
        first, after = self._first_week(of), self._first_week(f"({of} + 1)")
        there = f"{number} BETWEEN 1 AND 52 OR ({number} = 53 AND {first} + 53 = {after})"
        return f"CASE WHEN {there} THEN {self._day_text(f'7 * ({first} + {number} - 1) - 3')} END"

    def _first_week(self, year: str) -> str:
        """Count the weeks from the one of 1970-01-01 to a year's first, which is the week of the fourth of January."""
        leap = f"FLOOR(({year} - 1) / 4) - FLOOR(({year} - 1) / 100) + FLOOR(({year} - 1) / 400)"
        return f"FLOOR((365 * ({year} - 1970) + {leap} - 471) / 7)"

    def _cast_if(self, text: str, kind: str) -> str:
        """Cast what a branch of CASE is for. DuckDB may compute it before it is known that the branch is taken."""
        return f"TRY_CAST({text} AS {kind})"

    def _day_text(self, days: str) -> str:
        return f"CAST(DATE '1970-01-01' + CAST({days} AS INTEGER) AS {self.text_type})"

    def plain_digits(self, digits: object, removed: object, decimal: object) -> str:
        """Write the digits of a number with a point, without the signs that are `removed`, and without an exponent."""
        text = self._print(digits)
        if removed is not None:
            text = f"TRANSLATE({text}, {self._print(removed)}, '')"
        text = f"REPLACE({text}, {self._print(decimal)}, '.')"
        number = self._cast_if(self._cast_if(text, self.double_type), "DECIMAL(38, 10)")
        fixed = f"CAST({number} AS {self.text_type})"
        written = f"TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM {fixed}))"
        return f"CASE WHEN LOWER({text}) LIKE '%e%' THEN {written} ELSE {text} END"

    def scaled_integer(self, value: object, unit: object) -> str:
        """Multiply a number by `unit` and round it down; NULL if the value is no number.

        The result is exact for numbers between -10^15 and 10^15 with up to 15 decimal places.
        """
        text = self.text(value)
        number = f"TRY_CAST({text} AS DECIMAL(30, 15))"
        return f"CASE WHEN {self._matches(text, NUMBER)} THEN {self._units(number, unit)} END"

    @abstractmethod
    def _units(self, number: str, unit: object) -> str:
        """Return the product of `number` and `unit`, rounded down."""

    def date(self, value: object) -> str:
        """Return the date in the text of an ISO 8601 date or time, as it is written; NULL for other texts."""
        text = self.text(value)
        day = f"SPLIT_PART(SPLIT_PART({text}, ' ', 1), 'T', 1)"
        era = f"CASE WHEN {text} LIKE '%BC%' THEN ' {self.before_christ}' ELSE '' END"
        return f"CASE WHEN {self._matches(text, MOMENT)} THEN {self._date_of(day, era)} END"

    def _date_of(self, day: str, era: str) -> str:
        """Cast the text of a day to a date; NULL if the calendar has no such day."""
        return f"TRY_CAST({day} || {era} AS DATE)"

    @abstractmethod
    def days(self, day: object) -> str:
        """Return the number of days from 1970-01-01 to a date."""

    def double(self, value: object) -> str:
        """Cast a number, or the text of one, to 64-bit floating point."""
        return f"CAST({self._print(value)} AS {self.double_type})"

    def bit(self, place: object, first: object) -> str:
        """Return 2 to the power of `place` + `first`, which is never the bit of the sign."""
        at = f"CAST({self._print(place)} + {self._print(first)} AS INTEGER)"
        return f"(CAST(1 AS BIGINT) << {at})"

    def counter(self, word: object, first: object, mask: object) -> str:
        """Return the number that the bits of a word from place `first` on hold; `mask` has as many ones."""
        return f"(({self._print(word)} >> {self._print(first)}) & {self._print(mask)})"

    def ones(self, bits: object, above: object, lowest: object) -> str:
        """Count the set bits of a number from `lowest` up to, but without, `above`; both are powers of 2."""
        kept = f"{self._print(bits)} & ({self._print(above)} - {self._print(lowest)})"
        return f"CAST({self._bit_count(kept)} AS BIGINT)"

    def _bit_count(self, number: str) -> str:
        return f"BIT_COUNT({number})"

    def bit_place(self, bits: object, half: object) -> str:
        """Return the position of the highest set bit of a number below 2^42 times its lowest possible bit.

        `half` is half of that lowest bit. It is added so that the logarithm is far enough from whole numbers for
        any rounding.
        """
        number = f"{self.double(bits)} + {self._print(half)}"
        return f"CAST(FLOOR({self._binary_logarithm(number)}) AS BIGINT)"

    def _binary_logarithm(self, number: str) -> str:
        return f"LOG2({number})"

    def week_year(self, day: object) -> str:
        """Return the ISO 8601 year of the week that a date is in."""
        return f"EXTRACT(ISOYEAR FROM {self._print(day)})"

    def keyed(self, value: object, inner: object, outer: object, tag: object = None) -> str:
        """Hash a value, behind the tag of its domain, under a key that the session holds: HMAC-SHA-256 (RFC 2104) in hexadecimal."""
        text = self.text(value)
        return self._keyed(text if tag is None else f"({self._print(tag)} || {text})", inner, outer)

    @abstractmethod
    def _keyed(self, text: str, inner: object, outer: object) -> str:
        """Hash a text under a key that the session holds."""

    def keyed_for(self, value: object, purpose: object, inner: object, outer: object) -> str:
        """Hash a value for one purpose under a key that the session holds, in a quarter of the time of `keyed`.

        The hash is SHA-256 of the purpose's own key and the value. Numbers are drawn from it, and none shows it whole, so
        that nobody can extend the value (Bellare, Bernstein and Tessaro 2016). Hashes for one purpose tell nothing of
        those for another.
        """
        return self._keyed_for(self.text(value), purpose, inner, outer)

    def _keyed_for(self, text: str, purpose: object, inner: object, outer: object) -> str:
        # The purpose's key is HMAC with the pads in each other's place: no released hash of a value is such a key.
        key = self._once(self._keyed(self._print(purpose), outer, inner))
        return self._hashed_after(key, text)

    @abstractmethod
    def _once(self, digits: str) -> str:
        """Read hexadecimal digits as bytes, once for all rows where the database can."""

    @abstractmethod
    def _hashed_after(self, key: str, text: str) -> str:
        """Hash bytes and a text behind them by SHA-256, in hexadecimal."""

    def hex_number(self, hash_: object, at: object) -> str:
        """Return fifteen hexadecimal digits of a hash as a number of 60 bits: the first, or those `at` a later place."""
        return self._hex_number(f"SUBSTR({self._print(hash_)}, {1 + 15 * _whole(at)}, 15)")

    @abstractmethod
    def _hex_number(self, digits: str) -> str:
        """Read fifteen hexadecimal digits as a number."""

    def numbered(
        self, hash_: object, at: object, least: object, many: object, digits: object
    ) -> str:
        """Choose one of `many` numbers from `least` by a hash, written with so many digits."""
        number = f"{_whole(least)} + MOD({self.hex_number(hash_, at)}, {_whole(many)})"
        return self._padded(number, str(_whole(digits)))

    def _padded(self, number: str, digits: str) -> str:
        return f"LPAD(CAST({number} AS {self.text_type}), {digits}, '0')"

    def check_digits(
        self, hash_: object, at: object, many: object, rest: object, code: object
    ) -> str:
        """Return the check digits of an IBAN by ISO 13616, for one of `many` accounts that a hash chooses.

        `rest` is what the number of the bank leaves modulo 97, and `code` the country's letters as digits, with 00.
        """
        account = f"MOD({self.hex_number(hash_, at)}, {_whole(many)})"
        left = f"MOD({_whole(rest)} + {account} * 1000000 + {_whole(code)}, 97)"
        return self._padded(f"98 - {left}", "2")

    @abstractmethod
    def picked(self, hash_: object, at: object, values: Sequence[object]) -> str:
        """Choose one of a list of texts by a hash."""

    def redacted(self, value: object, patterns: Sequence[tuple[object, object]]) -> str:
        """Put a mark in the place of each part of a text that matches a pattern, one pattern after the other."""
        text = self.text(value)
        for pattern, mark in patterns:
            text = self._replaced(text, self._print(pattern), self._print(mark))
        return text

    def _replaced(self, text: str, pattern: str, by: str) -> str:
        return f"REGEXP_REPLACE({text}, {pattern}, {by}, 'g')"

    def multiple(
        self,
        value: object,
        unit: object,
        step: object,
        added: object,
        *,
        family: str,
        short: bool,
    ) -> str:
        """Add to a number, and round down to a multiple of `step`; all in `unit` parts of one, as whole numbers.

        A `short` number has 32 bits at most, so that its units fit in 64.
        """
        by = _whole(step)
        if family == "integer":
            wide = "BIGINT" if short else "DECIMAL(24, 0)"
            units = f"CAST({self._print(value)} AS {wide}) * {_whole(unit)}"
        else:
            units = self.scaled_integer(value, exp.Literal.number(_whole(unit)))
        number = f"({units} + {_whole(added)})"
        return f"({number} - MOD(MOD({number}, {by}) + {by}, {by}))"

    def scaled(self, number: object, decimals: object, *, short: bool) -> str:
        """Write a number of units, of which one has 2 x 10^decimals, as a number with so many decimals."""
        places = _whole(decimals)
        kind = f"DECIMAL(24, {places})" if places else "BIGINT"
        units = f"CAST({self._print(number)} AS DECIMAL({18 if short else 24}, 0))"
        return f"CAST({units} * 0.{'0' * places}5 AS {kind})"

    def start_of(self, value: object, part: str, family: str) -> str:
        """Return the first day or moment of the year, month or other part of time that a value is in."""
        if part not in PARTS_OF_TIME:
            raise InternalError(f"{part} is no part of time")
        day, kind = self._day_or_moment(value, family)
        return f"CAST(DATE_TRUNC('{part}', CAST({day} AS {self.moment_type})) AS {kind})"

    def moved(self, value: object, hash_: object, days: object, family: str) -> str:
        """Move a date or a time by 1 to `days` days, forwards or back, as a hash says."""
        most = _whole(days)
        drawn = f"MOD({self.hex_number(hash_, 0)}, {2 * most})"
        by = f"CAST({drawn} - {most} + CASE WHEN {drawn} >= {most} THEN 1 ELSE 0 END AS INTEGER)"
        day, kind = self._day_or_moment(value, family)
        return self._moved(day, by, moment=kind != "DATE")

    @abstractmethod
    def _moved(self, day: str, days: str, *, moment: bool) -> str:
        """Add days to a date, or to a `moment`."""

    def _day_or_moment(self, value: object, family: str) -> tuple[str, str]:
        """Return a date or a time, and its type: texts are read as dates."""
        if family == "timestamp":
            return self._print(value), self.moment_type
        return (self.date(value) if family == "text" else self._print(value)), "DATE"

    def parted(self, value: object) -> str:
        """Take a value's text apart, into what `digits` and `with_digits` read: here it stays one text."""
        return self.text(value)

    def digits(self, value: object, parts: object) -> str:
        """Return the digits of a value's text, which is taken apart, without all other characters."""
        del value
        return self._replaced(self._print(parts), "'[^0-9]'", "''")

    def half(self, digits: object) -> str:
        """Count the digits of the left half: as many as the right one, or one less."""
        return f"CAST(FLOOR(LENGTH({self._print(digits)}) * 0.5) AS INTEGER)"

    def _other_half(self, digits: object) -> str:
        """Count the digits of the right half."""
        return f"CAST(LENGTH({self._print(digits)}) - {self.half(digits)} AS INTEGER)"

    def numbers_of_half(self, digits: object, *, left: bool) -> str:
        """Count the numbers that a half of some digits can be: a power of ten."""
        return self._power_of_ten(self.half(digits) if left else self._other_half(digits))

    def _power_of_ten(self, places: str) -> str:
        return f"CAST(RPAD('1', {places} + 1, '0') AS BIGINT)"

    def of_round(
        self,
        other: object,
        length: object,
        turn: object,
        *,
        purpose: object,
        inner: object,
        outer: object,
    ) -> str:
        """Return the keyed number that is added to one half of so many digits, of 60 bits: it follows from the `other` half.

        It also follows from how many digits there are, and from the `turn` of the round.
        """
        digits = f"CAST({self._print(length)} AS {self.text_type})"
        text = f"({self._print(turn)} || {digits} || ' ' || CAST({self._print(other)} AS {self.text_type}))"
        hash_ = self._keyed_for(text, purpose, inner, outer)
        return self._hex_number(f"SUBSTR({hash_}, 1, 15)")

    def both_halves(self, digits: object, left: object, right: object) -> str:
        """Write the numbers of two halves as digits, as many as there were."""
        halves = [(left, self.half(digits)), (right, self._other_half(digits))]
        return " || ".join(self._padded(self._print(number), places) for number, places in halves)

    def with_digits(self, value: object, parts: object, digits: object) -> str:
        """Put digits in the place of those of a value's text, which is taken apart, one for one."""
        del parts
        # The text is split at its digits, and a new one is put behind each part: looking at each character takes four times
        # as long, and so does a CASE around it twice; without digits, NULL at the end makes all NULL.
        new = self._print(digits)
        parts = f"TRANSLATE({self.text(value)}, '123456789', '000000000')"
        return f"{self._with_each_digit(parts, new)} || SUBSTR({new}, 1, 0)"

    @abstractmethod
    def _with_each_digit(self, text: str, digits: str) -> str:
        """Put digits in the place of a text's zeros, one for one."""

    def keyed_half(self, value: object, inner: object) -> str:
        """Hash a value under a key that the session holds, to 128 bits, in a third of the time of `keyed`.

        They are half of SHA-256 of the key and the value: the other half is missing to whoever would extend the value
        (the chop construction of Coron, Dodis, Malinaud and Puniya 2005). The key has 32 bytes, so that a short value
        is in the same block, and must have no other use. Of a billion values two are alike with a chance of 1.5e-21.
        """
        return self._half_hash(f"SUBSTR({self._keyed_once(value, inner)}, 1, 32)")

    @abstractmethod
    def _keyed_once(self, value: object, inner: object) -> str:
        """Hash a key of the session, followed by a value, to hexadecimal digits."""

    def half_hash(self, digits: object) -> str:
        """Convert 32 hexadecimal digits to the type in which the database holds 128 bits."""
        return self._half_hash(self._print(digits))

    def _half_hash(self, digits: str) -> str:
        return f"CAST({digits} AS {self.half_hash_type})"

    def half_hash_column(self, column: object) -> str:
        """Declare a column of hashes of 128 bits."""
        return f"{self._print(column)} {self.half_hash_type}"

    def digits_of_hash(self, hash_: object) -> str:
        """Write a hash of 128 bits as 32 hexadecimal digits, alike in each database."""
        return f"REPLACE({self.text(hash_)}, '-', '')"

    def _table(self, table: object) -> exp.Table:
        if not isinstance(table, exp.Table):
            raise InternalError("only a table can be created")
        return table

    def typed(self, text: object, form: str, decimals: int = 0) -> str:
        """Cast a text to the type of its form, one of `Form`."""
        return f"CAST({self._print(text)} AS {self._type(form, decimals)})"

    def _type(self, form: str, decimals: int) -> str:
        types = {
            "whole": "BIGINT",
            "fixed": f"DECIMAL(18, {int(decimals)})",
            "pointed": "DOUBLE",
            "plain": "DOUBLE",
            "date": "DATE",
            "moment": self.moment_type,
            "iso_moment": self.moment_type,
        }
        return types.get(form, "BOOLEAN")

    def written_as(self, text: object, form: str, decimals: int = 0) -> str:
        """Test whether a text is how a form writes a value; it may be NULL where the text is none.

        No two texts of a form are one value. Numbers of at most 15 digits differ as floating point if they differ; a
        number of more digits must be what the database itself writes.
        """
        own = self._print(text)
        back = f"CAST(TRY_CAST({own} AS {self._type(form, decimals)}) AS {self.text_type})"
        same = f"{back} = {own}"
        digits = f"LENGTH(REPLACE(REPLACE({own}, '-', ''), '.', '')) <= 15"
        plain = f"({digits} OR {back} IN ({own}, {own} || '.0'))"
        tests = {
            "pointed": f"{self._matches(own, POINTED)} AND {own} <> '-0.0' AND {same}",
            "plain": f"{self._matches(own, PLAIN)} AND {own} NOT IN ('', '-0') AND {plain}",
            "date": f"{own} LIKE '____-__-__' AND {same}",
            "moment": f"{own} LIKE '____-__-__ __:__:__%' AND {same}",
            "iso_moment": f"{own} LIKE '____-__-__T__:__:__%' AND {back} = REPLACE({own}, 'T', ' ')",
            "lower": f"{own} IN ('true', 'false')",
            "title": f"{own} IN ('True', 'False')",
            "upper": f"{own} IN ('TRUE', 'FALSE')",
        }
        return tests.get(form, same)

    def noise(
        self, draw: object, value: object, lot: object, decimals: object, *, as_double: bool
    ) -> str:
        """Subtract from a row's draw that of the row before it, by lot, among rows with a value; in units of 10^-decimals."""
        own, places = self._print(draw), _whole(decimals)
        over = f"OVER (PARTITION BY {self._print(value)} IS NULL ORDER BY {self._print(lot)}"
        whole = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
        before = f"COALESCE(LAG({own}) {over}), LAST_VALUE({own}) {over} {whole}))"
        if not places:
            return f"({own} - {before})"
        part = f"CAST(({own} - {before}) * 0.{'0' * (places - 1)}1 AS DECIMAL(18, {places}))"
        return f"CAST({part} AS {self.double_type})" if as_double else part

    def unnested(self, value: object, separator: object = None) -> str:
        """Return one row for each member of a list, or of a text with a separator between them, as texts."""
        own = self._print(value)
        members = own if separator is None else self._split(own, self._print(separator))
        return f"UNNEST(CAST({members} AS {self.text_type}[]))"

    @abstractmethod
    def _split(self, text: str, separator: str) -> str:
        """Split a text at each separator."""

    def sorted_list(self, text: object) -> str:
        """Collect the texts of a group in a list, in their order."""
        return f"ARRAY_AGG({self._print(text)} ORDER BY {self._print(text)})"

    def as_list(self, members: object, separator: object) -> str:
        """Return a list as it is, or as a text with a separator between its members; an empty one for none."""
        own = self._print(members)
        if separator is None:
            return f"COALESCE({own}, CAST(ARRAY[] AS {self.text_type}[]))"
        return f"COALESCE(ARRAY_TO_STRING({own}, {self._print(separator)}), '')"
