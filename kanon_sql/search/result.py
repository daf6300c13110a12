"""What a search found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.model.lattice import Node
    from kanon_sql.model.metric import Cost
    from kanon_sql.search.checker import Checker, Verdict


@dataclass(frozen=True, slots=True)
class Found:
    """The chosen node; `optimal` is true only when no feasible node can cost less.

    `feasible` and `minimal` are given by the algorithms that enumerate.
    """

    verdict: Verdict
    cost: Cost
    optimal: bool
    feasible: tuple[Node, ...] | None = None
    minimal: tuple[Node, ...] | None = None


def minimal(feasible: Iterable[Node]) -> tuple[Node, ...]:
    """Give the feasible nodes none of whose direct predecessors is feasible.

    Enough because feasibility is upward closed (Samarati 2001, definition of k-minimal).
    """
    known = set(feasible)
    return tuple(sorted(n for n in known if not any(child in known for child in n.children())))


@dataclass
class Best:
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
) -> tuple[Best, bool]:
    """Choose among feasible nodes by exact cost, in the order of their floors.

    Stops when the floors pass the best cost; says whether it got there before the time limit.
    """
    floored = sorted((checker.metric.floor(checker.facts, n), n.height, n.levels, n) for n in nodes)
    best = Best()
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
    fresh = [node for node in nodes if node not in known]
    known.update((verdict.node, verdict) for verdict in checker.check(fresh))
    return [known[node] for node in nodes]


def offer(checker: Checker, best: Best, checked: Iterable[Verdict]) -> list[tuple[Verdict, Cost]]:
    """Offer checked nodes, asking for exact costs only where they could still win; gives those."""
    able = [
        verdict
        for verdict in checked
        if verdict.feasible
        and not best.beats(
            checker.metric.floor(checker.facts, verdict.node, verdict.counts.suppressed)
        )
    ]
    priced = list(zip(able, checker.costs(able), strict=True))
    for verdict, cost in priced:
        best.offer(verdict, cost)
    return priced
