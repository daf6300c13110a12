"""Incognito's candidate graphs, made in the database and read back to be traversed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kanon_sql.errors import Fault, InputError
from kanon_sql.lattice import candidate_graph_sql as graph_sql
from kanon_sql.lattice.candidate_graph_sql import Coding
from kanon_sql.lattice.packing import KEY_BITS

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.lattice.node import Lattice
    from kanon_sql.lattice.partial_node import Graph, PartialNode


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
        self._engine.execute(graph_sql.first_candidates(self._candidates, self._levels))
        self._engine.execute(graph_sql.first_edges(self._edges, self._levels))
        return self._read()

    def grow(self, failed: Collection[PartialNode]) -> Graph:
        """Join and prune the candidates that did not fail, and return their graph."""
        survivors = self._survivors(failed)
        earlier, self._size = self._edges, self._size + 1
        self._candidates, self._edges = (
            self._scratch.table("candidates"),
            self._scratch.table("edges"),
        )
        self._engine.execute(
            graph_sql.candidates(self._candidates, survivors, self._levels, self._size)
        )
        self._engine.execute(graph_sql.edges(self._edges, self._candidates, earlier))
        self._scratch.drop(survivors)
        self._scratch.drop(earlier)
        return self._read()

    def _survivors(self, failed: Collection[PartialNode]) -> exp.Table:
        if not failed:
            return self._candidates
        failures, survivors = self._scratch.table("failed"), self._scratch.table("survivors")
        codes = sorted(map(self._coding.code, failed))
        self._engine.load(failures, ["value"], [(str(code),) for code in codes])
        self._engine.execute(graph_sql.survivors(survivors, self._candidates, failures))
        self._scratch.drop(failures)
        self._scratch.drop(self._candidates)
        return survivors

    def _read(self) -> Graph:
        found: dict[int, list[int]] = {}
        for node, coarser in self._engine.fetch(
            graph_sql.candidate_graph(self._candidates, self._edges)
        ):
            above = found.setdefault(int(str(node)), [])
            if coarser is not None:
                above.append(int(str(coarser)))
        named = {code: self._coding.candidate(code) for code in found}
        return {named[code]: tuple(named[c] for c in above) for code, above in found.items()}
