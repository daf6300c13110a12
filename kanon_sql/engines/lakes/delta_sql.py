"""How DuckDB's extension reads a table of Delta Lake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import literal
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from sqlglot import exp


def read_delta(view: exp.Table, folder: str, version: int) -> Statement:
    """See the living rows of a version of a table."""
    leaves = {"view": view, "folder": literal(folder), "version": literal(version)}
    return Statement("engines/read_delta", leaves)
