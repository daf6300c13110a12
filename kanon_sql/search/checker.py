"""Is this node private, and what does it cost? The one thing a search may ask."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from kanon_sql.model.metric import Counts, Need
from kanon_sql.sql import sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engine.base import Engine, Prepared, Row
    from kanon_sql.engine.scratch import Scratch
    from kanon_sql.model.lattice import Lattice, Node
    from kanon_sql.model.metric import Cost, Metric, TableFacts
    from kanon_sql.sql.counting import Counting, Items


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one node comes to: feasible if it keeps a class and suppresses at most MaxSup rows.

    A release without rows is none, whatever MaxSup allows.
    """

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
    def max_suppressed(self) -> int: ...

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


@dataclass(eq=False)
class FrequencySet:
    """One frequency set in the database: which node it was rolled up to, and its rows.

    `said` holds the statements that were rendered for it, by what they ask and for how many.
    """

    node: Node
    table: exp.Table
    rows: int
    said: dict[tuple[object, ...], Prepared] = field(default_factory=dict)


BATCH = 16
"""Nodes of one statement while a set is small: they share a scan and the engine's fixed cost."""

SMALL = 50_000
"""Rows of a set beyond which the scan outweighs the fixed cost: its nodes are rolled up one by
one, and checked on what comes out."""

KEEP = 4
"""A rolled-up set is kept if it has at most this part of the rows it was made from."""


class SqlChecker:
    """Checks nodes by GROUP BY over the smallest frequency set that covers them.

    On a large set the classes of a node are first written down, which costs little more than
    counting them: where they are few, they are the set that nodes above it are checked on. The
    kept sets never hold more rows than the first.
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
        base: FrequencySet,
        max_suppressed: int,
        monotone: bool,
        items: Items,
        item_tables: tuple[exp.Table, exp.Table] | None,
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
        self._sets = [base]
        self._items = items
        self._item_tables = item_tables
        self._deadline = deadline
        self._small = SMALL * engine.facts.statement_weight

    @property
    def batch(self) -> int:
        """One statement carries many nodes while sets are small."""
        return BATCH if self._sets[0].rows <= self._small else 1

    def late(self) -> bool:
        """Whether the time limit has passed."""
        return self._deadline is not None and time.monotonic() > self._deadline

    def check(self, nodes: Sequence[Node], *, detail: bool = False) -> list[Verdict]:
        """Count the classes of each node; the verdicts come in the order of the nodes."""
        detail = detail or self.metric.need is Need.SQUARES
        found: dict[Node, Verdict] = {}
        for finer, members in self._by_set(dict.fromkeys(nodes)):
            if finer.rows > self._small:
                for node in members:
                    self._check_alone(finer, node, found, detail=detail)
            else:
                for batch in _batches(members):
                    self._check_on(finer, batch, found, detail=detail)
        self.checks += len(found)
        return [found[node] for node in nodes]

    def _by_set(self, nodes: Iterable[Node]) -> list[tuple[FrequencySet, list[Node]]]:
        """Group nodes by the smallest set that covers them."""
        groups: dict[int, list[Node]] = {}
        for node in nodes:
            covering = (at for at, each in enumerate(self._sets) if node.covers(each.node))
            groups.setdefault(min(covering, key=lambda at: self._sets[at].rows), []).append(node)
        return [(self._sets[at], members) for at, members in groups.items()]

    def _check_alone(
        self, finer: FrequencySet, node: Node, found: dict[Node, Verdict], *, detail: bool
    ) -> None:
        """Roll a large set up to a node, check it there, and keep it if it is much smaller."""
        table = self._scratch.table("rolled_up")
        self._engine.say(self._counting.roll_up(table, finer.table, node, rows=finer.rows))
        coarser = FrequencySet(node, table, finer.rows)
        self._check_on(coarser, [node], found, detail=detail)
        if self._counting.a_row_is_a_class:
            coarser.rows = found[node].counts.classes + found[node].counts.failing
        else:
            coarser.rows = int(str(self._engine.ask(sources.count_rows(table))[0][0]))
        self._sets.append(coarser)
        if coarser.rows * KEEP > finer.rows:
            self._drop(coarser)
        while sum(each.rows for each in self._sets[1:]) > self._sets[0].rows:
            self._drop(max(self._sets[1:], key=lambda each: each.rows))

    def _drop(self, each: FrequencySet) -> None:
        self._sets.remove(each)
        self._scratch.drop(each.table)

    def _check_on(
        self, finer: FrequencySet, batch: list[Node], found: dict[Node, Verdict], *, detail: bool
    ) -> None:
        key = ("check", detail, len(batch))
        if key not in finer.said:
            statement = self._counting.check(finer.table, len(batch), detail=detail)
            finer.said[key] = self._engine.prepare(statement)
        for row in self._engine.ask(finer.said[key], self._counting.bindings(batch)):
            verdict = self._verdict(batch, row, detail=detail)
            found[verdict.node] = verdict
        self._engine.journal.scanned += finer.rows * len(batch)

    def _verdict(self, batch: list[Node], row: Row, *, detail: bool) -> Verdict:
        """Read one row of a check."""
        at, all_classes, failing, suppressed, *rest = (int(str(cell)) for cell in row)
        counts = Counts(self.facts.rows, all_classes - failing, failing, suppressed)
        if detail:
            smallest, kept, squares, all_squares = rest
            counts = replace(
                counts,
                smallest=smallest,
                smallest_kept=kept,
                squares=squares,
                failing_squares=all_squares - squares,
            )
        fits = suppressed <= self.max_suppressed and counts.classes > 0
        return Verdict(batch[at], counts, fits)

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        """Give exact costs; asks the database only about rows that were suppressed."""
        figures = self.suppressed_figures(verdicts, self.metric.need)
        return [
            self.metric.cost(self.facts, verdict.node, verdict.counts, of)
            for verdict, of in zip(verdicts, figures, strict=True)
        ]

    def suppressed_figures(self, verdicts: Sequence[Verdict], need: Need) -> list[list[float]]:
        """Give for each node and column what a metric needs of the suppressed rows."""
        if need not in {Need.LEAVES, Need.ENTROPY}:
            return [[] for _ in verdicts]
        figures = {v.node: self._uniform_figures(v, need) for v in verdicts}
        asked = [v.node for v in verdicts if v.counts.suppressed and self._items_of(v.node)]
        for finer, members in self._by_set(asked):
            for batch in _batches(members):
                self._ask_marginals(finer, batch, figures, need)
        return [figures[v.node] for v in verdicts]

    def _uniform_figures(self, verdict: Verdict, need: Need) -> list[float]:
        """Give what holds where all labels of a level have the same leaves, or all are one."""
        suppressed = verdict.counts.suppressed
        if need is Need.LEAVES:
            return [
                float(suppressed * column.levels[level].widest)
                for column, level in zip(self.facts.columns, verdict.node.levels, strict=True)
            ]
        whole = suppressed * math.log(suppressed) if suppressed else 0.0
        return [whole for _ in self.facts.columns]

    def _items_of(self, node: Node) -> dict[int, int]:
        """Map the item numbers that must be asked for to their columns."""
        return {
            self._items.numbers[quasi, level]: quasi
            for quasi, level in enumerate(node.levels)
            if (quasi, level) in self._items.numbers
        }

    def _ask_marginals(
        self,
        finer: FrequencySet,
        batch: list[Node],
        figures: dict[Node, list[float]],
        need: Need,
    ) -> None:
        if self._item_tables is None:
            return
        items, weights = self._item_tables
        room = self._room(batch)
        key = ("marginals", need, len(batch))
        if key not in finer.said:
            finer.said[key] = self._engine.prepare(
                self._counting.suppressed_marginals(
                    finer.table,
                    len(batch),
                    room,
                    items=items,
                    weights=weights if need is Need.LEAVES else None,
                )
            )
        params = [*self._counting.bindings(batch), *self._pairs(batch)]
        self._take(batch, self._engine.ask(finer.said[key], params), figures)
        self._engine.journal.scanned += finer.rows * len(batch)

    def _room(self, batch: list[Node]) -> int:
        """Leave room for a pair a column and node, whatever is asked: few shapes of one statement."""
        return len(self.lattice.tops) * len(batch)

    def _pairs(self, batch: list[Node]) -> list[int]:
        """Give what marginals bind: a node's number and an item, again and again."""
        pairs = [(at, item) for at, node in enumerate(batch) for item in self._items_of(node)]
        pairs += [(-1, -1)] * (self._room(batch) - len(pairs))
        return [part for pair in pairs for part in pair]

    def _take(
        self, batch: list[Node], rows: Sequence[Row], figures: dict[Node, list[float]]
    ) -> None:
        """Put marginals where they belong."""
        for number, item, figure in rows:
            node = batch[int(str(number))]
            figures[node][self._items_of(node)[int(str(item))]] = float(str(figure))


def _batches(nodes: list[Node]) -> Iterator[list[Node]]:
    """Cut nodes into batches of a few sizes, so that few statements need rendering."""
    start, size = 0, BATCH
    while start < len(nodes):
        while size > len(nodes) - start:
            size //= 2
        yield nodes[start : start + size]
        start += size
