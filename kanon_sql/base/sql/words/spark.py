"""Spark SQL's spelling of expressions; see `Words`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.base.sql.words.common import Words
from kanon_sql.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Sequence


class SparkWords(Words):
    title, shell = "Spark SQL", "spark-sql -f FILE"
    names_paths = True
    text_type = half_hash_type = "STRING"
    moment_type = "TIMESTAMP_NTZ"
    whole_text = ("(?s)^(?:", ")(?!.)")  # Java's $ is also before the end of a last line

    def as_json(self, value: object) -> str:
        # Spark's cast of an array to text does not quote the members; the other databases' casts do.
        options = "'ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSSXXX'"
        return f"TO_JSON({self._print(value)}, MAP({options}))"

    def byte_length(self, text: object) -> str:
        return f"OCTET_LENGTH({self._print(text)})"

    def bytes(self, value: object) -> str:
        return f"CAST({self.text(value)} AS BINARY)"

    def plain(self, value: object) -> str:
        return f"({self.text(value)} COLLATE UTF8_BINARY)"

    def read_bytes(self, value: object) -> str:
        return f"(CAST({self._print(value)} AS STRING) COLLATE UTF8_BINARY)"

    def repeated(self, times: object) -> str:
        return f"EXPLODE(SEQUENCE(CAST(0 AS BIGINT), {self._print(times)} - 1))"

    def scratch_table(self, table: object) -> str:
        # Spark has no temporary tables: a view is created, and the engine keeps its rows.
        return f"TEMP VIEW {self._print(self._table(table))}"

    def in_part(self, parts: object, values: Sequence[object]) -> str:
        return f"PMOD(XXHASH64({', '.join(map(self.bytes, values))}), {self._print(parts)}) = 0"

    def hashed(self, text: object) -> str:
        digits = self._hashed_digits(text)
        return f"CAST(CONV({digits}, 16, 10) AS DECIMAL(20, 0))"

    def sha256(self, text: object) -> str:
        return f"SHA2({self._print(text)}, 256)"

    def joined(self, text: object) -> str:
        return f"ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST({self._print(text)})), ',')"

    def in_order(self, text: object, place: object) -> str:
        pairs = f"COLLECT_LIST(STRUCT({self._print(place)} AS place, {self._print(text)} AS text))"
        return f"ARRAY_JOIN(TRANSFORM(SORT_ARRAY({pairs}), pair -> pair.text), '|')"

    def _matches(self, text: str, pattern: str) -> str:
        return f"REGEXP_EXTRACT({text}, '({pattern})', 1) = {text}"

    def groups(self, value: object, pattern: object, count: int) -> str:
        text, whole = self.text(value), self._whole(pattern)
        found = (f"REGEXP_EXTRACT({text}, {whole}, {n})" for n in range(1, int(count) + 1))
        return f"ARRAY({', '.join(found)})"

    def group(self, groups: object, number: int) -> str:
        return f"{self._print(groups)}[{int(number) - 1}]"

    def _day_text(self, days: str) -> str:
        return f"CAST(DATE_ADD(DATE '1970-01-01', CAST({days} AS INT)) AS STRING)"

    def _units(self, number: str, unit: object) -> str:
        return f"CAST(FLOOR({number} * {self._print(unit)}) AS DECIMAL(38, 0))"

    def days(self, day: object) -> str:
        return f"DATEDIFF({self._print(day)}, DATE '1970-01-01')"

    def bit(self, place: object, first: object) -> str:
        at = f"CAST({self._print(place)} + {self._print(first)} AS INT)"
        return f"SHIFTLEFT(CAST(1 AS BIGINT), {at})"

    def counter(self, word: object, first: object, mask: object) -> str:
        shifted = f"SHIFTRIGHT({self._print(word)}, {self._print(first)})"
        return f"({shifted} & {self._print(mask)})"

    def week_year(self, day: object) -> str:
        return f"EXTRACT(YEAROFWEEK FROM {self._print(day)})"

    def _keyed(self, text: str, inner: object, outer: object) -> str:
        keys = [f"(SELECT pad FROM {self._view(key)} AS k)" for key in (inner, outer)]
        first = f"UNHEX(SHA2(CONCAT({keys[0]}, ENCODE({text}, 'UTF-8')), 256))"
        return f"SHA2(CONCAT({keys[1]}, {first}), 256)"

    def _keyed_once(self, value: object, inner: object) -> str:
        key = f"(SELECT pad FROM {self._view(inner)} AS k)"
        return f"SHA2(CONCAT({key}, ENCODE({self.text(value)}, 'UTF-8')), 256)"

    def digits_of_hash(self, hash_: object) -> str:
        return self._print(hash_)

    def _view(self, key: object) -> str:
        if not isinstance(key, exp.Literal):
            raise InternalError("a key is named by a literal")
        return self._print(exp.to_identifier(key.name, quoted=True))

    def _once(self, digits: str) -> str:
        return f"UNHEX({digits})"

    def _hashed_after(self, key: str, text: str) -> str:
        return f"SHA2(CONCAT({key}, ENCODE({text}, 'UTF-8')), 256)"

    def _hex_number(self, digits: str) -> str:
        return f"CAST(CONV({digits}, 16, 10) AS BIGINT)"

    def picked(self, hash_: object, at: object, values: Sequence[object]) -> str:
        listed = ", ".join(map(self._print, values))
        place = f"1 + CAST(MOD({self.hex_number(hash_, at)}, {len(values)}) AS INT)"
        return f"ELEMENT_AT(ARRAY({listed}), {place})"

    def _replaced(self, text: str, pattern: str, by: str) -> str:
        return f"REGEXP_REPLACE({text}, {pattern}, {by})"

    def _moved(self, day: str, days: str, *, moment: bool) -> str:
        return f"{day} + MAKE_DT_INTERVAL({days})" if moment else f"DATE_ADD({day}, {days})"

    def _with_each_digit(self, text: str, digits: str) -> str:
        one = f"CONCAT(part, SUBSTR({digits}, i + 1, 1))"
        return f"ARRAY_JOIN(TRANSFORM(SPLIT({text}, '0'), (part, i) -> {one}), '')"

    def unnested(self, value: object, separator: object = None) -> str:
        own = self._print(value)
        members = own if separator is None else self._split(own, self._print(separator))
        return f"EXPLODE(CAST({members} AS ARRAY<STRING>))"

    def _split(self, text: str, separator: str) -> str:
        return f"SPLIT({text}, CONCAT('[', {separator}, ']'))"

    def sorted_list(self, text: object) -> str:
        return f"SORT_ARRAY(COLLECT_LIST({self._print(text)}))"

    def as_list(self, members: object, separator: object) -> str:
        own = self._print(members)
        if separator is None:
            return f"COALESCE({own}, CAST(ARRAY() AS ARRAY<STRING>))"
        return f"COALESCE(ARRAY_JOIN({own}, {self._print(separator)}), '')"
