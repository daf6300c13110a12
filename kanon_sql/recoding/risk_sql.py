"""Statements that count equivalence classes by their size: in a table, in a population, by signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import code, column
from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlglot import exp


def class_histogram(
    table: exp.Table,
    quasi: Sequence[str],
    *,
    entity: str | None = None,
    codes: Collection[str] = (),
) -> Statement:
    """Count the classes of each size and their rows; sizes are those of rows, or of an entity's values."""
    counted = _counted(table, quasi, entity, codes)
    return Statement("recoding/class_histogram", {"counted": counted})


def population_histogram(
    table: exp.Table,
    population: exp.Table,
    quasi: Sequence[str],
    *,
    entity: str | None = None,
    population_entity: str | None = None,
) -> Statement:
    """Count a table's classes by the size that they have in a population, and the rows that it has too few of."""
    tables = [
        {**_counted(table, quasi, entity), "own": True},
        {**_counted(population, quasi, population_entity), "own": False},
    ]
    return Statement("recoding/population_histogram", {"tables": tables})


def signature_histogram(table: exp.Table, quasi: Sequence[str], entity: str) -> Statement:
    """Count the signatures that so many values of an entity have, and their rows."""
    leaves = {
        "source": table,
        "entity": column(entity, of="s"),
        "columns": [column(each, of="s") for each in quasi],
    }
    return Statement("recoding/signature_histogram", leaves)


def _counted(
    table: exp.Table, quasi: Sequence[str], entity: str | None, codes: Collection[str] = ()
) -> dict[str, object]:
    return {
        "table": table,
        "columns": [(code if each in codes else column)(each, of="t") for each in quasi],
        "entity": None if entity is None else column(entity, of="t"),
    }
