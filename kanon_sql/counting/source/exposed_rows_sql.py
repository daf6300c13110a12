"""Statements that count rows that are unique, and classes that hold few people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import code, column, literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.source.person_keys_sql import part_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlglot import exp

FEW = 1_000_000
"""Rows that 64 bits of a hash tell apart."""


def unique_rows(
    source: exp.Table,
    columns: Sequence[str],
    *,
    parts: int = 1,
    rows: int | None = None,
    codes: Collection[str] = (),
) -> Statement:
    """Count rows, and those that no other row equals in some columns: of all, or of one of so many parts by a hash.

    Without the number of `rows` the count is exact on DuckDB and PostgreSQL; with it, rows may be told apart by hashes.
    """
    described = [(code if text in codes else column)(text, of="s") for text in columns]
    few = parts == 1 and rows is not None and rows <= FEW
    leaves = {"source": source, "columns": described, "few": few, "parts": part_of(parts)}
    leaves["exact"] = rows is None
    return Statement("source/count_unique_rows", leaves)


def few_people(table: exp.Table, quasi: Sequence[str], key: str, *, k: int) -> Statement:
    """Count the classes of at least k rows, those that hold fewer people than k, and those that hold one."""
    leaves = {
        "table": table,
        "quasi": [column(text, of="t") for text in quasi],
        "person": column(key, of="t"),
        "k": literal(k),
    }
    return Statement("source/count_few_people", leaves)


def stand_ins(
    source: exp.Table,
    person: str,
    quasi: Sequence[str],
    sets: Sequence[Sequence[str]],
    *,
    parts: int = 1,
    rows: int = 0,
) -> Statement:
    """Count, of one or two columns, the values that repeat, those that one person alone has, and these people.

    Set 0 is the person: of these all who have several rows. One of `parts` of all people is looked at.
    """
    columns = list(dict.fromkeys(text for each in sets for text in each))
    numbered = [
        {
            "number": n,
            "first": columns.index(first) + 1,
            "second": columns.index(second[0]) + 1 if second else 0,
        }
        for n, (first, *second) in enumerate(sets, start=1)
    ]
    leaves = {
        "source": source,
        "person": column(person, of="s"),
        "quasi": [column(text, of="s") for text in quasi],
        "columns": [column(text, of="s") for text in columns],
        "sets": [{"number": 0, "first": 0, "second": 0}, *numbered],
        "parts": parts,
    }
    return Statement("source/count_stand_ins", leaves, scans=rows)
