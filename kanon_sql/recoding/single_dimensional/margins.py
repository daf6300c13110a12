"""The columns of a table in the database, and what their nodes and splits tell of the class column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.policy.cut_steps import CutCandidate, bits
from kanon_sql.recoding.single_dimensional import margins_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine
    from kanon_sql.engines.scratch import Scratch

FIRST, LAST = -1, 2**31 - 1
"""Below and above which no place is; NULL is at the first."""
ROOT = 0
"""The number of a tree's root among its nodes."""


@dataclass(frozen=True, slots=True)
class TreeColumn:
    """A column with a hierarchy: its nodes, the nodes above each place, and each node's gain."""

    quasi: int
    margin: exp.Table
    nodes: exp.Table
    lineage: exp.Table
    gains: exp.Table
    depth: int


@dataclass(frozen=True, slots=True)
class LineColumn:
    """A column whose values lie in an order."""

    quasi: int
    margin: exp.Table


class Margins:
    """Makes the margin of each column once, and asks it what candidates gain."""

    def __init__(self, engine: Engine, scratch: Scratch) -> None:
        self._engine = engine
        self._scratch = scratch

    def line(self, quasi: int, places: exp.Table) -> LineColumn:
        """Make the margin of a line."""
        margin = self._scratch.table(f"margin_{quasi}")
        self._engine.execute(margins_sql.margin(margin, places, quasi))
        return LineColumn(quasi, margin)

    def tree(self, quasi: int, places: exp.Table, nodes: exp.Table) -> TreeColumn:
        """Make the margin of a tree, and the gains of all its nodes."""
        margin = self.line(quasi, places).margin
        lineage, gains = (self._scratch.table(f"{what}_{quasi}") for what in ("lineage", "gains"))
        ((steps,),) = self._engine.fetch(margins_sql.depth(nodes))
        depth = max(int(str(steps)), 1)
        self._engine.execute(margins_sql.lineage(lineage, nodes, depth=depth))
        self._engine.execute(margins_sql.node_gains(gains, lineage, margin, depth=depth))
        return TreeColumn(quasi, margin, nodes, lineage, gains, depth)

    def inner_nodes(self, tree: TreeColumn) -> list[CutCandidate]:
        """Give all inner nodes of a tree: they are as many as its policy has, and not as its rows."""
        found = []
        for row in self._engine.fetch(margins_sql.inner_nodes(tree.nodes, tree.gains)):
            node, low, high, level, rows = (int(str(row[at])) for at in (0, 1, 2, 3, 5))
            parent = None if row[6] is None else int(str(row[6]))
            gain = bits(str(row[4]), rows)
            found.append(
                CutCandidate(tree.quasi, node, low, high, gain, level=level, parent=parent)
            )
        return found

    def of_line(self, line: LineColumn, intervals: Sequence[tuple[int, int]]) -> list[CutCandidate]:
        """Give the best split of each interval that has more than one place."""
        found = []
        for part, low, high, split, information, rows in self._engine.fetch(
            margins_sql.best_splits(line.margin, intervals)
        ):
            part_, low_, high_, split_, rows_ = (
                int(str(n)) for n in (part, low, high, split, rows)
            )
            gain = bits(str(information), rows_)
            found.append(CutCandidate(line.quasi, part_, low_, high_, gain, split=split_))
        return found
