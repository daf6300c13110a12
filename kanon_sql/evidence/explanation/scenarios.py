"""Finds a policy's active limits, the nodes next to the plan's, and the optima of other policies; searches share counts.

Guarantee: each search proves what `optimal` proves by itself, and every number is counted, none estimated. Cost: a
check of each neighbour, and no node is counted twice under the same thresholds. Where one pass can count a node under
several thresholds, it counts it under all that are known from the start; thresholds that come up later need another
count. A lattice that is too large to search completely is searched for a share of the time.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice.result import Verdict, least_cost
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
from kanon_sql.policy.metrics.node import Lattice, Node
from kanon_sql.policy.privacy.demands import bound_name, with_bound
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.recoding.searches.lightning import lightning
from kanon_sql.recoding.searches.optimal import optimal, ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kanon_sql.counting.lattice.result import Guarantee, SearchResult
    from kanon_sql.counting.lattice.sql_checker import SqlChecker, Thresholds
    from kanon_sql.policy.metrics.statistics import Cost, Counts, Metric, TableStatistics
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.policy.privacy.privacy_model import Requirement
    from kanon_sql.recoding.searches.predictive_tagging import NodeSets


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SubLattice:
    """The nodes with one column at its root, or if `raw` at its finest level; all if `column` is None.

    A column at its root has no information about a row (the subset property of LeFevre et al., 2005). Such a part is
    the lattice of the other columns, and a node's cost is that of those. A raw column counts like any other.

    >>> part = SubLattice(Lattice((1, 2)), column=0)
    >>> part.lattice.tops, part.whole(Node((2,))).levels, part.own(Node((0, 2)))
    ((2,), (1, 2), None)
    >>> SubLattice(Lattice((1, 2)), column=1, raw=True).lattice.tops
    (1, 0)
    """

    of: Lattice
    column: int | None = None
    raw: bool = False

    @property
    def lattice(self) -> Lattice:
        """The lattice of the part's own nodes, which lack a column at its root."""
        of = self.of
        if self.column is None:
            return of
        least = of.bottoms[self.column]
        tops = self._part(of.tops, (least,))
        return Lattice(tops, self._part(of.bottoms, (least,)), self._part(of.roots, (least,)))

    def stats(self, stats: TableStatistics) -> TableStatistics:
        """Return the statistics of the part's columns."""
        if self.column is None or self.raw:
            return stats
        return replace(stats, columns=self._part(stats.columns, (stats.columns[0],)))

    def metric(self, metric: Metric) -> Metric:
        """Return the metric over the part's columns."""
        if self.column is None or self.raw:
            return metric
        return metric.of_columns(at for at in range(len(self.of.tops)) if at != self.column)

    def own(self, node: Node) -> Node | None:
        """Convert a node of the whole lattice to the part's own node; None if the part does not have it."""
        own = node
        if self.column is not None and not self.raw:
            if node.levels[self.column] != self.of.roots[self.column]:
                return None
            own = Node(self._part(node.levels, (0,)))
        return own if own in self.lattice else None

    def whole(self, node: Node) -> Node:
        """Convert a node of the part to a node of the whole lattice."""
        if self.column is None or self.raw:
            return node
        at = self.column
        return Node((*node.levels[:at], self.of.roots[at], *node.levels[at:]))

    def figures(self, figures: Sequence[float]) -> Sequence[float]:
        """Return the numbers of the part's columns, from numbers of all columns."""
        if self.column is None or self.raw or not figures:
            return figures
        return self._part(tuple(figures), (0.0,))

    def _part(self, values: tuple[T, ...], raw: tuple[T]) -> tuple[T, ...]:
        """Drop the value of a column at its root, or replace the value of a raw column by `raw`."""
        if self.column is None:
            return values
        between = raw if self.raw else ()
        return (*values[: self.column], *between, *values[self.column + 1 :])


class Scenarios:
    """Remembers the counts of nodes under each of several thresholds, the policy's own first.

    `monotone` returns for a suppression limit whether verdicts may be carried over to other nodes.
    """

    def __init__(
        self, checker: SqlChecker, variants: Iterable[Thresholds], monotone: Callable[[int], bool]
    ) -> None:
        self.checker = checker
        self.variants = tuple(dict.fromkeys(variants))
        self.lattice = checker.lattice
        self.stats: TableStatistics = checker.stats
        self.metric: Metric = checker.metric
        self.monotone = monotone
        self.batch = checker.batch
        self.late = checker.late
        self._known: dict[Thresholds, dict[Node, Counts]] = {
            thresholds: {} for thresholds in self.variants
        }
        self._figures: dict[tuple[Thresholds, Node], list[float]] = {}
        self._together: dict[tuple[Thresholds, Node], bool] = {}
        self._order: NodeSets | None = None

    def known(self, thresholds: Thresholds) -> dict[Node, Counts]:
        """Return the counts of nodes that are known under some thresholds."""
        return self._known.setdefault(thresholds, {})

    @property
    def nodes_counted(self) -> int:
        """The number of distinct nodes that were counted, under any thresholds."""
        return len({node for counted in self._known.values() for node in counted})

    def counts(self, thresholds: Thresholds, nodes: Sequence[Node]) -> list[Counts]:
        """Return the counts of nodes under some thresholds; count new nodes under all if one pass can."""
        known = self.known(thresholds)
        fresh = [node for node in dict.fromkeys(nodes) if node not in known]
        if fresh:
            together = (
                self.variants
                if thresholds in self.variants and self.checker.one_pass
                else (thresholds,)
            )
            for node, counted in zip(fresh, self.checker.count_under(fresh, together), strict=True):
                for each, counts in zip(together, counted, strict=True):
                    self.known(each)[node] = counts
        return [known[node] for node in nodes]

    def fit_together(self, thresholds: Thresholds, verdict: Verdict) -> bool:
        """Return True if a node's kept classes still fit when compared with the released rows alone."""
        if not any(each.of_release for each in thresholds):
            return True
        key = thresholds, verdict.node
        if key not in self._together:
            self._together[key] = self.checker.under(thresholds).fit_together(verdict)
        return self._together[key]

    def figures(self, thresholds: Thresholds, verdicts: Sequence[Verdict]) -> list[list[float]]:
        """Return the numbers that exact costs need of the rows that nodes suppress, counted once."""
        fresh = [v for v in verdicts if (thresholds, v.node) not in self._figures]
        if fresh:
            under = self.checker.under(thresholds)
            figures = under.suppressed_figures(fresh, self.metric.need)
            for verdict, found in zip(fresh, figures, strict=True):
                self._figures[thresholds, verdict.node] = found
        return [self._figures[thresholds, v.node] for v in verdicts]

    def scenario(
        self,
        thresholds: Thresholds,
        max_suppressed: int,
        *,
        column: int | None = None,
        raw: bool = False,
    ) -> Scenario:
        """Return the checker of one search, in a part of the lattice if a column is given."""
        return Scenario(self, thresholds, max_suppressed, SubLattice(self.lattice, column, raw))

    def best(self, scenario: Scenario) -> SearchResult | None:
        """Find the optimum of a scenario in a search that holds all nodes; None if no node is feasible."""
        order = None
        if scenario.part.column is None:
            order = self._order = self._order or ordered(scenario)
        return optimal(scenario, known=scenario.known(), order=order)

    def best_within(self, scenario: Scenario, *, checks: int, until: float) -> SearchResult | None:
        """Find the best node of a lattice that is too large to hold, with limited checks and before `until`.

        Takes the better of Lightning's node and the best that other searches counted. It is feasible, and `optimal`
        only if that was proven. At most `checks` nodes are counted, and one batch more. None if no node is feasible.
        Raises InfeasibleError where none was found though one may be there, only if the models are not monotone.
        """
        limited = scenario.limited(checks=checks, until=until)
        known = {verdict.node: verdict for verdict in scenario.known() if verdict.feasible}
        before, _ = least_cost(limited, known, known)
        found = lightning(limited)
        if found is None or found.optimal or before.verdict is None or before.cost is None:
            return found
        node, ours = before.verdict.node, found.verdict.node
        if (before.cost, node.height, node.levels) >= (found.cost, ours.height, ours.levels):
            return found
        return replace(found, verdict=before.verdict, cost=before.cost)


class Scenario:
    """The checker of one search, which shares its counts with the other searches of `Scenarios`."""

    def __init__(
        self,
        scenarios: Scenarios,
        thresholds: Thresholds,
        max_suppressed: int,
        part: SubLattice,
        *,
        checks: float = math.inf,
        until: float = math.inf,
    ) -> None:
        self.part = part
        self.thresholds = thresholds
        self.max_suppressed = max_suppressed
        self.class_size = thresholds[0].class_size
        self.lattice = part.lattice
        self.stats = part.stats(scenarios.stats)
        self.metric = part.metric(scenarios.metric)
        self.monotone = scenarios.monotone(max_suppressed)
        self.batch = scenarios.batch
        self._scenarios = scenarios
        self._left = checks
        self._until = until

    def limited(self, *, checks: int, until: float) -> Scenario:
        """Return a copy of this checker that is late after counting `checks` more nodes, or after `until`."""
        return Scenario(
            self._scenarios,
            self.thresholds,
            self.max_suppressed,
            self.part,
            checks=checks,
            until=until,
        )

    def check(self, nodes: Sequence[Node]) -> list[Verdict]:
        """Return the verdicts of nodes, in their order; count only nodes that no scenario has counted."""
        whole = [self.part.whole(node) for node in nodes]
        self._left -= len(set(whole) - self._scenarios.known(self.thresholds).keys())
        counted = self._scenarios.counts(self.thresholds, whole)
        return [self._verdict(n, counts) for n, counts in zip(nodes, counted, strict=True)]

    def known(self) -> list[Verdict]:
        """Return the verdicts of all nodes of this part that were counted under these thresholds."""
        owned = (
            (self.part.own(node), counts)
            for node, counts in self._scenarios.known(self.thresholds).items()
        )
        return [self._verdict(node, counts) for node, counts in owned if node is not None]

    def _verdict(self, node: Node, counts: Counts) -> Verdict:
        fits = counts.suppressed <= self.max_suppressed and counts.classes > 0
        whole = Verdict(self.part.whole(node), counts, fits)
        fits = fits and self._scenarios.fit_together(self.thresholds, whole)
        return Verdict(node, counts, fits)

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        """Return the exact costs of checked nodes, over the part's columns."""
        whole = [replace(v, node=self.part.whole(v.node)) for v in verdicts]
        return [
            self.metric.cost(self.stats, v.node, v.counts, self.part.figures(found))
            for v, found in zip(
                verdicts, self._scenarios.figures(self.thresholds, whole), strict=True
            )
        ]

    def late(self) -> bool:
        """Return True if the time limit has passed, or this search's share of time or checks is used up."""
        return self._scenarios.late() or self._left <= 0 or time.monotonic() > self._until


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
