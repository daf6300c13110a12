"""Statements that find what identifies people: values that are unique, keys that repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp


def count_values(source: exp.Table, columns: Sequence[str], *, limit: int | None) -> Statement:
    """Count rows, and the distinct values of each column; in so many rows, or in all."""
    leaves = {"source": source, "columns": _columns(columns), "limit": limit}
    return Statement("source/count_values", leaves)


def count_unique(source: exp.Table, columns: Sequence[str], *, limit: int | None) -> Statement:
    """Count, for each column, the rows whose value no other row has."""
    leaves = {"source": source, "columns": _columns(columns), "limit": limit}
    return Statement("source/count_unique", leaves)


def count_keys(
    source: exp.Table, keys: Sequence[str], same: Sequence[str], *, limit: int | None
) -> Statement:
    """Count, for each key, its values, those in several rows, and those whose `same` columns agree."""
    leaves = {"source": source, "keys": _columns(keys), "same": _columns(same), "limit": limit}
    return Statement("source/count_keys", leaves)


def _columns(columns: Sequence[str]) -> list[exp.Column]:
    return [column(text, of="s") for text in columns]
