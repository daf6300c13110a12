"""Searches under other bars, other MaxSups and in parts of the lattice, which share their checks.

What one search finds out about a node, all know. Guarantee: each proves what `optimal` proves by
itself. Cost: no node is counted twice under one bar, and where one pass answers for all bars that
were known from the start, not twice under those; a bar that comes up later is a count of its own.
"""

from __future__ import annotations

import math
import time
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, TypeVar

from kanon_sql.lattice.checker import Verdict
from kanon_sql.lattice.node import Lattice, Node
from kanon_sql.searches.optimal import optimal, ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kanon_sql.lattice.result import SearchResult
    from kanon_sql.lattice.statistics import Cost, Counts, TableStatistics
    from kanon_sql.lattice.thresholds import Bar, Tallies
    from kanon_sql.metrics.registry import Metric
    from kanon_sql.searches.node_set import NodeSets

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SubLattice:
    """The nodes in which one column stands at its root, or raw; all nodes where `column` is None.

    A column at its root tells nothing of a row (the subset property of LeFevre et al., 2005): such
    a part is the lattice of the other columns, and a node costs what it does to those. A raw
    column counts as any other.

    >>> part = Part((1, 2), column=0)
    >>> part.lattice.tops, part.whole(Node((2,))).levels, part.own(Node((0, 2)))
    ((2,), (1, 2), None)
    >>> Part((1, 2), column=1, raw=True).lattice.tops
    (1, 0)
    """

    tops: tuple[int, ...]
    column: int | None = None
    raw: bool = False

    @property
    def lattice(self) -> Lattice:
        """Give the lattice of the part's own nodes."""
        return Lattice(self._part(self.tops, (0,)))

    def facts(self, facts: TableStatistics) -> TableStatistics:
        """Give what is known of the columns that count, at the levels they may have."""
        if self.column is None:
            return facts
        column = facts.columns[self.column]
        raw = replace(column, levels=column.levels[:1])
        return replace(facts, columns=self._part(facts.columns, (raw,)))

    def own(self, node: Node) -> Node | None:
        """Give a node of the whole lattice as the part's own, if it is one."""
        if self.column is None or self.raw:
            return node if self.lattice.top.covers(node) else None
        if node.levels[self.column] != self.tops[self.column]:
            return None
        return Node(self._part(node.levels, (0,)))

    def whole(self, node: Node) -> Node:
        """Give a node of the part as one of the whole lattice."""
        if self.column is None or self.raw:
            return node
        at = self.column
        return Node((*node.levels[:at], self.tops[at], *node.levels[at:]))

    def figures(self, figures: Sequence[float]) -> Sequence[float]:
        """Give the figures of the columns that count."""
        if self.column is None or self.raw or not figures:
            return figures
        return self._part(tuple(figures), (0.0,))

    def _part(self, values: tuple[T, ...], raw: tuple[T]) -> tuple[T, ...]:
        """Leave out the value of a column at its root, or put that of a raw one."""
        if self.column is None:
            return values
        between = raw if self.raw else ()
        return (*values[: self.column], *between, *values[self.column + 1 :])


class Scenarios:
    """Remembers what nodes came to under each of several bars; the first is the policy's own.

    `monotone` says of a MaxSup whether verdicts may be carried over to other nodes.
    """

    def __init__(
        self, tallies: Tallies, bars: Iterable[Bar], monotone: Callable[[int], bool]
    ) -> None:
        self.tallies = tallies
        self.bars = tuple(dict.fromkeys(bars))
        checker = tallies.checker
        self.tops = checker.lattice.tops
        self.facts: TableStatistics = checker.facts
        self.metric: Metric = checker.metric
        self.monotone = monotone
        self.batch = checker.batch
        self.late = checker.late
        self._known: dict[Bar, dict[Node, Counts]] = {bar: {} for bar in self.bars}
        self._figures: dict[tuple[Bar, Node], list[float]] = {}
        self._order: NodeSets | None = None

    def known(self, bar: Bar) -> dict[Node, Counts]:
        """Give what is known of nodes under a bar."""
        return self._known.setdefault(bar, {})

    @property
    def nodes_counted(self) -> int:
        """How many nodes were counted under any bar."""
        return len({node for counted in self._known.values() for node in counted})

    def counts(self, bar: Bar, nodes: Sequence[Node]) -> list[Counts]:
        """Count nodes under a bar, and where that costs no more under all."""
        known = self.known(bar)
        fresh = [node for node in dict.fromkeys(nodes) if node not in known]
        if fresh:
            asked = self.bars if bar in self.bars and self.tallies.one_pass else (bar,)
            for node, counted in zip(fresh, self.tallies.tally(fresh, asked), strict=True):
                for each, counts in zip(asked, counted, strict=True):
                    self.known(each)[node] = counts
        return [known[node] for node in nodes]

    def figures(self, bar: Bar, verdicts: Sequence[Verdict]) -> list[list[float]]:
        """Give what exact costs need of the rows that nodes suppress."""
        fresh = [v for v in verdicts if (bar, v.node) not in self._figures]
        if fresh:
            asked = self.tallies.figures(fresh, bar, self.metric.need)
            for verdict, found in zip(fresh, asked, strict=True):
                self._figures[bar, verdict.node] = found
        return [self._figures[bar, v.node] for v in verdicts]

    def trial(
        self, bar: Bar, max_suppressed: int, *, column: int | None = None, raw: bool = False
    ) -> Scenario:
        """Give the checker of one search; of a part of the lattice where a column is named."""
        return Scenario(self, bar, max_suppressed, SubLattice(self.tops, column, raw))

    def best(self, trial: Scenario) -> SearchResult | None:
        """Find the optimum of a trial, which holds all nodes; None when none of them is feasible."""
        order = None
        if trial.part.column is None:
            order = self._order = self._order or ordered(trial)
        return optimal(trial, known=trial.known(), order=order)


class Scenario:
    """The checker of one search among several."""

    def __init__(self, trials: Scenarios, bar: Bar, max_suppressed: int, part: SubLattice) -> None:
        self.part = part
        self.bar = bar
        self.max_suppressed = max_suppressed
        self.class_size = bar[0].class_size
        self.lattice = part.lattice
        self.facts = part.facts(trials.facts)
        self.metric = trials.metric
        self.monotone = trials.monotone(max_suppressed)
        self.batch = trials.batch
        self._trials = trials
        self._left = math.inf
        self._until = math.inf

    def limited(self, *, checks: int, until: float) -> Self:
        """Give the same checker, which is late once it has counted so many nodes more."""
        other = copy(self)
        other._left, other._until = checks, until  # noqa: SLF001  a copy of ourselves
        return other

    def check(self, nodes: Sequence[Node]) -> list[Verdict]:
        """Count nodes that no trial has counted; the verdicts come in the order of the nodes."""
        whole = [self.part.whole(node) for node in nodes]
        self._left -= len(set(whole) - self._trials.known(self.bar).keys())
        counted = self._trials.counts(self.bar, whole)
        return [self._verdict(n, counts) for n, counts in zip(nodes, counted, strict=True)]

    def known(self) -> list[Verdict]:
        """Give the verdicts of all nodes that were counted."""
        owned = (
            (self.part.own(node), counts) for node, counts in self._trials.known(self.bar).items()
        )
        return [self._verdict(node, counts) for node, counts in owned if node is not None]

    def _verdict(self, node: Node, counts: Counts) -> Verdict:
        fits = counts.suppressed <= self.max_suppressed and counts.classes > 0
        return Verdict(node, counts, fits)

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        """Give the exact cost of nodes that were checked, over the columns that count."""
        whole = [replace(v, node=self.part.whole(v.node)) for v in verdicts]
        return [
            self.metric.cost(self.facts, v.node, v.counts, self.part.figures(found))
            for v, found in zip(verdicts, self._trials.figures(self.bar, whole), strict=True)
        ]

    def late(self) -> bool:
        """Whether the time limit has passed, or this search's own share of time or of checks."""
        return self._trials.late() or self._left <= 0 or time.monotonic() > self._until
