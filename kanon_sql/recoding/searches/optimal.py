"""The default search, the feasible node of least cost, proven; and the simple searches that tests and users compare with.

The default tags in both directions, and closes nodes by floors. A node is open while it can still win: its floor (its
cost if it suppressed only the rows that are known to be unavoidable) does not exceed the best cost so far. The cheapest
open node starts a path upward through untagged nodes, each step to the generalization that has most open nodes below
it. The node of the path that is forecast to be the last infeasible one is checked (Flash, Kohlmayer et al. 2012, checks
the middle). If it is infeasible, it closes all open nodes below it at once, which is why paths lead above the open
nodes. If it is feasible, so is everything coarser, without a check, and its exact cost closes every node with a higher
floor. Either way its counts raise the floors of other nodes: of finer ones, which suppress no fewer rows, and, for a
metric of the classes, of coarser ones, whose classes are unions of its own.

Guarantee: if the search ends before the time limit, no feasible node costs less; else it returns the best node found,
not proven. For models that are not monotone, a check tags only nodes below it, by the rows that are unavoidable there;
every other open node is checked.

`exhaustive` checks every node, and is the oracle in tests of the others. Guarantee: the optimum under the metric, every
feasible node, every minimal one, for any privacy model. Cost: one check a node, so for small lattices only.

`breadth_first`, with which LeFevre et al. (SIGMOD 2005) compare Incognito, goes layer by layer from the bottom, and
checks no node above a feasible one. Guarantee: all feasible and all minimal nodes, and the optimum, proven. Where the
metric is not monotone along the lattice, feasible nodes that could cost less than the best are checked as well. Sound
for monotone models only. Cost: a check for every infeasible and every minimal node.

`greedy` and `datafly` walk from the bottom of the lattice to its top, one level of one column a step. Cost of both: at
most one check for each level, no scan of the source.

The greedy algorithm of textbooks raises columns in a fixed order, each to its top before the next. Guarantee: the node
is the first on that path within the suppression limit; another node may keep far more, as `compare` shows. Per record, a
row stays at the first node of the same path at which its class fits, and only the others are generalized further.

Sweeney's core Datafly (1997; as in IJUFKS 10(5), 2002, section 5.2): while more than k rows are in classes that are too
small, the column with the most distinct values is raised a level. The rows that are still in such classes are
suppressed; if they are fewer than k, the smallest class that fits is suppressed too. Guarantee: the suppressed rows are
within the limit, and none or at least k. Nothing is claimed of information loss: Datafly tends to generalize more than
it must.
"""

from __future__ import annotations

from bisect import insort
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from kanon_sql.counting.lattice.result import (
    Chain,
    LeastCost,
    SearchResult,
    SearchStep,
    least_cost,
    minimal,
    offer,
    optimum_is_minimal,
    suppressed_below,
)
from kanon_sql.policy.metrics.node import Node
from kanon_sql.policy.metrics.statistics import NOTHING_FINER, Finer
from kanon_sql.policy.search_options import Per
from kanon_sql.recoding.searches.predictive_tagging import Border, NodeSets, lowest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kanon_sql.counting.lattice.result import Checker, Enforcing, Verdict
    from kanon_sql.policy.metrics.node import Lattice
    from kanon_sql.policy.metrics.statistics import Cost, TableStatistics
    from kanon_sql.policy.search_options import Greedy


class Bounds:
    """Lower bounds of the cost of nodes, from checked ones above and below them.

    All nodes below a checked one suppress at least its rows, or those of them that are unavoidable where models are not
    monotone. A metric of the classes has two more bounds. The squares of all classes only grow on the way up. And, for
    monotone models, each class that fits at a node contains a class that fits at a finer one, or else at least
    `class_size` rows that are suppressed at the finer node and not at this one: so many suppressed rows may become one
    class.

    Each bound stands beside its node, the tightest first, so that the first of those that apply to a node is the one to
    take. Nodes are integers, their levels side by side, each below a guard bit. A subtraction borrows that bit where a
    level is less: so one subtraction compares two nodes.
    """

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._bits = max(checker.lattice.tops, default=0).bit_length() + 1
        self._guard = self._packed([1 << (self._bits - 1)] * len(checker.lattice.tops))
        self._rows: list[tuple[int, int]] = []
        self._room: list[tuple[int, int]] = []
        self._squares: list[tuple[int, int]] = []

    def learn(self, verdict: Verdict) -> None:
        """Record the bounds of a check; for monotone models those below an infeasible node are not needed."""
        counts, at = verdict.counts, self._packed(verdict.node.levels)
        monotone = self._checker.monotone
        below = suppressed_below(self._checker, verdict)
        if below and (verdict.feasible or not monotone):
            insort(self._rows, (-below, at | self._guard))
        if not self._checker.metric.of_classes:
            return
        # Where a model of the whole table suppresses classes that fit, rows that this node keeps may be among these.
        if monotone and counts.smallest_suppressed is None:
            least = self._checker.class_size
            insort(self._room, (least * counts.classes + counts.suppressed, at))
        if counts.squares is not None and counts.failing_squares is not None:
            insort(self._squares, (-counts.squares - counts.failing_squares, at))

    def floor(self, node: Node) -> Cost | None:
        """Return a lower bound of the cost of a node; None where no check bounds it."""
        guard, at = self._guard, self._packed(node.levels)
        suppressed = next((-n for n, up in self._rows if (up - at) & guard == guard), 0)
        finer = self._finer(at | guard, suppressed)
        if not suppressed and finer is NOTHING_FINER:
            return None
        return self._checker.metric.floor(self._checker.stats, node, suppressed, finer)

    def _finer(self, at: int, suppressed: int) -> Finer:
        guard = self._guard
        squares = next((-n for n, down in self._squares if (at - down) & guard == guard), 0)
        room = next((n for n, down in self._room if (at - down) & guard == guard), None)
        if room is None:
            return Finer(None, squares) if squares else NOTHING_FINER
        return Finer((room - suppressed) // self._checker.class_size, squares)

    def _packed(self, levels: Iterable[int]) -> int:
        packed = 0
        for level in levels:
            packed = packed << self._bits | level
        return packed


def optimal(
    checker: Checker, *, known: Sequence[Verdict] = (), order: NodeSets | None = None
) -> SearchResult | None:
    """Find the optimum; None when no node is feasible.

    The verdicts `known` are not checked again. One `order` serves all searches of a lattice under one metric.
    """
    return _Search(checker, order or ordered(checker)).run(known)


def ordered(checker: Checker) -> NodeSets:
    """Return the nodes in the order of their floors under the checker's metric."""
    return NodeSets(checker.lattice, checker.metric.floors(checker.stats, checker.lattice))


class _Search:
    def __init__(self, checker: Checker, order: NodeSets) -> None:
        self.checker = checker
        self.order = order
        self.border = Border(checker, order)
        self.best = LeastCost()
        self.open = self.order.all
        self.bounds = Bounds(checker)

    def run(self, known: Sequence[Verdict]) -> SearchResult | None:
        self.settle(self.border.check([self.checker.lattice.top]))
        if self.best.verdict is None and self.checker.monotone:
            return None
        self.recall(known)
        proven = True
        while batch := self.next_batch():
            if self.best.verdict is not None and self.checker.late():
                proven = False
                break
            self.settle(self.border.check(batch))
        if self.best.verdict is None or self.best.cost is None:
            return None
        return SearchResult(self.best.verdict, self.best.cost, optimal=proven)

    def recall(self, known: Sequence[Verdict]) -> None:
        """Settle known verdicts: the feasible ones by their floors, then the infeasible ones, coarsest first."""
        floor, stats = self.checker.metric.floor, self.checker.stats
        able = sorted(
            (floor(stats, v.node, v.counts.suppressed), v.node.levels, v)
            for v in known
            if v.feasible
        )
        for start in range(0, len(able), self.checker.batch):
            batch = able[start : start + self.checker.batch]
            self.settle(
                self.border.learn([v for least, _, v in batch if not self.best.beats(least)])
            )
        unable = sorted(
            (v for v in known if not v.feasible), key=lambda v: (-v.node.height, v.node.levels)
        )
        for verdict in unable:
            if not self.border.infeasible >> self.order.position[verdict.node.levels] & 1:
                self.settle(self.border.learn([verdict]))

    def settle(self, checked: list[Verdict]) -> None:
        for verdict in checked:
            self.open &= ~(1 << self.order.position[verdict.node.levels])
            self.bounds.learn(verdict)
        self.open &= ~self.border.infeasible
        offer(self.checker, self.best, checked)
        if self.best.cost is not None:
            self.open &= self.order.within(self.best.cost)

    def next_batch(self) -> list[Node]:
        """Choose nodes whose verdicts do not decide each other."""
        batch: list[Node] = []
        free = self.open
        while free and len(batch) < self.border.room:
            at = lowest(free)
            free &= ~(1 << at)
            if self.hopeless(at):
                self.open &= ~(1 << at)
                continue
            target = self.open & ~self.border.feasible & ~self.border.open_above
            chosen = at if self.decided(at) else self.border.probe(at, target)
            levels = self.order.nodes[chosen]
            batch.append(self.order.node(chosen))
            free &= ~(1 << chosen)
            if not self.decided(chosen):
                free &= ~(self.order.up(levels) | self.order.down(levels))
        return batch

    def decided(self, at: int) -> bool:
        """Return True if no check of another node can show that a node is infeasible: only its own can."""
        if not self.checker.monotone and not self.border.open_above | self.border.infeasible:
            return True  # nothing is known of what lies below a node
        return bool((self.border.feasible | self.border.open_above) >> at & 1)

    def hopeless(self, at: int) -> bool:
        """Return True if checks above and below a node show that it cannot beat the best."""
        floor = self.bounds.floor(self.order.node(at))
        return floor is not None and self.best.beats(floor)


def exhaustive(checker: Checker) -> SearchResult | None:
    """Check all nodes; None when none is feasible."""
    nodes = checker.lattice.nodes()
    best = LeastCost()
    feasible = []
    complete = True
    while batch := list(islice(nodes, checker.batch * 8)):
        if best.verdict is not None and checker.late():
            complete = False
            break
        checked = checker.check(batch)
        feasible += [verdict.node for verdict in checked if verdict.feasible]
        offer(checker, best, checked)
    if best.verdict is None or best.cost is None:
        return None
    if not complete:
        return SearchResult(best.verdict, best.cost, optimal=False)
    return SearchResult(
        best.verdict,
        best.cost,
        optimal=True,
        feasible=tuple(feasible),
        minimal=minimal(feasible),
    )


def breadth_first(checker: Checker) -> SearchResult | None:
    """Search layer by layer; None when no node is feasible."""
    known: dict[Node, Verdict] = {}
    feasible: list[Node] = []
    tagged: set[Node] = set()
    for height in range(checker.lattice.bottom.height, checker.lattice.height + 1):
        layer = list(checker.lattice.layer(height))
        fresh = [node for node in layer if node not in tagged]
        for start in range(0, len(fresh), checker.batch):
            if checker.late():
                return _cut_short(checker, known)
            checked = checker.check(fresh[start : start + checker.batch])
            known.update((verdict.node, verdict) for verdict in checked)
        found = [node for node in layer if node in tagged or known[node].feasible]
        feasible += found
        tagged = {parent for node in found for parent in node.parents(checker.lattice.tops)}
    if not feasible:
        return None
    lowest = minimal(feasible)
    best, finished = LeastCost(), True
    if optimum_is_minimal(checker):
        offer(checker, best, [known[node] for node in lowest])
    else:
        best, finished = least_cost(checker, feasible, known)
    if best.verdict is None or best.cost is None:
        return None
    return SearchResult(best.verdict, best.cost, finished, tuple(sorted(feasible)), lowest)


def _cut_short(checker: Checker, known: dict[Node, Verdict]) -> SearchResult | None:
    """Choose among the nodes that were checked; if none of them is feasible, check the top."""
    best = LeastCost()
    offer(checker, best, known.values())
    if best.verdict is None:
        offer(checker, best, checker.check([checker.lattice.top]))
    if best.verdict is None or best.cost is None:
        return None
    return SearchResult(best.verdict, best.cost, optimal=False)


def greedy(checker: Checker, options: Greedy, names: Sequence[str]) -> SearchResult | None:
    """Walk the fixed path until a node is feasible; None if not even its end is."""
    nodes = fixed_path(checker.lattice, names, options.order)
    if options.per is Per.RECORD:
        (first,) = checker.check(nodes[:1])
        (cost,) = checker.costs([first])
        return SearchResult(first, cost, optimal=False, then=Chain(tuple(nodes[1:])))
    seen: list[Verdict] = []
    for verdict in checked_in_order(checker, nodes):
        seen.append(verdict)
        if verdict.feasible:
            (cost,) = checker.costs([verdict])
            path = steps(checker.stats, names, seen)
            return SearchResult(verdict, cost, optimal=False, steps=path)
    return None


def fixed_path(lattice: Lattice, names: Sequence[str], order: Sequence[str]) -> list[Node]:
    """Return the nodes from the bottom to the top; columns that `order` leaves out come last.

    >>> from kanon_sql.policy.metrics.node import Lattice
    >>> [str(node) for node in fixed_path(Lattice((1, 2)), ("age", "zip"), ("zip",))]
    ['[0,0]', '[0,1]', '[0,2]', '[1,2]']
    """
    found = [lattice.bottom]
    for name in [*order, *(name for name in names if name not in order)]:
        at = names.index(name)
        for level in lattice.ranges[at][1:]:
            before = found[-1].levels
            found.append(Node((*before[:at], level, *before[at + 1 :])))
    return found


def checked_in_order(checker: Checker, nodes: Sequence[Node]) -> Iterator[Verdict]:
    """Yield the verdicts of nodes in their order, as many checked at once as is best."""
    for start in range(0, len(nodes), checker.batch):
        yield from checker.check(nodes[start : start + checker.batch])


def distinct(stats: TableStatistics, node: Node) -> tuple[int, ...]:
    """Return the number of values of each column at a node, from the statistics of the levels."""
    return tuple(
        column.levels[level].values
        for column, level in zip(stats.columns, node.levels, strict=True)
    )


def steps(
    stats: TableStatistics, names: Sequence[str], seen: Sequence[Verdict]
) -> tuple[SearchStep, ...]:
    first = [
        SearchStep(None, 0, distinct(stats, each.node), each.counts.suppressed) for each in seen[:1]
    ]
    rest = [
        SearchStep(
            names[at], each.node.levels[at], distinct(stats, each.node), each.counts.suppressed
        )
        for before, each in pairwise(seen)
        for at in range(len(names))
        if before.node.levels[at] < each.node.levels[at]
    ]
    return (*first, *rest)


def datafly(checker: Enforcing, names: Sequence[str]) -> SearchResult | None:
    """Raise columns until at most k rows fall short and may be suppressed; None if they nowhere may.

    The original has no suppression limit. Here the walk goes on where the limit does not allow all rows that would be
    suppressed, those of the smallest class included.
    """
    seen: list[Verdict] = []
    for verdict in checked_in_order(checker, path_by_values(checker.lattice, checker.stats)):
        seen.append(verdict)
        short = verdict.counts.suppressed - checker.stats.left_out
        if not verdict.feasible or short > checker.class_size:
            continue
        enforced = checker.enforced(verdict)
        if enforced.feasible:
            (cost,) = checker.costs([enforced])
            path = steps(checker.stats, names, seen)
            return SearchResult(enforced, cost, optimal=False, steps=path)
    return None


def path_by_values(lattice: Lattice, stats: TableStatistics) -> list[Node]:
    """Return the nodes from the bottom to the top: always the column with the most values is raised.

    Ties go to the first column; one that is at its top is never raised. A column's values depend
    on its own level only, so the path is known before anything is counted.
    """
    found = [lattice.bottom]
    while found[-1] != lattice.top:
        levels = found[-1].levels
        counts = distinct(stats, found[-1])
        below = [at for at, top in enumerate(lattice.tops) if levels[at] < top]
        most = max(below, key=lambda at: (counts[at], -at))
        found.append(Node((*levels[:most], levels[most] + 1, *levels[most + 1 :])))
    return found
