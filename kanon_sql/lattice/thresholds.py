"""Checks that hold the classes of a node against several bars at once.

A bar is what every class must reach. Whatever its height, the classes are the same ones, so one
pass over them answers for all bars: the cost is that of one check.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from kanon_sql.lattice.counting_sql import Joint
from kanon_sql.lattice.sql_checker import SqlChecker
from kanon_sql.lattice.statistics import Counts, Need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.engines.base import PreparedStatement, Row
    from kanon_sql.lattice.checker import Verdict
    from kanon_sql.lattice.frequency_sets import FrequencySet
    from kanon_sql.lattice.joint_checker import JointChecker
    from kanon_sql.lattice.node import Node
    from kanon_sql.privacy.demands import Demand
    from kanon_sql.privacy.privacy_model import Requirement

    Bar = tuple[Demand, ...]


class Tallies(Protocol):
    """Counts nodes under bars; suppressed rows are exact, whatever MaxSup.

    A bar gives the demands over each set of quasi-identifiers, that over all of them first.
    """

    @property
    def checker(self) -> SqlChecker: ...

    @property
    def one_pass(self) -> bool:
        """Whether all bars cost no more than one."""
        ...

    @property
    def counted(self) -> int:
        """How many nodes were counted so far; one under several bars as often as it took."""
        ...

    def tally(self, nodes: Sequence[Node], bars: Sequence[Bar]) -> list[list[Counts]]:
        """Count each node under each bar."""
        ...

    def figures(self, verdicts: Sequence[Verdict], bar: Bar, need: Need) -> list[list[float]]:
        """Give what exact costs need of the rows that nodes suppress under a bar."""
        ...


class ThresholdChecker(SqlChecker):
    """Counts nodes under all bars in one pass, where one set of quasi-identifiers is asked of."""

    one_pass = True
    counted = 0

    @property
    def checker(self) -> SqlChecker:
        return self

    def tally(self, nodes: Sequence[Node], bars: Sequence[Bar]) -> list[list[Counts]]:
        """Count each node under each bar."""
        squares = self.metric.need is Need.SQUARES
        asked = tuple(bar[0].requirements for bar in bars)
        batches = [
            (finer, batch)
            for finer, members in self._by_set(dict.fromkeys(nodes))
            for batch in self._cut(finer, members)
        ]
        said = [
            (self._bars(finer, len(batch), asked, squares=squares), self._counting.bindings(batch))
            for finer, batch in batches
        ]
        found: dict[Node, list[Counts]] = {}
        for (finer, batch), rows in zip(batches, self._engine.fetch_many(said), strict=True):
            for row in rows:
                node, held, found[node] = self._tallied(batch, row, squares=squares)
                if not self._is_small(finer):
                    self._sets.scanned(node, finer, held)
            self._note(finer, len(batch))
        self.counted += len(found)
        return [found[node] for node in nodes]

    def _bars(
        self,
        finer: FrequencySet,
        nodes: int,
        bars: tuple[tuple[Requirement, ...], ...],
        *,
        squares: bool,
    ) -> PreparedStatement:
        key = ("bars", bars, squares, nodes)
        if key not in finer.said:
            finer.said[key] = self._engine.prepare(
                self._counting.check_bars(finer.table, nodes, bars, squares=squares)
            )
        return finer.said[key]

    def _tallied(
        self, batch: list[Node], row: Row, *, squares: bool
    ) -> tuple[Node, int, list[Counts]]:
        at, all_classes, *rest = (int(str(cell)) for cell in row)
        measures = len(self._counting.measures)
        held = max([all_classes, *rest[:measures]])
        size = 3 if squares else 2
        counts = []
        for start in range(measures, len(rest), size):
            failing, suppressed, *kept = rest[start : start + size]
            each = Counts(self.facts.rows, all_classes - failing, failing, suppressed)
            counts.append(replace(each, squares=kept[0]) if kept else each)
        return batch[at], held, counts

    def figures(self, verdicts: Sequence[Verdict], bar: Bar, need: Need) -> list[list[float]]:
        """Give what exact costs need of the rows that nodes suppress under a bar."""
        return self.asking(bar[0].requirements, class_size=bar[0].class_size).suppressed_figures(
            verdicts, need
        )


class JointThresholds:
    """Counts nodes under one bar after another, where several sets must fit together.

    What is left of a node depends on the bar from the first pass on, so no pass is shared.
    `names` are the quasi-identifiers in the order of the lattice.
    """

    one_pass = False

    def __init__(self, checker: JointChecker, names: tuple[str, ...]) -> None:
        self.checker = checker
        self.counted = 0
        self._names = names

    def tally(self, nodes: Sequence[Node], bars: Sequence[Bar]) -> list[list[Counts]]:
        """Count each node under each bar."""
        found = [self._under(bar).check(nodes, detail=True) for bar in bars]
        self.counted += len(nodes) * len(bars)
        return [[verdict.counts for verdict in of_node] for of_node in zip(*found, strict=True)]

    def figures(self, verdicts: Sequence[Verdict], bar: Bar, need: Need) -> list[list[float]]:
        """Give what exact costs need of the rows that nodes suppress under a bar."""
        return self._under(bar).suppressed_figures(verdicts, need)

    def _under(self, bar: Bar) -> SqlChecker:
        joint = tuple(
            Joint(
                tuple(self._names.index(c) for c in demand.columns or self._names),
                demand.requirements,
            )
            for demand in bar
            if demand.binding
        )
        return self.checker.asking((), class_size=bar[0].class_size, joint=joint)
