"""Statements that find what tells people apart: values that are unique, keys that repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp


def count_values(source: exp.Table, columns: Sequence[str], *, limit: int | None) -> Statement:
    """Count rows, and of each column its different values; of so many rows, or of all."""
    return Statement("source/count_values", _of(source, limit, columns=_columns(columns)))


def count_unique(source: exp.Table, columns: Sequence[str], *, limit: int | None) -> Statement:
    """Count, of each column, the rows whose value no other row has."""
    sets = [
        {"number": literal(n), "as": name("value_1"), "columns": _columns([text])}
        for n, text in enumerate(columns)
    ]
    return Statement("source/count_unique", _of(source, limit, sets=sets))


def count_keys(
    source: exp.Table, keys: Sequence[str], same: Sequence[str], *, limit: int | None
) -> Statement:
    """Count, of each key, its values, those in several rows, and those where the `same` columns stay."""
    sets = [
        {
            "number": literal(n),
            "as": name("value_1"),
            "columns": _columns([key, *same]),
            "same": [
                {"as": name(f"value_{m}"), "counted": name(f"same_{m}")}
                for m, _ in enumerate(same, start=2)
            ],
        }
        for n, key in enumerate(keys)
    ]
    return Statement("source/count_keys", _of(source, limit, sets=sets))


def _of(source: exp.Table, limit: int | None, **leaves: object) -> dict[str, object]:
    return {"source": source, "limit": None if limit is None else literal(limit), **leaves}


def _columns(columns: Sequence[str]) -> list[dict[str, object]]:
    return [
        {"column": column(text, of="s"), "as": name(f"value_{n}")}
        for n, text in enumerate(columns, start=1)
    ]
