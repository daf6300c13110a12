"""Searches that share counts: under other thresholds and limits, and in parts of the lattice.

Guarantee: each search proves what `optimal` proves by itself. Cost: no node is counted twice under the same
thresholds. Where one pass can count a node under several thresholds, it counts it under all that are known from the
start; thresholds that come up later need another count.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice.checker import Verdict
from kanon_sql.counting.lattice.result import least_cost
from kanon_sql.policy.metrics.node import Lattice, Node
from kanon_sql.recoding.searches.lightning import lightning
from kanon_sql.recoding.searches.optimal import optimal, ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kanon_sql.counting.lattice.result import SearchResult
    from kanon_sql.counting.lattice.sql_checker import SqlChecker, Thresholds
    from kanon_sql.policy.metrics.metric import Metric
    from kanon_sql.policy.metrics.statistics import Cost, Counts, TableStatistics
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
