"""Counts the rows that a plan's model would release now, if the plan is not one node, by recoding them as new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from kanon_sql.errors import InternalError
from kanon_sql.late_dataclass import dataclass
from kanon_sql.plans.recodings import (
    Enforced,
    FullDomain,
    LocalSuppression,
    Multidimensional,
    MultiNode,
    SingleDimensional,
    WithoutSmallest,
)
from kanon_sql.recoding.multidimensional.assign_regions import run_steps
from kanon_sql.recoding.new_rows import boundaries_sql
from kanon_sql.recoding.new_rows.assign import assign_to_intervals, assign_to_regions
from kanon_sql.recoding.new_rows.recode_new_rows import count_assigned, new_columns
from kanon_sql.recoding.recode import columns_at_levels, recode_columns
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.labels_sql import Released
    from kanon_sql.planning.make_plan import Planned
    from kanon_sql.run.session import Session
    from kanon_sql.sql.templates import Statement


@dataclass(frozen=True, slots=True)
class RowsAsBuilt:
    """Rows of the source: those that the recoding assigns, and those of them whose classes fit."""

    assigned: int
    released: int


def rows_as_built(run: Session, planned: Planned, boundaries: exp.Table | None) -> RowsAsBuilt:
    """Count the rows that the model of a plan would release, by the boundaries of the project's seed."""
    opened, recoding = planned.opened, planned.plan.recoding
    staged = run.scratch.table("staged")
    labels: Sequence[Statement]
    released: Sequence[Released]
    match recoding:
        case Multidimensional():
            steps, made = assign_to_regions(
                run.policy,
                opened.table,
                new_columns(planned),
                _there(boundaries),
                staged,
                depth=None,
                boxes=recoding.regions,
                order=[column.name for column in opened.columns],
                named=lambda what, _: run.scratch.table(what),
                rows=opened.rows,
            )
            run_steps(run, steps)
            unfit = run.scratch.table("unfit")
            run.engine.execute(made.unfit_tuples(unfit))
            assigned = _sum(run, made.inside)
            return RowsAsBuilt(assigned, assigned - _sum(run, unfit))
        case SingleDimensional():
            labels, released = assign_to_intervals(
                run.policy,
                new_columns(planned),
                _there(boundaries),
                lambda what, _: run.scratch.table(what),
            )
        case MultiNode():
            labels, released = columns_at_levels(run, planned)
        case FullDomain() | Enforced() | WithoutSmallest() | LocalSuppression():
            raise InternalError(f"rows of {recoding} are counted at its node")
        case _:
            assert_never(recoding)
    query = recode_columns(run, planned, released, staged, labels=labels)
    run.engine.execute(query.staging)
    ((rows,),) = run.engine.fetch(source_sql.count_rows(staged))
    return RowsAsBuilt(count_assigned(run, opened.table, released), int(str(rows)))


def _there(boundaries: exp.Table | None) -> exp.Table:
    if boundaries is None:
        raise InternalError("a recoding by boundaries is counted without them")
    return boundaries


def _sum(run: Session, tuples: exp.Table) -> int:
    ((rows,),) = run.engine.fetch(boundaries_sql.count_assigned(tuples))
    return int(str(rows))
