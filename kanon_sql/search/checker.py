"""Is this node private, and what does it cost? The one thing a search may ask."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kanon_sql.model.metric import Counts, Need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.engine.base import Engine, Prepared
    from kanon_sql.engine.scratch import Scratch
    from kanon_sql.model.lattice import Lattice, Node
    from kanon_sql.model.metric import Cost, Metric, TableFacts
    from kanon_sql.sql.counting import Counting, Items


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one node comes to: feasible if it suppresses no more than MaxSup allows."""

    node: Node
    counts: Counts
    feasible: bool


class Checker(Protocol):
    """What the searches see; tests give them one that counts by brute force."""

    @property
    def lattice(self) -> Lattice: ...

    @property
    def facts(self) -> TableFacts: ...

    @property
    def metric(self) -> Metric: ...

    @property
    def monotone(self) -> bool:
        """Whether a verdict may be carried over to coarser and finer nodes without a check."""
        ...

    @property
    def batch(self) -> int:
        """How many nodes are best checked at once."""
        ...

    def check(self, nodes: Sequence[Node]) -> list[Verdict]: ...

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        """Give the exact cost of nodes that were checked."""
        ...

    def late(self) -> bool:
        """Whether the time limit has passed."""
        ...


@dataclass
class FrequencySet:
    """One frequency set in the database: which node it was rolled up to, and its rows."""

    node: Node
    table: exp.Table
    rows: int
    checks: dict[int, Prepared]


BATCHES = (16, 8, 4, 2, 1)
"""Sizes of a statement; a batch of any size is said in few of them, each rendered once."""

SMALL = 50_000
"""Rows of a frequency set below which the engine's fixed cost a statement outweighs the scan."""


class SqlChecker:
    """Checks nodes by GROUP BY over the smallest frequency set that covers them.

    A set is rolled up and kept when checks on it have shown that it would be much smaller than
    the one they had to read; never while sets are so small that a statement's fixed cost rules.
    """

    def __init__(
        self,
        engine: Engine,
        scratch: Scratch,
        *,
        lattice: Lattice,
        facts: TableFacts,
        metric: Metric,
        counting: Counting,
        base: exp.Table,
        max_suppressed: int,
        monotone: bool,
        items: Items,
        item_tables: tuple[exp.Table | None, exp.Table | None],
        deadline: float | None = None,
    ) -> None:
        self.lattice = lattice
        self.facts = facts
        self.metric = metric
        self.monotone = monotone
        self.max_suppressed = max_suppressed
        self.checks = 0
        self._engine = engine
        self._scratch = scratch
        self._counting = counting
        self._sets = [FrequencySet(lattice.bottom, base, facts.classes, {})]
        self._base_rows = facts.classes
        self._wishes: dict[Node, int] = {}
        self._known: list[tuple[Node, int]] = []
        self._items = items
        self._item_tables = item_tables
        self._deadline = deadline

    @property
    def batch(self) -> int:
        """One statement carries many nodes while sets are small, one while they are large."""
        return BATCHES[0] if self._base_rows <= SMALL else 2

    def late(self) -> bool:
        """Whether the time limit has passed."""
        return self._deadline is not None and time.monotonic() > self._deadline

    def check(self, nodes: Sequence[Node]) -> list[Verdict]:
        """Count the classes of each node; the verdicts come in the order of the nodes."""
        found: dict[Node, Verdict] = {}
        groups: dict[int, list[Node]] = {}
        for node in dict.fromkeys(nodes):
            groups.setdefault(self._covering(node), []).append(node)
        for at, members in groups.items():
            self._check_on(self._sets[at], members, found)
        self.checks += len(found)
        return [found[node] for node in nodes]

    def _check_on(
        self, finer: FrequencySet, nodes: Sequence[Node], found: dict[Node, Verdict]
    ) -> None:
        start = 0
        while start < len(nodes):
            size = next(b for b in BATCHES if b <= len(nodes) - start)
            batch = nodes[start : start + size]
            start += size
            if size not in finer.checks:
                statement = self._counting.check(finer.table, size)
                finer.checks[size] = self._engine.prepare(statement)
            params = [mask for node in batch for mask in self._counting.bindings(node)]
            for row in self._engine.ask(finer.checks[size], params):
                node = batch[int(str(row[0]))]
                found[node] = self._verdict(node, row)
                self._known.append((node, int(str(row[2]))))
            self._engine.journal.scanned += finer.rows * size

    def _verdict(self, node: Node, row: Sequence[object]) -> Verdict:
        _, classes, all_classes, suppressed, smallest, squares, all_squares, smallest_kept = (
            int(str(cell)) for cell in row
        )
        counts = Counts(
            rows=self.facts.rows,
            classes=classes,
            failing=all_classes - classes,
            suppressed=suppressed,
            smallest=smallest,
            smallest_kept=smallest_kept,
            squares=squares,
            failing_squares=all_squares - squares,
        )
        return Verdict(node, counts, suppressed <= self.max_suppressed)

    def _covering(self, node: Node) -> int:
        """Find the smallest set that covers a node, rolling one up where that pays."""
        at = min(
            (i for i, s in enumerate(self._sets) if node.covers(s.node)),
            key=lambda i: self._sets[i].rows,
        )
        finer = self._sets[at]
        if finer.rows <= SMALL:
            return at
        better = min(
            (
                (rows, known)
                for known, rows in self._known
                if rows * 2 <= finer.rows and node != known and node.covers(known)
            ),
            default=None,
        )
        if better is None:
            return at
        _, known = better
        self._wishes[known] = self._wishes.get(known, 0) + 1
        if self._wishes[known] < 2:
            return at
        return self._roll_up(finer, known)

    def _roll_up(self, finer: FrequencySet, node: Node) -> int:
        table = self._scratch.table("rolled_up")
        self._engine.say(self._counting.roll_up(table, finer.table, node, rows=finer.rows))
        rows = next(rows for known, rows in self._known if known == node)
        self._sets.append(FrequencySet(node, table, rows, {}))
        return len(self._sets) - 1

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        """Give exact costs; asks the database only about rows that were suppressed."""
        figures = self.suppressed_figures(verdicts, self.metric.need)
        return [
            self.metric.cost(self.facts, verdict.node, verdict.counts, of)
            for verdict, of in zip(verdicts, figures, strict=True)
        ]

    def suppressed_figures(self, verdicts: Sequence[Verdict], need: Need) -> list[list[float]]:
        """Give for each node and column what a metric needs of the suppressed rows."""
        figures = [self._uniform_figures(verdict, need) for verdict in verdicts]
        asked = [
            (index, items)
            for index, verdict in enumerate(verdicts)
            if verdict.counts.suppressed and (items := self._items_of(verdict.node, need))
        ]
        by_set: dict[int, list[tuple[int, dict[int, int]]]] = {}
        for index, items in asked:
            by_set.setdefault(self._covering(verdicts[index].node), []).append((index, items))
        for at, members in by_set.items():
            self._ask_marginals(self._sets[at], members, verdicts, figures, need)
        return figures

    def _uniform_figures(self, verdict: Verdict, need: Need) -> list[float]:
        suppressed = verdict.counts.suppressed
        if need is Need.NOTHING:
            return []
        if need is Need.LEAVES:
            return [
                float(suppressed * column.levels[level].widest)
                for column, level in zip(self.facts.columns, verdict.node.levels, strict=True)
            ]
        whole = _x_ln_x(suppressed)
        return [whole for _ in self.facts.columns]

    def _items_of(self, node: Node, need: Need) -> dict[int, int]:
        """Map the item numbers that must be asked for to their columns."""
        if need is Need.NOTHING:
            return {}
        return {
            self._items.numbers[quasi, level]: quasi
            for quasi, level in enumerate(node.levels)
            if (quasi, level) in self._items.numbers
        }

    def _ask_marginals(
        self,
        finer: FrequencySet,
        members: Sequence[tuple[int, dict[int, int]]],
        verdicts: Sequence[Verdict],
        figures: list[list[float]],
        need: Need,
    ) -> None:
        items, weights = self._item_tables
        if items is None:
            return
        width = len(self.lattice.tops)
        start = 0
        while start < len(members):
            size = next(b for b in BATCHES if b <= len(members) - start)
            batch = members[start : start + size]
            start += size
            key = -size if need is Need.LEAVES else -100 - size
            if key not in finer.checks:
                finer.checks[key] = self._engine.prepare(
                    self._counting.suppressed_marginals(
                        finer.table,
                        size,
                        items=items,
                        weights=weights if need is Need.LEAVES else None,
                    )
                )
            params: list[object] = []
            for index, asked in batch:
                params += self._counting.bindings(verdicts[index].node)
                params += [*asked, *[-1] * (width - len(asked))]
            for number, item, figure in self._engine.ask(finer.checks[key], params):
                index, asked = batch[int(str(number))]
                figures[index][asked[int(str(item))]] = float(str(figure))
            self._engine.journal.scanned += finer.rows * size


def _x_ln_x(value: int) -> float:
    return value * math.log(value) if value else 0.0
