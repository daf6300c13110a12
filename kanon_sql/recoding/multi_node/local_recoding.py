"""Local recoding by iteration: the rows that the chosen node suppresses are recoded by themselves.

As in ARX (Prasser et al.), the same algorithm and metric search the remainder alone, again and again, until no class
can be gained. The rows of each node fit by themselves, so their union does: classes of several nodes that are released
under the same labels only merge.

Guarantee: every class fits among the rows of its own node, and never more rows are suppressed than after the first
node. Cost: one search of the remainder for each node, of which there are at most `search.max_nodes`; the last of these
keeps as many rows as any node could.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from kanon_sql.counting.lattice.encode import look_up
from kanon_sql.counting.lattice.joint_checker import make_checker
from kanon_sql.counting.lattice.result import Chain, Guarantee, Verdict
from kanon_sql.counting.lattice.smallest_classes import Items, LookedUp
from kanon_sql.counting.plans.recodings import FullDomain, MultiNode
from kanon_sql.policy.metrics.column_metrics import Height, Loss
from kanon_sql.policy.metrics.statistics import (
    ColumnStatistics,
    Counts,
    LevelStatistics,
    ReleasedNode,
    Sums,
    TableStatistics,
)
from kanon_sql.policy.search import Recode
from kanon_sql.recoding.measured import Finished
from kanon_sql.recoding.multi_node.released_classes import ReleasedClasses
from kanon_sql.recoding.searches.algorithms import ALGORITHMS
from kanon_sql.recoding.searches.predictive_tagging import NodeSets, lowest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.lattice.candidate_graph import Graphs
    from kanon_sql.counting.lattice.encode import Encoded
    from kanon_sql.counting.lattice.result import Checker, FullChecker, Passes, SearchResult
    from kanon_sql.counting.lattice.sql_checker import SqlChecker
    from kanon_sql.counting.run.session import Session
    from kanon_sql.errors import InfeasibleError
    from kanon_sql.policy.metrics.node import Lattice, Node
    from kanon_sql.policy.metrics.statistics import Cost, Metric
    from kanon_sql.policy.search import Search


class Remainder:
    """The rows that no node has kept yet, as a frequency set that shrinks; left-out rows are not in it."""

    def __init__(self, run: Session, encoded: Encoded) -> None:
        self.left_out = encoded.stats.left_out
        if self.left_out:
            encoded = replace(encoded, stats=encoded.stats.with_left_out(-self.left_out))
        self.encoded = encoded
        self.rows = encoded.stats.rows
        self.released_nodes: list[ReleasedNode] = []
        self.checks = 0
        self.cut_short = False
        self._run = run
        self._base = encoded.table
        self._released = ReleasedClasses(run, encoded)
        self._classes: list[exp.Table] = []
        self._items = run.scratch.create(
            "items", self._released.labels_of.items.table, encoded.counting.packing
        )

    def release(self, node: Node, classes: int) -> None:
        """Release the classes that fit at a node; the other rows are the remainder."""
        run, before = self._run, self.encoded
        after = run.scratch.table("remainder")
        counting = before.counting
        run.engine.execute(counting.rest(after, before.table, node, rows=before.set_rows))
        ((set_rows, rows, distinct),) = run.engine.fetch(counting.totals(after))
        self._classes.append(self._released.classes_at(node, before, after))
        if before.table is not self._base:
            run.scratch.drop(before.table)
        self.released_nodes.append(ReleasedNode(node, self.rows - int(str(rows)), classes))
        self.rows = int(str(rows))
        stats = replace(before.stats, classes=int(str(distinct)))
        self.encoded = replace(before, table=after, set_rows=int(str(set_rows)), stats=stats)

    def survey(self) -> None:
        """Update the statistics to those of the remainder, before a node is checked."""
        run, encoded = self._run, self.encoded
        statement = self._released.labels_of.statistics(
            encoded.table, self._items, self._released.labels, rows=encoded.set_rows
        )
        found: dict[int, LevelStatistics] = {}
        for row in run.engine.fetch(statement):
            item, values, leaves, narrowest, widest = (int(str(cell)) for cell in row[:-1])
            found[item] = LevelStatistics(values, leaves, narrowest, widest, float(str(row[-1])))
        numbers = self._released.labels_of.items.numbers
        columns = tuple(
            ColumnStatistics.of(
                column.domain,
                [found[numbers[quasi, at]] for at in range(column.height + 1)],
                rows=self.rows,
                several_roots=column.several_roots,
            )
            for quasi, column in enumerate(encoded.stats.columns)
        )
        stats = TableStatistics(self.rows, encoded.stats.classes, columns)
        self.encoded = replace(encoded, stats=stats)

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(each.node for each in self.released_nodes)

    def checker(
        self, metric: Metric, *, most: int, deadline: float | None, looked_up: LookedUp | None
    ) -> SqlChecker:
        return make_checker(
            self._run,
            self.encoded,
            metric=metric,
            max_suppressed=most,
            deadline=deadline,
            looked_up=looked_up,
        )

    def follow(self, nodes: Sequence[Node]) -> None:
        """Release at nodes in order, except at those where no class of the remainder fits."""
        nothing = LookedUp(Items({}))
        for node in nodes:
            if not self.rows:
                break
            checker = self.checker(Height(), most=self.rows, deadline=None, looked_up=nothing)
            (verdict,) = checker.check([node])
            self.checks += 1
            if verdict.counts.classes:
                self.release(node, verdict.counts.classes)

    def sums(self) -> Sums:
        """Return sums over the rows of all nodes by released labels; left-out rows count as suppressed."""
        if self.rows and self._run.policy.search.count_suppressed:
            self.survey()
        found = self._released.sums(
            self._classes,
            released_nodes=self.released_nodes,
            failing=self.encoded,
            suppressed=self.rows,
        )
        return replace(found, suppressed=found.suppressed + self.left_out)


MOST_CHECKS = 20_000
"""The most checks of a pass: it ends early on lattices that are too large to be visited whole."""


class Cells:
    """The nodes of a lattice by their cost, and the open ones, at which classes may still fit."""

    def __init__(self, lattice: Lattice, metric: Metric, stats: TableStatistics) -> None:
        self._order = NodeSets(lattice, metric.floors(stats, lattice))
        self._tops = lattice.tops
        self._open = self._order.all
        self._fitted = 0
        self._checked = 0

    @property
    def spent(self) -> bool:
        """Whether the pass has made all checks that it may."""
        return self._checked >= MOST_CHECKS

    def close(self, node: Node, *, finer: bool) -> None:
        """Rule a node out, and with it all finer ones where that is sound."""
        if finer:
            self._open &= ~self._order.down(node.levels)
        else:
            self._open &= ~(1 << self._order.position[node.levels])

    def next(self, checker: Checker) -> Verdict | None:
        """Return the cheapest node at which a class of the remainder fits; None if none is found in time."""
        while self._open and not self.spent and not checker.late():
            cheapest = list(self._cheapest(max(checker.batch // 2, 1)))
            candidates = dict.fromkeys(cheapest)
            if checker.monotone:
                candidates.update(dict.fromkeys(self._above(at) for at in cheapest))
            self._checked += len(candidates)
            found = {}
            nodes = [self._order.node(at) for at in candidates]
            for at, verdict in zip(candidates, checker.check(nodes), strict=True):
                found[at] = verdict
                if verdict.counts.classes:
                    self._fitted |= self._order.up(verdict.node.levels)
                else:
                    self.close(verdict.node, finer=checker.monotone)
            for at in cheapest:
                if found[at].counts.classes:
                    return found[at]
        return None

    def _cheapest(self, most: int) -> Iterator[int]:
        left = self._open
        while left and most:
            at = lowest(left)
            left &= ~(1 << at)
            most -= 1
            yield at

    def _above(self, at: int) -> int:
        """Walk upward through open nodes where no class was found to fit; return the middle of the path."""
        path = [at]
        while above := self._parents(path[-1]):
            below = [
                (self._order.down(self._order.nodes[p]) & self._open).bit_count() for p in above
            ]
            path.append(
                max(zip(below, above, strict=True), key=lambda pair: (pair[0], -pair[1]))[1]
            )
        return path[len(path) // 2]

    def _parents(self, at: int) -> list[int]:
        parents = self._order.node(at).parents(self._tops)
        positions = [self._order.position[parent.levels] for parent in parents]
        return [p for p in positions if (self._open & ~self._fitted) >> p & 1]


def release_at_nodes(
    run: Session,
    encoded: Encoded,
    found: SearchResult,
    *,
    max_suppressed: int,
    deadline: float | None,
    search: Callable[[FullChecker], SearchResult | None],
    refused: Callable[[int], InfeasibleError],
) -> Finished | None:
    """Recode the remainder by the policy; None if there is none, or if it is to be suppressed.

    The search's own node and chain come first, without nodes at which no class of the remainder fits. Guarantee: at
    most the allowed rows are suppressed; else the error that `refused` makes is raised.
    """
    policy = run.policy.search
    chain = found.then.nodes if isinstance(found.then, Chain) else ()
    left_out = encoded.stats.left_out
    remains = found.verdict.counts.suppressed > left_out
    is_local = policy.recoding is not Recode.FULL_DOMAIN and remains
    if not is_local and not chain:
        return None
    remainder = Remainder(run, encoded)
    remainder.follow((found.verdict.node, *chain))
    if policy.recoding is not Recode.FULL_DOMAIN:
        metric = charging_suppression(run.policy.metric)
        looked_up = look_up(run.scratch, encoded, metric)
        iterate(
            remainder,
            policy,
            metric=run.policy.metric,
            allowed=Fraction(max_suppressed - left_out, encoded.stats.rows - left_out),
            checker_for=lambda most: remainder.checker(
                metric, most=most, deadline=deadline, looked_up=looked_up
            ),
            run=search,
        )
    if not remainder.released_nodes or remainder.rows + left_out > max_suppressed:
        raise refused(remainder.rows + left_out)
    if len(remainder.released_nodes) == 1:
        return Finished(FullDomain(remainder.released_nodes[0].node), checks=remainder.checks)
    recoding = MultiNode(tuple(remainder.released_nodes))
    return Finished(recoding, remainder.sums(), remainder.checks, remainder.cut_short)


def charging_suppression(metric: Metric) -> Metric:
    """Return a metric under which suppressed rows have a cost: the given one, or the loss.

    Other metrics are best at the finest node that keeps any class, and would release class by class.
    """
    return metric if metric.charges_suppression else Loss(weights=metric.weights)


def suppression_limit(search: Search, allowed: Fraction, rows: int) -> int:
    """Return how many rows of the remainder the next search may suppress: it keeps at least one class.

    For an algorithm that does not weigh suppression, it is the share of rows that the policy allows.
    """
    if ALGORITHMS[search.algorithm].promises(search) is Guarantee.OPTIMUM:
        return rows - 1
    return min(rows - 1, int(allowed * rows))


class EmptyNodes:
    """Nodes at which no class of the remainder fits; as it only shrinks, none ever does there or finer."""

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self._coarsest: list[Node] = []
        for node in nodes:
            self.add(node)

    def __contains__(self, node: Node) -> bool:
        return any(each.covers(node) for each in self._coarsest)

    def add(self, node: Node) -> None:
        if node not in self:
            self._coarsest = [e for e in self._coarsest if not node.covers(e)] + [node]


class SkippingChecker:
    """A checker that skips the nodes at which no class of the remainder is known to fit."""

    def __init__(self, checker: FullChecker, empty: EmptyNodes) -> None:
        self.lattice = checker.lattice
        self.stats = checker.stats
        self.metric = checker.metric
        self.max_suppressed = checker.max_suppressed
        self.class_size = checker.class_size
        self.monotone = checker.monotone
        self.batch = checker.batch
        self._checker = checker
        self._empty = empty

    def check(self, nodes: Sequence[Node]) -> list[Verdict]:
        """Check the nodes at which a class may fit; the verdicts of all others are infeasible."""
        unknown = [node for node in nodes if not (self.monotone and node in self._empty)]
        found = {verdict.node: verdict for verdict in self._checker.check(unknown)}
        for node, verdict in found.items():
            if not verdict.counts.classes:
                self._empty.add(node)
        rows = self.stats.rows  # the failing classes are not counted, but at most as many
        nothing = Counts(rows, classes=0, failing=rows, suppressed=rows)
        return [found.get(node) or Verdict(node, nothing, feasible=False) for node in nodes]

    def enforced(self, verdict: Verdict) -> Verdict:
        return self._checker.enforced(verdict)

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        return self._checker.costs(verdicts)

    def late(self) -> bool:
        return self._checker.late()

    @property
    def passes(self) -> Passes:
        return self._checker.passes

    def keep(self, node: Node) -> None:
        self._checker.keep(node)

    def let_go(self, node: Node) -> None:
        self._checker.let_go(node)

    def graphs(self) -> Graphs:
        return self._checker.graphs()


def iterate(
    remainder: Remainder,
    search: Search,
    *,
    metric: Metric,
    allowed: Fraction,
    checker_for: Callable[[int], SqlChecker],
    run: Callable[[FullChecker], SearchResult | None],
) -> None:
    """Find nodes for the remainder and release their classes, until no class or no layer is left.

    `checker_for` returns a checker of the remainder with a suppression limit. `metric` orders the nodes of cell
    generalization. The last node that may be used keeps as many rows as any node could.
    """
    empty, cells = EmptyNodes(remainder.nodes), None
    last = False
    while remainder.rows and not last and len(remainder.nodes) < search.max_nodes:
        last = len(remainder.nodes) == search.max_nodes - 1
        if cells is None or last:
            remainder.survey()
        checker = checker_for(suppression_limit(search, allowed, remainder.rows))
        (top,) = checker.check([checker.lattice.top])
        verdict = None
        if not checker.late() and (top.counts.classes or not checker.monotone):
            if search.recoding is Recode.CELLS and not last:
                cells = cells or _cells(checker, metric, remainder.nodes)
                verdict = cells.next(checker)
                last = cells.spent
            if verdict is None and (search.recoding is Recode.LOCAL or last):
                if last and top.counts.classes:
                    checker.max_suppressed = top.counts.suppressed
                found = run(SkippingChecker(checker, empty))
                verdict = None if found is None else found.verdict
        remainder.checks += checker.checks
        remainder.cut_short = remainder.cut_short or checker.cut_short
        if verdict is None or not verdict.counts.classes:
            break
        remainder.release(verdict.node, verdict.counts.classes)
        empty.add(verdict.node)
        if cells is not None:
            cells.close(verdict.node, finer=checker.monotone)


def _cells(checker: SqlChecker, metric: Metric, used: Sequence[Node]) -> Cells:
    """Begin a pass over all nodes at which a class of the remainder may fit."""
    cells = Cells(checker.lattice, metric, checker.stats)
    for node in used:
        cells.close(node, finer=checker.monotone)
    return cells
