"""The explanation of a plan as dataclasses: active limits, neighbors, columns' costs, the frontier.

`explanation_text.py` describes them in words. In documents `node` is a list of levels in the order of the
quasi-identifiers, and `levels` names them, as in the JSON of all commands.
"""

from __future__ import annotations

from dataclasses import field, fields, replace
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING

from kanon_sql.base.charts.points import FrontierPoint, frontier
from kanon_sql.base.documents.shown import Shown, ShownResult, ShownTable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.shown_plan import proof_text, recoding_text, shown_plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.base.charts.chart import Chart
    from kanon_sql.counting.lattice.result import Guarantee
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.policy.metrics.statistics import Cost
    from kanon_sql.policy.privacy.risks import SizeCount
    from kanon_sql.recoding.measured import TwoColumns


SUPPRESSION = "suppression"
"""The name of the suppression limit among the bounds."""


def as_text(explained: ShownResult) -> str:
    """Return an explanation as text by a module that lies above this one, which cannot import it."""
    return str(import_module("kanon_sql.evidence.explanation.explanation_text").text_of(explained))


class Certainty(StrEnum):
    """How certain the result of a search is."""

    PROVEN = "proven"
    BEST_FOUND = "best found"
    INFEASIBLE = "infeasible"
    NOT_REACHED = "not reached in time"


@dataclass(frozen=True, slots=True)
class Optimum:
    """The node of least cost under some requirements, as far as it is known.

    If a node was found, `levels` has a level per quasi-identifier, and `cost` is by the plan's metric. Otherwise both
    are empty.
    """

    known: Certainty
    levels: tuple[int, ...] = ()
    suppressed_rows: int = 0
    cost: Cost = ()

    @property
    def found(self) -> bool:
        return bool(self.cost)

    @property
    def proven(self) -> bool:
        return self.known is Certainty.PROVEN


@dataclass(frozen=True, slots=True)
class Bound:
    """One limit of the policy, and the optimum if that limit were relaxed slightly.

    k and l are relaxed by one, the suppression limit as far as it takes for an optimum of less cost; `relaxed` is None
    if none was found. The plan's node stays feasible up to `slack`: the greatest k or l, the least suppression
    limit. For k and l `slack` is None if the plan does more than release rows at one node. `binds` is true if the
    relaxed optimum costs less, and None if the searches did not find out.
    """

    name: str
    bound: float
    relaxed: float | None
    optimum: Optimum
    slack: float | None
    binds: bool | None


@dataclass(frozen=True, slots=True)
class ColumnCost:
    """The optima without one quasi-identifier, and with it at level 0, or its finest allowed level.

    `others` is the cost of the base node over the other columns alone, if there is a base. `without` is the optimum
    over the other columns if this one were no quasi-identifier, or None if there are no others. `raw` is the optimum
    over all columns with this one at its finest level.
    """

    name: str
    others: Cost | None
    without: Optimum | None
    raw: Optimum


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A node one level from the plan's, with its number of kept classes and why it was not taken."""

    column: str
    levels: tuple[int, ...]
    coarser: bool
    feasible: bool
    suppressed_rows: int
    cost: Cost
    classes: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """The optimum under one k and one suppression limit, with the rest of the policy unchanged.

    `pareto` is true if no other cell with a result is at least as good in k, suppression limit and cost, and better in
    one of them.
    """

    k: int
    max_suppressed: int
    optimum: Optimum
    of_policy: bool
    pareto: bool


@dataclass(frozen=True, slots=True)
class BestOfK:
    """The best node for another k under the policy's suppression limit, with its released classes by size.

    `labels` has, for each quasi-identifier, the number of labels that the source has at the node's level.
    """

    k: int
    optimum: Optimum
    sizes: tuple[SizeCount, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CutAtK:
    """The loss of the cuts for one k, by the plan's metric, and the rows that they suppress."""

    k: int
    loss: float
    suppressed_rows: int
    of_policy: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """One node of the lattice; fields are None if it was not checked. Rows are released at `chosen` ones."""

    levels: tuple[int, ...]
    feasible: bool | None = None
    suppressed_rows: int | None = None
    classes: int | None = None
    cost: Cost | None = None
    minimal: bool | None = None
    chosen: bool = False

    @property
    def height(self) -> int:
        return sum(self.levels)


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(ShownResult):
    """Why a plan recodes as it does, as plain data.

    `claimed`: the plan states that it is optimal; `optimal`: that was proven here. `optimum` is the best single node,
    `base` the node that others are compared with. If not `walked`, unproven results are of bounded searches. `penalty`
    is the mean NCP of all cells.
    """

    plan: Plan
    promise: Guarantee
    paper: str
    feasible: bool
    claimed: bool
    optimal: bool
    proof_checks: int
    optimum: Optimum
    base: Optimum
    bounds: tuple[Bound, ...]
    columns: tuple[ColumnCost, ...]
    neighbours: tuple[Neighbour, ...]
    frontier: tuple[Cell, ...]
    walked: bool
    nodes: tuple[Member, ...] | None
    checks: int
    nodes_checked: int
    run: Mapping[str, object] = field(default_factory=dict, compare=False)
    penalty: float | None = None
    two_columns: TwoColumns | None = None

    @property
    def node(self) -> tuple[int, ...]:
        """The levels of the plan's node, or of its first node, in the order of the quasi-identifiers."""
        return tuple(self.plan.levels.values())

    @property
    def at_one_node(self) -> bool:
        """True if all cells of all released rows are at one node."""
        return not self.plan.recoding.moves

    def __str__(self) -> str:
        """Return the explanation as the command prints it."""
        return as_text(self)

    def _shown(self) -> Shown:
        made = shown_plan(self.plan)
        bounds: list[list[object]] = [
            [of.name, of.bound, of.binds, of.relaxed, *_of_optimum(of.optimum)]
            for of in self.bounds
        ]
        columns: list[list[object]] = [
            [of.name, *_of_optimum(of.raw), of.raw.known.value] for of in self.columns
        ]
        proof = proof_text(self.plan, optimal=self.optimal)
        active = [of.name for of in self.bounds if of.binds]
        limits = f"; active limits: {', '.join(active)}" if active else ""
        relaxed = ["cost then", "suppressed then"]
        return Shown(
            f"{self.plan.algorithm}, {proof}{limits}; {recoding_text(self.plan)}",
            [("optimal", proof), ("nodes checked", self.nodes_checked), *made.facts],
            [
                *made.tables,
                ShownTable(["limit", "bound", "active", "relaxed to", *relaxed], bounds),
                ShownTable(["column at level 0", *relaxed, "how certain"], columns),
            ],
            made.warnings,
            charts=[*made.charts, *([self._frontier_chart()] if self.frontier else [])],
        )

    def _frontier_chart(self) -> Chart:
        """Draw the frontier: the least cost for each k and each suppression limit."""
        rows = self.plan.source_rows or 1
        points = [
            FrontierPoint(
                each.k,
                each.max_suppressed / rows,
                each.optimum.cost[0] if each.optimum.found else None,
                each.of_policy,
                each.pareto,
            )
            for each in self.frontier
        ]
        return frontier(points, metric=self.plan.metric)

    def document(self) -> dict[str, object]:
        """Return the object that `explain --json` prints, without nodes: they are in a separate file."""
        found = replace(self.plan, checks=None, effort={}, run={}, minimal_nodes=None)
        return {
            **found.summary(),
            "status": "ok",
            "optimal": self.optimal,
            "claimed_optimal": self.claimed,
            "proof_checks": self.proof_checks,
            "recounted": self.at_one_node,
            "feasible": self.feasible,
            "privacy": list(self.plan.privacy),
            "promise": self.promise.value,
            "paper": self.paper,
            "highest_levels": dict(self.plan.heights),
            "optimum": document_of(self.optimum),
            "base": document_of(self.base),
            "bounds": [document_of(each) for each in self.bounds],
            "columns": [document_of(each) for each in self.columns],
            "neighbours": [document_of(each) for each in self.neighbours],
            "frontier": [document_of(each) for each in self.frontier],
            "walked": self.walked,
            "ncp": self.penalty,
            **({} if self.two_columns is None else self.two_columns.summary()),
            "checks": self.checks,
            "nodes_checked": self.nodes_checked,
            **self.run,
        }


def _of_optimum(optimum: Optimum) -> list[object]:
    """Return an optimum's cost, unless it is several numbers, and its suppressed rows; None if not found."""
    if not optimum.found:
        return [None, None]
    return [optimum.cost[0] if len(optimum.cost) == 1 else None, optimum.suppressed_rows]


def plain(cost: Cost) -> float | list[float]:
    """Return a cost as a plan writes it: a number, or a list for a metric that ranks by several."""
    return cost[0] if len(cost) == 1 else list(cost)


def document_of(
    value: Optimum | Bound | ColumnCost | Neighbour | Cell | Member,
) -> dict[str, object]:
    """Return a part of an explanation as plain values, under the keys that plans use.

    Unknown values are None. An optimum that was not found has only its certainty, and a column's cost has no keys for
    values that it lacks.
    """
    if isinstance(value, Optimum) and not value.found:
        return {"known": value.known.value}
    found: dict[str, object] = {}
    for each in fields(value):
        of = getattr(value, each.name)
        key = KEYS.get(each.name, each.name)
        if of is None and isinstance(value, ColumnCost):
            continue
        if isinstance(value, Cell) and isinstance(of, Optimum):
            found |= document_of(of)
        elif isinstance(of, Optimum):
            found[key] = document_of(of)
        elif isinstance(of, tuple):
            found[key] = plain(of) if key in COSTS else list(of)
        else:
            found[key] = of.value if isinstance(of, Certainty) else of
    return found


KEYS = {"levels": "node", "max_suppressed": "max_suppressed_rows", "others": "cost_over_others"}
COSTS = {"cost", "cost_over_others"}
