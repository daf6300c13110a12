"""The table that TDS specializes, in the database: a small table a column, and unchanging tuples."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.counting.run.interrupts import is_past
from kanon_sql.recoding.single_dimensional import bottom_up_sql, top_down_sql
from kanon_sql.recoding.single_dimensional.information_gain import LineColumn, TreeColumn
from kanon_sql.recoding.single_dimensional.top_down_sql import ABOVE, Piece

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.policy.cut_steps import CutCandidate
    from kanon_sql.recoding.single_dimensional.information_gain import TupleSource

    Pair = tuple[int, int]
    """A requirement and a column of it, both by their numbers."""

AT_ONCE = 64
"""Most intervals that a statement names."""

FIRST, LAST = -1, 2**31 - 1
"""The least and the greatest coordinate that there may be; that of NULL is the least."""

ROOT = 0
"""The number of a hierarchy's root among its nodes."""


class SmallestAfter(NamedTuple):
    """The smallest class that a candidate would leave to a requirement, among those that were counted."""

    requirement: int
    quasi: int
    part: int
    size: int


class TopDownTable:
    """The present cut of each column. A step reads the tuples within one interval, joined to the cuts.

    The table of a column's cut has a row for each coordinate: its interval, and the child of that interval in which it
    would be. So a specialization writes as many rows as the column has values, and none of the table's.
    """

    def __init__(self, source: TupleSource, deadline: float | None = None) -> None:
        self._source = source
        self._engine, self._scratch, self._tuples = source.engine, source.scratch, source.tuples
        self._deadline = deadline
        self._columns: list[TreeColumn | LineColumn] = []
        self._cuts: list[exp.Table] = []
        self._specialized: set[int] = set()
        self._children: dict[tuple[int, int | None], list[CutCandidate]] = {}

    def smallest(self) -> tuple[int, ...]:
        """Return, for each requirement, its measure of the smallest class."""
        required = self._source.requirements
        if not (self._specialized and required):
            return self._source.whole_table()
        columns = [each.columns for each in required]
        classes = self._scratch.create(
            "classes",
            top_down_sql.candidate_classes,
            self._tuples,
            dict(enumerate(self._cuts)),
            split=(),
            within=(),
            carried=self._source.carried,
        )
        of = list(zip(columns, self._source.counted("c"), strict=True))
        rows = self._engine.fetch(
            bottom_up_sql.smallest_classes(
                classes, of, range(len(self._cuts)), apart=bool(self._source.carried)
            )
        )
        self._scratch.drop(classes)
        found = {int(str(row[0])): int(str(row[-1])) for row in rows}
        return tuple(found.get(number, 0) for number in range(len(required)))

    def begin(self) -> list[CutCandidate]:
        """Begin with one interval a column; return those that have children."""
        found = []
        for quasi, nodes in enumerate(self._source.trees):
            first = self._scratch.table(f"cut_{quasi}")
            self._cuts.append(first)
            column: TreeColumn | LineColumn
            if nodes is None:
                column = LineColumn.open(self._source, quasi)
                self._engine.execute(top_down_sql.first_cut(first, column.counts, whole=FIRST))
                roots = column.best_splits([(FIRST, LAST)])
                self._replace_in_line(quasi, [(FIRST, LAST)], roots)
            else:
                column = TreeColumn.open(self._source, quasi, nodes)
                if column.roots > 1:
                    self._specialized.add(quasi)
                    cut = top_down_sql.first_cut_of_roots(
                        first, column.ancestors, depth=column.depth
                    )
                else:
                    cut = top_down_sql.first_cut(first, column.counts, whole=ROOT)
                self._engine.execute(cut)
                for each in column.inner_nodes():
                    self._children.setdefault((quasi, each.parent), []).append(each)
                roots = self._children.get((quasi, None), [])
                self._replace_in_tree(column, [ABOVE])
            self._columns.append(column)
            found += roots
        return found

    def specialize(self, replaced: Sequence[CutCandidate]) -> list[list[CutCandidate]]:
        """Replace intervals by their children; return, for each, the children that have children of their own."""
        children: dict[CutCandidate, list[CutCandidate]] = {}
        in_order = sorted(replaced, key=lambda each: each.rank)
        for quasi, of_one in groupby(in_order, attrgetter("quasi")):
            self._specialized.add(quasi)
            column, left = self._columns[quasi], list(of_one)
            for at in range(0, len(left), AT_ONCE):
                batch = left[at : at + AT_ONCE]
                if isinstance(column, TreeColumn):
                    self._replace_in_tree(column, [each.part for each in batch])
                    children.update((e, self._children.get((quasi, e.part), [])) for e in batch)
                else:
                    children.update(self._split(column, batch))
        return [children[each] for each in replaced]

    def _split(
        self, line: LineColumn, replaced: Sequence[CutCandidate]
    ) -> dict[CutCandidate, list[CutCandidate]]:
        halves = {each: _halves(each) for each in replaced}
        all_ = [half for pair in halves.values() for half in pair]
        found = line.best_splits(all_)
        self._replace_in_line(line.quasi, all_, found)
        by_part = {each.part: each for each in found}
        return {
            each: [by_part[low] for low, _ in pair if low in by_part]
            for each, pair in halves.items()
        }

    def _replace_in_tree(self, tree: TreeColumn, nodes: Sequence[int]) -> None:
        after = self._scratch.create(
            f"cut_{tree.quasi}",
            top_down_sql.specialize_tree,
            self._cuts[tree.quasi],
            tree.ancestors,
            nodes=nodes,
            depth=tree.depth,
        )
        self._replace_cut(tree.quasi, after)

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
        after = self._scratch.create(
            f"cut_{quasi}", top_down_sql.specialize_line, self._cuts[quasi], pieces
        )
        self._replace_cut(quasi, after)

    def _replace_cut(self, quasi: int, cut: exp.Table) -> None:
        self._scratch.drop(self._cuts[quasi])
        self._cuts[quasi] = cut

    def smallest_after(
        self, within: Sequence[CutCandidate], pairs: Sequence[Pair]
    ) -> list[SmallestAfter]:
        """Count the smallest class after each candidate, for pairs of a requirement and a column.

        With `within`, only the tuples within these intervals are counted. Of their own columns, candidates elsewhere
        are then left out. For candidates of other columns, the size is that of the smallest class with a part within.
        """
        # A column that is one interval, and has to stay it, distinguishes no classes.
        dividing = self._specialized | {quasi for _, quasi in pairs}
        columns = [
            [quasi for quasi in self._source.requirements[number].columns if quasi in dividing]
            for number, _ in pairs
        ]
        intervals = [(each.quasi, each.low, each.high) for each in within]
        classes = self._scratch.create(
            "classes",
            top_down_sql.candidate_classes,
            self._tuples,
            {quasi: self._cuts[quasi] for quasi in sorted({q for of in columns for q in of})},
            split={quasi for _, quasi in pairs},
            within=intervals if len(intervals) <= AT_ONCE else (),
            carried=self._source.carried,
        )
        rows = self._engine.fetch(
            top_down_sql.smallest_after(
                classes,
                [(*pair, of) for pair, of in zip(pairs, columns, strict=True)],
                self._source.counted("l"),
            )
        )
        self._scratch.drop(classes)
        return [SmallestAfter(*(int(str(each)) for each in row)) for row in rows]

    def late(self) -> bool:
        return is_past(self._deadline)

    def intervals(self) -> exp.Table:
        """Create the table of all intervals: quasi, part, low and high, numbered from 0 by low."""
        return self._scratch.create("intervals", top_down_sql.intervals, self._cuts)


def _halves(candidate: CutCandidate) -> list[tuple[int, int]]:
    """Return the halves of an interval: number and last coordinate. The lower keeps the interval's number."""
    if candidate.split is None:
        return []
    return [(candidate.part, candidate.split), (candidate.split + 1, candidate.high)]
