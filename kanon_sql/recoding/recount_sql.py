"""Statements that recount a staged table, independently of the search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import code, column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.privacy.fitting_sql import (
    ClassPopulation,
    ClassRows,
    KeyPart,
    TableValues,
    ValueNodes,
)
from kanon_sql.policy.privacy.privacy_model import Reference

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.policy.privacy.privacy_model import Requirement, SensitiveAttribute


RECOUNT = "release/verify"
"""The template of the statement that recounts a table whose classes share no rows."""


def recount_statement(
    table: exp.Table,
    quasi: Sequence[str],
    needed: Sequence[Requirement],
    *,
    entity: str | None,
    signature: bool = False,
    source: exp.Table | None = None,
    of_source: str | None = None,
    population: ClassPopulation | None = None,
    nodes: Mapping[str, ValueNodes] | None = None,
    codes: Collection[str] = (),
) -> Statement:
    """Recount a table: classes, rows, the worst class by each requirement, classes that fall short.

    The search counts packed keys in frequency sets. This counts the rows of the table itself anew, and
    distinguishes them by the bytes of their labels. Both include the fragment of each privacy model and its
    bound; the tests count that a third time, in Python. The first requirement is that of the classes' sizes. Those of
    all classes come last, but for what no statement computes: that needs `size_counts`. By `signature` a class is the
    entities whose rows have the same labels, each as often. Columns of `codes` hold a code for each label.
    """

    def of_table(of: SensitiveAttribute, reference: Reference) -> TableValues:
        by_release = source is None or reference is Reference.RELEASE
        who = entity if by_release else of_source
        return TableValues(
            table if source is None or by_release else source,
            column(of.column, of="t"),
            nodes=(nodes or {}).get(of.column) if of.in_tree else None,
            entity=None if who is None else column(who, of="t"),
        )

    rows = ClassRows(
        None if entity is None else column(entity),
        lambda of: column(of.column),
        weighted=False,
        of_table=of_table,
        population=population,
    )
    keys = [KeyPart(column(q, of="r"), name(q), bytes=True) for q in quasi]
    of_classes = [each for each in needed if not each.measure.of_all_classes]
    whole = [each for each in needed if each.measure.of_all_classes and not each.measure.estimated]
    counted = []
    for n, leaves in enumerate(rows.requirements(of_classes)):
        worst = (
            f"{'most' if of_classes[n].measure.at_most else 'least'}_{n}" if n else "smallest_class"
        )
        measured = f"measure_{n}" if n else "class_size"
        counted.append({**leaves, "worst": name(worst), "measure": name(measured)})
    return Statement(
        RECOUNT,
        {
            "table": table,
            "signature": signature,
            "sizes": False,
            "entity": None if entity is None else column(entity, of="t"),
            "person": None if entity is None else column(entity, of="s"),
            "quasi": [code(q) if q in codes else column(q) for q in quasi],
            "rows": rows.rows(of_classes, table, keys, lambda of: column(of.column, of="r")),
            "requirements": counted,
            "whole": [
                {**leaves, "worst": name(each.measure.reported)}
                for each, leaves in zip(whole, rows.requirements(whole), strict=True)
            ],
        },
    )


def with_sizes(recount: Statement) -> Statement:
    """Recount a table, and in the same pass how many of its classes have each size, and how many rows."""
    return replace(recount, leaves={**recount.leaves, "sizes": True})


def size_counts(recount: Statement) -> Statement:
    """Count how many classes of a recounted table have each size."""
    return Statement("recoding/size_counts", recount.leaves)


def short_rows(recount: Statement, *, every: bool) -> Statement:
    """Count the rows of the classes of a recounted table that fall short, or of `every` class, and their people."""
    return Statement("recoding/short_rows", {**recount.leaves, "every": every})


def unique_sets(table: exp.Table, link: str, quasi: Sequence[str], *, rows: int = 0) -> Statement:
    """Count the values of a column that joins rows, and those whose set of rows no other value has.

    Rows are distinguished by the texts of their released quasi-identifiers.
    """
    return Statement(
        "recoding/unique_sets",
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
        "recoding/class_sizes",
        {
            "table": table,
            "quasi": [column(q, of="t") for q in quasi],
            "entity": None if entity is None else column(entity, of="t"),
            "bands": [{"below": literal(b), "number": literal(n)} for n, b in enumerate(bands)],
            "rest": literal(len(bands)),
        },
        scans=rows,
    )
