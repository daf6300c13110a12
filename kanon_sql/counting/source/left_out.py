"""The rows that `nulls: suppress` removes from a source: those with NULL in a quasi-identifier.

They are suppressed rows. They count towards the suppression limit, in metrics, and in distributions of the source. They
are in no class, and their values are in no hierarchy or boundary.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.counting.source.counted_rows import count_tuples, see_repeated
from kanon_sql.engines.source import source_sql

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.model import Policy


def without_nulls(run: Session, opened: OpenSource) -> OpenSource:
    """Return the source without rows with NULL in a quasi-identifier; unchanged if there are none."""
    view = run.scratch.table("without_nulls")
    run.see(view, without_nulls_statement(run.policy, view, opened.tuples.table))
    weight, counted = opened.tuples.weight, None
    if weight is None:
        table, rows = view, run.engine.fetch_count(source_sql.count_rows(view))
    else:
        counted, rows = count_tuples(run, view, weight)
        table = see_repeated(run, counted, [each.name for each in opened.columns])
    if rows == opened.rows:
        return opened
    return replace(
        opened,
        table=table,
        rows=rows,
        counted=counted,
        all_rows=opened.table,
        all_counted=opened.counted,
        left_out=opened.rows - rows,
    )


def without_nulls_statement(policy: Policy, view: exp.Table, origin: exp.Table) -> Statement:
    """Return the statement that keeps the rows without NULL in any quasi-identifier."""
    return source_sql.without_nulls(view, origin, [each.name for each in policy.quasi])


def count_nulls(run: Session, opened: OpenSource) -> dict[str, int]:
    """Count the rows with NULL in each quasi-identifier; only those with such rows are in the result."""
    found = {}
    for each in run.policy.quasi:
        statement = source_sql.count_missing(opened.source, each.name, rows=opened.source_rows)
        found[each.name] = run.engine.fetch_count(statement)
    return {name: rows for name, rows in found.items() if rows}
