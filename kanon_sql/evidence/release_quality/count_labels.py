"""Counts how much the labels of a release hide, by looking the labels up in their hierarchies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice.encode import map_tables, survey_maps
from kanon_sql.counting.plans.recodings import levels_used
from kanon_sql.engines.base import whole
from kanon_sql.evidence.release_quality import quality_sql
from kanon_sql.evidence.release_quality.figures import Hidden, LabelSums
from kanon_sql.policy.hierarchies.labels_sql import Released, SourceRows, release_map
from kanon_sql.policy.metrics.statistics import TableStatistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.plans.recodings import Recoding
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.evidence.release_quality.figures import ClassSums
    from kanon_sql.policy.metrics.node import Node


@dataclass(frozen=True, slots=True)
class LabelledRelease:
    """The classes of a release, and its source with the hierarchies of the labels.

    With `by_classes` the source's rows are not read again, so that `Hidden.star` is None.
    """

    run: Session
    opened: OpenSource
    mapped: Sequence[Mapped]
    classes: exp.Table
    by_classes: bool = False

    def levels(self, recoding: Recoding | None) -> list[tuple[int, ...]]:
        """Return the levels that each column's labels may have: the recoding's, or all if it has no nodes."""
        return [
            tuple(range(each.hierarchy.height + 1))
            if recoding is None or not recoding.nodes
            else tuple(sorted(levels_used(recoding, quasi)))
            for quasi, each in enumerate(self.mapped)
        ]

    def hidden(self, recoding: Recoding | None, source: ClassSums) -> Hidden:
        """Count how much the labels hide. A label is looked up at the levels that `levels` returns."""
        levels = self.levels(recoding)
        maps, of_all = map_tables(self.run, self.mapped)
        columns, _ = survey_maps(self.run.engine, maps, self.mapped, of_all=of_all)
        stats = TableStatistics(source.rows, source.classes, tuple(columns))
        tables = self._labels(levels)
        fetched = self.run.engine.fetch(quality_sql.label_sums(self.classes, tables))
        found = Hidden(stats, tuple(_label_sums(row) for row in fetched))
        if found.problem is not None:
            return found
        ((ambiguity,),) = self.run.engine.fetch(quality_sql.ambiguity(self.classes, tables))
        found = replace(found, ambiguity=None if ambiguity is None else float(str(ambiguity)))
        node = found.node
        return found if node is None else self._at_node(found, node)

    def _labels(self, levels: Sequence[Sequence[int]]) -> list[exp.Table]:
        return [
            self.run.scratch.create("labels", quality_sql.labels, each, at)
            for each, at in zip(self.mapped, levels, strict=True)
        ]

    def _at_node(self, found: Hidden, node: Node) -> Hidden:
        """Add the counts that need a release at one node: the suppressed rows' labels, `excess` and DM*."""
        tables = self._labels([(level,) for level in node.levels])
        rest = self.run.engine.fetch(quality_sql.label_remainders(self.classes, tables))
        return replace(
            found,
            suppressed_logs=tuple(float(str(logs)) for _, logs, _ in rest),
            excess=max(whole(excess) for *_, excess in rest),
            star=None if self.by_classes else self._star(node),
        )

    def _star(self, node: Node) -> int:
        """Return the sum of squared class sizes of the whole source at a node (DM* of ARX)."""
        released = []
        for each, level in zip(self.mapped, node.levels, strict=True):
            table = self.run.scratch.table("map")
            one = Released(each.column, level, each.hierarchy.height, table)
            self.run.engine.execute(release_map(one, each.domain, each.paths, rows=each.rows))
            released.append(one)
        rows = SourceRows(self.opened.table, released, (), None, self.opened.rows)
        table = self.run.scratch.create("all_classes", rows.classes)
        _, _, _, squares, _ = self.run.engine.fetch(quality_sql.class_sums(table))[0]
        return whole(squares)

    def squared_errors(self, node: Node) -> list[tuple[int, float] | None]:
        """Return for each column the number of rows in an interval, and their sum of squared errors.

        The error is 0.0 at level 0. A column has None if its hierarchy has no intervals, or is at its root.
        """
        return [
            self._squared_error(each, level)
            for each, level in zip(self.mapped, node.levels, strict=True)
        ]

    def _squared_error(self, each: Mapped, level: int) -> tuple[int, float] | None:
        kind = each.column.hierarchy
        if kind is None or not kind.bounded_levels:
            return None
        if level == 0:
            return self.opened.rows, 0.0
        if level == each.hierarchy.height:
            return None
        ((rows, squares),) = self.run.engine.fetch(quality_sql.squared_error(each, level))
        return whole(rows), float(str(squares or 0))


def _label_sums(row: Sequence[object]) -> LabelSums:
    _, unknown, at_several, unclear, lowest, highest, levels, leaves, wide, logs, shared = row
    return LabelSums(
        whole(unknown),
        whole(at_several),
        whole(unclear),
        None if lowest is None else whole(lowest),
        None if highest is None else whole(highest),
        whole(levels),
        whole(leaves),
        whole(wide),
        float(str(logs or 0)),
        float(str(shared or 0)),
    )
