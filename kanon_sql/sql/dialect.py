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


def as_text(dialect: str, show: Print, value: object) -> str:
    """Show a value as text."""
    return f"CAST({show(value)} AS {TEXT[dialect]})"


def as_bytes(dialect: str, show: Print, value: object) -> str:
    """Show the bytes of a value's text, whatever the database holds equal."""
    shown = as_text(dialect, show, value)
    match dialect:
        case "duckdb":
            return f"encode({shown})"
        case "postgres":
            return f'({shown} COLLATE "C")'
        case _:
            return f"({shown} COLLATE UTF8_BINARY)"


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


FILTERS = {
    "hashed": hashed,
    "text": as_text,
    "bytes": as_bytes,
    "same": same,
    "made": made,
    "seen": seen,
}
