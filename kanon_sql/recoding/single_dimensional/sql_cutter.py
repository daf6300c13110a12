"""The cutter that asks the database: heads are costed by GROUP BY over the tuples of an allset."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from kanon_sql.recoding.single_dimensional.cutter import Child, ExpandedNode, HeadCosts
from kanon_sql.recoding.single_dimensional.heads_sql import ITSELF, cuts, members
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine, PreparedStatement, Row
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.recoding.single_dimensional.heads_sql import Cutting

BATCH = 16
"""Heads of one statement."""

NODES = 64
"""Nodes of one statement at most: they share the engine's fixed cost."""

ROOM = 400_000
"""Rows that the nodes of one statement read together at most, where there are several: it is between
statements that a search looks at the clock."""

KEPT = 4
"""Sets of coarser allsets that are kept beside the first, each coarser than the one before."""

SMALLER = 2
"""A set is made only if it is known to be so many times smaller than the one it is made from."""

REMEMBERED = 256
"""Of so many nodes it is remembered how many tuples their allsets tell apart."""


@dataclass(eq=False)
class Tuples:
    """The tuples that an allset tells apart, and the statements that were rendered for them."""

    allset: int
    table: exp.Table
    rows: int
    said: dict[tuple[str, int], PreparedStatement] = field(default_factory=dict)


class SqlCutter:
    """Costs heads over the smallest set that covers what is asked for.

    All descendants of a node have classes that are unions of the tuples of its allset, so deep in
    the tree a small set does. `places` has a row for each distinct tuple of places, with the columns
    that the models and the cost need.
    """

    def __init__(
        self,
        engine: Engine,
        scratch: Scratch,
        cutting: Cutting,
        places: exp.Table,
        *,
        max_suppressed: int,
        deadline: float | None = None,
    ) -> None:
        self.columns = cutting.alphabet.columns
        self.max_suppressed = max_suppressed
        self.cut_short = False
        self._before = engine.journal.statements
        self._engine = engine
        self._scratch = scratch
        self._cutting = cutting
        self._deadline = deadline
        self._letters = scratch.table("letters")
        engine.execute(cutting.letters(self._letters))
        whole, codes = cutting.alphabet.whole, scratch.table("thermometers")
        engine.execute(cutting.thermometers(codes, places, rows=0))
        first = self._made(whole, Tuples(whole, codes, self._count(codes)))
        scratch.drop(codes)
        self._sets = [first]
        self._sizes: deque[tuple[int, int]] = deque(maxlen=REMEMBERED)

    @property
    def statements(self) -> int:
        """Count what was said, here and by others, since this was made."""
        return self._engine.journal.statements - self._before

    @property
    def batch(self) -> int:
        """Fewer nodes make a statement where the first set is large."""
        return max(1, min(NODES, ROOM // max(1, self._sets[0].rows)))

    def late(self) -> bool:
        """Whether the time limit has passed; a search that was told so is cut short."""
        late = self._deadline is not None and time.monotonic() > self._deadline
        self.cut_short = self.cut_short or late
        return late

    def figures(self, heads: Sequence[int], allset: int) -> list[HeadCosts]:
        """Cost heads in batches, on the set of the allset itself."""
        tuples = self._covering(allset)
        if tuples.allset != allset:
            tuples = self._keep(self._made(allset, tuples))
        return [figures for figures, _ in self._costed(tuples, heads)]

    def _costed(self, tuples: Tuples, heads: Sequence[int]) -> list[tuple[HeadCosts, int]]:
        """Cost heads on a set, for whose allset the bounds are then; gives the classes of each too."""
        found = []
        for start in range(0, len(heads), BATCH):
            batch = heads[start : start + BATCH]
            asked = self._prepared(tuples, "heads", len(batch))
            rows = self._engine.fetch(asked, self._cutting.bindings(batch))
            for _, classes, gone, cost, bound in sorted(map(_numbers, rows)):
                found.append((HeadCosts(cost, gone, bound), classes))
        return found

    def _prepared(self, tuples: Tuples, what: str, batch: int) -> PreparedStatement:
        key = what, batch
        if key not in tuples.said:
            if what == "heads":
                statement = self._cutting.heads(tuples.table, batch)
            else:
                statement = self._cutting.splits(tuples.table, self._letters, batch)
            tuples.said[key] = self._engine.prepare(statement)
        return tuples.said[key]

    def open(self, nodes: Sequence[tuple[int, int]]) -> list[ExpandedNode]:
        """Open nodes in batches; one by one, and child by child, if it is not rows alone that count."""
        if not self._cutting.additive:
            return [self._counted(head, tail) for head, tail in nodes]
        found = []
        for start in range(0, len(nodes), self.batch):
            found += self._split(nodes[start : start + self.batch])
        return found

    def _split(self, nodes: Sequence[tuple[int, int]]) -> list[ExpandedNode]:
        tuples = self._set(reduce(or_, (head | tail for head, tail in nodes)))
        asked = self._prepared(tuples, "splits", len(nodes))
        rows = self._engine.fetch(asked, self._cutting.node_bindings(nodes))
        self._engine.journal.scanned += tuples.rows * len(nodes)
        found: list[ExpandedNode] = []
        for number, letter, classes, fitting, gone, cost, bound, held in sorted(
            map(_numbers, rows)
        ):
            if letter == ITSELF:
                head, tail = nodes[number]
                self._sizes.append((head | tail, held))
                found.append(ExpandedNode(HeadCosts(cost, gone, bound), []))
                continue
            whole, children = found[number]
            grown = HeadCosts(whole.cost + cost, whole.suppressed + gone, whole.bound + bound)
            children.append(Child(letter, classes, not fitting, grown))
        return found

    def _counted(self, head: int, tail: int) -> ExpandedNode:
        """Count each child by itself; whether it is useless is not known then."""
        tuples = self._made(head | tail, self._sets[0])
        letters = list(members(tail))
        heads = [head, *(head | 1 << letter for letter in letters)]
        (whole, classes), *costed = self._costed(tuples, heads)
        self._scratch.drop(tuples.table)
        children = [
            Child(letter, parts - classes, useless=False, figures=figures)
            for letter, (figures, parts) in zip(letters, costed, strict=True)
            if parts > classes
        ]
        return ExpandedNode(whole, children)

    def write(self, head: int) -> exp.Table:
        """Make the table of a head's parts, and give its name."""
        table = self._scratch.table("cuts")
        self._engine.execute(cuts(table, self._cutting.alphabet.parts(head)))
        return table

    def _set(self, allset: int) -> Tuples:
        """Give a set that covers an allset; makes one where that is known to be small."""
        finer = self._covering(allset)
        known = min((n for other, n in self._sizes if other & allset == allset), default=finer.rows)
        if finer.allset == allset or known * SMALLER > finer.rows:
            return finer
        return self._keep(self._made(allset, finer))

    def _covering(self, allset: int) -> Tuples:
        """Give the smallest set that covers an allset; those that do not are dropped."""
        while self._sets[-1].allset & allset != allset:
            self._scratch.drop(self._sets.pop().table)
        return self._sets[-1]

    def _keep(self, made: Tuples) -> Tuples:
        """Keep a set, and few of those that it was made from."""
        self._sets.append(made)
        if len(self._sets) > 1 + KEPT:
            self._scratch.drop(self._sets.pop(1).table)
        return made

    def _made(self, allset: int, finer: Tuples) -> Tuples:
        table = self._scratch.table("allset")
        self._engine.execute(self._cutting.allset(table, finer.table, allset, rows=finer.rows))
        return Tuples(allset, table, self._count(table))

    def _count(self, table: exp.Table) -> int:
        ((rows,),) = self._engine.fetch(source_sql.count_rows(table))
        return int(str(rows))


def _numbers(row: Row) -> tuple[int, ...]:
    return tuple(int(str(cell)) for cell in row)
