"""How DuckDB reads the files of a snapshot of Iceberg."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import CatalogText, column, literal
from kanon_sql.sql.quoting import name as name_of
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp


def stored_columns(files: Sequence[str]) -> Statement:
    """List the columns that files of Parquet have, and the files that have them."""
    return Statement("engines/stored_columns", {"files": [literal(each) for each in files]})


def read_files(
    view: exp.Table,
    parts: Sequence[tuple[Sequence[tuple[str | None, str, str]], Sequence[str]]],
    deletes: Sequence[str],
) -> Statement:
    """See the rows of files, but those that files of deletes number.

    Each part has its files and, for each column, the name in these files, None where they lack it, its own, and its type.
    """
    leaves = {
        "view": view,
        "parts": [
            {
                "columns": [
                    {
                        "stored": None if stored is None else column(stored, of="r"),
                        "name": name_of(text),
                        "type": CatalogText(type_),
                    }
                    for stored, text, type_ in columns
                ],
                "files": [literal(each) for each in files],
            }
            for columns, files in parts
        ],
        "deletes": [literal(each) for each in deletes],
    }
    return Statement("engines/read_files", leaves)
