"""The statement that counts the frequency set of a source, for a database that no engine of ours runs in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.engines.connect import dialect_of
from kanon_sql.source.frequency_set import count_column, counted_columns
from kanon_sql.sql.quoting import column, name
from kanon_sql.sql.quoting import condition as condition_of
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.policy.model import Policy
    from kanon_sql.release.warehouse_dialects import Warehouse


def counting(policy: Policy, source: exp.Table | exp.Subquery, warehouse: Warehouse) -> Statement:
    """Count the tuples of a table, as that database tells them apart."""
    where = policy.source.where
    return Statement(
        "release/frequency_query",
        {
            "source": source,
            "columns": [column(each, of="s") for each in counted_columns(policy)],
            "count": name(count_column(policy)),
            "condition": None
            if where is None
            else condition_of(where, dialect=dialect_of(policy.database)),
            "apart": warehouse.apart,
        },
    )
