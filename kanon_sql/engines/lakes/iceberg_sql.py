"""How DuckDB reads the files of a snapshot of Iceberg."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column, literal
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp


def stored_columns(files: Sequence[str]) -> Statement:
    """Count the files of Parquet that have a column, by its id, for each type."""
    return Statement("engines/stored_columns", {"files": [literal(each) for each in files]})


def read_files(
    view: exp.Table,
    columns: Sequence[tuple[int, str, str]],
    files: Sequence[str],
    deletes: Sequence[str],
    count: int,
) -> Statement:
    """See the `count` rows of files, but those that files of deletes number.

    `columns` are an id, a name and a type each.
    """
    leaves = {
        "view": view,
        "columns": [
            {
                "id": literal(number),
                "column": column(name, of="r"),
                "name": literal(name),
                "type": literal(type_),
            }
            for number, name, type_ in columns
        ],
        "files": [literal(each) for each in files],
        "deletes": [literal(each) for each in deletes],
        "count": count,
    }
    return Statement("engines/read_files", leaves)
