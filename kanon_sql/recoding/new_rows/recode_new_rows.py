"""Recode rows by a plan that was made from others: the recoding assigns each row, or it is withheld.

A row is withheld if a hierarchy has no entry for one of its values, if it lies in no region, or if it has NULL where
that is suppressed. The others are recoded as the plan states. Classes that are too small among them are suppressed,
whatever the plan's own rows were, so that the release fits by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.recoding.new_rows.boundaries import read_boundaries
from kanon_sql.recoding.recode import recoder_of

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.query import ReleaseQuery


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
    boundaries = boundaries_of_plan(run, planned, stem=stem)
    recoder = recoder_of(planned.plan.recoding)
    query, assigned = recoder.recode_new(run, planned, staged, boundaries)
    return query, NewRows(planned.opened.source_rows, assigned)


def boundaries_of_plan(run: Session, planned: Planned, *, stem: str) -> exp.Table | None:
    """Read the boundaries beside a plan; None if its recoding has none. Raises InputError and StalePlanError."""
    recoding = planned.plan.recoding
    return (
        read_boundaries(run, planned.opened, recoding, stem=stem)
        if recoding.has_boundaries
        else None
    )
