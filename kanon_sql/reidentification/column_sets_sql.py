"""Statements that count how well sets of columns distinguish the rows of a table."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp


def sample_columns(
    sample: exp.Table, source: exp.Table, columns: Sequence[str], share: float, *, encoded: bool
) -> Statement:
    """Draw a random sample of some columns, of about that share of the rows; a sample is `encoded` already."""
    leaves = {
        "sample": sample,
        "source": source,
        "columns": [{"column": column(each, of="s"), "as": name(each)} for each in columns],
        "encoded": encoded,
        "share": Decimal(f"{share:.9f}"),
    }
    return Statement("reidentification/sample_columns", leaves)


def column_sets(
    source: exp.Table, sets: Sequence[Sequence[str]], *, encoded: bool, rows: int
) -> Statement:
    """Count, for each set of columns, its tuples, the rows that have one of their own, and the equal pairs."""
    described = [{"columns": [column(each, of="s") for each in names]} for names in sets]
    leaves = {"source": source, "sets": described, "encoded": encoded}
    return Statement("reidentification/column_sets", leaves, scans=rows * len(sets))
