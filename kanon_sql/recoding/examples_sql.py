"""Statements that read a few classes and labels of a staged release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import code, column, name
from kanon_sql.sql.templates import Statement

SHOWN_LABELS = 64
"""Labels of one column that classes are looked for among, where there are very many."""

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.labels_sql import Released


def example_classes(
    staged: exp.Table,
    quasi: Sequence[str],
    *,
    entity: str | None,
    least: int,
    most: int,
    rows: int = 0,
    codes: Collection[str] = (),
    among: str | None = None,
    weight: str | None = None,
) -> Statement:
    """Read the labels and sizes of at most so many classes, each of at least so many rows or entities.

    They are the first by a hash of their labels: the same in every database and for any order of the rows. Columns of
    `codes` hold a code for each label: classes are counted by these, and the codes of a class alone are read as texts.
    Where `among` names a column, only classes with one of its first labels are counted, all of which must be shown.
    A staged row stands for one row, or for as many as its `weight` says.
    """
    return Statement(
        "recoding/example_classes",
        {
            "staged": staged,
            "columns": [_told_apart(q, codes) for q in quasi],
            "entity": None if entity is None else column(entity, of="t"),
            "weight": None if weight is None else column(weight, of="t"),
            "least": least,
            "most": most,
            "among": None if among is None else _told_apart(among, codes),
            "labels": SHOWN_LABELS,
        },
        scans=rows,
    )


def example_label(
    staged: exp.Table,
    released: Released,
    *,
    entity: str | None,
    least: int,
    rows: int = 0,
    codes: Collection[str] = (),
    weight: str | None = None,
) -> Statement:
    """Read the label of one column that most rows are released with, or its two bounds, for several values of the source.

    It is of at least so many released rows or entities.
    """
    ends = zip(released.names, released.column.output.parts, strict=True)
    return Statement(
        "recoding/example_label",
        {
            "staged": staged,
            "map": released.table,
            "columns": [
                {
                    **_told_apart(of, codes),
                    "mapped": name(released.part(kind, released.level)),
                }
                for of, kind in ends
            ],
            "entity": None if entity is None else column(entity, of="t"),
            "weight": None if weight is None else column(weight, of="t"),
            "least": least,
        },
        scans=rows,
    )


def _told_apart(text: str, codes: Collection[str]) -> dict[str, object]:
    """Name a released column, by its codes where it has them."""
    coded = text in codes
    return {"released": code(text, of="t") if coded else column(text, of="t"), "coded": coded}
