"""Why a plan recodes as it does: which limits are active, what other recodings there are, and at what cost.

Values only; `explanation_text.py` describes them. In documents `node` is a list of levels in the order
of the quasi-identifiers, and `levels` names them, as everywhere in what commands print as JSON.
"""

from __future__ import annotations

from dataclasses import field, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from kanon_sql.charts.points import FrontierPoint, frontier
from kanon_sql.documents.shown import Shown, ShownResult, ShownTable
from kanon_sql.late_dataclass import dataclass
from kanon_sql.plans.shown_plan import recoding_text, shown_plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.charts.chart import Chart
    from kanon_sql.lattice.statistics import Cost
    from kanon_sql.plans.guarantee import Guarantee
    from kanon_sql.plans.plan import Plan
    from kanon_sql.privacy.attackers import SizeCount
    from kanon_sql.release_quality.measured import TwoColumns


SUPPRESSION = "suppression"
"""The name of the suppression limit among the bounds."""


class Certainty(StrEnum):
    """How certain the result of a search is."""

    PROVEN = "proven"
    BEST_FOUND = "best found"
    INFEASIBLE = "infeasible"
    NOT_REACHED = "not reached in time"


@dataclass(frozen=True, slots=True)
class Optimum:
    """The node of least cost under some requirements, as far as it is known.

    Where it is known, `levels` are those of all quasi-identifiers, and `cost` is under the plan's
    metric.
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
    """One limit of the policy, and what the optimum would be if it were relaxed slightly.

    k and l are relaxed by one, the suppression limit by as much as it takes to cost less; `relaxed` is
    None where no limit would. The plan's node stays feasible up to `slack`: the greatest k or l,
    the least suppression limit; for k and l it is None where a plan does more than release rows at one node.
    It `binds` if the optimum would cost less; None where the searches did not find out.
    """

    name: str
    bound: float
    relaxed: float | None
    optimum: Optimum
    slack: float | None
    binds: bool | None


@dataclass(frozen=True, slots=True)
class ColumnCost:
    """What one quasi-identifier costs the others, and what it would cost to release it at level 0.

    `others` is the cost of the base node over the other columns alone, if there is a base; `without` is
    the optimum if this column were no quasi-identifier, also over the others, or None where there are
    none. `raw` is the optimum with this column at level 0, over all columns.
    """

    name: str
    others: Cost | None
    without: Optimum | None
    raw: Optimum


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A node one level away from the plan's, with its number of fitting classes, and why it was not taken."""

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
    """The optimum under one k and one suppression limit; all else is the policy's.

    It is Pareto-optimal if no other cell that was reached is at least as good in k, in the suppression
    limit and in cost, and better in one of them.
    """

    k: int
    max_suppressed: int
    optimum: Optimum
    of_policy: bool
    pareto: bool


@dataclass(frozen=True, slots=True)
class BestOfK:
    """The best node for another k under the policy's suppression limit, with its released classes by their size.

    `labels` counts, for each quasi-identifier, the labels that the source has at the node's level.
    """

    k: int
    optimum: Optimum
    sizes: tuple[SizeCount, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """One node of the lattice; what was not checked is None. A plan releases rows at those `chosen`."""

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

    The requirements are the policy's. Where the plan releases rows `at_one_node` all counts and quality
    metrics were computed again; for other recodings they are those that the plan states. The plan
    `claimed` to be optimal, or did not; it is `optimal` where it was proven here, in
    `proof_checks`, that no node costs less. `optimum` is that of the policy over single nodes, and
    `base` the node that bounds and columns are compared with: the plan's if none better is
    known. The lattice was `walked` completely where it was small enough; else what is not proven
    is the best that bounded searches found. `nodes` is None unless the lattice was requested, and complete
    if there are `lattice_nodes` of them. In `checks` `nodes_checked` nodes were counted, some
    again under bounds that were searched later. `penalty` is the mean NCP of all cells of the release, and
    `two_columns` what a reader of it notices; both are counted beside the source, None where they were not.
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
        """Give the plan's levels, in the order of the quasi-identifiers; of several nodes, the first."""
        return tuple(self.plan.levels.values())

    @property
    def at_one_node(self) -> bool:
        """Whether all cells of all released rows are at one node."""
        return not self.plan.recoding.moves

    def _shown(self) -> Shown:
        made = shown_plan(self.plan)
        bounds: list[list[object]] = [
            [of.name, of.bound, of.binds, of.relaxed, *_of_optimum(of.optimum)]
            for of in self.bounds
        ]
        columns: list[list[object]] = [
            [of.name, *_of_optimum(of.raw), of.raw.known.value] for of in self.columns
        ]
        proof = "proven optimal" if self.optimal else "not proven optimal"
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
        """Give what `explain --json` prints; the nodes have a file of their own."""
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
            "heights": dict(self.plan.heights),
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
    """Give the cost of an optimum and its suppressed rows, where it was found."""
    if not optimum.found:
        return [None, None]
    return [optimum.cost[0] if len(optimum.cost) == 1 else None, optimum.suppressed_rows]


def plain(cost: Cost) -> float | list[float]:
    """Give a cost as a plan writes it: a number, or the list of a ranked loss."""
    return cost[0] if len(cost) == 1 else list(cost)


def document_of(
    value: Optimum | Bound | ColumnCost | Neighbour | Cell | Member,
) -> dict[str, object]:
    """Give a part of an explanation as plain values, under the names that plans use.

    What is unknown is null. An optimum that was not found has its certainty alone, and a column's cost
    no keys for what it does not have.
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
