"""Statements that recount what was staged, and that put it where it belongs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.model.policy import Format
from kanon_sql.sql.leaves import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.model.policy import Destination
    from kanon_sql.model.privacy import Distinct


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
        "verify",
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
        "unique_sets",
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
        "class_sizes",
        {
            "table": table,
            "quasi": [column(q, of="t") for q in quasi],
            "entity": None if entity is None else column(entity, of="t"),
            "bands": [{"below": literal(b), "number": literal(n)} for n, b in enumerate(bands)],
            "rest": literal(len(bands)),
        },
        scans=rows,
    )


def copy_out(
    staged: exp.Table,
    columns: Sequence[str],
    out: Destination,
    path: str,
    *,
    verdict: exp.Table | None = None,
) -> Statement:
    """Write the staged table to a file, or to a folder of partitions.

    With a `verdict` nothing is written unless that table could be made.
    """
    leaves: dict[str, object] = {
        "table": staged,
        "columns": [column(c) for c in columns],
        "texts": [{"column": column(c), "as": name(c)} for c in columns],
        "path": literal(path),
        "verdict": verdict,
    }
    if out.format is Format.CSV:
        return Statement("copy_csv", leaves)
    leaves["partition_by"] = [name(c) for c in out.partition_by]
    leaves["compression"] = literal(out.compression.value)
    rows = out.row_group_rows
    leaves["row_group_rows"] = literal(rows) if rows is not None else None
    leaves["is_address"] = "://" in path  # where DuckDB cannot see that a folder is new
    return Statement("copy_parquet", leaves)


def count_formulas(table: exp.Table, columns: Sequence[str], *, rows: int) -> Statement:
    """Count the texts of each column that a spreadsheet would run as formulas."""
    begins = {"equals": "=_%", "at": "@_%", "plus": "+_%", "minus": "-_%"}
    leaves: dict[str, object] = {key: literal(pattern) for key, pattern in begins.items()}
    leaves |= {"table": table, "columns": [column(each) for each in columns]}
    return Statement("count_formulas", leaves, scans=rows)


def relation(table: exp.Table, columns: Sequence[str]) -> Statement:
    """Show columns of a scratch table to the caller."""
    return Statement("relation", {"table": table, "columns": [column(c) for c in columns]})


def copy_to_client(table: exp.Table, columns: Sequence[str]) -> Statement:
    """Give columns of a scratch table to the client."""
    return Statement("copy_to_client", {"table": table, "columns": [name(c) for c in columns]})


def emptied(table: exp.Table, like: exp.Table) -> Statement:
    """Make a scratch table of the form of another, without its rows."""
    return Statement("emptied", {"table": table, "like": like})


def copy_from_client(table: exp.Table) -> Statement:
    """Take rows into a scratch table, which the client has as they were given to it."""
    return Statement("copy_from_client", {"table": table})


def publish_table(
    release: exp.Table,
    staged: exp.Table,
    columns: Sequence[str],
    *,
    replace: bool,
    verdict: exp.Table | None = None,
    note: str | None = None,
) -> Statement:
    """Make the release a table, in one statement that happens whole or not at all.

    With a `verdict` it does not happen unless that table could be made. A `note` is said on
    the table by the same statement where there are no transactions, on Spark.
    """
    leaves = {
        "release": release,
        "staged": staged,
        "columns": [column(c) for c in columns],
        "replace": replace,
        "verdict": verdict,
        "note": literal(note) if note is not None else None,
    }
    return Statement("publish_table", leaves)


def note_view(view: exp.Table, note: str) -> Statement:
    """Say on a view what it is."""
    return Statement("note_view", {"view": view, "note": literal(note)})


def keep(kept: exp.Table, origin: exp.Table) -> Statement:
    """Take a stream into a scratch table."""
    return Statement("keep", {"kept": kept, "origin": origin})


def analyze(table: exp.Table) -> Statement:
    """Let the planner know what a scratch table holds."""
    return Statement("analyze", {"table": table})


def drop_table(table: exp.Table) -> Statement:
    """Drop a table if it is there."""
    return Statement("drop_table", {"table": table})


def drop_view(view: exp.Table) -> Statement:
    """Drop a view if it is there."""
    return Statement("drop_view", {"view": view})
