"""A plan carried out on rows that it was not made from: each goes where the recoding puts it, or nowhere.

A row that the recoding does not assign (a value that a hierarchy has no entry for, or that lies in no
region, or NULL where that is suppressed) is withheld. The others are recoded as the plan says; classes that are too small among them are
suppressed, whatever the plan's own rows were, so that the release fits by itself.
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
"""The recodings under which each value of a column has labels of its own: all but regions."""

MOST_PASSES = 32
"""Passes over several sets of quasi-identifiers; the recount refuses what would take more."""


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows that a plan was not made from: how many there are, and how many have a place in it."""

    rows: int
    assigned: int

    @property
    def held_back(self) -> int:
        """Count the rows that the recoding does not assign."""
        return self.rows - self.assigned

    def document(self, released: int) -> dict[str, int]:
        """Give the counts of what became of them."""
        return {
            "new_rows": self.rows,
            "held_back": self.held_back,
            "suppressed": self.assigned - released,
        }


def recode_new(
    run: Session, planned: Planned, staged: exp.Table, *, stem: str
) -> tuple[ReleaseQuery, NewRows]:
    """Give the query of new rows, and execute its steps before the staged rows; `stem` names the file of boundaries."""
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
    """Map each value of new rows to its labels, where the recoding gives it some whatever the other columns have."""
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
    """Give the values and paths of each quasi-identifier of rows that a plan is carried out on."""
    return [
        NewColumn(m.column, m.domain, m.paths, m.hierarchy.height, m.above) for m in planned.mapped
    ]
