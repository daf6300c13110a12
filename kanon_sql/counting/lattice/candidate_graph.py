"""Incognito's candidate graphs (LeFevre et al. 2005, section 3.1.2), made in the database and read back.

A candidate is a node over a subset of the quasi-identifiers.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.lattice.smallest_classes import numbers
from kanon_sql.engines.capabilities import KEY_BITS
from kanon_sql.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.policy.metrics.node import Lattice, Node


class Graphs(Protocol):
    """The candidate graphs over one column, over two, and so on. Tests use one that works in Python."""

    def first(self) -> Graph:
        """Return the graph of single columns: all their levels."""
        ...

    def grow(self, failed: Collection[PartialNode]) -> Graph:
        """Return the graph over one more column; no candidate contains one of the last graph's `failed`."""
        ...


class SqlGraphs:
    """Graphs as tables of nodes and edges. Raises InputError if candidates' numbers need too many bits."""

    def __init__(self, engine: Engine, scratch: Scratch, lattice: Lattice) -> None:
        self._engine = engine
        self._scratch = scratch
        self._coding = Coding(lattice)
        if self._coding.bits > KEY_BITS:
            what = (
                f"incognito numbers its candidates with {self._coding.bits} bits here, of which an "
                f"integer has {KEY_BITS}; leave out a quasi-identifier, or use another algorithm"
            )
            raise InputError("policy", [Fault("search.algorithm", what)])
        self._levels = scratch.table("levels")
        self._candidates = scratch.table("candidates")
        self._edges = scratch.table("edges")
        self._size = 1

    def first(self) -> Graph:
        self._engine.execute(self._coding.levels(self._levels))
        self._engine.execute(first_candidates(self._candidates, self._levels))
        self._engine.execute(first_edges(self._edges, self._levels))
        return self._read()

    def grow(self, failed: Collection[PartialNode]) -> Graph:
        """Join and prune the candidates that did not fail, and return their graph."""
        kept = self._survivors(failed)
        earlier, self._size = self._edges, self._size + 1
        self._candidates, self._edges = (
            self._scratch.table("candidates"),
            self._scratch.table("edges"),
        )
        self._engine.execute(candidates(self._candidates, kept, self._levels, self._size))
        self._engine.execute(edges(self._edges, self._candidates, earlier))
        self._scratch.drop(kept)
        self._scratch.drop(earlier)
        return self._read()

    def _survivors(self, failed: Collection[PartialNode]) -> exp.Table:
        if not failed:
            return self._candidates
        failures, kept = self._scratch.table("failed"), self._scratch.table("survivors")
        codes = sorted(map(self._coding.code, failed))
        self._engine.load(failures, ["value"], [(str(code),) for code in codes])
        self._engine.execute(survivors(kept, self._candidates, failures))
        self._scratch.drop(failures)
        self._scratch.drop(self._candidates)
        return kept

    def _read(self) -> Graph:
        found: dict[int, list[int]] = {}
        for node, coarser in self._engine.fetch(candidate_graph(self._candidates, self._edges)):
            above = found.setdefault(int(str(node)), [])
            if coarser is not None:
                above.append(int(str(coarser)))
        named = {code: self._coding.candidate(code) for code in found}
        return {named[code]: tuple(named[c] for c in above) for code, above in found.items()}


@dataclass(frozen=True)
class Coding:
    """A candidate as one number: its level and one in the bits of each column, 0 for one left out.

    Candidates are then joined by adding, and a column is left out by subtracting, in any dialect.

    >>> from kanon_sql.policy.metrics.node import Lattice, Node
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


Family = tuple[int, ...]
"""Column numbers, ascending. All candidates over the same columns are a family."""


@dataclass(frozen=True, slots=True, order=True)
class PartialNode:
    """One level for each of `columns`.

    `node` is the node of the whole lattice with the same classes: it has every other column at its root. So a candidate
    with one of its own columns at the root has the classes of the candidate without that column.

    >>> from kanon_sql.policy.metrics.node import Node
    >>> PartialNode((0, 2), Node((0, 1, 2))).height
    2
    >>> PartialNode((0, 2), Node((0, 1, 2))).ends(roots=(1, 1, 2))
    True
    """

    columns: Family
    node: Node

    @property
    def height(self) -> int:
        return sum(self.node.levels[column] for column in self.columns)

    def ends(self, roots: tuple[int, ...]) -> bool:
        """Return True if one of the candidate's own columns stands at its root."""
        return any(self.node.levels[column] == roots[column] for column in self.columns)


Graph = dict[PartialNode, tuple[PartialNode, ...]]
"""Candidates over subsets of one size, each with its direct generalizations in the graph."""


def specializations(graph: Mapping[PartialNode, tuple[PartialNode, ...]]) -> Graph:
    """Invert the edges of a graph: return each candidate with its direct specializations."""
    found: dict[PartialNode, list[PartialNode]] = {candidate: [] for candidate in graph}
    for finer, above in graph.items():
        for coarser in above:
            found[coarser].append(finer)
    return {candidate: tuple(finer) for candidate, finer in found.items()}
