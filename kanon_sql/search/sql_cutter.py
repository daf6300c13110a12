"""The cutter that asks the database: heads are costed by GROUP BY over the tuples of an allset."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.search.cutter import Child, Figures
from kanon_sql.sql import sources
from kanon_sql.sql.cutting import cuts, members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engine.base import Engine
    from kanon_sql.engine.scratch import Scratch
    from kanon_sql.sql.cutting import Cutting

BATCH = 16
"""Heads of one statement: they share a scan and the engine's fixed cost."""

KEPT = 4
"""Sets of allsets that are kept beside the most specific one, each coarser than the one before."""


@dataclass(frozen=True, slots=True)
class Tuples:
    """The tuples that an allset tells apart."""

    allset: int
    table: exp.Table
    rows: int


class SqlCutter:
    """Costs heads over the set of the allset that is asked for, made from the smallest that is kept.

    The tables `thermometers` and so on are scratch tables; `places` has a row for each distinct
    tuple, with the columns that the models and the cost need.
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
        self.max_suppressed = max_suppressed
        self.statements = 0
        self.cut_short = False
        self._engine = engine
        self._scratch = scratch
        self._cutting = cutting
        self._deadline = deadline
        alphabet = cutting.alphabet
        self.columns = alphabet.columns
        first = scratch.table("thermometers")
        engine.say(cutting.thermometers(first, places, rows=0))
        self._letters = scratch.table("letters")
        engine.say(cutting.letters(self._letters))
        self._sets = [Tuples(alphabet.whole, first, self._count(first))]
        self._sets = [self._made(alphabet.whole)]
        scratch.drop(first)

    def late(self) -> bool:
        """Whether the time limit has passed; a search that was told so is cut short."""
        late = self._deadline is not None and time.monotonic() > self._deadline
        self.cut_short = self.cut_short or late
        return late

    def figures(self, heads: Sequence[int], allset: int) -> list[Figures]:
        """Cost heads in batches."""
        table = self._set(allset).table
        found: list[Figures] = []
        for start in range(0, len(heads), BATCH):
            found += [figures for figures, _ in self._costed(table, heads[start : start + BATCH])]
        return found

    def _costed(self, table: exp.Table, heads: Sequence[int]) -> list[tuple[Figures, int]]:
        """Cost one batch; gives with each head's figures its classes."""
        statement = self._engine.prepare(self._cutting.heads(table, len(heads)))
        rows = sorted(
            tuple(int(str(cell)) for cell in row)
            for row in self._engine.ask(statement, self._cutting.bindings(heads))
        )
        return [(Figures(cost, gone, bound), classes) for _, classes, gone, cost, bound in rows]

    def children(self, head: int, figures: Figures, tail: int) -> list[Child]:
        """Cost all children in one statement; where models are not of rows alone, in batches."""
        if not tail:
            return []
        tuples = self._set(head | tail)
        if not self._cutting.additive:
            return self._counted(tuples.table, head, tail)
        statement = self._cutting.splits(tuples.table, self._letters, head, tail)
        found = []
        for row in self._engine.ask(statement):
            letter, classes, fitting, gone, cost, bound = (int(str(cell)) for cell in row)
            grown = Figures(figures.cost + cost, figures.suppressed + gone, figures.bound + bound)
            found.append(Child(letter, classes, not fitting, grown))
        return sorted(found)

    def _counted(self, table: exp.Table, head: int, tail: int) -> list[Child]:
        """Count each child by itself; whether it is useless is not known then."""
        letters = list(members(tail))
        ((_, classes),) = self._costed(table, [head])
        found = []
        for start in range(0, len(letters), BATCH):
            batch = letters[start : start + BATCH]
            costed = self._costed(table, [head | 1 << letter for letter in batch])
            for letter, (figures, parts) in zip(batch, costed, strict=True):
                if parts > classes:
                    found.append(Child(letter, parts - classes, useless=False, figures=figures))
        return found

    def write(self, head: int) -> exp.Table:
        """Make the table of a head's parts, and give its name."""
        table = self._scratch.table("cuts")
        self._engine.say(cuts(table, self._cutting.alphabet.parts(head)))
        return table

    def _set(self, allset: int) -> Tuples:
        """Give the set of an allset, made from the last that covers it; those that do not go."""
        while self._sets[-1].allset & allset != allset:
            self._scratch.drop(self._sets.pop().table)
        if self._sets[-1].allset != allset:
            self._sets.append(self._made(allset))
            if len(self._sets) > 1 + KEPT:
                self._scratch.drop(self._sets.pop(1).table)
        return self._sets[-1]

    def _made(self, allset: int) -> Tuples:
        finer, table = self._sets[-1], self._scratch.table("allset")
        self._engine.say(self._cutting.allset(table, finer.table, allset, rows=finer.rows))
        return Tuples(allset, table, self._count(table))

    def _count(self, table: exp.Table) -> int:
        ((rows,),) = self._engine.ask(sources.count_rows(table))
        return int(str(rows))
