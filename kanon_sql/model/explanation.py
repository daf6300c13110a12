"""Why a plan has the node it has: what binds, what else could be had, and at what cost.

Values only; `explained.py` says them in words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.model.facts import Cost
    from kanon_sql.model.promise import Promise


class Known(StrEnum):
    """How far a search came."""

    PROVEN = "proven"
    BEST_FOUND = "best found in time"
    INFEASIBLE = "infeasible"
    NOT_REACHED = "not reached in time"


@dataclass(frozen=True, slots=True)
class Optimum:
    """The node of least cost under some demands, as far as it is known.

    Where it is known, `levels` are those of all quasi-identifiers, and `cost` is under the plan's
    metric.
    """

    known: Known
    levels: tuple[int, ...] = ()
    suppressed_rows: int = 0
    cost: Cost = ()

    @property
    def found(self) -> bool:
        return bool(self.cost)

    @property
    def proven(self) -> bool:
        return self.known is Known.PROVEN

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        if not self.found:
            return {"known": self.known.value}
        return {
            "known": self.known.value,
            "levels": list(self.levels),
            "suppressed_rows": self.suppressed_rows,
            "cost": plain(self.cost),
        }


@dataclass(frozen=True, slots=True)
class Bound:
    """One thing that the policy asks, and what the optimum would be if it asked a notch less.

    A notch is one less of k or l, and of MaxSup as much as it takes to do better; `relaxed` is
    None where no MaxSup would. The chosen node stays feasible up to `slack`: the greatest k or l,
    the least MaxSup. It binds if the optimum would cost less.
    """

    name: str
    asked: int
    relaxed: int | None
    optimum: Optimum
    slack: int
    binds: bool

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

    `others` is the cost of the chosen node over the other columns alone; `without` is the optimum
    if this column were no quasi-identifier, its cost over the others too. None of both where
    there are no others. `raw` is the optimum with this column at level 0, over all columns.
    """

    name: str
    level: int
    others: Cost | None
    without: Optimum | None
    raw: Optimum

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        told: dict[str, object] = {"name": self.name, "level": self.level}
        if self.others is not None and self.without is not None:
            told["cost_over_others"] = plain(self.others)
            told["without"] = self.without.document()
        return {**told, "raw": self.raw.document()}


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A node one level beside the chosen one, and in words why it was not taken."""

    column: str
    levels: tuple[int, ...]
    coarser: bool
    feasible: bool
    suppressed_rows: int
    cost: Cost
    why: str

    def document(self) -> dict[str, object]:
        """Give it as plain values."""
        return {
            "column": self.column,
            "levels": list(self.levels),
            "coarser": self.coarser,
            "feasible": self.feasible,
            "suppressed_rows": self.suppressed_rows,
            "cost": plain(self.cost),
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class Cell:
    """The optimum under one k and one MaxSup, all else being as the policy has it.

    It is Pareto-optimal if no other cell that was reached asks as much of k, allows as little
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
            "max_suppressed": self.max_suppressed,
            **self.optimum.document(),
            "of_policy": self.of_policy,
            "pareto": self.pareto,
        }


@dataclass(frozen=True, slots=True)
class Member:
    """One node of the lattice; what was not checked is None."""

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
            "levels": list(self.levels),
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
    """Why a plan has its node, as plain data.

    `levels` and `heights` are those of the plan, by quasi-identifier; `optimum` is the policy's own.
    It is `proven` that no feasible node costs less than the plan's, whichever search did so. `nodes` is None unless asked for, and then
    all of the lattice if there are `lattice_nodes` of them. `checks` counts the nodes that were
    checked for it. Of a plan that does more than release rows at one node, `beyond` says what; all
    else is about that node.
    """

    privacy: tuple[str, ...]
    algorithm: str
    promise: Promise
    paper: str
    metric: str
    proven: bool
    levels: Mapping[str, int]
    heights: Mapping[str, int]
    feasible: bool
    cost: Cost
    rows: int
    suppressed_rows: int
    max_suppressed: int
    optimum: Optimum
    bounds: tuple[Bound, ...]
    columns: tuple[ColumnCost, ...]
    neighbours: tuple[Neighbour, ...]
    frontier: tuple[Cell, ...]
    lattice_nodes: int
    nodes: tuple[Member, ...] | None
    checks: int
    beyond: str | None = None
    run: Mapping[str, object] = field(default_factory=dict, compare=False)

    @property
    def node(self) -> tuple[int, ...]:
        """Give the chosen levels, in the order of the quasi-identifiers."""
        return tuple(self.levels.values())

    def document(self) -> dict[str, object]:
        """Give what `explain --json` prints; the nodes have a file of their own."""
        return {
            "status": "explained",
            "privacy": list(self.privacy),
            "algorithm": self.algorithm,
            "promise": self.promise.value,
            "paper": self.paper,
            "metric": self.metric,
            "proven": self.proven,
            "levels": dict(self.levels),
            "heights": dict(self.heights),
            "feasible": self.feasible,
            "cost": plain(self.cost),
            "rows": self.rows,
            "suppressed_rows": self.suppressed_rows,
            "max_suppressed": self.max_suppressed,
            "optimum": self.optimum.document(),
            "bounds": [each.document() for each in self.bounds],
            "columns": [each.document() for each in self.columns],
            "neighbours": [each.document() for each in self.neighbours],
            "frontier": [each.document() for each in self.frontier],
            "lattice_nodes": self.lattice_nodes,
            "checks": self.checks,
            **({} if self.beyond is None else {"beyond": self.beyond}),
            **self.run,
        }


def plain(cost: Cost) -> float | list[float]:
    """Give a cost as a plan writes it: a number, or the list of a ranked loss."""
    return cost[0] if len(cost) == 1 else list(cost)
