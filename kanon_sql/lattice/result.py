"""The results of searches."""

from __future__ import annotations

from dataclasses import asdict, field
from operator import itemgetter
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.lattice.checker import Checker, Verdict
    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.search_step import SearchStep
    from kanon_sql.lattice.statistics import Cost
    from kanon_sql.plans.recodings import Outliers


@dataclass(frozen=True, slots=True)
class Effort:
    """What an enumeration over subsets of the columns took, for reports.

    `nodes` is how many nodes of candidate graphs were neither marked nor pruned: those whose
    frequency sets the paper counts. `roots` of them had no specialization, in `families` sets of
    columns: that often the paper's Basic and Super-roots scan the table, and its Cube once.
    `counted` of the nodes were counted here, as the others are nodes of fewer columns. The rest
    is what that read: the table once, then the first frequency set and those rolled up from it.
    """

    nodes: int
    roots: int
    families: int
    counted: int
    first_set_scans: int
    rolled_up_scans: int
    sets_made: int
    rows_read: int

    def document(self) -> dict[str, int]:
        return {"source_scans": 1, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Chain:
    """Further nodes, in order, at which rows are released whose class did not fit at any before.

    Only what fits at none is suppressed, so that the first node need not be feasible by itself.
    """

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Local:
    """What mu-Argus suppresses cells for: the outliers of the combinations of columns that it tested.

    They are suppressed before classes that do not fit are suppressed.
    """

    tested: int
    outliers: tuple[Outliers, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The chosen node; `optimal` is true only when no feasible node can cost less.

    `feasible` and `minimal` are given by the algorithms that enumerate, `effort` by those that
    enumerate over subsets of the columns, `steps` by those that walk one way. `then` is what is
    done with the rows that the node does not keep, where they are not just suppressed. A search
    `out_of_room` forgot parts of the lattice where a better node may be.
    """

    verdict: Verdict
    cost: Cost
    optimal: bool
    feasible: tuple[Node, ...] | None = None
    minimal: tuple[Node, ...] | None = None
    effort: Effort | None = None
    steps: tuple[SearchStep, ...] = ()
    then: Chain | Local | None = None
    out_of_room: bool = False

    @property
    def keeps(self) -> bool:
        """Whether the node keeps any class, or rows may be kept beside it."""
        return bool(self.verdict.counts.classes) or self.then is not None


def minimal(feasible: Iterable[Node]) -> tuple[Node, ...]:
    """Return the feasible nodes none of whose direct predecessors is feasible.

    Enough because feasibility is upward closed (Samarati 2001, definition of k-minimal).
    """
    known = set(feasible)
    return tuple(
        sorted(n for n in known if not any(c in known for c in n.children((0,) * len(n.levels))))
    )


def optimum_is_minimal(checker: Checker) -> bool:
    """Whether no feasible node costs less than a finer feasible one.

    A coarser node that suppresses less may, under most metrics: whether one can, the metric says.
    """
    return checker.monotone and checker.metric.monotony.holds(checker.max_suppressed)


@dataclass
class LeastCost:
    """The least cost so far; ties go to the lower node, then to the first in order."""

    cost: Cost | None = None
    verdict: Verdict | None = None
    _rank: tuple[Cost, int, tuple[int, ...]] | None = field(default=None, repr=False)

    def offer(self, verdict: Verdict, cost: Cost) -> None:
        """Take a feasible node that is better than the best so far."""
        rank = (cost, verdict.node.height, verdict.node.levels)
        if self._rank is None or rank < self._rank:
            self._rank, self.cost, self.verdict = rank, cost, verdict

    def beats(self, floor: Cost) -> bool:
        """Whether a node with this floor can no longer be chosen."""
        return self.cost is not None and floor > self.cost


def least_cost(
    checker: Checker, nodes: Iterable[Node], known: dict[Node, Verdict]
) -> tuple[LeastCost, bool]:
    """Choose among feasible nodes by exact cost, in the order of their floors.

    Stops when the floors pass the best cost; says whether it got there before the time limit.
    """
    floored = sorted((checker.metric.floor(checker.stats, n), n.height, n.levels, n) for n in nodes)
    best = LeastCost()
    start = 0
    while start < len(floored) and not best.beats(floored[start][0]):
        if best.verdict is not None and checker.late():
            return best, False
        batch = [
            entry[-1]
            for entry in floored[start : start + checker.batch]
            if not best.beats(entry[0])
        ]
        start += len(batch)
        offer(checker, best, verdicts(checker, batch, known))
    return best, True


def verdicts(checker: Checker, nodes: Sequence[Node], known: dict[Node, Verdict]) -> list[Verdict]:
    """Check the nodes that were not checked before."""
    fresh = [node for node in dict.fromkeys(nodes) if node not in known]
    known.update((verdict.node, verdict) for verdict in checker.check(fresh))
    return [known[node] for node in nodes]


def suppressed_below(checker: Checker, verdict: Verdict) -> int | None:
    """Give how many rows every finer node suppresses, at least; None where the check did not count that."""
    return verdict.counts.suppressed if checker.monotone else verdict.counts.unavoidable


def offer(
    checker: Checker, best: LeastCost, checked: Iterable[Verdict]
) -> list[tuple[Verdict, Cost]]:
    """Offer checked nodes, asking for exact costs only while they could still win; returns those.

    A node's floor, with what it suppresses, orders them: the first few mostly rule out the rest.
    """
    stats, metric = checker.stats, checker.metric
    able = [verdict for verdict in checked if verdict.feasible]
    floored = sorted(
        ((metric.floor(stats, v.node, v.counts.suppressed), v.node.levels, v) for v in able),
        key=itemgetter(0, 1),
    )
    priced: list[tuple[Verdict, Cost]] = []
    for start in range(0, len(floored), checker.batch):
        batch = floored[start : start + checker.batch]
        undecided = [verdict for floor, _, verdict in batch if not best.beats(floor)]
        if not undecided:
            break
        for verdict, cost in zip(undecided, checker.costs(undecided), strict=True):
            best.offer(verdict, cost)
            priced.append((verdict, cost))
    return priced
