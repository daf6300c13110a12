"""DuckDB's spelling of expressions; see `Words`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.base.sql.quoting import is_code
from kanon_sql.base.sql.words.common import Words

if TYPE_CHECKING:
    from collections.abc import Sequence

RUNS_OF_DIGITS = exp.Literal.string("([^0-9]*)([0-9]+)([^0-9]*)([0-9]*)([^0-9]*)([0-9]*)([^0-9]*)")


class DuckDBWords(Words):
    title, shell = "DuckDB", "duckdb -bail < FILE"
    local_files = True
    text_type = "VARCHAR"

    def byte_length(self, text: object) -> str:
        return f"STRLEN({self._print(text)})"

    def bytes(self, value: object) -> str:
        # A code stands for one text, and is grouped in a tenth of the time.
        return self._print(value) if is_code(value) else self._bytes(value)

    def _bytes(self, value: object) -> str:
        return f"encode({self.text(value)})"

    def plain(self, value: object) -> str:
        # Whatever is computed from a text keeps its collation, except for its bytes.
        return f"decode({self._bytes(value)})"

    def read_bytes(self, value: object) -> str:
        return f"decode({self._print(value)})"

    def repeated(self, times: object) -> str:
        return f"UNNEST(RANGE({self._print(times)}))"

    def in_part(self, parts: object, values: Sequence[object]) -> str:
        # The hashes of a part are the smallest: a comparison costs nothing beside the hash, a remainder as much as it.
        hashed = f"HASH({', '.join(map(self.bytes, values))})"
        return f"{hashed} <= CAST({2**64 - 1} AS UBIGINT) // {self._print(parts)}"

    def hashed(self, text: object) -> str:
        # The upper half of the digest, as `md5_number_upper` gives it at three times the cost.
        half = f"md5_number({self._print(text)}) & {2**64 - 1}"
        return f"(CAST({half} AS UBIGINT) >> 4)"

    def sha256(self, text: object) -> str:
        return f"sha256({self._print(text)})"

    def joined(self, text: object) -> str:
        own = self._print(text)
        # A sorted list takes 3/4 of the time of an ordered aggregate, and one text is collected in half the time
        # of a list. It orders bytes, whatever collation is set.
        texts = f"STRING_SPLIT(STRING_AGG({own}, ','), ',')"
        return f"COALESCE(ARRAY_TO_STRING(LIST_SORT({texts}, 'ASC', 'NULLS LAST'), ','), '')"

    def in_order(self, text: object, place: object) -> str:
        return f"STRING_AGG({self._print(text)}, '|' ORDER BY {self._print(place)})"

    def multiset(self, text: object) -> str:
        # Lists are sorted in half the time of ordered aggregates.
        return f"ARRAY_TO_STRING(LIST_SORT(LIST({self._print(text)})), ',')"

    def _matches(self, text: str, pattern: str) -> str:
        return f"regexp_full_match({text}, '{pattern}')"

    def groups(self, value: object, pattern: object, count: int) -> str:
        names = ", ".join(f"'group_{number}'" for number in range(1, int(count) + 1))
        return f"regexp_extract({self.text(value)}, {self._whole(pattern)}, [{names}])"

    def group(self, groups: object, number: int) -> str:
        return f"struct_extract({self._print(groups)}, 'group_{int(number)}')"

    def _units(self, number: str, unit: object) -> str:
        # A product of decimals keeps all decimal places, which leaves too few digits for large numbers.
        whole = f"CAST(FLOOR({number}) AS HUGEINT) * {self._print(unit)}"
        fraction = f"({number} - FLOOR({number})) * {self._print(unit)}"
        return f"{whole} + CAST(FLOOR({fraction}) AS HUGEINT)"

    def days(self, day: object) -> str:
        return f"DATE_DIFF('day', DATE '1970-01-01', {self._print(day)})"

    def _keyed(self, text: str, inner: object, outer: object) -> str:
        first = f"sha256(getvariable({self._print(inner)}) || encode({text}))"
        return f"sha256(getvariable({self._print(outer)}) || unhex({first}))"

    def _once(self, digits: str) -> str:
        return f"unhex({digits})"

    def _hashed_after(self, key: str, text: str) -> str:
        return f"sha256({key} || encode({text}))"

    def _hex_number(self, digits: str) -> str:
        return f"CAST('0x' || {digits} AS BIGINT)"

    def picked(self, hash_: object, at: object, values: Sequence[object]) -> str:
        listed = ", ".join(map(self._print, values))
        return f"([{listed}])[1 + MOD({self.hex_number(hash_, at)}, {len(values)})]"

    def _moved(self, day: str, days: str, *, moment: bool) -> str:
        return f"{day} + TO_DAYS({days})" if moment else f"{day} + {days}"

    def parted(self, value: object) -> str:
        # Up to three runs of digits are told apart in a quarter of the time that single digits take.
        return self.groups(value, RUNS_OF_DIGITS, 7)

    def digits(self, value: object, parts: object) -> str:
        rest, first, second, third = self.text(value), *(self.group(parts, n) for n in (2, 4, 6))
        each = f"REGEXP_REPLACE({rest}, '[^0-9]', '', 'g')"
        return f"CASE WHEN {first} <> '' THEN {first} || {second} || {third} ELSE {each} END"

    def with_digits(self, value: object, parts: object, digits: object) -> str:
        found = [self.group(parts, n) for n in range(1, 8)]
        new, place, told = self._print(digits), "1", []
        for other, own in zip(found[::2], found[1::2], strict=False):
            told += [other, f"SUBSTR({new}, {place}, LENGTH({own}))"]
            place += f" + LENGTH({own})"
        each = super().with_digits(value, parts, digits)
        every = ", ".join([*told, found[-1]])  # one text, where a chain of || makes six
        some = f"{found[1]} <> '' AND {new} IS NOT NULL"
        return f"CASE WHEN {some} THEN CONCAT({every}) ELSE {each} END"

    def half(self, digits: object) -> str:
        return f"CAST(LENGTH({self._print(digits)}) // 2 AS INTEGER)"

    def both_halves(self, digits: object, left: object, right: object) -> str:
        # One number behind a 1, which is left out of its text: padding two texts takes half as long again.
        high = f"CAST({self._print(left)} + {self.numbers_of_half(digits, left=True)} AS HUGEINT)"
        both = f"{high} * {self.numbers_of_half(digits, left=False)} + {self._print(right)}"
        return f"SUBSTR(CAST({both} AS VARCHAR), 2)"

    def _power_of_ten(self, places: str) -> str:
        return f"CAST(POW(10, {places}) AS BIGINT)"  # 15 places at most

    def _with_each_digit(self, text: str, digits: str) -> str:
        one = f"part || SUBSTR({digits}, i, 1)"
        return f"ARRAY_TO_STRING([{one} FOR part, i IN STRING_SPLIT({text}, '0')], '')"

    def _split(self, text: str, separator: str) -> str:
        return f"STRING_SPLIT({text}, {separator})"

    def _half_hash(self, digits: str) -> str:
        # Bytes are cast to a UUID in half the time of digits.
        return f"CAST(unhex({digits}) AS UUID)"

    def _keyed_once(self, value: object, inner: object) -> str:
        return f"sha256(getvariable({self._print(inner)}) || {self._bytes(value)})"
