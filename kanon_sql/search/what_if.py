"""What binds a chosen node, what lies beside it, and what else could be had: answered by searches.

Guarantee: an optimum that is called proven is one, and every figure is counted, none estimated.
Cost: neighbours are checked each; all the rest are searches that share their checks (`trials`).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from kanon_sql.model.explained import SUPPRESSION, why_not
from kanon_sql.model.explanation import (
    Bound,
    Cell,
    ColumnCost,
    Known,
    Member,
    Neighbour,
    Optimum,
)
from kanon_sql.model.lattice import Lattice, Node
from kanon_sql.model.privacy import Size, bound_name, with_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kanon_sql.model.facts import Cost
    from kanon_sql.model.privacy import Demand, Measure
    from kanon_sql.model.promise import Promise
    from kanon_sql.search.bars import Bar
    from kanon_sql.search.checker import Verdict
    from kanon_sql.search.trials import Trial, Trials

SURE = frozenset({Known.PROVEN, Known.INFEASIBLE})


def notches(bar: Bar) -> Iterator[tuple[Demand, Measure, int, Bar]]:
    """Yield each bound that asks for anything, and the bar with that bound one less."""
    for demand in bar:
        for each in demand.requirements:
            if each.at_least > 1:
                less = with_bound(bar, demand.columns, each.measure, each.at_least - 1)
                yield demand, each.measure, each.at_least, less


def with_k(bar: Bar, k: int) -> Bar:
    """Give the bar with another k over all quasi-identifiers."""
    return with_bound(bar, (), Size(), k)


class WhatIf:
    """Questions about one node under one policy; `most_nodes` is as many as a search can hold."""

    def __init__(
        self,
        trials: Trials,
        *,
        node: Node,
        names: Sequence[str],
        max_suppressed: int,
        most_nodes: int,
    ) -> None:
        self.trials = trials
        self.node = node
        self.names = names
        self.limit = max_suppressed
        self.bar = trials.bars[0]
        self.most_nodes = most_nodes
        self.own = trials.trial(self.bar, max_suppressed)
        (self.chosen,) = self.own.check([node])
        (self.cost,) = self.own.costs([self.chosen])

    def optimum(self, trial: Trial | None = None) -> Optimum:
        """Search for the optimum of a trial, or of the policy itself, if there is time."""
        trial = trial or self.own
        if self.trials.late() or trial.lattice.size > self.most_nodes:
            return Optimum(Known.NOT_REACHED)
        found = self.trials.best(trial)
        if found is None:
            return Optimum(Known.INFEASIBLE)
        return Optimum(
            Known.PROVEN if found.optimal else Known.BEST_FOUND,
            trial.part.whole(found.verdict.node).levels,
            found.verdict.counts.suppressed,
            found.cost,
        )

    def neighbours(self, *, algorithm: str, promise: Promise) -> Iterator[Neighbour]:
        """Yield each node one level beside the chosen one, finer ones first."""
        tops = self.own.lattice.tops
        beside = [*self.node.children(), *self.node.parents(tops)]
        verdicts = self.own.check(beside)
        for verdict, cost in zip(verdicts, self.own.costs(verdicts), strict=True):
            coarser = verdict.node.height > self.node.height
            (column,) = (
                name
                for name, ours, theirs in zip(
                    self.names, self.node.levels, verdict.node.levels, strict=True
                )
                if ours != theirs
            )
            told = Neighbour(
                column,
                verdict.node.levels,
                coarser,
                verdict.feasible,
                verdict.counts.suppressed,
                cost,
                why="",
            )
            why = why_not(
                told,
                classes=verdict.counts.classes,
                max_suppressed=self.limit,
                cost=self.cost,
                algorithm=algorithm,
                promise=promise,
            )
            yield replace(told, why=why)

    def bounds(self, optimum: Optimum) -> Iterator[Bound]:
        """Yield each bound of the policy, relaxed one notch; MaxSup comes last."""
        for demand, measure, asked, less in notches(self.bar):
            relaxed = self.optimum(self.trials.trial(less, self.limit))
            yield Bound(
                bound_name(demand.columns, measure),
                asked,
                asked - 1,
                relaxed,
                slack=self._slack(demand.columns, measure, asked),
                binds=_better(relaxed, optimum),
            )
        more = self._next_better(optimum)
        yield Bound(
            SUPPRESSION,
            self.limit,
            more.suppressed_rows if more.found else None,
            more,
            slack=self.chosen.counts.suppressed,
            binds=more.found,
        )

    def _slack(self, columns: tuple[str, ...], measure: Measure, asked: int) -> int:
        """Find the greatest bound under which the chosen node is feasible; 0 if none is."""

        def feasible(at_least: int) -> bool:
            bar = with_bound(self.bar, columns, measure, at_least)
            (verdict,) = self.trials.trial(bar, self.limit).check([self.node])
            return verdict.feasible

        low, high = 0, asked
        while feasible(high):
            low, high = high, high * 2
        return _last(feasible, low, high)

    def _next_better(self, optimum: Optimum) -> Optimum:
        """Find the optimum under the least greater MaxSup that betters the policy's own.

        MaxSup is raised by steps that double until the optimum costs less, and then halved
        between; every optimum found narrows it to the rows that it suppresses.
        """
        rows = self.trials.facts.rows
        low, high, step = self.limit, rows + 1, max(1, rows // 1000)
        best = Optimum(Known.INFEASIBLE)
        if optimum.known not in SURE:
            return Optimum(Known.NOT_REACHED)
        while low + 1 < high:
            ask = min(low + step, rows) if high > rows else (low + high) // 2
            found = self.optimum(self.trials.trial(self.bar, ask))
            if _better(found, optimum):
                best, high = found, found.suppressed_rows
            elif found.known in SURE:
                low, step = ask, step * 2
            else:
                return replace(best, known=Known.BEST_FOUND) if best.found else found
        return best

    def columns(self) -> Iterator[ColumnCost]:
        """Yield what each quasi-identifier costs the others, and what it would cost raw."""
        for at, name in enumerate(self.names):
            without = others = None
            if len(self.names) > 1:
                trial = self.trials.trial(self.bar, self.limit, column=at)
                without, others = self.optimum(trial), self._others(trial, at)
            raw = self.optimum(self.trials.trial(self.bar, self.limit, column=at, raw=True))
            yield ColumnCost(name, self.node.levels[at], others, without, raw)

    def _others(self, trial: Trial, column: int) -> Cost:
        """Give what the chosen levels cost the other columns.

        A metric of classes cannot tell columns apart: then it is what they cost without it.
        """
        rest = [level for at, level in enumerate(self.node.levels) if at != column]
        node = Node(tuple(rest))
        if trial.metric.of_classes:
            (cost,) = trial.costs(trial.check([node]))
            return cost
        (figures,) = self.trials.figures(self.bar, [self.chosen])
        counts = self.chosen.counts
        return trial.metric.cost(trial.facts, node, counts, trial.part.figures(figures))

    def frontier(self, ks: Iterable[int], limits: Iterable[int]) -> tuple[Cell, ...]:
        """Give the optimum under each k and MaxSup."""
        own = self.bar[0].class_size
        cells = []
        for k in sorted(set(ks)):
            for limit in sorted(set(limits)):
                found = self.optimum(self.trials.trial(with_k(self.bar, k), limit))
                ours = (k, limit) == (own, self.limit)
                cells.append(Cell(k, limit, found, of_policy=ours, pareto=False))
        return tuple(replace(cell, pareto=_pareto(cell, cells)) for cell in cells)

    def nodes(self, most: int) -> tuple[Member, ...]:
        """Give every node; of a lattice of more than `most`, those around and those looked at."""
        lattice = Lattice(self.trials.tops)
        if lattice.size <= most:
            wanted = list(lattice.nodes())
        else:
            around = self._ball(lattice.tops, 2)
            wanted = sorted({*self.trials.known(self.bar), *islice(around, most)})
        costs = self._costs_in_time(wanted)
        known = {verdict.node: verdict for verdict in self.own.known()}
        minimal = _minimal(wanted, known, monotone=self.own.monotone)
        return tuple(
            _member(
                node,
                known.get(node),
                costs.get(node),
                minimal=minimal[node],
                chosen=node == self.node,
            )
            for node in wanted
        )

    def _costs_in_time(self, wanted: Sequence[Node]) -> dict[Node, Cost]:
        """Check nodes and give the exact costs of feasible ones, until time is up."""
        costs: dict[Node, Cost] = {}
        size = 8 * self.trials.batch
        for start in range(0, len(wanted), size):
            if self.trials.late():
                break
            checked = self.own.check(wanted[start : start + size])
            able = [verdict for verdict in checked if verdict.feasible]
            costs.update(zip((v.node for v in able), self.own.costs(able), strict=True))
        return costs

    def _ball(self, tops: tuple[int, ...], steps: int) -> Iterator[Node]:
        """Yield the nodes so many levels from the chosen one, or nearer, nearest first."""
        seen = {self.node}
        edge = [self.node]
        for _ in range(steps + 1):
            yield from edge
            beside = (n for each in edge for n in (*each.children(), *each.parents(tops)))
            edge = sorted({n for n in beside if n not in seen})
            seen.update(edge)


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Give the last number at which something holds, that holds at `low` and not at `high`."""
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _better(one: Optimum, other: Optimum) -> bool:
    """Whether an optimum costs less, or is the first that there is."""
    return one.found and (not other.found or one.cost < other.cost)


def _pareto(cell: Cell, cells: Sequence[Cell]) -> bool:
    """Whether no other cell that was reached is as good in all and better in one."""
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


def _member(
    node: Node, verdict: Verdict | None, cost: Cost | None, *, minimal: bool | None, chosen: bool
) -> Member:
    if verdict is None:
        return Member(node.levels, chosen=chosen)
    counts = verdict.counts
    return Member(
        node.levels, verdict.feasible, counts.suppressed, counts.classes, cost, minimal, chosen
    )


def _minimal(
    wanted: Iterable[Node], known: Mapping[Node, Verdict], *, monotone: bool
) -> dict[Node, bool | None]:
    """Say of each node whether it is feasible with none below that is; None where that is open."""
    found: dict[Node, bool | None] = {}
    below: dict[Node, bool | None] = {}
    for node in sorted(wanted, key=lambda node: node.height):
        states = []
        for child in node.children():
            verdict = known.get(child)
            if verdict is None or verdict.feasible:
                states.append(None if verdict is None else True)
            else:
                states.append(False if monotone else below.get(child))
        below[node] = True if True in states else None if None in states else False
        own = known.get(node)
        above = below[node]
        if own is None or not own.feasible:
            found[node] = None if own is None else False
        else:
            found[node] = None if above is None else not above
    return found
