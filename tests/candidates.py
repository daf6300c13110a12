"""Candidate graphs grown in plain Python: what the tables of the product must hold.

Shares with it the type of a candidate alone. A part is a set of (column, level) pairs; the join
and the a-priori pruning are said by all subsets, and an edge is one step of one level.
"""

from __future__ import annotations

from itertools import combinations, product

from kanon_sql.counting.lattice.candidate_graph import PartialNode
from kanon_sql.policy.metrics.node import Node


class PythonGraphs:
    """Implements the Graphs protocol over sets."""

    def __init__(self, tops, bottoms=None, roots=None):
        self.tops = tops
        self.bottoms = bottoms or (0,) * len(tops)
        self.roots = roots or tops
        self.size = 1
        self.parts = set()

    def first(self):
        self.parts = {
            frozenset({(column, level)})
            for column in range(len(self.tops))
            for level in self._levels(column)
        }
        return self._graph()

    def grow(self, failed):
        survivors = self.parts - {self._part(candidate) for candidate in failed}
        self.size += 1
        parts = (
            frozenset(zip(columns, levels, strict=True))
            for columns in combinations(range(len(self.tops)), self.size)
            for levels in product(*map(self._levels, columns))
        )
        self.parts = {
            part
            for part in parts
            if survivors.issuperset(map(frozenset, combinations(part, self.size - 1)))
        }
        return self._graph()

    def _levels(self, column):
        return range(self.bottoms[column], self.tops[column] + 1)

    def _part(self, candidate):
        return frozenset((c, candidate.node.levels[c]) for c in candidate.columns)

    def _candidate(self, part):
        levels = list(self.roots)
        for column, level in part:
            levels[column] = level
        return PartialNode(tuple(sorted(column for column, _ in part)), Node(tuple(levels)))

    def _graph(self):
        return {
            self._candidate(part): tuple(
                sorted(
                    self._candidate(above)
                    for column, level in part
                    if (above := part - {(column, level)} | {(column, level + 1)}) in self.parts
                )
            )
            for part in self.parts
        }
