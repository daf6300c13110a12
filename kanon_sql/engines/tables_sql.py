"""Statements that create, copy, publish and drop tables and views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.policy.locations import Destination


def copy_out(
    staged: exp.Table,
    columns: Sequence[str],
    out: Destination,
    path: str,
    *,
    verdict: exp.Table | None = None,
) -> Statement:
    """Write the staged table to a file, or to a folder of partitions.

    With a `verdict` nothing is written unless that table could be created.
    """
    leaves: dict[str, object] = {
        "table": staged,
        "columns": [column(c) for c in columns],
        "texts": [{"column": column(c), "as": name(c)} for c in columns],
        "path": literal(path),
        "verdict": verdict,
    }
    kind = out.format.kind
    return Statement(kind.template, {**leaves, **kind.leaves(out, path)})


def count_formulas(table: exp.Table, columns: Sequence[str], *, rows: int) -> Statement:
    """Count the texts of each column that a spreadsheet would run as formulas."""
    begins = {"equals": "=_%", "at": "@_%", "plus": "+_%", "minus": "-_%"}
    leaves: dict[str, object] = {key: literal(pattern) for key, pattern in begins.items()}
    leaves |= {"table": table, "columns": [column(each) for each in columns]}
    return Statement("engines/count_formulas", leaves, scans=rows)


def relation(table: exp.Table, columns: Sequence[str]) -> Statement:
    return Statement("engines/relation", {"table": table, "columns": [column(c) for c in columns]})


def copy_client(table: exp.Table, columns: Sequence[str] = (), *, as_csv: bool = True) -> Statement:
    """Copy columns of a scratch table to the client, or without columns rows of the client into the table."""
    leaves = {"table": table, "columns": [name(c) for c in columns], "as_csv": as_csv}
    return Statement("engines/copy_client", leaves)


def take_csv(table: exp.Table, path: str, columns: Sequence[tuple[str, bool]]) -> Statement:
    """Create a scratch table of DuckDB from whole numbers in a file; each column has a name, and whether it is wide."""
    described = [{"name": name(c), "text": literal(c), "wide": wide} for c, wide in columns]
    leaves = {"table": table, "path": literal(path), "columns": described}
    return Statement("engines/take_csv", leaves)


def empty_copy(table: exp.Table, like: exp.Table) -> Statement:
    """Create a scratch table with the columns of another, without rows."""
    return Statement("engines/empty_copy", {"table": table, "like": like})


def publish_table(
    release: exp.Table,
    staged: exp.Table,
    columns: Sequence[str],
    *,
    replace: bool,
    verdict: exp.Table | None = None,
    note: str | None = None,
) -> Statement:
    """Create the release as a table, in one statement that is executed whole or not at all.

    With a `verdict` it fails unless that table could be created. A `note` is set on
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
    return Statement("engines/publish_table", leaves)


def materialize(kept: exp.Table, origin: exp.Table) -> Statement:
    """Copy a stream into a scratch table."""
    return Statement("engines/materialize", {"kept": kept, "origin": origin})
