"""Local recoding by iteration: the rows that the chosen node suppresses are recoded by themselves.

As in ARX (Prasser et al.), the same algorithm and metric search the remainder alone, again and again, until no class
can be gained. The rows of each node fit by themselves, so their union does: classes of several nodes that are released
under the same labels only merge.

Guarantee: every class fits among the rows of its own node, and never more rows are suppressed than after the first
node. Cost: one search of the remainder for each node, of which there are at most `search.layers`; the last of these
keeps as many rows as any node could.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from kanon_sql.lattice.checker import Verdict
from kanon_sql.lattice.encode import look_up
from kanon_sql.lattice.result import Chain
from kanon_sql.lattice.statistics import Counts
from kanon_sql.metrics.column_metrics import Loss
from kanon_sql.plans.guarantee import Guarantee
from kanon_sql.plans.recodings import FullDomain, MultiNode
from kanon_sql.policy.search import Recode
from kanon_sql.recoding.multi_node.cells import Cells
from kanon_sql.recoding.multi_node.remainder import Remainder
from kanon_sql.recoding.quality import Finished
from kanon_sql.searches.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kanon_sql.errors import InfeasibleError
    from kanon_sql.lattice.candidate_graph import Graphs
    from kanon_sql.lattice.checker import FullChecker
    from kanon_sql.lattice.encode import Encoded
    from kanon_sql.lattice.frequency_sets import Passes
    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.result import SearchResult
    from kanon_sql.lattice.sql_checker import SqlChecker
    from kanon_sql.lattice.statistics import Cost
    from kanon_sql.metrics.metric import Metric
    from kanon_sql.policy.search import Search
    from kanon_sql.run.session import Session


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
        looked_up = look_up(run, encoded, metric)
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
    while remainder.rows and not last and len(remainder.nodes) < search.layers:
        last = len(remainder.nodes) == search.layers - 1
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
