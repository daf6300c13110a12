"""The statement that writes numbers of Python down as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp


def numbers(
    table: exp.Table, columns: Mapping[str, bool], rows: Sequence[Sequence[int]]
) -> Statement:
    """Create a table of whole numbers; `columns` says of each by its name whether it takes 64 bits."""
    described = [{"as": name(text), "wide": wide} for text, wide in columns.items()]
    leaves = {"table": table, "columns": described, "rows": rows}
    return Statement("lattice/numbers", leaves)
