"""What several searches made of one policy, beside each other. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_sql.model.plan import Plan


@dataclass(frozen=True, slots=True)
class Compared:
    """One search: its plan, or why there is none, and what it took.

    `searched_by` is the algorithm, or the recoding where that is another than one node.
    `statements`, `rows_scanned` and `seconds` are of the search alone: the frequency set that all
    of them count on was there before.
    """

    searched_by: str
    plan: Plan | None
    why_none: str | None
    statements: int
    rows_scanned: int
    seconds: float

    @property
    def recoded(self) -> str:
        """Say at which node, or nodes, the rows are released."""
        return "" if self.plan is None else str(self.plan.recoding)

    def summary(self) -> dict[str, object]:
        """Give it as one flat object."""
        told: dict[str, object] = {
            "searched_by": self.searched_by,
            "feasible": self.plan is not None,
            "statements": self.statements,
            "rows_scanned": self.rows_scanned,
            "seconds": self.seconds,
        }
        if self.plan is None:
            return {**told, "why_none": self.why_none}
        return {
            **told,
            "recoding": self.plan.document()["recoding"],
            "proven": self.plan.optimal,
            "cost": list(self.plan.cost),
            "checks": self.plan.checks,
            "classes": self.plan.classes,
            "suppressed_rows": self.plan.suppressed_rows,
            "figures": dict(self.plan.figures),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """All searches that were asked for, in that order, on one frequency set."""

    rows: int
    classes: int
    lattice_nodes: int
    metric: str
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
            "privacy": list(self.privacy),
            "max_suppressed_rows": self.max_suppressed,
            "searches": [each.summary() for each in self.searches],
        }
