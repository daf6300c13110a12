"""Finds the columns of any table that distinguish its rows, for `kanon-sql risk` without quasi-identifiers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.counting.run.arguments import checked
from kanon_sql.counting.run.inputs import open_table
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.reidentification.column_sets import ColumnSets, search_column_sets
from kanon_sql.evidence.reidentification.measure_risk import opened_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kanon_sql.counting.run.inputs import Connection, TableInput
    from kanon_sql.engines.connect import Settings

NEAR = 0.9
"""The least distinct ratio of a set of columns that is called nearly unique."""
MOST_COLUMNS = 3
NESTED = re.compile(
    r"[\[\]<>]|struct|map|union|list|json|blob|binary|bytea|xml|array|variant", re.IGNORECASE
)
"""Matches types with nested or binary values, which are not searched."""


@checked
def find_quasi_identifiers(
    source: TableInput,
    *,
    leave_out: Sequence[str] = (),
    near: float = NEAR,
    most_columns: int = MOST_COLUMNS,
    database: str | None = None,
    connection: Connection | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
) -> ColumnSets:
    """Find the sets of at most `most_columns` columns that distinguish the rows of a table; reads only.

    In a unique set no two rows agree. Sets are counted in random samples first; up to 40 that pass, in all rows.

    Args:
        source: The table; by default the policy's source.
        leave_out: Columns that are in no set, such as a key.
        near: The least distinct ratio of a nearly unique set.
        most_columns: The most columns of a set.
        database: The DuckDB file, or the address of the server, that has the tables.
        connection: A connection of DuckDB, psycopg, or a SparkSession; by default one is opened.
        settings: Limits of a connection that is opened here.
        progress: A function to call with the name of each step.

    Returns:
        The unique and the nearly unique sets.

    Raises:
        InputError: An argument or the policy is wrong; all faults are listed.

    >>> import pandas as pd
    >>> import kanon_sql
    >>> people = pd.DataFrame({"age": [31, 34, 52, 56], "disease": ["flu", "cold", "flu", "cold"]})
    >>> found = kanon_sql.find_quasi_identifiers(people)
    >>> [each.columns for each in found.unique]
    [('age',)]
    """
    name = str(source) if isinstance(source, str | Path) else "risk"
    if not 0 < near <= 1:
        raise InputError("risk", [Fault("near", "is a ratio: above 0 and at most 1")])
    if most_columns < 1:
        raise InputError("risk", [Fault("most_columns", "must be at least 1")])
    with opened_engine(database, connection, settings, progress) as run:
        table = open_table(run, source, "searched").table
        described = run.engine.columns(table)
        there = [column.name for column in described]
        faults = [
            Fault(each, "is not a column of the table") for each in leave_out if each not in there
        ]
        scalar = [
            column.name
            for column in described
            if column.name not in leave_out and NESTED.search(column.type) is None
        ]
        if not scalar and not faults:
            faults.append(Fault("", "has no columns to search"))
        if faults:
            raise InputError(name, faults)
        with run.engine.own_functions():
            rows = run.engine.fetch_count(source_sql.count_rows(table))
            if not rows:
                raise InputError(name, [Fault("", "has no rows")])
            found = search_column_sets(
                run, table, scalar, rows=rows, near=near, most_columns=most_columns
            )
        nested = [name for name in there if name not in scalar and name not in leave_out]
        return replace(found, left_out=(*nested, *found.left_out))
