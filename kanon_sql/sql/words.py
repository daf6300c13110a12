"""How each dialect spells what the engines share: the few words that differ, in one place.

A shape that differs is a file under templates/sql/<dialect>/; a word that differs is a filter
here. Every function takes the printer of leaves and gives text that is already quoted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable

    Print = Callable[[object], str]

DUCKDB, POSTGRES, SPARK = "duckdb", "postgres", "spark"
TEXT = {DUCKDB: "VARCHAR", POSTGRES: "TEXT", SPARK: "STRING"}


def placeholder(dialect: str, number: int) -> str:
    """Say where the nth value of a statement is bound."""
    return f"${number}" if dialect == POSTGRES else "?"


def unspoken(dialect: str) -> InternalError:
    """Say that nothing is known of a dialect: it must not be taken for another."""
    return InternalError(f"no words of the dialect {dialect} are known here")


def as_text(dialect: str, show: Print, value: object) -> str:
    """Show a value as text."""
    return f"CAST({show(value)} AS {TEXT[dialect]})"


def as_json(dialect: str, show: Print, value: object) -> str:
    """Show a nested value as text that no other value has.

    Spark's own text of an array does not quote what is in it; the other databases' does.
    """
    if dialect != SPARK:
        return as_text(dialect, show, value)
    options = "'ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSSXXX'"
    return f"TO_JSON({show(value)}, MAP({options}))"


def byte_length(dialect: str, show: Print, text: object) -> str:
    """Count the bytes of a text in UTF-8."""
    match dialect:
        case "duckdb":
            return f"STRLEN({show(text)})"
        case "postgres":
            return f"OCTET_LENGTH(CONVERT_TO({show(text)}, 'UTF8'))"
        case "spark":
            return f"OCTET_LENGTH({show(text)})"
        case _:
            raise unspoken(dialect)


def as_bytes(dialect: str, show: Print, value: object) -> str:
    """Show the bytes of a value's text, whatever the database holds equal."""
    shown = as_text(dialect, show, value)
    match dialect:
        case "duckdb":
            return f"encode({shown})"
        case "postgres":
            return f'({shown} COLLATE "C")'
        case "spark":
            return f"CAST({shown} AS BINARY)"
        case _:
            raise unspoken(dialect)


def as_plain_text(dialect: str, show: Print, value: object) -> str:
    """Show a value as text that is equal only to what has its bytes, whatever its own collation."""
    shown = as_text(dialect, show, value)
    match dialect:
        case "duckdb":  # a collation goes with whatever is made of a text, but for its bytes
            return f"decode(encode({shown}))"
        case "postgres":
            return f'({shown} COLLATE "default")'
        case "spark":
            return f"({shown} COLLATE UTF8_BINARY)"
        case _:
            raise unspoken(dialect)


def same(dialect: str, show: Print, left: object, right: object) -> str:
    """Compare two values, of which NULL is one, so that a join can be hashed.

    PostgreSQL hashes no IS NOT DISTINCT FROM; its arrays compare NULLs as equal and hash.
    """
    if dialect == POSTGRES:
        return f"ARRAY[{show(left)}] = ARRAY[{show(right)}]"
    return f"{show(left)} IS NOT DISTINCT FROM {show(right)}"


def made(dialect: str, show: Print, table: object) -> str:
    """Say that a scratch table is made; one in a schema of the user's outlives its session.

    Spark has no tables of a session: a view is made, and the engine keeps its rows.
    """
    if not isinstance(table, exp.Table):
        raise InternalError("only a table can be made")
    if dialect == SPARK:
        return f"TEMP VIEW {show(table)}"
    if dialect == POSTGRES and table.db:
        return f"UNLOGGED TABLE {show(table)}"
    return f"TEMP TABLE {show(table)}"


def seen(dialect: str, show: Print, view: object) -> str:
    """Say that a scratch view is made."""
    if dialect == POSTGRES and isinstance(view, exp.Table) and view.db:
        return f"VIEW {show(view)}"
    return f"TEMP VIEW {show(view)}"


def hashed(dialect: str, show: Print, text: object) -> str:
    """Hash a text to a whole number of 60 bits, the same in every dialect.

    It is the first eight bytes of its MD5, the last one highest, without the last four bits.
    MD5 notices change; it keeps no secret.
    """
    if dialect == DUCKDB:
        return f"(md5_number_upper({show(text)}) >> 4)"
    digits = ", ".join(f"SUBSTR(MD5({show(text)}), {at}, 2)" for at in range(15, 1, -2))
    reversed_ = f"CONCAT({digits}, SUBSTR(MD5({show(text)}), 1, 1))"
    if dialect == POSTGRES:
        return f"CAST(CAST(CONCAT('x', {reversed_}) AS BIT(60)) AS BIGINT)"
    return f"CAST(CONV({reversed_}, 16, 10) AS DECIMAL(20, 0))"


def sha256(dialect: str, show: Print, text: object) -> str:
    """Hash a text by SHA-256, as 64 digits in small letters."""
    match dialect:
        case "duckdb":
            return f"sha256({show(text)})"
        case "postgres":
            return f"ENCODE(SHA256(CONVERT_TO({show(text)}, 'UTF8')), 'hex')"
        case "spark":
            return f"SHA2({show(text)}, 256)"
        case _:
            raise unspoken(dialect)


def joined(dialect: str, show: Print, text: object) -> str:
    """Join the texts of a group in the order of their bytes; an empty text, if there are none."""
    own = show(text)
    match dialect:
        case "duckdb":
            return f"COALESCE(STRING_AGG({own}, ',' ORDER BY {own}), '')"
        case "postgres":
            return f"COALESCE(STRING_AGG({own}, ',' ORDER BY {own} COLLATE \"C\"), '')"
        case "spark":
            return f"ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST({own})), ',')"
        case _:
            raise unspoken(dialect)


def logarithm(dialect: str, show: Print, count: object) -> str:
    """Take the natural logarithm of a count to nine places, so that sums of it are exact."""
    if dialect == POSTGRES:
        return f"ROUND(LN(CAST({show(count)} AS NUMERIC)), 9)"
    return f"CAST(ROUND(LN({show(count)}), 9) AS DECIMAL(12, 9))"


def _matches(dialect: str, text: str, pattern: str) -> str:
    """Ask whether a whole text is of a pattern; patterns hold no backslash, and so no surprise."""
    match dialect:
        case "duckdb":
            return f"regexp_full_match({text}, '{pattern}')"
        case "postgres":
            return f"{text} ~ '^({pattern})$'"
        case "spark":
            return f"REGEXP_EXTRACT({text}, '({pattern})', 1) = {text}"
        case _:
            raise unspoken(dialect)


NUMBER = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?"
CLOCK = "[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?"
ZONE = "Z| ?[+-][0-9]{2}(:?[0-9]{2})?"
MOMENT = f"[0-9]{{4,6}}-[0-9]{{2}}-[0-9]{{2}}( [(]BC[)])?({CLOCK}({ZONE})?)?( BC)?"


def places(dialect: str, show: Print, value: object, unit: object) -> str:
    """Place a value on the line of numbers, in whole units below it; NULL if it is no number.

    Exact between -10^15 and 10^15, with 15 places.
    """
    text = as_text(dialect, show, value)
    holds = _matches(dialect, text, NUMBER)
    if dialect == POSTGRES:
        number = f"CAST({text} AS NUMERIC)"
        fits = f"CASE WHEN {holds} THEN ABS({number}) < 1000000000000000 ELSE FALSE END"
        exact = f"CAST({number} AS NUMERIC(30, 15))"
        return f"CASE WHEN {fits} THEN FLOOR({exact} * {show(unit)}) END"
    number = f"TRY_CAST({text} AS DECIMAL(30, 15))"
    if dialect == SPARK:
        return f"CASE WHEN {holds} THEN CAST(FLOOR({number} * {show(unit)}) AS DECIMAL(38, 0)) END"
    # A product of decimals keeps their places, and has no room for all digits of a large one.
    whole = f"CAST(FLOOR({number}) AS HUGEINT) * {show(unit)}"
    rest = f"CAST(FLOOR(({number} - FLOOR({number})) * {show(unit)}) AS HUGEINT)"
    return f"CASE WHEN {holds} THEN {whole} + {rest} END"


def date(dialect: str, show: Print, value: object) -> str:
    """Read the date of a date or time of ISO 8601, as it is written; NULL if it is none."""
    text = as_text(dialect, show, value)
    holds = _matches(dialect, text, MOMENT)
    day = f"SPLIT_PART(SPLIT_PART({text}, ' ', 1), 'T', 1)"
    before = f"CASE WHEN {text} LIKE '%BC%' THEN ' {'BC' if dialect == POSTGRES else '(BC)'}' ELSE '' END"
    if dialect != POSTGRES:
        return f"CASE WHEN {holds} THEN TRY_CAST({day} || {before} AS DATE) END"
    # PostgreSQL has no cast that gives NULL; CASE is what it promises to do in order.
    year, month, number = (f"CAST(SPLIT_PART({day}, '-', {n}) AS INTEGER)" for n in (1, 2, 3))
    last = f"EXTRACT(DAY FROM MAKE_DATE({year}, {month}, 1) + INTERVAL '1 month - 1 day')"
    return (
        f"CASE WHEN {holds} THEN CASE WHEN {year} > 0 AND {month} BETWEEN 1 AND 12 THEN "
        f"CASE WHEN {number} BETWEEN 1 AND {last} THEN CAST({day} || {before} AS DATE) END END END"
    )


def days(dialect: str, show: Print, day: object) -> str:
    """Count the days of a date from 1970 on."""
    match dialect:
        case "duckdb":
            return f"DATE_DIFF('day', DATE '1970-01-01', {show(day)})"
        case "postgres":
            return f"({show(day)} - DATE '1970-01-01')"
        case "spark":
            return f"DATEDIFF({show(day)}, DATE '1970-01-01')"
        case _:
            raise unspoken(dialect)


def double(dialect: str, show: Print, value: object) -> str:
    """Read a number, or the text of one, as floating point of 64 bits."""
    return f"CAST({show(value)} AS {'DOUBLE PRECISION' if dialect == POSTGRES else 'DOUBLE'})"


def week_year(dialect: str, show: Print, day: object) -> str:
    """Give the year that a date's week belongs to (ISO 8601)."""
    part = "YEAROFWEEK" if dialect == SPARK else "ISOYEAR"
    return f"EXTRACT({part} FROM {show(day)})"


def keyed(dialect: str, show: Print, value: object, inner: object, outer: object) -> str:
    """Hash a value under a key that the session holds: HMAC-SHA-256 (RFC 2104) in hexadecimal."""
    text = as_text(dialect, show, value)
    match dialect:
        case "duckdb":
            first = f"sha256(getvariable({show(inner)}) || encode({text}))"
            return f"sha256(getvariable({show(outer)}) || unhex({first}))"
        case "postgres":
            keys = [
                f"DECODE(CURRENT_SETTING('kanon.' || {show(key)}), 'hex')" for key in (inner, outer)
            ]
            first = f"SHA256({keys[0]} || CONVERT_TO({text}, 'UTF8'))"
            return f"ENCODE(SHA256({keys[1]} || {first}), 'hex')"
        case "spark":
            keys = [f"(SELECT pad FROM {_view(show, key)} AS k)" for key in (inner, outer)]
            first = f"UNHEX(SHA2(CONCAT({keys[0]}, ENCODE({text}, 'UTF-8')), 256))"
            return f"SHA2(CONCAT({keys[1]}, {first}), 256)"
        case _:
            raise unspoken(dialect)


def _view(show: Print, key: object) -> str:
    if not isinstance(key, exp.Literal):
        raise InternalError("a key is named by a literal")
    return show(exp.to_identifier(key.name, quoted=True))


FILTERS: dict[str, Callable[..., str]] = {
    "as_json": as_json,
    "byte_length": byte_length,
    "bytes": as_bytes,
    "date": date,
    "days": days,
    "double": double,
    "hashed": hashed,
    "joined": joined,
    "keyed": keyed,
    "logarithm": logarithm,
    "made": made,
    "places": places,
    "plain": as_plain_text,
    "same": same,
    "seen": seen,
    "sha256": sha256,
    "text": as_text,
    "week_year": week_year,
}
