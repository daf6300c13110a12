"""Finds a policy's active limits, the nodes next to the plan's, and the optima of other policies.

Guarantee: an optimum that is called proven is one, and every number is counted, none estimated.
Cost: a check of each neighbour, and searches that share their checks (`scenarios.py`). A lattice that is too large
to search completely is searched for a share of the time.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.errors import InfeasibleError
from kanon_sql.evidence.explanation.explanation import (
    SUPPRESSION,
    Bound,
    Cell,
    Certainty,
    ColumnCost,
    Neighbour,
    Optimum,
)
from kanon_sql.evidence.explanation.explanation_text import why_not
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.privacy.demands import bound_name, with_bound
from kanon_sql.policy.privacy.k_anonymity import SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kanon_sql.counting.lattice.result import Guarantee, SearchResult
    from kanon_sql.counting.lattice.sql_checker import Thresholds
    from kanon_sql.evidence.explanation.scenarios import Scenario, Scenarios
    from kanon_sql.policy.metrics.statistics import Cost
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.policy.privacy.privacy_model import Requirement

CHECKS, FIRST_CHECKS = 250, 2_000
"""The most nodes that a bounded search counts. The first, of the policy itself, has more, and at least
a quarter of the time, because all others start from its result."""

SURE = frozenset({Certainty.PROVEN, Certainty.INFEASIBLE})


def relaxed_by_one(thresholds: Thresholds) -> Iterator[tuple[Demand, Requirement, Thresholds]]:
    """Yield each bound that one or all classes can fail, and the thresholds with it one step looser."""
    for demand in thresholds:
        of_all = (each for each in demand.of_release if each.measure.of_all_classes)
        for each in (*demand.requirements, *of_all):
            if each.binding:
                less = with_bound(thresholds, demand.columns, each.measure, each.relaxed)
                yield demand, each, less


def with_k(thresholds: Thresholds, k: int) -> Thresholds:
    """Return the thresholds with another k over all quasi-identifiers."""
    return with_bound(thresholds, (), SIZE, k)


class Analysis:
    """Searches the scenarios of one policy: completely if the lattice has at most `most_nodes` nodes.

    Otherwise the time until the `deadline` (of `time.monotonic`) is divided among the expected number of `searches`.
    """

    def __init__(
        self,
        scenarios: Scenarios,
        *,
        names: Sequence[str],
        max_suppressed: int,
        most_nodes: int,
        searches: int,
        deadline: float,
    ) -> None:
        self.scenarios = scenarios
        self.names = names
        self.limit = max_suppressed
        self.thresholds = scenarios.variants[0]
        self.most_nodes = most_nodes
        self.own = scenarios.scenario(self.thresholds, max_suppressed)
        self._searches = searches
        self._done = 0
        self._deadline = deadline

    def optimum(self, scenario: Scenario | None = None) -> Optimum:
        """Search for the optimum of a scenario, by default the policy's own; `NOT_REACHED` without time."""
        scenario = scenario or self.own
        if self.scenarios.late():
            return Optimum(Certainty.NOT_REACHED)
        if scenario.lattice.size <= self.most_nodes:
            found = self.scenarios.best(scenario)
        else:
            try:
                found = self._bounded(scenario)
            except InfeasibleError:
                return Optimum(Certainty.NOT_REACHED)
        if found is None:
            return Optimum(Certainty.INFEASIBLE)
        return Optimum(
            Certainty.PROVEN if found.optimal else Certainty.BEST_FOUND,
            scenario.part.whole(found.verdict.node).levels,
            found.verdict.counts.suppressed,
            found.cost,
        )

    def _bounded(self, scenario: Scenario) -> SearchResult | None:
        """Search for a share of the remaining time. Raises InfeasibleError as `Scenarios.best_within` does."""
        now = time.monotonic()
        first, left = not self._done, max(self._searches - self._done, 1)
        self._done += 1
        share = (self._deadline - now) * (max(0.25, 1 / left) if first else 1 / left)
        return self.scenarios.best_within(
            scenario, checks=FIRST_CHECKS if first else CHECKS, until=now + share
        )

    def base(self, optimum: Optimum, node: Node | None) -> Optimum:
        """Return the node to compare bounds and columns with: the plan's `node`, or a better `optimum`."""
        if node is None:
            return optimum
        (verdict,) = self.own.check([node])
        (cost,) = self.own.costs([verdict])
        if optimum.found and (not verdict.feasible or optimum.cost < cost):
            return optimum
        known = Certainty.PROVEN if optimum.proven else Certainty.BEST_FOUND
        return Optimum(known, node.levels, verdict.counts.suppressed, cost)

    def neighbours(
        self, node: Node, *, cost: Cost, algorithm: str, promise: Guarantee
    ) -> Iterator[Neighbour]:
        """Yield each node one level from the plan's `node`, finer ones first; `cost` is the plan's."""
        lattice = self.own.lattice
        beside = [*node.children(lattice.bottoms), *node.parents(lattice.tops)]
        verdicts = self.own.check(beside)
        for verdict, theirs in zip(verdicts, self.own.costs(verdicts), strict=True):
            (column,) = (
                name
                for name, here, there in zip(
                    self.names, node.levels, verdict.node.levels, strict=True
                )
                if here != there
            )
            found = Neighbour(
                column,
                verdict.node.levels,
                verdict.node.height > node.height,
                verdict.feasible,
                verdict.counts.suppressed,
                theirs,
                verdict.counts.classes,
            )
            why = why_not(
                found,
                max_suppressed=self.limit,
                cost=cost,
                algorithm=algorithm,
                promise=promise,
            )
            yield replace(found, why=why)

    def bounds(self, optimum: Optimum, *, node: Node | None, suppressed: int) -> Iterator[Bound]:
        """Yield each bound of the policy, and the optimum with it relaxed; the suppression limit is last.

        `suppressed` is the plan's number of suppressed rows. How far other bounds could be tightened is counted at the
        plan's `node`, if it has one.
        """
        for demand, requirement, less in relaxed_by_one(self.thresholds):
            relaxed = self.optimum(self.scenarios.scenario(less, self.limit))
            as_written = requirement.measure.as_written
            slack = None if node is None else self._slack(node, demand.columns, requirement)
            yield Bound(
                bound_name(demand.columns, requirement.measure),
                as_written(requirement.bound),
                as_written(requirement.relaxed),
                relaxed,
                slack=None if slack is None else as_written(slack),
                binds=_binds(relaxed, optimum),
            )
        more = self._next_better(optimum)
        yield Bound(
            SUPPRESSION,
            self.limit,
            more.suppressed_rows if more.found else None,
            more,
            slack=suppressed,
            binds=True if more.found else False if more.known is Certainty.INFEASIBLE else None,
        )

    def _slack(self, node: Node, columns: tuple[str, ...], requirement: Requirement) -> int:
        """Find the strictest bound under which a node is feasible, or the loosest bound if there is none."""
        measure = requirement.measure

        def feasible(bound: int) -> bool:
            thresholds = with_bound(self.thresholds, columns, measure, bound)
            (verdict,) = self.scenarios.scenario(thresholds, self.limit).check([node])
            return verdict.feasible

        if measure.at_most:
            loosest = measure.loosest
            return loosest - _last(lambda less: feasible(loosest - less), 0, loosest + 1)
        low, high = 0, requirement.bound
        while feasible(high):
            low, high = high, high * 2
        return _last(feasible, low, high)

    def _next_better(self, optimum: Optimum) -> Optimum:
        """Return the optimum at the least suppression limit above the policy's at which it costs less.

        The limit is raised by doubling steps until the optimum costs less, then found by bisection; each better
        optimum lowers the upper end to the rows that it suppresses.
        """
        rows = self.scenarios.stats.rows
        low, high, step = self.limit, rows + 1, max(1, rows // 1000)
        best = Optimum(Certainty.INFEASIBLE)
        if optimum.known not in SURE:
            return Optimum(Certainty.NOT_REACHED)
        while low + 1 < high:
            limit = min(low + step, rows) if high > rows else (low + high) // 2
            found = self.optimum(self.scenarios.scenario(self.thresholds, limit))
            if _better(found, optimum):
                best, high = found, found.suppressed_rows
            elif found.known in SURE:
                low, step = limit, step * 2
            else:
                return (
                    replace(best, known=Certainty.BEST_FOUND)
                    if best.found
                    else Optimum(Certainty.NOT_REACHED)
                )
        return best

    def columns(self, base: Optimum) -> Iterator[ColumnCost]:
        """Yield for each quasi-identifier the optima without it and with it at level 0."""
        for at, name in enumerate(self.names):
            without = others = None
            if len(self.names) > 1:
                scenario = self.scenarios.scenario(self.thresholds, self.limit, column=at)
                without = self.optimum(scenario)
                others = self._others(scenario, at, Node(base.levels)) if base.found else None
            raw = self.optimum(
                self.scenarios.scenario(self.thresholds, self.limit, column=at, raw=True)
            )
            yield ColumnCost(name, others, without, raw)

    def _others(self, scenario: Scenario, column: int, base: Node) -> Cost:
        """Return the cost of the `base` node over all columns but one.

        A metric of classes has no cost of single columns: its cost is that of the classes without the column.
        """
        rest = [level for at, level in enumerate(base.levels) if at != column]
        node = Node(tuple(rest))
        if scenario.metric.of_classes:
            (cost,) = scenario.costs(scenario.check([node]))
            return cost
        (verdict,) = self.own.check([base])
        (figures,) = self.scenarios.figures(self.thresholds, [verdict])
        return scenario.metric.cost(
            scenario.stats, node, verdict.counts, scenario.part.figures(figures)
        )

    def frontier(
        self, ks: Iterable[int], limits: Iterable[int], optimum: Optimum
    ) -> tuple[Cell, ...]:
        """Return the optimum under each k and suppression limit; `optimum` is the policy's own."""
        own = (self.thresholds[0].class_size, self.limit)
        cells = []
        for k in sorted(set(ks)):
            for limit in sorted(set(limits)):
                ours = (k, limit) == own
                scenario = self.scenarios.scenario(with_k(self.thresholds, k), limit)
                found = optimum if ours else self.optimum(scenario)
                cells.append(Cell(k, limit, found, of_policy=ours, pareto=False))
        return tuple(replace(cell, pareto=_pareto(cell, cells)) for cell in cells)


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the greatest number for which `holds` is true, by bisection: true at `low`, false at `high`."""
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _better(one: Optimum, other: Optimum) -> bool:
    """Return True if an optimum was found and costs less than the other, or the other was not found."""
    return one.found and (not other.found or one.cost < other.cost)


def _binds(relaxed: Optimum, optimum: Optimum) -> bool | None:
    """Return True if the optimum costs less under the relaxed bound; None if that is unknown."""
    if optimum.known not in SURE:
        return None
    return True if _better(relaxed, optimum) else False if relaxed.known in SURE else None


def _pareto(cell: Cell, cells: Sequence[Cell]) -> bool:
    """Return True if the cell has a result, and no other is as good in all respects and better in one."""
    if not cell.optimum.found:
        return False
    own = (-cell.k, cell.max_suppressed, cell.optimum.cost)
    return not any(
        other.optimum.found
        and other.k >= cell.k
        and other.max_suppressed <= cell.max_suppressed
        and other.optimum.cost <= cell.optimum.cost
        and (-other.k, other.max_suppressed, other.optimum.cost) != own
        for other in cells
    )
