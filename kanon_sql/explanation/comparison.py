"""What several searches made of one policy, beside each other. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_sql.plans.plan import Plan


@dataclass(frozen=True, slots=True)
class Compared:
    """One search: its plan, or why there is none, and what it took.

    `searched_by` is the algorithm, or the recoding where that is another than one node. The `status`
    is that of `plan --json`: feasible, infeasible, out_of_time, or error where the algorithm cannot
    do what is asked; `error` says why there is no plan. `statements`, `rows_scanned` and `seconds` are of the
    search alone: the frequency set that all of them count on was there before.
    """

    searched_by: str
    status: str
    plan: Plan | None
    error: str | None
    statements: int
    rows_scanned: int
    seconds: float

    @property
    def recoded(self) -> str:
        """Say at which node the rows are released, or else how."""
        return "" if self.plan is None else str(self.plan.recoding)

    def summary(self) -> dict[str, object]:
        """Give it as one flat object, in which a plan is what `plan --json` prints of it."""
        return {
            "searched_by": self.searched_by,
            **({"error": self.error} if self.plan is None else self.plan.summary()),
            "status": self.status,
            "feasible": self.plan is not None,
            "statements": self.statements,
            "rows_scanned": self.rows_scanned,
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """All searches that were asked for, in that order, on one frequency set.

    Without hierarchies there is none, and no lattice.
    """

    rows: int
    classes: int | None
    lattice_nodes: int | None
    metric: str
    names: tuple[str, ...]
    privacy: tuple[str, ...]
    max_suppressed: int
    searches: tuple[Compared, ...]

    def summary(self) -> dict[str, object]:
        """Give what `compare --json` prints."""
        return {
            "status": "ok",
            "rows": self.rows,
            "classes_before": self.classes,
            "lattice_nodes": self.lattice_nodes,
            "metric": self.metric,
            "quasi_identifiers": list(self.names),
            "privacy": list(self.privacy),
            "max_suppressed_rows": self.max_suppressed,
            "searches": [each.summary() for each in self.searches],
        }
