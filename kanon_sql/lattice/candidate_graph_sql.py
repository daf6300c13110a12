"""Statements over candidate graphs (LeFevre et al. 2005, section 3.1.2): nodes and edges as tables."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.lattice.numbers_sql import numbers
from kanon_sql.lattice.partial_node import PartialNode
from kanon_sql.sql.quoting import literal
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.lattice.node import Lattice


@dataclass(frozen=True)
class Coding:
    """A candidate as one number: its level and one in the bits of each column, 0 for one left out.

    Candidates are then joined by adding, and a column is left out by subtracting, in any dialect.

    >>> from kanon_sql.lattice.node import Lattice, Node
    >>> coding = Coding(Lattice((1, 2)))
    >>> bin(coding.code(PartialNode((1,), Node((1, 0))))), bin(coding.code(PartialNode((0, 1), Node((1, 2)))))
    ('0b100', '0b1110')
    >>> str(coding.candidate(0b100).node)
    '[1,0]'
    """

    lattice: Lattice

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        """Return the first bit of each column, and how many it has."""
        places, shift = [], 0
        for top in self.lattice.tops:
            bits = (top + 1).bit_length()
            places.append((shift, bits))
            shift += bits
        return places

    @property
    def bits(self) -> int:
        return sum(bits for _, bits in self._places)

    def code(self, candidate: PartialNode) -> int:
        levels = candidate.node.levels
        return sum((levels[quasi] + 1) << self._places[quasi][0] for quasi in candidate.columns)

    def candidate(self, code: int) -> PartialNode:
        found = [(code >> shift) & ((1 << bits) - 1) for shift, bits in self._places]
        columns = tuple(quasi for quasi, part in enumerate(found) if part)
        levels = {quasi: found[quasi] - 1 for quasi in columns}
        return PartialNode(columns, self.lattice.of_columns(levels))

    def levels(self, levels: exp.Table) -> Statement:
        """Write down every level of every column as the candidate of that column alone."""
        rows = []
        places = zip(self.lattice.ranges, self._places, strict=True)
        for quasi, (levels_, (shift, bits)) in enumerate(places):
            mask = ((1 << bits) - 1) << shift
            codes = [(level + 1) << shift for level in levels_]
            rows += [
                [code, quasi, mask, coarser]
                for code, coarser in zip(codes, [*codes[1:], 0], strict=True)
            ]
        columns = {"node": True, "quasi": False, "mask": True, "coarser": True}
        return numbers(levels, columns, rows)


def first_candidates(table: exp.Table, levels: exp.Table) -> Statement:
    return Statement("lattice/first_candidates", {"candidates": table, "levels": levels})


def first_edges(table: exp.Table, levels: exp.Table) -> Statement:
    return Statement("lattice/first_edges", {"edges": table, "levels": levels})


def survivors(table: exp.Table, candidates: exp.Table, failed: exp.Table) -> Statement:
    """Leave out the candidates that failed, whose numbers were loaded as texts."""
    leaves = {"survivors": table, "candidates": candidates, "failed": failed}
    return Statement("lattice/survivors", leaves)


def candidates(table: exp.Table, survivors: exp.Table, levels: exp.Table, size: int) -> Statement:
    """Join survivors to candidates of so many columns, and prune by all their subsets."""
    return Statement(
        "lattice/candidates",
        {
            "candidates": table,
            "survivors": survivors,
            "levels": levels,
            "size": literal(size),
        },
    )


def edges(table: exp.Table, candidates: exp.Table, earlier: exp.Table) -> Statement:
    """Create the edges of a graph from those of the graph with one column less."""
    leaves = {"edges": table, "candidates": candidates, "earlier": earlier}
    return Statement("lattice/edges", leaves)


def candidate_graph(candidates: exp.Table, edges: exp.Table) -> Statement:
    return Statement("lattice/candidate_graph", {"candidates": candidates, "edges": edges})
