"""Counts the rows that a plan's model would release now, if the plan is not one node, by recoding them as new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.recoding.recode import keys_in_session, recoder_of
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.planning.make_plan import Planned
    from kanon_sql.run.session import Session


@dataclass(frozen=True, slots=True)
class RowsAsBuilt:
    """Rows of the source: those that the recoding assigns, and those of them whose classes fit."""

    assigned: int
    released: int


def rows_as_built(run: Session, planned: Planned, boundaries: exp.Table | None) -> RowsAsBuilt:
    """Count the rows that the model of a plan would release, by the boundaries of the project's seed."""
    staged = run.scratch.table("staged")
    recoder = recoder_of(planned.plan.recoding)
    query, assigned = recoder.recode_new(run, planned, staged, boundaries, as_built=True)
    with keys_in_session(run):
        run.engine.execute(query.staging)
    return RowsAsBuilt(assigned, run.engine.fetch_count(source_sql.count_rows(staged)))
