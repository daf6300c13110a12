"""Statements that find what identifies people: values that are unique, keys that repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from kanon_sql.base.sql.quoting import column, literal
from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

Some = TypeVar("Some")


def count_unique(source: exp.Table, columns: Sequence[str], *, parts: int = 1) -> Statement:
    """Count all rows, and for each column its values, all or one of so many parts, and those of them in one row alone."""
    leaves = {"source": source, "columns": _columns(columns), "parts": part_of(parts)}
    return Statement("source/counts/count_unique", leaves)


def constant_columns(
    source: exp.Table, key: str, columns: Sequence[str], *, parts: int = 1
) -> Statement:
    """Count, for a key, its values, those in several rows, their rows, and those in which each column has one value."""
    leaves = {
        "source": source,
        "key": column(key, of="s"),
        "columns": _columns(columns),
        "parts": part_of(parts),
    }
    return Statement("source/constant_columns", leaves)


def most_frequent(source: exp.Table, columns: Sequence[str]) -> Statement:
    """Count the rows of the most frequent value of each column."""
    return Statement("source/most_frequent", {"source": source, "columns": _columns(columns)})


COLUMNS_AT_ONCE = 50
"""Columns whose values one statement counts: what a database takes for it grows with the square of their number."""


def batches(columns: Sequence[Some]) -> Iterator[Sequence[Some]]:
    """Divide columns for statements that count their values.

    >>> [len(each) for each in batches(range(120))]
    [50, 50, 20]
    """
    for start in range(0, len(columns), COLUMNS_AT_ONCE):
        yield columns[start : start + COLUMNS_AT_ONCE]


def parts_of(rows: int, most: int) -> int:
    """Give in how many parts rows are divided so that one has about so many of them at most."""
    return max(1, -(-rows // most))


def part_of(parts: int) -> exp.Expr | None:
    """Give the number of parts as a leaf; None for all rows."""
    return None if parts == 1 else literal(parts)


def count_keys(
    source: exp.Table, keys: Sequence[str], same: Sequence[str], *, parts: int = 1
) -> Statement:
    """Count, for each key, its values, those in several rows, and those whose `same` columns agree."""
    leaves = {
        "source": source,
        "keys": _columns(keys),
        "same": _columns(same),
        "parts": part_of(parts),
    }
    return Statement("source/counts/count_keys", leaves)


def _columns(columns: Sequence[str]) -> list[exp.Column]:
    return [column(text, of="s") for text in columns]
