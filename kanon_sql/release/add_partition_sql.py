"""Statements that judge the rows of a new partition together with what is published beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlglot import exp

PLAN_KEY = "kanon_sql_plan"
"""The key under which a file of Parquet says by which recoding it was made."""

ADDED_BY_KEY = "kanon_sql_added_by"
"""The key under which it says of how many columns the partition was that it was added with."""

SUPPRESSED_KEY = "kanon_sql_suppressed"
"""The key under which it says which partitions were suppressed whole, by keyed hashes of their values."""


def published_together(
    view: exp.Table,
    published: exp.Table,
    added: exp.Table,
    columns: Sequence[str],
    *,
    folders: Collection[str],
) -> Statement:
    """See published rows and others of the same columns as one table; values of `folders` are texts."""
    described = [{"column": column(c), "as": name(c), "text": c in folders} for c in columns]
    leaves = {"view": view, "published": published, "added": added, "columns": described}
    return Statement("release/published_together", leaves)


def short_classes(short: exp.Table, recount: Statement) -> Statement:
    """List the classes of a recounted table that do not fit, by the bytes of their labels."""
    return Statement("release/short_classes", {**recount.leaves, "short": short})


def fitting_rows(
    staged: exp.Table, added: exp.Table, short: exp.Table, quasi: Sequence[str]
) -> Statement:
    """Copy the rows that are in no short class."""
    described = [column(each, of="t") for each in quasi]
    leaves = {"staged": staged, "added": added, "short": short, "quasi": described}
    return Statement("release/fitting_rows", leaves)


def count_files(pattern: str, recoding_hash: str) -> Statement:
    """Count the files of a release, and those that say that they were made by one recoding."""
    leaves = {"path": literal(pattern), "key": literal(PLAN_KEY), "hash": literal(recoding_hash)}
    return Statement("release/count_files", leaves)


def coarser_files(pattern: str, columns: int) -> Statement:
    """Count the files that were added with a partition of so many columns."""
    leaves = {
        "path": literal(pattern),
        "key": literal(ADDED_BY_KEY),
        "columns": literal(str(columns)),
    }
    return Statement("release/coarser_files", leaves)


def suppressed_partitions(
    source: exp.Table, staged: exp.Table, columns: Sequence[str], *, most: int
) -> Statement:
    """Read the partitions of a source, so many at most, of which a staged release has no row."""
    leaves = {
        "source": source,
        "staged": staged,
        "most": literal(most),
        "columns": [column(each, of="s") for each in columns],
    }
    return Statement("release/suppressed_partitions", leaves)


def suppressed_hashes(pattern: str) -> Statement:
    """Read what the files of a release say of partitions that were suppressed whole."""
    leaves = {"path": literal(pattern), "key": literal(SUPPRESSED_KEY)}
    return Statement("release/suppressed_hashes", leaves)
