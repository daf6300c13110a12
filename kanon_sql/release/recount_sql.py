"""Statements that recount a staged table, independently of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.privacy.models import Distinct


def verify(
    table: exp.Table,
    quasi: Sequence[str],
    *,
    k: int,
    diversities: Mapping[Distinct, int],
    entity: str | None,
) -> Statement:
    """Recount a table: classes, rows, smallest class, least distinct values, short classes."""
    return Statement(
        "release/verify",
        {
            "table": table,
            "quasi": [column(q) for q in quasi],
            "k": literal(k),
            "diversities": [
                {
                    "column": column(each.spread),
                    "as": name(f"least_{n}"),
                    "least": literal(least),
                    "counts_null": each.counts_null,
                }
                for n, (each, least) in enumerate(diversities.items(), start=1)
            ],
            "entity": column(entity) if entity is not None else None,
        },
    )


def unique_sets(table: exp.Table, link: str, quasi: Sequence[str], *, rows: int = 0) -> Statement:
    """Count the values of a column that joins rows, and those whose set of rows no other value has.

    Rows are told apart by the texts of their released quasi-identifiers.
    """
    return Statement(
        "release/unique_sets",
        {
            "source": table,
            "link": column(link, of="s"),
            "linked": name("link"),
            "columns": [column(q, of="s") for q in quasi],
            "row": name("row_text"),
        },
        scans=rows,
    )


BANDS = (2, 5, 10, 25, 100)
"""Class sizes are reported as 1, 2-4, 5-9, 10-24, 25-99, and 100 or more."""


def class_sizes(
    table: exp.Table,
    quasi: Sequence[str],
    *,
    entity: str | None = None,
    bands: Sequence[int] = BANDS,
    rows: int = 0,
) -> Statement:
    """Count classes by bands of size, each below one of these bounds and the last above them all."""
    return Statement(
        "release/class_sizes",
        {
            "table": table,
            "quasi": [column(q, of="t") for q in quasi],
            "entity": None if entity is None else column(entity, of="t"),
            "bands": [{"below": literal(b), "number": literal(n)} for n, b in enumerate(bands)],
            "rest": literal(len(bands)),
        },
        scans=rows,
    )
