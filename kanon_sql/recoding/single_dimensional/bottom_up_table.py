"""The table that bottom-up generalizes, in the database: classes of intervals, fewer with each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.recoding.single_dimensional import bottom_up_sql
from kanon_sql.recoding.single_dimensional.information_gain import TreeColumn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Row
    from kanon_sql.policy.cut_steps import CutCandidate
    from kanon_sql.recoding.single_dimensional.information_gain import TupleSource


@dataclass(frozen=True, slots=True)
class SmallestClasses:
    """The smallest classes of a requirement: their size, and the coordinates they span in each column."""

    size: int
    spans: Mapping[int, tuple[int, int]]

    def below(self, candidate: CutCandidate) -> bool:
        """Return True if all of them have an interval that the candidate would replace."""
        span = self.spans.get(candidate.quasi)
        return span is not None and candidate.low <= span[0] and span[1] <= candidate.high


class BottomUpTable:
    """The classes of the present cut; an interval is its lowest coordinate, so merging is arithmetic.

    Columns that no requirement names are not generalized.
    """

    def __init__(self, source: TupleSource) -> None:
        """Take the source. Raises ValueError for an ordered column, or where there is no requirement."""
        self._source = source
        self._engine, self._scratch, self._tuples = source.engine, source.scratch, source.tuples
        self._trees = [nodes for nodes in source.trees if nodes is not None]
        if len(self._trees) < len(source.trees):
            raise ValueError("bottom-up generalization needs a tree for each column; one is a line")
        self._merged = sorted({quasi for each in source.requirements for quasi in each.columns})
        if not self._merged:
            raise ValueError("bottom-up generalization needs a requirement to reach")
        self._classes: list[exp.Table] = []
        """The present classes last, after those to which `undo` may return."""

    def begin(self) -> list[CutCandidate]:
        """Begin with each value as an interval; return all inner nodes of the requirements' columns."""
        first = self._scratch.create(
            "classes",
            bottom_up_sql.leaf_classes,
            self._tuples,
            self._merged,
            self._source.carried,
        )
        self._classes.append(first)
        found: list[CutCandidate] = []
        for quasi in self._merged:
            tree = TreeColumn.open(self._source, quasi, self._trees[quasi])
            found += tree.inner_nodes()
        return found

    def smallest_classes(self) -> list[SmallestClasses]:
        """Return the smallest classes of each requirement; for an empty table no spans, and size 0."""
        columns = [each.columns for each in self._source.requirements]
        of = list(zip(columns, self._source.counted("c"), strict=True))
        rows = self._engine.fetch(
            bottom_up_sql.smallest_classes(
                self._classes[-1], of, self._merged, apart=bool(self._source.carried)
            )
        )
        found = {int(str(row[0])): row[1:] for row in rows}
        nothing: Row = (None,) * (2 * len(self._merged) + 1)
        return [self._smallest(found.get(number, nothing)) for number in range(len(of))]

    def _smallest(self, row: Row) -> SmallestClasses:
        *ends, size = (None if each is None else int(str(each)) for each in row)
        spans = {}
        for quasi, low, high in zip(self._merged, ends[::2], ends[1::2], strict=True):
            if low is not None and high is not None:
                spans[quasi] = (low, high)
        return SmallestClasses(size or 0, spans)

    def smallest_after(self, pairs: Sequence[tuple[int, CutCandidate]]) -> list[int]:
        """Return, for each requirement and candidate, the smallest class after the candidate: A_G."""
        required, counted = self._source.requirements, self._source.counted("t")
        merges = [
            (required[number].columns, each.quasi, each.low, each.high, counted[number])
            for number, each in pairs
        ]
        rows = self._engine.fetch(
            bottom_up_sql.smallest_merged(self._classes[-1], merges, self._source.carried)
        )
        found = {int(str(number)): int(str(size)) for number, size in rows}
        return [found[number] for number in range(len(pairs))]

    def generalize(self, nodes: Sequence[CutCandidate]) -> None:
        """Replace all intervals below some nodes by the nodes, none of which is below another."""
        merged: dict[int, list[tuple[int, int]]] = {}
        for each in nodes:
            merged.setdefault(each.quasi, []).append((each.low, each.high))
        made = self._scratch.create(
            "classes",
            bottom_up_sql.generalized_classes,
            self._classes[-1],
            self._merged,
            merged,
            self._source.carried,
        )
        self._classes.append(made)
        while len(self._classes) > 2:
            self._scratch.drop(self._classes.pop(0))

    def undo(self) -> None:
        """Put back the intervals that the last `generalize` replaced. Only one step can be undone."""
        self._scratch.drop(self._classes.pop())

    def intervals(self) -> exp.Table:
        """Create the table of all intervals: quasi, part, low and high, numbered from 0 by low."""
        return self._scratch.create(
            "intervals",
            bottom_up_sql.intervals,
            self._classes[-1],
            self._merged,
            self._tuples,
            len(self._trees),
        )
