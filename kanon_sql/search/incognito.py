"""Incognito (LeFevre, DeWitt and Ramakrishnan, SIGMOD 2005): every feasible full-domain node.

Guarantee: sound and complete for monotone models; the minimal nodes are marked and the least cost
under the metric is proven. Subsets of the quasi-identifier grow by one column at a time: a subset
that fails at some levels fails with any further column (the a-priori property), and a subset's
frequency set is a roll-up of the whole one in which the other columns stand at their root. So the
source is scanned once, and checking a subset is checking a node of the full lattice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.model.lattice import Node
from kanon_sql.search.result import Found, least_cost, minimal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.search.checker import Checker, Verdict

Part = tuple[tuple[int, int], ...]
"""A candidate: (column, level) pairs, columns ascending."""


def incognito(checker: Checker) -> Found | None:
    """Find all feasible nodes; None when there is none."""
    tops = checker.lattice.tops
    known: dict[Node, Verdict] = {}
    survivors: set[Part] = {()}
    for size in range(1, len(tops) + 1):
        candidates = set(_join(survivors, tops, size))
        survivors = _search(checker, candidates, known)
        if not survivors:
            return None
    feasible = tuple(sorted(_whole(part, tops) for part in survivors))
    best, finished = least_cost(checker, feasible, known)
    if best.verdict is None or best.cost is None:
        return None
    return Found(best.verdict, best.cost, finished, feasible, minimal(feasible))


def _whole(part: Part, tops: tuple[int, ...]) -> Node:
    """Give the node of the full lattice with the same classes: columns left out stand at the root."""
    levels = list(tops)
    for column, level in part:
        levels[column] = level
    return Node(tuple(levels))


def _join(survivors: set[Part], tops: tuple[int, ...], size: int) -> Iterator[Part]:
    """Join survivors that agree on all but their last column; prune by their other subsets."""
    if size == 1:
        for column, top in enumerate(tops):
            for level in range(top + 1):
                yield ((column, level),)
        return
    by_head: dict[Part, list[Part]] = {}
    for part in survivors:
        by_head.setdefault(part[:-1], []).append(part)
    for head, family in by_head.items():
        for first in family:
            for second in family:
                if first[-1][0] < second[-1][0]:
                    candidate = (*head, first[-1], second[-1])
                    if all(
                        (*candidate[:i], *candidate[i + 1 :]) in survivors for i in range(len(head))
                    ):
                        yield candidate


def _search(checker: Checker, candidates: set[Part], known: dict[Node, Verdict]) -> set[Part]:
    """Search the candidates breadth first, finest first; what a feasible one implies is not checked.

    A mark spreads to every direct generalization among the candidates, marked ones included, or
    nodes above a gap would be checked again.
    """
    tops = checker.lattice.tops
    marked: set[Part] = set()
    survivors: set[Part] = set()
    layers: dict[int, list[Part]] = {}
    for part in sorted(candidates):
        layers.setdefault(sum(level for _, level in part), []).append(part)
    for height in sorted(layers):
        fresh = [part for part in layers[height] if part not in marked]
        asked = [n for n in dict.fromkeys(_whole(part, tops) for part in fresh) if n not in known]
        for start in range(0, len(asked), checker.batch):
            for verdict in checker.check(asked[start : start + checker.batch]):
                known[verdict.node] = verdict
        for part in layers[height]:
            if part in marked or known[_whole(part, tops)].feasible:
                survivors.add(part)
                marked.update(p for p in _generalizations(part, tops) if p in candidates)
    return survivors


def _generalizations(part: Part, tops: tuple[int, ...]) -> Iterator[Part]:
    for i, (column, level) in enumerate(part):
        if level < tops[column]:
            yield (*part[:i], (column, level + 1), *part[i + 1 :])
