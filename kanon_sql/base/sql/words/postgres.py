"""PostgreSQL's spelling of expressions; see `Words`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.base.sql.words.common import NUMBER, Words

if TYPE_CHECKING:
    from collections.abc import Sequence


class PostgresWords(Words):
    title, shell = "PostgreSQL", "psql -X -v ON_ERROR_STOP=1 -f FILE"
    transactions = calls_by_dot = True
    text_type = "TEXT"
    double_type = "DOUBLE PRECISION"
    before_christ = "BC"

    def placeholder(self, number: int) -> str:
        return f"${number}"

    def byte_length(self, text: object) -> str:
        return f"OCTET_LENGTH(CONVERT_TO({self._print(text)}, 'UTF8'))"

    def bytes(self, value: object) -> str:
        return f'({self.text(value)} COLLATE "C")'

    def plain(self, value: object) -> str:
        return f'({self.text(value)} COLLATE "default")'

    def read_bytes(self, value: object) -> str:
        return f'({self._print(value)} COLLATE "default")'

    def repeated(self, times: object) -> str:
        return f"GENERATE_SERIES(0, {self._print(times)} - 1)"

    def same(self, left: object, right: object, *, nulls: bool = True) -> str:
        # PostgreSQL cannot hash IS NOT DISTINCT FROM. Arrays take NULLs as equal and can be hashed, at twice the cost.
        if not nulls:
            return super().same(left, right, nulls=False)
        return f"ARRAY[{self._print(left)}] = ARRAY[{self._print(right)}]"

    def whole_sum(self, number: object, *, narrow: bool) -> str:
        # PostgreSQL sums BIGINT as NUMERIC, which doubles the memory that a class takes.
        if narrow:
            return f"SUM(CAST({self._print(number)} AS INTEGER))"
        return super().whole_sum(number, narrow=narrow)

    def scratch_table(self, table: object) -> str:
        if self._table(table).db:
            return f"UNLOGGED TABLE {self._print(table)}"
        return super().scratch_table(table)

    def scratch_view(self, view: object) -> str:
        if isinstance(view, exp.Table) and view.db:
            return f"VIEW {self._print(view)}"
        return super().scratch_view(view)

    def in_part(self, parts: object, values: Sequence[object]) -> str:
        text = f"CONCAT_WS(',', {', '.join(map(self.text, values))})"
        return f'MOD(HASHTEXTEXTENDED({text} COLLATE "C", 0), {self._print(parts)}) = 0'

    def hashed(self, text: object) -> str:
        digits = self._hashed_digits(text)
        return f"CAST(CAST(CONCAT('x', {digits}) AS BIT(60)) AS BIGINT)"

    def sha256(self, text: object) -> str:
        return f"ENCODE(SHA256(CONVERT_TO({self._print(text)}, 'UTF8')), 'hex')"

    def joined(self, text: object) -> str:
        own = self._print(text)
        return f"COALESCE(STRING_AGG({own}, ',' ORDER BY {own} COLLATE \"C\"), '')"

    def _bit_count(self, number: str) -> str:
        return f"BIT_COUNT(CAST({number} AS BIT(64)))"

    def _binary_logarithm(self, number: str) -> str:
        return f"LN({number}) / LN(CAST(2 AS DOUBLE PRECISION))"

    def in_order(self, text: object, place: object) -> str:
        return f"STRING_AGG({self._print(text)}, '|' ORDER BY {self._print(place)})"

    def logarithm(self, count: object) -> str:
        return f"ROUND(LN(CAST({self._print(count)} AS NUMERIC)), 9)"

    def _matches(self, text: str, pattern: str) -> str:
        return f"{text} ~ '^({pattern})$'"

    def groups(self, value: object, pattern: object, count: int) -> str:
        del count
        return f"REGEXP_MATCH({self.text(value)}, {self._whole(pattern)})"

    def group(self, groups: object, number: int) -> str:
        return f"({self._print(groups)})[{int(number)}]"

    def _cast_if(self, text: str, kind: str) -> str:
        return f"CAST({text} AS {kind})"  # CASE computes no branch that it does not take

    def _day_text(self, days: str) -> str:
        return f"TO_CHAR(DATE '1970-01-01' + CAST({days} AS INTEGER), 'YYYY-MM-DD')"

    def scaled_integer(self, value: object, unit: object) -> str:
        # No cast returns NULL for a bad text, so CASE tests the text first; CASE evaluates in order.
        text = self.text(value)
        number = f"CAST({text} AS NUMERIC)"
        holds = self._matches(text, NUMBER)
        fits = f"CASE WHEN {holds} THEN ABS({number}) < 1000000000000000 ELSE FALSE END"
        return f"CASE WHEN {fits} THEN {self._units(number, unit)} END"

    def _units(self, number: str, unit: object) -> str:
        return f"FLOOR(CAST({number} AS NUMERIC(30, 15)) * {self._print(unit)})"

    def _date_of(self, day: str, era: str) -> str:
        # No cast returns NULL for a bad text, so CASE tests the text first; CASE evaluates in order.
        year, month, number = (f"CAST(SPLIT_PART({day}, '-', {n}) AS INTEGER)" for n in (1, 2, 3))
        last = f"EXTRACT(DAY FROM MAKE_DATE({year}, {month}, 1) + INTERVAL '1 month - 1 day')"
        return (
            f"CASE WHEN {year} > 0 AND {month} BETWEEN 1 AND 12 THEN "
            f"CASE WHEN {number} BETWEEN 1 AND {last} THEN CAST({day} || {era} AS DATE) END END"
        )

    def days(self, day: object) -> str:
        return f"({self._print(day)} - DATE '1970-01-01')"

    def _keyed(self, text: str, inner: object, outer: object) -> str:
        keys = [
            f"DECODE(CURRENT_SETTING('kanon.' || {self._print(key)}), 'hex')"
            for key in (inner, outer)
        ]
        first = f"SHA256({keys[0]} || CONVERT_TO({text}, 'UTF8'))"
        return f"ENCODE(SHA256({keys[1]} || {first}), 'hex')"

    def _once(self, digits: str) -> str:
        return f"(SELECT DECODE({digits}, 'hex'))"

    def _hashed_after(self, key: str, text: str) -> str:
        return f"ENCODE(SHA256({key} || CONVERT_TO({text}, 'UTF8')), 'hex')"

    def _hex_number(self, digits: str) -> str:
        return f"CAST(CAST('x' || {digits} AS BIT(60)) AS BIGINT)"

    def picked(self, hash_: object, at: object, values: Sequence[object]) -> str:
        listed = ", ".join(map(self._print, values))
        place = f"1 + CAST(MOD({self.hex_number(hash_, at)}, {len(values)}) AS INTEGER)"
        return f"(ARRAY[{listed}])[{place}]"

    def _moved(self, day: str, days: str, *, moment: bool) -> str:
        return f"{day} + MAKE_INTERVAL(DAYS => {days})" if moment else f"{day} + {days}"

    def _with_each_digit(self, text: str, digits: str) -> str:
        one = f"part || SUBSTR({digits}, CAST(i AS INTEGER), 1)"
        parts = f"UNNEST(STRING_TO_ARRAY({text}, '0')) WITH ORDINALITY AS u (part, i)"
        return f"(SELECT STRING_AGG({one}, '' ORDER BY i) FROM {parts})"

    def _split(self, text: str, separator: str) -> str:
        return f"STRING_TO_ARRAY({text}, {separator})"

    def _keyed_once(self, value: object, inner: object) -> str:
        key = f"DECODE(CURRENT_SETTING('kanon.' || {self._print(inner)}), 'hex')"
        return f"ENCODE(SHA256({key} || CONVERT_TO({self.text(value)}, 'UTF8')), 'hex')"
