"""The words that a dialect has to have, and those that most dialects spell alike."""

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
ZONE = "Z| ?[+-][0-9]{2}(:?[0-9]{2})?"
MOMENT = f"[0-9]{{4,6}}-[0-9]{{2}}-[0-9]{{2}}( [(]BC[)])?({CLOCK}({ZONE})?)?( BC)?"


class Words(ABC):
    """One dialect's words; each takes leaves, and returns text that is already quoted."""

    text_type: ClassVar[str]
    double_type: ClassVar[str] = "DOUBLE"
    before_christ: ClassVar[str] = "(BC)"
    """How a date before the year 1 ends, for a cast from text."""

    def __init__(self, print_leaf: Print) -> None:
        self._print = print_leaf

    def placeholder(self, number: int) -> str:
        """Write the place of the nth bound value of a statement."""
        del number
        return "?"

    def text(self, value: object) -> str:
        """Write a value as text."""
        return f"CAST({self._print(value)} AS {self.text_type})"

    def as_json(self, value: object) -> str:
        """Write a nested value as text that no other value has."""
        return self.text(value)

    @abstractmethod
    def byte_length(self, text: object) -> str:
        """Count the bytes of a text in UTF-8."""

    @abstractmethod
    def bytes(self, value: object) -> str:
        """Write the bytes of a value's text, whatever texts the database compares as equal."""

    @abstractmethod
    def plain(self, value: object) -> str:
        """Write a value as text that is equal only to what has its bytes, whatever its own collation."""

    @abstractmethod
    def read_bytes(self, value: object) -> str:
        """Write the text that has the bytes of `bytes`."""

    @abstractmethod
    def repeated(self, times: object) -> str:
        """Repeat the row of a query so many times, and number its copies from 0."""

    def same(self, left: object, right: object, *, nulls: bool = True) -> str:
        """Compare two values, of which NULL is one, so that a join can be hashed.

        Without `nulls` none of the right ones is NULL: what is NULL at the left is the same as none of them.
        """
        del nulls
        return f"{self._print(left)} IS NOT DISTINCT FROM {self._print(right)}"

    def whole_sum(self, number: object, *, narrow: bool) -> str:
        """Sum whole numbers to one of 64 bits; `narrow` ones, and their sum, have 31 bits at most."""
        del narrow
        return f"CAST(SUM({self._print(number)}) AS BIGINT)"

    def scratch_table(self, table: object) -> str:
        """Write what CREATE creates for a scratch table; one in a schema of the user's outlives its session."""
        return f"TEMP TABLE {self._print(self._table(table))}"

    def scratch_view(self, view: object) -> str:
        """Write what CREATE creates for a scratch view."""
        return f"TEMP VIEW {self._print(view)}"

    @abstractmethod
    def in_part(self, parts: object, values: Sequence[object]) -> str:
        """Return whether values are in one of so many parts, by a hash: equal ones are in one part, NULL too."""

    @abstractmethod
    def hashed(self, text: object) -> str:
        """Hash a text to a whole number of 60 bits, the same in every dialect.

        It is the first eight bytes of its MD5, the last one highest, without the last four bits.
        MD5 notices change; it keeps no secret.
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
        """Join the texts of a group in the order of their bytes; an empty text, if there are none."""

    @abstractmethod
    def in_order(self, text: object, place: object) -> str:
        """Join the texts of a group by bars, in the order of their places."""

    def multiset(self, text: object) -> str:
        """Join the texts of a group to one that only the same texts have, each as often.

        A text must not hold a comma, or say by itself where it ends.
        """
        return self.joined(text)

    def logarithm(self, count: object) -> str:
        """Take the natural logarithm of a count to nine places, so that sums of it are exact."""
        return f"CAST(ROUND(LN({self._print(count)}), 9) AS DECIMAL(12, 9))"

    @abstractmethod
    def _matches(self, text: str, pattern: str) -> str:
        """Test whether a whole text matches a pattern; patterns have no backslash, which dialects would read in their own ways."""

    def scaled_integer(self, value: object, unit: object) -> str:
        """Convert a number to whole units, rounded down; NULL if the value is no number.

        Exact between -10^15 and 10^15, with 15 places.
        """
        text = self.text(value)
        number = f"TRY_CAST({text} AS DECIMAL(30, 15))"
        return f"CASE WHEN {self._matches(text, NUMBER)} THEN {self._units(number, unit)} END"

    @abstractmethod
    def _units(self, number: str, unit: object) -> str:
        """Count the whole units below a number."""

    def date(self, value: object) -> str:
        """Read the date of a date or time of ISO 8601, as it is written; NULL if it is none."""
        text = self.text(value)
        day = f"SPLIT_PART(SPLIT_PART({text}, ' ', 1), 'T', 1)"
        era = f"CASE WHEN {text} LIKE '%BC%' THEN ' {self.before_christ}' ELSE '' END"
        return f"CASE WHEN {self._matches(text, MOMENT)} THEN {self._date_of(day, era)} END"

    def _date_of(self, day: str, era: str) -> str:
        """Read a day that has the digits of one; NULL if there is no such day."""
        return f"TRY_CAST({day} || {era} AS DATE)"

    @abstractmethod
    def days(self, day: object) -> str:
        """Count the days of a date from 1970 on."""

    def double(self, value: object) -> str:
        """Read a number, or the text of one, as floating point of 64 bits."""
        return f"CAST({self._print(value)} AS {self.double_type})"

    def bit(self, place: object, first: object) -> str:
        """Write the number whose only bit is so many places beyond the `first`, which is none of a sign."""
        at = f"CAST({self._print(place)} + {self._print(first)} AS INTEGER)"
        return f"(CAST(1 AS BIGINT) << {at})"

    def ones(self, bits: object, above: object, lowest: object) -> str:
        """Count the bits of a number from its `lowest` on that lie below the one that is `above`."""
        kept = f"{self._print(bits)} & ({self._print(above)} - {self._print(lowest)})"
        return f"CAST({self._bit_count(kept)} AS BIGINT)"

    def _bit_count(self, number: str) -> str:
        return f"BIT_COUNT({number})"

    def bit_place(self, bits: object, half: object) -> str:
        """Find the place of the highest bit of a number, below 2^42 times what one is `half` more than.

        A logarithm of what is half of the least bit more is far enough from whole numbers for any rounding.
        """
        number = f"{self.double(bits)} + {self._print(half)}"
        return f"CAST(FLOOR({self._binary_logarithm(number)}) AS BIGINT)"

    def _binary_logarithm(self, number: str) -> str:
        return f"LOG2({number})"

    def week_year(self, day: object) -> str:
        """Extract the year that a date's week belongs to (ISO 8601)."""
        return f"EXTRACT(ISOYEAR FROM {self._print(day)})"

    @abstractmethod
    def keyed(self, value: object, inner: object, outer: object) -> str:
        """Hash a value under a key that the session holds: HMAC-SHA-256 (RFC 2104) in hexadecimal."""

    def _table(self, table: object) -> exp.Table:
        if not isinstance(table, exp.Table):
            raise InternalError("only a table can be created")
        return table
