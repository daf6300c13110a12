"""The remainder (the rows that no node has kept yet), and sums over what the nodes release together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.lattice.items_sql import Items, LookedUp
from kanon_sql.lattice.joint_checker import make_checker
from kanon_sql.lattice.statistics import (
    ColumnStatistics,
    LevelStatistics,
    Sums,
    TableStatistics,
)
from kanon_sql.metrics.column_metrics import Height
from kanon_sql.plans.recodings import ReleasedNode
from kanon_sql.recoding.multi_node.released_classes import ReleasedClasses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.encode import Encoded
    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.sql_checker import SqlChecker
    from kanon_sql.metrics.metric import Metric
    from kanon_sql.run.session import Session


class Remainder:
    """The rows that no node has kept yet, as a frequency set that shrinks; left-out rows are not in it."""

    def __init__(self, run: Session, encoded: Encoded) -> None:
        self.left_out = encoded.stats.left_out
        if self.left_out:
            encoded = replace(encoded, stats=encoded.stats.with_left_out(-self.left_out))
        self.encoded = encoded
        self.rows = encoded.stats.rows
        self.released_nodes: list[ReleasedNode] = []
        self.checks = 0
        self.cut_short = False
        self._run = run
        self._base = encoded.table
        self._released = ReleasedClasses(run, encoded)
        self._classes: list[exp.Table] = []
        self._items = run.scratch.create(
            "items", self._released.labels_of.items.table, encoded.counting.packing
        )

    def release(self, node: Node, classes: int) -> None:
        """Release the classes that fit at a node; the other rows are the remainder."""
        run, before = self._run, self.encoded
        after = run.scratch.table("remainder")
        counting = before.counting
        run.engine.execute(counting.rest(after, before.table, node, rows=before.set_rows))
        ((set_rows, rows, distinct),) = run.engine.fetch(counting.totals(after))
        self._classes.append(self._released.classes_at(node, before, after))
        if before.table is not self._base:
            run.scratch.drop(before.table)
        self.released_nodes.append(ReleasedNode(node, self.rows - int(str(rows)), classes))
        self.rows = int(str(rows))
        stats = replace(before.stats, classes=int(str(distinct)))
        self.encoded = replace(before, table=after, set_rows=int(str(set_rows)), stats=stats)

    def survey(self) -> None:
        """Update the statistics to those of the remainder, before a node is checked."""
        run, encoded = self._run, self.encoded
        statement = self._released.labels_of.statistics(
            encoded.table, self._items, self._released.labels, rows=encoded.set_rows
        )
        found: dict[int, LevelStatistics] = {}
        for row in run.engine.fetch(statement):
            item, values, leaves, narrowest, widest = (int(str(cell)) for cell in row[:-1])
            found[item] = LevelStatistics(values, leaves, narrowest, widest, float(str(row[-1])))
        numbers = self._released.labels_of.items.numbers
        columns = tuple(
            ColumnStatistics.of(
                column.domain,
                [found[numbers[quasi, at]] for at in range(column.height + 1)],
                rows=self.rows,
                several_roots=column.several_roots,
            )
            for quasi, column in enumerate(encoded.stats.columns)
        )
        stats = TableStatistics(self.rows, encoded.stats.classes, columns)
        self.encoded = replace(encoded, stats=stats)

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(each.node for each in self.released_nodes)

    def checker(
        self, metric: Metric, *, most: int, deadline: float | None, looked_up: LookedUp | None
    ) -> SqlChecker:
        return make_checker(
            self._run,
            self.encoded,
            metric=metric,
            max_suppressed=most,
            deadline=deadline,
            looked_up=looked_up,
        )

    def follow(self, nodes: Sequence[Node]) -> None:
        """Release at nodes in order, except at those where no class of the remainder fits."""
        nothing = LookedUp(Items({}))
        for node in nodes:
            if not self.rows:
                break
            checker = self.checker(Height(), most=self.rows, deadline=None, looked_up=nothing)
            (verdict,) = checker.check([node])
            self.checks += 1
            if verdict.counts.classes:
                self.release(node, verdict.counts.classes)

    def sums(self) -> Sums:
        """Return sums over the rows of all nodes by released labels; left-out rows count as suppressed."""
        if self.rows and self._run.policy.search.count_suppressed:
            self.survey()
        found = self._released.sums(
            self._classes,
            released_nodes=self.released_nodes,
            failing=self.encoded,
            suppressed=self.rows,
        )
        return replace(found, suppressed=found.suppressed + self.left_out)
