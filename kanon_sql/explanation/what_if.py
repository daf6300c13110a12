"""What binds a plan, what lies beside its node, and what else could be had: answered by searches.

Guarantee: an optimum that is called proven is one, and every figure is counted, none estimated.
Cost: neighbours are checked each; all the rest are searches that share their checks (`trials`). Parts
of the lattice that are too large to hold are searched for a share of the time (`bounded`).
"""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from kanon_sql.errors import InfeasibleError
from kanon_sql.explanation.bounded import best_in
from kanon_sql.explanation.explanation import (
    Bound,
    Cell,
    Certainty,
    ColumnCost,
    Member,
    Neighbour,
    Optimum,
)
from kanon_sql.explanation.explanation_text import SUPPRESSION, why_not
from kanon_sql.lattice.node import Lattice, Node
from kanon_sql.privacy.demands import bound_name, with_bound
from kanon_sql.privacy.k_anonymity import SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kanon_sql.explanation.scenarios import Scenario, Scenarios
    from kanon_sql.lattice.checker import Verdict
    from kanon_sql.lattice.result import SearchResult
    from kanon_sql.lattice.statistics import Cost
    from kanon_sql.lattice.thresholds import Bar
    from kanon_sql.plans.guarantee import Guarantee
    from kanon_sql.privacy.demands import Demand
    from kanon_sql.privacy.privacy_model import Requirement

CHECKS, FIRST_CHECKS = 250, 2_000
"""Nodes that a bounded search counts at most; the first, of the policy itself, has more, and a quarter
of the time, because all others begin with what it found."""

SURE = frozenset({Certainty.PROVEN, Certainty.INFEASIBLE})


def notches(bar: Bar) -> Iterator[tuple[Demand, Requirement, Bar]]:
    """Yield each bound that asks for anything, and the bar with that bound relaxed by one step."""
    for demand in bar:
        for each in demand.requirements:
            if each.binding:
                less = with_bound(bar, demand.columns, each.measure, each.relaxed)
                yield demand, each, less


def with_k(bar: Bar, k: int) -> Bar:
    """Give the bar with another k over all quasi-identifiers."""
    return with_bound(bar, (), SIZE, k)


class WhatIf:
    """Questions under one policy; `most_nodes` is as many as a search can hold.

    There will be so many `searches` before the `deadline`, by the clock of `time.monotonic`.
    """

    def __init__(
        self,
        trials: Scenarios,
        *,
        names: Sequence[str],
        max_suppressed: int,
        most_nodes: int,
        searches: int,
        deadline: float,
    ) -> None:
        self.trials = trials
        self.names = names
        self.limit = max_suppressed
        self.bar = trials.bars[0]
        self.most_nodes = most_nodes
        self.own = trials.trial(self.bar, max_suppressed)
        self._searches = searches
        self._done = 0
        self._deadline = deadline

    def optimum(self, trial: Scenario | None = None) -> Optimum:
        """Search for the optimum of a trial, or of the policy itself, if there is time."""
        trial = trial or self.own
        if self.trials.late():
            return Optimum(Certainty.NOT_REACHED)
        if trial.lattice.size <= self.most_nodes:
            found = self.trials.best(trial)
        else:
            try:
                found = self._bounded(trial)
            except InfeasibleError:
                return Optimum(Certainty.NOT_REACHED)
        if found is None:
            return Optimum(Certainty.INFEASIBLE)
        return Optimum(
            Certainty.PROVEN if found.optimal else Certainty.BEST_FOUND,
            trial.part.whole(found.verdict.node).levels,
            found.verdict.counts.suppressed,
            found.cost,
        )

    def _bounded(self, trial: Scenario) -> SearchResult | None:
        """Search for a share of what time is left."""
        now = time.monotonic()
        first, left = not self._done, max(self._searches - self._done, 1)
        self._done += 1
        share = (self._deadline - now) * (max(0.25, 1 / left) if first else 1 / left)
        return best_in(trial, checks=FIRST_CHECKS if first else CHECKS, until=now + share)

    def base(self, optimum: Optimum, node: Node | None) -> Optimum:
        """Give what all is told against: the plan's node, if it is one, unless a better is known."""
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
        """Yield each node one level beside the plan's, whose cost is given, finer ones first."""
        tops = self.own.lattice.tops
        beside = [*node.children(), *node.parents(tops)]
        verdicts = self.own.check(beside)
        for verdict, theirs in zip(verdicts, self.own.costs(verdicts), strict=True):
            (column,) = (
                name
                for name, here, there in zip(
                    self.names, node.levels, verdict.node.levels, strict=True
                )
                if here != there
            )
            told = Neighbour(
                column,
                verdict.node.levels,
                verdict.node.height > node.height,
                verdict.feasible,
                verdict.counts.suppressed,
                theirs,
                why="",
            )
            why = why_not(
                told,
                classes=verdict.counts.classes,
                max_suppressed=self.limit,
                cost=cost,
                algorithm=algorithm,
                promise=promise,
            )
            yield replace(told, why=why)

    def bounds(self, optimum: Optimum, *, node: Node | None, suppressed: int) -> Iterator[Bound]:
        """Yield each bound of the policy, relaxed one notch; MaxSup comes last.

        The plan has so many rows `suppressed`, and how far other bounds could be raised is asked of
        its `node`, if it is one.
        """
        for demand, asked, less in notches(self.bar):
            relaxed = self.optimum(self.trials.trial(less, self.limit))
            shown = asked.measure.shown
            slack = None if node is None else self._slack(node, demand.columns, asked)
            yield Bound(
                bound_name(demand.columns, asked.measure),
                shown(asked.bound),
                shown(asked.relaxed),
                relaxed,
                slack=None if slack is None else shown(slack),
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

    def _slack(self, node: Node, columns: tuple[str, ...], asked: Requirement) -> int:
        """Find the strictest bound under which a node is feasible; the loosest if none is."""
        measure = asked.measure

        def feasible(bound: int) -> bool:
            bar = with_bound(self.bar, columns, measure, bound)
            (verdict,) = self.trials.trial(bar, self.limit).check([node])
            return verdict.feasible

        if measure.at_most:
            loosest = measure.loosest
            return loosest - _last(lambda less: feasible(loosest - less), 0, loosest + 1)
        low, high = 0, asked.bound
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
        best = Optimum(Certainty.INFEASIBLE)
        if optimum.known not in SURE:
            return Optimum(Certainty.NOT_REACHED)
        while low + 1 < high:
            ask = min(low + step, rows) if high > rows else (low + high) // 2
            found = self.optimum(self.trials.trial(self.bar, ask))
            if _better(found, optimum):
                best, high = found, found.suppressed_rows
            elif found.known in SURE:
                low, step = ask, step * 2
            else:
                return (
                    replace(best, known=Certainty.BEST_FOUND)
                    if best.found
                    else Optimum(Certainty.NOT_REACHED)
                )
        return best

    def columns(self, base: Optimum) -> Iterator[ColumnCost]:
        """Yield what each quasi-identifier costs the others, and what it would cost raw."""
        for at, name in enumerate(self.names):
            without = others = None
            if len(self.names) > 1:
                trial = self.trials.trial(self.bar, self.limit, column=at)
                without = self.optimum(trial)
                others = self._others(trial, at, Node(base.levels)) if base.found else None
            raw = self.optimum(self.trials.trial(self.bar, self.limit, column=at, raw=True))
            yield ColumnCost(name, others, without, raw)

    def _others(self, trial: Scenario, column: int, base: Node) -> Cost:
        """Give what the levels of a node cost the columns but one.

        A metric of classes cannot tell columns apart: then it is what they cost without it.
        """
        rest = [level for at, level in enumerate(base.levels) if at != column]
        node = Node(tuple(rest))
        if trial.metric.of_classes:
            (cost,) = trial.costs(trial.check([node]))
            return cost
        (verdict,) = self.own.check([base])
        (figures,) = self.trials.figures(self.bar, [verdict])
        return trial.metric.cost(trial.facts, node, verdict.counts, trial.part.figures(figures))

    def frontier(
        self, ks: Iterable[int], limits: Iterable[int], optimum: Optimum
    ) -> tuple[Cell, ...]:
        """Give the optimum under each k and MaxSup; the policy's own was found before."""
        own = (self.bar[0].class_size, self.limit)
        cells = []
        for k in sorted(set(ks)):
            for limit in sorted(set(limits)):
                ours = (k, limit) == own
                trial = self.trials.trial(with_k(self.bar, k), limit)
                found = optimum if ours else self.optimum(trial)
                cells.append(Cell(k, limit, found, of_policy=ours, pareto=False))
        return tuple(replace(cell, pareto=_pareto(cell, cells)) for cell in cells)

    def nodes(self, chosen: Sequence[Node], *, most: int, looked_at: bool) -> tuple[Member, ...]:
        """Give every node of the lattice; of more than `most`, those around the first chosen one.

        Those that were `looked_at`, and the others chosen, come with them; else rings that are whole.
        """
        lattice = Lattice(self.trials.tops)
        if lattice.size <= most:
            wanted = list(lattice.nodes())
        elif looked_at:
            near = (node for ring in islice(rings(chosen[0], lattice.tops), 3) for node in ring)
            wanted = sorted({*self.trials.known(self.bar), *chosen, *islice(near, most)})
        else:
            wanted = sorted(whole_rings(chosen[0], lattice.tops, most))
        costs = self._costs_in_time(wanted)
        known = {verdict.node: verdict for verdict in self.own.known()}
        minimal = _minimal(wanted, known, monotone=self.own.monotone)
        return tuple(
            _member(
                node,
                known.get(node),
                costs.get(node),
                minimal=minimal[node],
                chosen=node in chosen,
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


def rings(node: Node, tops: tuple[int, ...]) -> Iterator[list[Node]]:
    """Yield a node, then the nodes one level away from it, then those two away, and so on."""
    seen, edge = {node}, [node]
    while edge:
        yield edge
        beside = (n for each in edge for n in (*each.children(), *each.parents(tops)))
        edge = sorted({n for n in beside if n not in seen})
        seen.update(edge)


def whole_rings(node: Node, tops: tuple[int, ...], most: int) -> list[Node]:
    """Give as many whole rings of nodes around one as hold no more than `most`, the node's own first."""
    kept: list[Node] = []
    for ring in rings(node, tops):
        if kept and len(kept) + len(ring) > most:
            break
        kept += ring
    return kept


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Give the last number at which something holds, that holds at `low` and not at `high`."""
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _better(one: Optimum, other: Optimum) -> bool:
    """Whether an optimum costs less, or is the first that there is."""
    return one.found and (not other.found or one.cost < other.cost)


def _binds(relaxed: Optimum, optimum: Optimum) -> bool | None:
    """Whether it takes a bound to keep the optimum from costing less; None where that is open."""
    if optimum.known not in SURE:
        return None
    return True if _better(relaxed, optimum) else False if relaxed.known in SURE else None


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
