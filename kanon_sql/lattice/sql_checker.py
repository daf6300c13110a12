"""The checker that asks the database: nodes are counted by GROUP BY over kept frequency sets."""

from __future__ import annotations

import time
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from kanon_sql.errors import InternalError
from kanon_sql.lattice import datafly_suppression_sql
from kanon_sql.lattice.candidate_graph import SqlGraphs
from kanon_sql.lattice.checker import Verdict
from kanon_sql.lattice.frequency_sets import FrequencySet, FrequencySets
from kanon_sql.lattice.statistics import Counts, Need, rows_and_logarithm
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.engines.base import Engine, PreparedStatement, Row
    from kanon_sql.engines.scratch import Scratch
    from kanon_sql.lattice.candidate_graph import Graphs
    from kanon_sql.lattice.counting_sql import Counting, Items, Joint
    from kanon_sql.lattice.datafly_suppression_sql import Rank
    from kanon_sql.lattice.frequency_sets import Passes
    from kanon_sql.lattice.node import Lattice, Node
    from kanon_sql.lattice.statistics import Cost, TableStatistics
    from kanon_sql.metrics.metric import Metric
    from kanon_sql.privacy.privacy_model import Requirement

    Asked = tuple[FrequencySet, list[Node]]


@dataclass(frozen=True, slots=True)
class SetClasses:
    """The classes over one set of columns, by their number, in what a node releases."""

    columns: tuple[int, ...]
    classes: int
    smallest: int


BATCH = 16
"""Nodes of one statement while a set is small: they share a scan and the engine's fixed cost."""

SMALL = 50_000
"""Rows of a set beyond which the scan outweighs the fixed cost: its nodes are counted each by a
statement of its own, and a coarser set is made where that pays."""


class SqlChecker:
    """Checks nodes by GROUP BY over the smallest frequency set that covers them."""

    def __init__(
        self,
        engine: Engine,
        scratch: Scratch,
        *,
        lattice: Lattice,
        facts: TableStatistics,
        metric: Metric,
        counting: Counting,
        base: FrequencySet,
        max_suppressed: int,
        class_size: int,
        monotone: bool,
        items: Items,
        item_tables: tuple[exp.Table, exp.Table] | None,
        ranks: Callable[[Node], Sequence[Rank]],
        deadline: float | None = None,
    ) -> None:
        self.lattice = lattice
        self.facts = facts
        self.metric = metric
        self.monotone = monotone
        self.max_suppressed = max_suppressed
        self.class_size = class_size
        self.checks = 0
        self.cut_short = False
        self._engine = engine
        self._scratch = scratch
        self._counting = counting
        self._sets = FrequencySets(facts, base)
        self._items = items
        self._item_tables = item_tables
        self._ranks = ranks
        self._enforced: dict[Node, tuple[exp.Table, exp.Table]] = {}
        self._deadline = deadline
        self._small = SMALL * engine.capabilities.statement_weight

    @property
    def batch(self) -> int:
        """One statement carries many nodes while the first set is small; else so many are said."""
        return (
            BATCH
            if self._is_small(self._sets.base)
            else self._engine.capabilities.parallel_statements
        )

    def _is_small(self, each: FrequencySet) -> bool:
        return each.rows <= self._small

    def asking(
        self, requirements: Sequence[Requirement], *, class_size: int, joint: Sequence[Joint] = ()
    ) -> Self:
        """Give a checker on the same frequency sets that asks something else of each class.

        Statements over the sets are kept with them, each by what it asks for.
        """
        other = copy(self)
        other.class_size = class_size
        other._enforced = {}  # noqa: SLF001  a copy of ourselves
        counting = replace(self._counting, requirements=tuple(requirements), joint=tuple(joint))
        other._counting = counting  # noqa: SLF001  a copy of ourselves
        return other

    def allowing(self, rows: int) -> Self:
        """Give a checker on the same frequency sets that allows so many suppressed rows."""
        other = self.asking(
            self._counting.requirements, class_size=self.class_size, joint=self._counting.joint
        )
        other.max_suppressed = rows
        other.monotone = False
        return other

    def late(self) -> bool:
        """Whether the time limit has passed; a search that was told so is cut short."""
        late = self._deadline is not None and time.monotonic() > self._deadline
        self.cut_short = self.cut_short or late
        return late

    @property
    def passes(self) -> Passes:
        """What was read so far."""
        return self._sets.passes

    def keep(self, node: Node) -> None:
        """Make the frequency set of a node, from the smallest that covers it, for checks to come."""
        if all(each.node != node for each in self._sets):
            self._roll_up(node)

    def let_go(self, node: Node) -> None:
        """Drop the frequency set of a node, if it is kept."""
        if (kept := self._sets.take(node)) is not None:
            self._scratch.drop(kept.table)

    def graphs(self) -> Graphs:
        """Give candidate graphs whose nodes and edges are tables."""
        return SqlGraphs(self._engine, self._scratch, self.lattice.tops)

    def check(self, nodes: Sequence[Node], *, detail: bool = False) -> list[Verdict]:
        """Count the classes of each node; the verdicts come in the order of the nodes."""
        detail = detail or self.metric.need is Need.SQUARES
        asked = [
            (finer, batch)
            for finer, members in self._by_set(dict.fromkeys(nodes))
            for batch in self._cut(finer, members)
        ]
        found: dict[Node, Verdict] = {}
        for (finer, batch), rows in zip(asked, self._counted(asked, detail=detail), strict=True):
            self._read(finer, batch, rows, found, detail=detail)
        self.checks += len(found)
        return [found[node] for node in nodes]

    def _by_set(self, nodes: Iterable[Node]) -> list[tuple[FrequencySet, list[Node]]]:
        """Group nodes by the smallest set that covers them, once what pays has been made."""
        asked = list(nodes)
        for node in asked:
            finer = self._sets.covering(node)
            if not self._is_small(finer) and (shared := self._sets.worth_making(node)):
                self._roll_up(shared)
        groups: dict[FrequencySet, list[Node]] = {}
        for node in asked:
            groups.setdefault(self._sets.covering(node), []).append(node)
        return list(groups.items())

    def _roll_up(self, node: Node) -> None:
        finer = self._sets.covering(node)
        table = self._scratch.table("rolled_up")
        self._engine.execute(self._counting.roll_up(table, finer.table, node, rows=finer.rows))
        ((rows,),) = self._engine.fetch(source_sql.count_rows(table))
        self._sets.read(finer)
        for each in self._sets.add(FrequencySet(node, table, int(str(rows)))):
            self._scratch.drop(each.table)

    def _cut(self, finer: FrequencySet, nodes: list[Node]) -> Iterable[list[Node]]:
        """Cut nodes into what one statement counts: many on a small set, one on a large."""
        return _batches(nodes) if self._is_small(finer) else ([node] for node in nodes)

    def _counted(self, asked: Sequence[Asked], *, detail: bool) -> list[list[Row]]:
        """Count batches of nodes, a row a node."""
        return self._engine.fetch_many(
            [
                (
                    self._statement(finer, len(batch), detail=detail),
                    self._counting.bindings(batch),
                )
                for finer, batch in asked
            ]
        )

    def _statement(self, finer: FrequencySet, nodes: int, *, detail: bool) -> PreparedStatement:
        key = ("check", self._counting.requirements, detail, nodes)
        if key not in finer.said:
            finer.said[key] = self._engine.prepare(
                self._counting.check(finer.table, nodes, detail=detail)
            )
        return finer.said[key]

    def _read(
        self,
        finer: FrequencySet,
        batch: list[Node],
        rows: list[Row],
        found: dict[Node, Verdict],
        *,
        detail: bool,
    ) -> None:
        """Take in what a batch of checks found."""
        for row in rows:
            verdict, held = self._verdict(batch, row, detail=detail)
            found[verdict.node] = verdict
            if not self._is_small(finer):
                self._sets.scanned(verdict.node, finer, held)
        self._note(finer, len(batch))

    def _note(self, finer: FrequencySet, passes: int) -> None:
        """Note passes over a set that no statement tells of by itself."""
        self._engine.journal.scanned += self._sets.read(finer, passes)

    def _verdict(self, batch: list[Node], row: Row, *, detail: bool) -> tuple[Verdict, int]:
        """Read one row of a check, and how many rows the node's own set would hold at least."""
        at, all_classes, failing, suppressed, *rest = (int(str(cell)) for cell in row)
        counts = Counts(self.facts.rows, all_classes - failing, failing, suppressed)
        if detail:
            smallest, kept, squares, all_squares, *rest = rest
            counts = replace(
                counts,
                smallest=smallest,
                smallest_kept=kept,
                squares=squares,
                failing_squares=all_squares - squares,
            )
        fits = suppressed <= self.max_suppressed and counts.classes > 0
        return Verdict(batch[at], counts, fits), max([all_classes, *rest])

    def over_sets(self, node: Node) -> tuple[int, tuple[SetClasses, ...]]:
        """Give the passes that a node takes, and its figures over each of several sets of columns."""
        del node
        return 0, ()

    def enforced(self, verdict: Verdict) -> Verdict:
        """Suppress the smallest class that fits too, where fewer than k entities would be missing.

        One is enough, as it holds k entities. It has the fewest rows, and of those that have as few
        it is the first by its labels: the same on every engine.
        """
        counting, node, gone = self._counting, verdict.node, verdict.counts.suppressed
        if not gone or (gone >= self.class_size and not counting.entity):
            return verdict
        finer = self._sets.covering(node)
        all_, fitting, kept = (self._scratch.table(n) for n in ("all", "fitting", "kept"))
        self._engine.execute(counting.roll_ups(all_, finer.table, [node], rows=finer.rows))
        self._engine.execute(counting.fitting_classes(fitting, all_))
        ((missing,),) = self._engine.fetch(datafly_suppression_sql.missing(counting, all_, fitting))
        if int(str(missing)) >= self.class_size:
            return verdict
        self._engine.execute(
            datafly_suppression_sql.without_smallest(counting, kept, fitting, self._ranks(node))
        )
        self._enforced[node] = all_, kept
        (row,) = self._engine.fetch(counting.check(all_, 1, detail=True, kept=kept))
        self._sets.read(finer)
        return replace(self._verdict([node], row, detail=True)[0], enforced=True)

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        """Give exact costs; asks the database only about rows that were suppressed."""
        figures = self.suppressed_figures(verdicts, self.metric.need)
        return [
            self.metric.cost(self.facts, verdict.node, verdict.counts, of)
            for verdict, of in zip(verdicts, figures, strict=True)
        ]

    def suppressed_figures(self, verdicts: Sequence[Verdict], need: Need) -> list[list[float]]:
        """Give for each node and column what a metric needs of the suppressed rows.

        Which labels have to be asked for was looked up for the checker's own metric: for entropy that
        is more of them, so that leaves are known then too, and not the other way round.
        """
        if need not in {Need.LEAVES, Need.ENTROPY}:
            return [[] for _ in verdicts]
        if need is Need.ENTROPY and self.metric.need is not need:
            raise InternalError(f"a checker for {self.metric.name} has not looked up entropies")
        figures = {v.node: self._uniform_figures(v, need) for v in verdicts}
        asked = [
            v.node
            for v in verdicts
            if v.counts.suppressed and self._items_of(v.node) and not v.enforced
        ]
        for verdict in verdicts:
            if verdict.enforced:
                self._ask_settled([verdict.node], *self._enforced[verdict.node], figures, need)
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
        return [rows_and_logarithm(suppressed) for _ in self.facts.columns]

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
        key = ("marginals", self._counting.requirements, need, len(batch))
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
        self._take(batch, self._engine.fetch(finer.said[key], params), figures)
        if not self._is_small(finer):
            for node in batch:
                self._sets.scanned(node, finer)
        self._note(finer, len(batch))

    def _ask_settled(
        self,
        batch: list[Node],
        all_: exp.Table,
        kept: exp.Table,
        figures: dict[Node, list[float]],
        need: Need,
    ) -> None:
        """Ask for the marginals of what is not kept, where another table says what is."""
        if self._item_tables is None:
            return
        items, weights = self._item_tables
        statement = self._counting.suppressed_marginals(
            all_,
            len(batch),
            self._room(batch),
            items=items,
            weights=weights if need is Need.LEAVES else None,
            kept=kept,
        )
        self._take(batch, self._engine.fetch(statement, self._pairs(batch)), figures)

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
