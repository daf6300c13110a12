"""Why a plan recodes as it does: what binds, what else could be had, and at what cost.

Values only; `explanation_text.py` says them in words. In documents `node` is a list of levels in the order
of the quasi-identifiers, and `levels` names them, as everywhere in what commands print as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.lattice.statistics import Cost
    from kanon_sql.plans.guarantee import Guarantee
    from kanon_sql.plans.plan import Plan


SUPPRESSION = "suppression"
"""The name of the suppression limit among the bounds."""


class Certainty(StrEnum):
    """How far a search came."""

    PROVEN = "proven"
    BEST_FOUND = "best found"
    INFEASIBLE = "infeasible"
    NOT_REACHED = "not reached in time"


@dataclass(frozen=True, slots=True)
class Optimum:
    """The node of least cost under some demands, as far as it is known.

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

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        if not self.found:
            return {"known": self.known.value}
        return {
            "known": self.known.value,
            "node": list(self.levels),
            "suppressed_rows": self.suppressed_rows,
            "cost": plain(self.cost),
        }


@dataclass(frozen=True, slots=True)
class Bound:
    """One limit of the policy, and what the optimum would be if it were relaxed slightly.

    That is by one of k or l, and of the suppression limit by as much as it takes to cost less; `relaxed` is
    None where no limit would. The plan's node stays feasible up to `slack`: the greatest k or l,
    the least suppression limit; of k and l that is None where a plan does more than release rows at one node.
    It `binds` if the optimum would cost less; None where the searches did not come so far.
    """

    name: str
    asked: float
    relaxed: float | None
    optimum: Optimum
    slack: float | None
    binds: bool | None

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        return {
            "name": self.name,
            "asked": self.asked,
            "binds": self.binds,
            "slack": self.slack,
            "relaxed": self.relaxed,
            "optimum": self.optimum.document(),
        }


@dataclass(frozen=True, slots=True)
class ColumnCost:
    """What one quasi-identifier costs the others, and what it would cost to release it raw.

    `others` is what the node that all is compared with costs the other columns alone, if there is
    one; `without` is the optimum if this column were no quasi-identifier, its cost over the others
    too, or None where there are no others. `raw` is the optimum with this column at level 0, over
    all columns.
    """

    name: str
    others: Cost | None
    without: Optimum | None
    raw: Optimum

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        found: dict[str, object] = {"name": self.name}
        if self.others is not None:
            found["cost_over_others"] = plain(self.others)
        if self.without is not None:
            found["without"] = self.without.document()
        return {**found, "raw": self.raw.document()}


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A node one level beside the plan's, with the classes that it keeps, and in words why it was not taken."""

    column: str
    levels: tuple[int, ...]
    coarser: bool
    feasible: bool
    suppressed_rows: int
    cost: Cost
    classes: int
    why: str = ""

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        return {
            "column": self.column,
            "node": list(self.levels),
            "coarser": self.coarser,
            "feasible": self.feasible,
            "suppressed_rows": self.suppressed_rows,
            "cost": plain(self.cost),
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class Cell:
    """The optimum under one k and one suppression limit, all else being as the policy has it.

    It is Pareto-optimal if no other cell that was reached requires as much of k, allows as little
    suppression, and costs as little, and is better in one of these.
    """

    k: int
    max_suppressed: int
    optimum: Optimum
    of_policy: bool
    pareto: bool

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        return {
            "k": self.k,
            "max_suppressed_rows": self.max_suppressed,
            **self.optimum.document(),
            "of_policy": self.of_policy,
            "pareto": self.pareto,
        }


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

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        return {
            "node": list(self.levels),
            "height": self.height,
            "feasible": self.feasible,
            "suppressed_rows": self.suppressed_rows,
            "classes": self.classes,
            "cost": None if self.cost is None else plain(self.cost),
            "minimal": self.minimal,
            "chosen": self.chosen,
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a plan recodes as it does, as plain data.

    What the plan requires is the policy's, and where it releases rows `at_one_node` all figures were
    counted again, so that only those of other recodings are what the plan says of itself. It
    `claimed` to be optimal, or did not; it is `optimal` where it was proven here, in
    `proof_checks`, that no node costs less. `optimum` is the policy's own, of single nodes, and
    `base` the one that bounds and columns are compared with: the plan's node if none better is
    known. The lattice was `walked` completely where it was small enough; else all that is not proven
    is the best that bounded searches found. `nodes` is None unless asked for, and then all of the
    lattice if there are `lattice_nodes` of them. In `checks` `nodes_checked` nodes were counted, some
    again under bounds that came up later.
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

    @property
    def node(self) -> tuple[int, ...]:
        """Give the plan's levels, in the order of the quasi-identifiers: of several, the first."""
        return tuple(self.plan.levels.values())

    @property
    def at_one_node(self) -> bool:
        """Whether every row that is released is so at one node, all of its cells."""
        return not self.plan.recoding.moves

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
            "optimum": self.optimum.document(),
            "base": self.base.document(),
            "bounds": [each.document() for each in self.bounds],
            "columns": [each.document() for each in self.columns],
            "neighbours": [each.document() for each in self.neighbours],
            "frontier": [each.document() for each in self.frontier],
            "walked": self.walked,
            "checks": self.checks,
            "nodes_checked": self.nodes_checked,
            **self.run,
        }


def plain(cost: Cost) -> float | list[float]:
    """Give a cost as a plan writes it: a number, or the list of a ranked loss."""
    return cost[0] if len(cost) == 1 else list(cost)
