"""Local recoding by iteration: what the chosen node suppresses is anonymized by itself, and again.

As ARX does it (Prasser et al.): the same algorithm and metric on the rest alone, until no class
can be gained. Each batch fits by itself, so the union does: classes of several nodes that are
released under the same labels only merge.

Guarantee: every class fits among the rows of its own node, and the rows left are never more than
after the first. Cost: a search on the rest a node, bounded by the number of nodes, the last of
which keeps all that any node could.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kanon_sql.lattice.checker import Verdict
from kanon_sql.lattice.statistics import Counts
from kanon_sql.metrics.column_metrics import Loss
from kanon_sql.plans.guarantee import Guarantee
from kanon_sql.policy.search import Recode
from kanon_sql.recoding.multi_node.cells import Cells
from kanon_sql.searches.algorithms import ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from kanon_sql.lattice.candidate_graph import Graphs
    from kanon_sql.lattice.checker import FullChecker
    from kanon_sql.lattice.frequency_sets import Passes
    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.result import SearchResult
    from kanon_sql.lattice.sql_checker import SqlChecker
    from kanon_sql.lattice.statistics import Cost
    from kanon_sql.metrics.metric import Metric
    from kanon_sql.policy.search import Search


def charging(metric: Metric) -> Metric:
    """Give a metric that makes a suppressed row cost something: the given one, or the loss.

    Others are best at the finest node that keeps any class, and would peel off class by class.
    """
    return metric if metric.charges_suppression else Loss()


def limit(search: Search, allowed: Fraction, rows: int) -> int:
    """Give how many of the rest's rows may be suppressed for now: at least one class is kept.

    An algorithm that does not weigh suppression keeps to the share that the policy allows.
    """
    if ALGORITHMS[search.algorithm].promises(search) is Guarantee.OPTIMUM:
        return rows - 1
    return min(rows - 1, int(allowed * rows))


class Barren:
    """Nodes at which no class of the rest fits: none does at a finer node, nor when less is left."""

    def __init__(self) -> None:
        self._coarsest: list[Node] = []

    def holds(self, node: Node) -> bool:
        return any(each.covers(node) for each in self._coarsest)

    def add(self, node: Node) -> None:
        if not self.holds(node):
            self._coarsest = [e for e in self._coarsest if not node.covers(e)] + [node]


class Remembering:
    """A checker that does not ask again about nodes that are known to be barren."""

    def __init__(self, checker: FullChecker, barren: Barren) -> None:
        self.lattice = checker.lattice
        self.facts = checker.facts
        self.metric = checker.metric
        self.max_suppressed = checker.max_suppressed
        self.class_size = checker.class_size
        self.monotone = checker.monotone
        self.batch = checker.batch
        self._checker = checker
        self._barren = barren

    def check(self, nodes: Sequence[Node]) -> list[Verdict]:
        """Count the classes of each node that may have one that fits."""
        asked = [node for node in nodes if not (self.monotone and self._barren.holds(node))]
        found = {verdict.node: verdict for verdict in self._checker.check(asked)}
        for node, verdict in found.items():
            if not verdict.counts.classes:
                self._barren.add(node)
        rows = self.facts.rows  # how many classes fail is not known, but not more than rows
        nothing = Counts(rows, classes=0, failing=rows, suppressed=rows)
        return [found.get(node) or Verdict(node, nothing, feasible=False) for node in nodes]

    def enforced(self, verdict: Verdict) -> Verdict:
        """Suppress the smallest class that fits too, where fewer than k entities would be missing."""
        return self._checker.enforced(verdict)

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        """Give the exact cost of nodes that were checked."""
        return self._checker.costs(verdicts)

    def late(self) -> bool:
        """Whether the time limit has passed."""
        return self._checker.late()

    @property
    def passes(self) -> Passes:
        """What was read so far."""
        return self._checker.passes

    def keep(self, node: Node) -> None:
        """Make the frequency set of a node for checks to come."""
        self._checker.keep(node)

    def let_go(self, node: Node) -> None:
        """Drop the frequency set of a node."""
        self._checker.let_go(node)

    def graphs(self) -> Graphs:
        """Give the candidate graphs over the lattice's columns."""
        return self._checker.graphs()


class RemainingRows(Protocol):
    """The rows that no node has taken yet, and what it took to find those nodes."""

    rows: int
    checks: int
    cut_short: bool

    @property
    def nodes(self) -> Sequence[Node]:
        """Give the nodes that took rows, in order."""
        ...

    def survey(self) -> None:
        """Find out what is known of the rest before a node is checked."""
        ...

    def take(self, node: Node, classes: int) -> None:
        """Release the classes that fit at a node."""
        ...


def go_on(
    rest: RemainingRows,
    search: Search,
    *,
    allowed: Fraction,
    checker_for: Callable[[int], SqlChecker],
    run: Callable[[FullChecker], SearchResult | None],
) -> None:
    """Find nodes for the rest and take them, until no class can be gained or none may be.

    `checker_for` gives a checker of the rest that allows so many rows to be suppressed. The last
    node that may be taken keeps as many rows as any could.
    """
    barren, cells = Barren(), None
    for node in rest.nodes:
        barren.add(node)
    last = False
    while rest.rows and not last and len(rest.nodes) < search.layers:
        last = len(rest.nodes) == search.layers - 1
        if cells is None or last:
            rest.survey()
        checker = checker_for(limit(search, allowed, rest.rows))
        (top,) = checker.check([checker.lattice.top])
        verdict = None
        if not checker.late() and (top.counts.classes or not checker.monotone):
            if search.recoding is Recode.CELLS and not last:
                cells = cells or _cells(checker, search.cost(), rest.nodes)
                verdict = cells.next(checker)
                last = cells.spent
            if verdict is None and (search.recoding is Recode.LOCAL or last):
                if last and top.counts.classes:
                    checker.max_suppressed = top.counts.suppressed
                found = run(Remembering(checker, barren))
                verdict = None if found is None else found.verdict
        rest.checks += checker.checks
        rest.cut_short = rest.cut_short or checker.cut_short
        if verdict is None or not verdict.counts.classes:
            break
        rest.take(verdict.node, verdict.counts.classes)
        barren.add(verdict.node)
        if cells is not None:
            cells.close(verdict.node, finer=checker.monotone)


def _cells(checker: SqlChecker, metric: Metric, taken: Sequence[Node]) -> Cells:
    """Begin a pass over all nodes at which a class of the rest may fit."""
    cells = Cells(checker.lattice, metric, checker.facts)
    for node in taken:
        cells.close(node, finer=checker.monotone)
    return cells
