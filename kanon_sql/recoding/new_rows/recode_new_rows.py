"""Recode rows by a plan that was made from others: the recoding assigns each row, or it is withheld.

A row is withheld if a hierarchy has no entry for one of its values, if it lies in no region, or if it has NULL where
that is suppressed. The others are recoded as the plan states. Classes that are too small among them are suppressed,
whatever the plan's own rows were, so that the release fits by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, assert_never

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
from kanon_sql.recoding.new_rows.assign import NewColumn, assign_to_intervals, assign_to_regions
from kanon_sql.recoding.new_rows.boundaries import read_boundaries
from kanon_sql.recoding.recode import columns_at_levels, recode_columns
from kanon_sql.release.query import ReleaseQuery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.labels_sql import Released
    from kanon_sql.planning.make_plan import Planned
    from kanon_sql.run.session import Session
    from kanon_sql.sql.templates import Statement

Labelling: TypeAlias = (
    FullDomain | Enforced | WithoutSmallest | MultiNode | LocalSuppression | SingleDimensional
)
"""The recodings that give a value its labels whatever the other columns have: all but regions."""

MOST_PASSES = 32
"""The most passes over several sets of quasi-identifiers; the recount refuses what would take more."""


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows that a plan was not made from: their number, and how many the recoding assigns."""

    rows: int
    assigned: int

    @property
    def held_back(self) -> int:
        """The withheld rows: those that the recoding does not assign."""
        return self.rows - self.assigned

    def document(self, released: int) -> dict[str, int]:
        """Return the counts of new, withheld and suppressed rows."""
        return {
            "new_rows": self.rows,
            "held_back": self.held_back,
            "suppressed": self.assigned - released,
        }


def recode_new(
    run: Session, planned: Planned, staged: exp.Table, *, stem: str
) -> tuple[ReleaseQuery, NewRows]:
    """Return the query of new rows, its steps before staging executed; `stem` names the boundaries' file."""
    opened, recoding = planned.opened, planned.plan.recoding
    if isinstance(recoding, Multidimensional):
        boundaries = read_boundaries(run, opened, recoding, stem=stem)
        order = [column.name for column in opened.columns]
        steps, made = assign_to_regions(
            run.policy,
            opened.table,
            new_columns(planned),
            boundaries,
            staged,
            depth=recoding.depth,
            boxes=recoding.regions,
            order=order,
            named=lambda what, _: run.scratch.table(what),
            rows=opened.rows,
        )
        run_steps(run, steps)
        ((assigned,),) = run.engine.fetch(boundaries_sql.count_assigned(made.inside))
        query = ReleaseQuery(run.policy, opened.table, staged, made.released, order, made.staging)
        return query, NewRows(opened.source_rows, int(str(assigned)))
    labels, released = labels_of_new_rows(run, planned, recoding, stem=stem)
    query = recode_columns(run, planned, released, staged, labels=labels, passes=MOST_PASSES)
    return query, NewRows(opened.source_rows, count_assigned(run, opened.table, released))


def count_assigned(run: Session, source: exp.Table, released: Sequence[Released]) -> int:
    """Count the rows of a source whose values all have labels."""
    ((assigned,),) = run.engine.fetch(boundaries_sql.count_released(source, released))
    return int(str(assigned))


def labels_of_new_rows(
    run: Session, planned: Planned, recoding: Labelling, *, stem: str
) -> tuple[Sequence[Statement], Sequence[Released]]:
    """Map each value of new rows to its labels, under a recoding that maps each column by itself."""
    match recoding:
        case SingleDimensional():
            boundaries = read_boundaries(run, planned.opened, recoding, stem=stem)
            return assign_to_intervals(
                run.policy,
                new_columns(planned),
                boundaries,
                lambda what, _: run.scratch.table(what),
            )
        case FullDomain() | Enforced() | WithoutSmallest() | MultiNode() | LocalSuppression():
            return columns_at_levels(run, planned)
        case _:
            assert_never(recoding)


def new_columns(planned: Planned) -> list[NewColumn]:
    """Return the values and paths of each quasi-identifier of new rows."""
    return [
        NewColumn(m.column, m.domain, m.paths, m.hierarchy.height, m.above) for m in planned.mapped
    ]
