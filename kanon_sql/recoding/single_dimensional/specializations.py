"""The table that TDS specializes, in the database: a small cut a column, and rows that never change."""

from __future__ import annotations

import time
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from kanon_sql.recoding.single_dimensional import specializations_sql
from kanon_sql.recoding.single_dimensional.margins import (
    FIRST,
    LAST,
    ROOT,
    Margins,
    TreeColumn,
)
from kanon_sql.recoding.single_dimensional.specializations_sql import ABOVE, CutColumn, Piece
from kanon_sql.recoding.single_dimensional.top_down import Smallest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.policy.cut_steps import AnonymityRequirement, CutCandidate
    from kanon_sql.recoding.single_dimensional.margins import LineColumn
    from kanon_sql.recoding.single_dimensional.top_down import Asked

AT_ONCE = 64
"""How many parts a statement names at most."""

_quasi = attrgetter("quasi")


class SqlSpecializations:
    """Implements Specializations: a step reads the rows of one part, joined to the columns' cuts.

    The cut of a column has a row a place: its part, and the child of the part that it would be in.
    So a specialization writes as many rows as the column has values, and none of the table's.
    """

    def __init__(
        self,
        engine: Engine,
        scratch: Scratch,
        *,
        places: exp.Table,
        trees: Sequence[exp.Table | None],
        requirements: Sequence[AnonymityRequirement],
        entity: bool = False,
        deadline: float | None = None,
    ) -> None:
        """Take the distinct tuples of places, and the nodes of each column that is a tree."""
        self._engine = engine
        self._scratch = scratch
        self._places = places
        self._requirements = requirements
        self._entity = entity
        self._margins = Margins(engine, scratch)
        self._columns: list[TreeColumn | LineColumn] = []
        self._cuts: list[exp.Table] = []
        self._specialized: set[int] = set()
        self._children: dict[tuple[int, int | None], list[CutCandidate]] = {}
        self._trees = trees
        self._deadline = deadline

    def size(self) -> int:
        """Count the entities, or the rows where no entity is named."""
        ((size,),) = self._engine.fetch(
            specializations_sql.entities(self._places, entity=self._entity)
        )
        return int(str(size))

    def whole(self) -> list[CutCandidate]:
        """Begin with one part a column."""
        found = []
        for quasi, nodes in enumerate(self._trees):
            cut = self._scratch.table(f"cut_{quasi}")
            self._cuts.append(cut)
            column: TreeColumn | LineColumn
            if nodes is None:
                column = self._margins.line(quasi, self._places)
                self._engine.execute(specializations_sql.first_cut(cut, column.margin, whole=FIRST))
                roots = self._margins.of_line(column, [(FIRST, LAST)])
                self._replace_in_line(quasi, [(FIRST, LAST)], roots)
            else:
                column = self._margins.tree(quasi, self._places, nodes)
                self._engine.execute(specializations_sql.first_cut(cut, column.margin, whole=ROOT))
                for each in self._margins.inner_nodes(column):
                    self._children.setdefault((quasi, each.parent), []).append(each)
                roots = self._children.get((quasi, None), [])
                self._replace_in_tree(column, [ABOVE])
            self._columns.append(column)
            found += roots
        return found

    def specialize(self, parts: Sequence[CutCandidate]) -> list[list[CutCandidate]]:
        """Replace parts by their children."""
        below: dict[CutCandidate, list[CutCandidate]] = {}
        for quasi, of_one in groupby(sorted(parts, key=lambda each: each.rank), _quasi):
            self._specialized.add(quasi)
            column, left = self._columns[quasi], list(of_one)
            for at in range(0, len(left), AT_ONCE):
                batch = left[at : at + AT_ONCE]
                if isinstance(column, TreeColumn):
                    self._replace_in_tree(column, [each.part for each in batch])
                    below.update((e, self._children.get((quasi, e.part), [])) for e in batch)
                else:
                    below.update(self._split(column, batch))
        return [below[each] for each in parts]

    def _split(
        self, line: LineColumn, parts: Sequence[CutCandidate]
    ) -> dict[CutCandidate, list[CutCandidate]]:
        halves = {each: _halves(each) for each in parts}
        all_ = [half for pair in halves.values() for half in pair]
        found = self._margins.of_line(line, all_)
        self._replace_in_line(line.quasi, all_, found)
        by_part = {each.part: each for each in found}
        return {
            each: [by_part[low] for low, _ in pair if low in by_part]
            for each, pair in halves.items()
        }

    def _replace_in_tree(self, tree: TreeColumn, parts: Sequence[int]) -> None:
        before, after = self._cuts[tree.quasi], self._scratch.table(f"cut_{tree.quasi}")
        self._engine.execute(
            specializations_sql.specialize_tree(
                after, before, tree.lineage, parts=parts, depth=tree.depth
            )
        )
        self._put(tree.quasi, after)

    def _replace_in_line(
        self, quasi: int, halves: Sequence[tuple[int, int]], found: Sequence[CutCandidate]
    ) -> None:
        pieces = []
        splits = {each.part: each for each in found if each.gain > 0}
        for low, high in halves:
            if each := splits.get(low):
                pieces += [Piece(*half, part=low, child=half[0]) for half in _halves(each)]
            else:
                pieces.append(Piece(low, high, part=low, child=None))
        after = self._scratch.table(f"cut_{quasi}")
        self._engine.execute(specializations_sql.specialize_line(after, self._cuts[quasi], pieces))
        self._put(quasi, after)

    def _put(self, quasi: int, cut: exp.Table) -> None:
        self._scratch.drop(self._cuts[quasi])
        self._cuts[quasi] = cut

    def smallest(self, within: Sequence[CutCandidate], asked: Sequence[Asked]) -> list[Smallest]:
        """Give the smallest class after each candidate, among rows that are within some parts."""
        # a column that is one part, and has to stay it, tells classes apart no more than no column
        telling = self._specialized | {quasi for _, quasi in asked}
        columns = [
            [quasi for quasi in self._requirements[number].columns if quasi in telling]
            for number, _ in asked
        ]
        intervals = [(each.quasi, each.low, each.high) for each in within]
        linked = self._scratch.table("linked")
        self._engine.execute(
            specializations_sql.linked(
                linked,
                self._places,
                {quasi: self._cuts[quasi] for quasi in sorted({q for of in columns for q in of})},
                split=[quasi for _, quasi in asked],
                within=intervals if len(intervals) <= AT_ONCE else (),
                entity=self._entity,
            )
        )
        rows = self._engine.fetch(
            specializations_sql.smallest_after(
                linked,
                [(number, quasi, of) for (number, quasi), of in zip(asked, columns, strict=True)],
                entity=self._entity,
            )
        )
        self._scratch.drop(linked)
        return [Smallest(*(int(str(each)) for each in row)) for row in rows]

    def late(self) -> bool:
        """Whether the time limit has passed."""
        return self._deadline is not None and time.monotonic() > self._deadline

    def cuts(self) -> exp.Table:
        """Make the table of all parts: quasi, part, low and high, numbered from 0 by low."""
        made = self._scratch.table("cuts")
        columns = [CutColumn(quasi, cut, "part") for quasi, cut in enumerate(self._cuts)]
        self._engine.execute(specializations_sql.cuts(made, columns))
        return made


def _halves(candidate: CutCandidate) -> list[tuple[int, int]]:
    """Give the halves of an interval, as they are named: the lower by the interval's own number."""
    if candidate.split is None:
        return []
    return [(candidate.part, candidate.split), (candidate.split + 1, candidate.high)]
