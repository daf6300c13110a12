"""The checker that asks the database: nodes are counted by GROUP BY over kept frequency sets."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Self, TypeAlias

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice import smallest_classes
from kanon_sql.counting.lattice.candidate_graph import SqlGraphs
from kanon_sql.counting.lattice.counting_sql import rest_fits
from kanon_sql.counting.lattice.encode import count_values
from kanon_sql.counting.lattice.result import FrequencySet, Verdict
from kanon_sql.counting.lattice.smallest_classes import (
    KeptLabels,
    classes_at_node,
    kept_labels,
    sizes_by_node,
    without_smallest,
)
from kanon_sql.counting.run.session import is_past
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import InternalError
from kanon_sql.policy.metrics.statistics import Counts, Need
from kanon_sql.policy.privacy.risks import size_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.lattice.candidate_graph import Graphs
    from kanon_sql.counting.lattice.counting_sql import Counting
    from kanon_sql.counting.lattice.encode import Encoded
    from kanon_sql.counting.lattice.result import FrequencySets, Passes, SetFigures
    from kanon_sql.counting.lattice.smallest_classes import LookedUp
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import PreparedStatement, Row
    from kanon_sql.policy.metrics.node import Lattice, Node
    from kanon_sql.policy.metrics.statistics import Cost, Metric, TableStatistics
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.policy.privacy.privacy_model import Requirement
    from kanon_sql.policy.privacy.risks import SizeCount
    from kanon_sql.policy.privacy.table_models import ClassSizes

Thresholds: TypeAlias = "tuple[Demand, ...]"
"""The demands on the classes over each set of quasi-identifiers; that over all of them is first."""
Batch: TypeAlias = "tuple[FrequencySet, list[Node]]"

BATCH = 16
"""Most nodes that one statement counts on a small set: they share a scan and the engine's fixed cost."""
SMALL = 50_000
"""Most rows of a small set. Beyond it the scan outweighs the fixed cost of a statement: each node is counted by its own
statement, and a coarser set is made where that pays."""
SMALL_COUNTED, FEW_COUNTED = 100_000, 1_000_000
"""The same where values have counters, as such a statement takes the engine longer to prepare; and the most rows of a first
set on which nodes are asked for together, because most of them are then counted on coarser ones that are small."""


@dataclass(eq=False)
class SqlChecker:
    """Checks nodes by GROUP BY over the smallest frequency set that covers them.

    The `deadline` is on the monotonic clock. Checkers with other thresholds share the frequency sets. Prepared
    statements are kept with their set, by what they count.
    """

    run: Session
    encoded: Encoded
    metric: Metric
    max_suppressed: int
    deadline: float | None
    looked_up: LookedUp
    counting: Counting
    class_size: int
    monotone: bool
    sets: FrequencySets
    checks: int = field(default=0, init=False)
    counted: int = field(default=0, init=False)
    """Nodes counted by `count_under`; where one pass cannot serve all thresholds, once for each."""
    cut_short: bool = field(default=False, init=False)

    one_pass: ClassVar[bool] = True
    """Whether counting under several thresholds takes no more passes than under one."""

    @property
    def lattice(self) -> Lattice:
        return self.encoded.lattice

    @property
    def stats(self) -> TableStatistics:
        return self.encoded.stats

    @property
    def batch(self) -> int:
        """How many nodes share a statement if the first set is small, else how many statements run at once."""
        base = self.sets.base
        at = self.run.engine.capabilities_at(base.table)
        together = self.counting.counters is not None and base.rows <= FEW_COUNTED
        return BATCH if together or self._is_small(base) else at.parallel_statements

    def _is_small(self, each: FrequencySet) -> bool:
        most = SMALL if self.counting.counters is None else SMALL_COUNTED
        return each.rows <= most * self.run.engine.capabilities_at(each.table).statement_weight

    def under(self, thresholds: Thresholds) -> Self:
        """Return the same checker with other thresholds."""
        first = thresholds[0]
        counting = replace(
            self.counting, requirements=first.requirements, of_release=first.of_release
        )
        return replace(self, counting=counting, class_size=first.class_size)

    def allowing(self, rows: int) -> Self:
        """Return a checker with a suppression limit of `rows`, which carries no verdict over to other nodes."""
        return replace(self, max_suppressed=rows, monotone=False)

    def late(self) -> bool:
        """Return True if the time limit has passed or an interrupt came; the search then counts as cut short."""
        late = is_past(self.deadline)
        self.cut_short = self.cut_short or late
        return late

    @property
    def passes(self) -> Passes:
        return self.sets.passes

    def keep(self, node: Node) -> None:
        if all(each.node != node for each in self.sets):
            self._roll_up(node)

    def let_go(self, node: Node) -> None:
        if (kept := self.sets.take(node)) is not None:
            self.run.scratch.drop(kept.table)

    def graphs(self) -> Graphs:
        return SqlGraphs(self.run.engine, self.run.scratch, self.lattice)

    def check(self, nodes: Sequence[Node], *, detail: bool = False) -> list[Verdict]:
        """Count the classes of each node; return the verdicts in the order of the nodes."""
        detail = detail or self.metric.need is Need.SQUARES
        batches = self._batches(nodes)
        found: dict[Node, Verdict] = {}
        for (finer, batch), rows in zip(
            batches, self._check_rows(batches, detail=detail), strict=True
        ):
            read = [self._verdict(batch, row, detail=detail) for row in rows]
            sizes = self._fitting_sizes(finer, batch) if self.counting.of_all_classes else {}
            for verdict, least in read:
                found[verdict.node] = self._decided(verdict, sizes, exact=detail)
                self._scanned(verdict.node, finer, least)
            self._note(finer, len(batch))
        self.checks += len(found)
        self.run.engine.journal.count(self.checks, self.lattice.size, "node")
        return [found[node] for node in nodes]

    def _fitting_sizes(self, finer: FrequencySet, batch: list[Node]) -> dict[Node, ClassSizes]:
        """Count the fitting classes of each size, at each node."""
        counting = self.counting.of_nodes(batch)
        key = ("class_sizes", counting.requirements, counting.packing.keys, len(batch))
        statement = partial(counting.class_sizes, finer.table, len(batch), by_rows=True)
        (rows,) = self._fetch([self._prepared(finer, key, statement)], [(finer, batch)])
        self._note(finer, len(batch))
        return sizes_by_node(batch, rows)

    def _decided(
        self, verdict: Verdict, sizes: Mapping[Node, ClassSizes], *, exact: bool
    ) -> Verdict:
        """Apply the requirements that the kept classes must meet together to a verdict."""
        if required := self.counting.of_all_classes:
            of_node, most = sizes[verdict.node], self.max_suppressed
            verdict = without_smallest(verdict, required, of_node, most, exact=exact)
        return replace(verdict, feasible=verdict.feasible and self.fit_together(verdict))

    def count_under(
        self, nodes: Sequence[Node], several: Sequence[Thresholds]
    ) -> list[list[Counts]]:
        """Count each node under each of several thresholds, exactly, whatever may be suppressed.

        One pass counts them all, as the classes are the same; only models of the whole table take a check for each.
        """
        if any(each.measure.of_all_classes for first, *_ in several for each in first.of_release):
            checked = [self.under(each).check(nodes, detail=True) for each in several]
            self.counted += len(nodes) * len(several)
            return [[v.counts for v in of_node] for of_node in zip(*checked, strict=True)]
        squares = self.metric.need is Need.SQUARES
        bounds = tuple(thresholds[0].requirements for thresholds in several)
        batches = self._batches(nodes)
        statements = [
            self._prepared(
                finer,
                ("check_thresholds", bounds, squares, counting.packing.keys, len(batch)),
                partial(
                    counting.check_thresholds, finer.table, len(batch), bounds, squares=squares
                ),
            )
            for finer, batch in batches
            for counting in [self.counting.of_nodes(batch)]
        ]
        found: dict[Node, list[Counts]] = {}
        for (finer, batch), rows in zip(batches, self._fetch(statements, batches), strict=True):
            for row in rows:
                node, least, found[node] = self._counts_under(batch, row, squares=squares)
                self._scanned(node, finer, least)
            self._note(finer, len(batch))
        self.counted += len(found)
        return [found[node] for node in nodes]

    def _counts_under(
        self, batch: list[Node], row: Row, *, squares: bool
    ) -> tuple[Node, int, list[Counts]]:
        at, all_classes, *rest = (int(str(cell)) for cell in row)
        measures = len(self.counting.measures)
        of_rest = self.counting.counts_rest
        size = 2 + squares + of_rest
        counts = []
        for start in range(measures, len(rest), size):
            failing, suppressed, *kept = rest[start : start + size]
            beyond = kept.pop() if of_rest else 0
            fit, suppressed = all_classes - failing, suppressed + self.stats.left_out
            each = Counts(self.stats.rows, fit, failing, suppressed, beyond=beyond)
            counts.append(replace(each, squares=kept[0]) if kept else each)
        return batch[at], max([all_classes, *rest[:measures]]), counts

    def _batches(self, nodes: Iterable[Node]) -> list[Batch]:
        """Split nodes into the batches of statements: many nodes on a small set, one on a large one."""
        return [
            (finer, batch)
            for finer, members in self._by_set(dict.fromkeys(nodes))
            for batch in (
                in_batches(members) if self._is_small(finer) else ([node] for node in members)
            )
        ]

    def _prepared(
        self, finer: FrequencySet, key: tuple[object, ...], statement: Callable[[], Statement]
    ) -> PreparedStatement:
        if key not in finer.prepared:
            finer.prepared[key] = self.run.engine.prepare(statement())
        return finer.prepared[key]

    def _fetch(
        self, statements: Sequence[PreparedStatement], batches: Sequence[Batch]
    ) -> list[list[Row]]:
        bound = [self.counting.of_nodes(batch).bindings(batch) for _, batch in batches]
        return self.run.engine.fetch_many(list(zip(statements, bound, strict=True)))

    def _scanned(self, node: Node, finer: FrequencySet, least: int | None = None) -> None:
        """Record that a node was counted on a large set; `least` bounds the rows of its own set from below."""
        if not self._is_small(finer):
            self.sets.scanned(node, finer, least)

    def _by_set(self, nodes: Iterable[Node]) -> list[tuple[FrequencySet, list[Node]]]:
        """Make the sets that pay, and group nodes by the smallest set that covers them."""
        asked = list(nodes)
        for node in asked:
            finer = self.sets.covering(node)
            if not self._is_small(finer) and (shared := self.sets.worth_making(node)):
                self._roll_up(shared)
        groups: dict[FrequencySet, list[Node]] = {}
        for node in asked:
            groups.setdefault(self.sets.covering(node), []).append(node)
        return list(groups.items())

    def _roll_up(self, node: Node) -> None:
        finer = self.sets.covering(node)
        table = self.run.scratch.create(
            "rolled_up", self.counting.roll_up, finer.table, node, rows=finer.rows
        )
        ((rows,),) = self.run.engine.fetch(source_sql.count_rows(table))
        self.sets.read(finer)
        for each in self.sets.add(FrequencySet(node, table, int(str(rows)))):
            self.run.scratch.drop(each.table)

    def _check_rows(self, batches: Sequence[Batch], *, detail: bool) -> list[list[Row]]:
        """Return the rows of each batch's check, one for each node."""
        statements = [
            self._prepared(
                finer,
                ("check", counting.requirements, detail, counting.packing.keys, len(batch)),
                partial(counting.check, finer.table, len(batch), detail=detail),
            )
            for finer, batch in batches
            for counting in [self.counting.of_nodes(batch)]
        ]
        return self._fetch(statements, batches)

    def _note(self, finer: FrequencySet, passes: int) -> None:
        """Record passes over a set, and journal their rows, which the statement itself does not report."""
        self.run.engine.journal.scanned += self.sets.read(finer, passes)

    def _verdict(
        self, batch: list[Node], row: Row, *, detail: bool, settled: bool = False
    ) -> tuple[Verdict, int]:
        """Read one row of a check: return the verdict, and the least rows that the node's own set would have.

        A row is `settled` if a table decides which classes are kept: the rows that finer nodes suppress are not in it
        then.
        """
        at, all_classes, failing, suppressed, *rest = (int(str(cell)) for cell in row)
        fit, beyond = all_classes - failing, rest.pop() if self.counting.counts_rest else 0
        suppressed += self.stats.left_out
        counts = Counts(self.stats.rows, fit, failing, suppressed, beyond=beyond)
        if self.counting.unavoidable and not settled:
            unavoidable, *rest = rest
            counts = replace(counts, unavoidable=unavoidable + self.stats.left_out)
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

    def fit_together(self, verdict: Verdict) -> bool:
        """Return True if the classes that fit at a node meet the requirements of the release as well.

        They must fit by the distribution of the kept rows (that of the source if none is suppressed; then they are
        counted only if `compares_kept`), and the suppressed rows must be a fitting share of the population's rest.
        """
        counting, node, counts = self.counting, verdict.node, verdict.counts
        if not rest_fits(counting.of_release, counts):
            return False
        if not counting.of_kept or not (counts.suppressed or counting.compares_kept):
            return True
        finer = self.sets.covering(node)
        but = counts.smallest_suppressed or 0
        fit = _fit_among_kept(self.run, self.encoded, counting, finer, node, but=but)
        self.sets.read(finer)
        return fit

    def unmet(self, verdict: Verdict) -> tuple[Requirement, ...]:
        """Return the requirements of the release that a node misses, each asked alone; not those on sizes."""
        return tuple(
            each
            for each in self.counting.of_release
            if not each.measure.of_all_classes
            and not self._of_release((each,)).fit_together(verdict)
        )

    def _of_release(self, asked: tuple[Requirement, ...]) -> Self:
        return replace(self, counting=replace(self.counting, of_release=asked))

    def over_sets(self, node: Node) -> tuple[int, tuple[SetFigures, ...]]:
        """Return no passes and no figures: they are of several sets of columns, and this checker has one."""
        del node
        return 0, ()

    def class_sizes(self, verdict: Verdict) -> list[SizeCount]:
        """Count the classes that a node releases by their size, by one more GROUP BY."""
        with self.classes(verdict) as (table, kept, bound):
            statement = self.counting.class_sizes(table, kept=kept)
            return size_counts(self.run.engine.fetch(statement, bound))

    @contextmanager
    def classes(
        self, verdict: Verdict
    ) -> Iterator[tuple[exp.Table, exp.Table | None, Sequence[int]]]:
        """Yield the table on which a node's classes are counted, the table of kept ones if any, and bindings."""
        node, but = verdict.node, verdict.counts.smallest_suppressed
        ((finer, _),) = self._by_set([node])
        if but:
            with classes_at_node(self.run, self.encoded, self.counting, finer, node, but=but) as at:
                yield at.all, at.kept, ()
        else:
            yield finer.table, None, self.counting.bindings([node])
        self._note(finer, 1)

    def enforced(self, verdict: Verdict) -> Verdict:
        """Suppress the smallest class that fits as well, if fewer than k entities are suppressed without it.

        One class is enough, as it holds k entities. It has the fewest rows, and of those that have as few it is the
        first by its labels: the same on every engine.
        """
        counting, node, suppressed = self.counting, verdict.node, verdict.counts.suppressed
        if not suppressed or (suppressed >= self.class_size and not counting.entity):
            return verdict
        finer = self.sets.covering(node)
        with classes_at_node(self.run, self.encoded, counting, finer, node, but=0) as at:
            missed = smallest_classes.missing(counting, at.all, at.kept)
            ((missing,),) = self.run.engine.fetch(missed)
        if int(str(missing)) >= self.class_size:
            return verdict
        with classes_at_node(self.run, self.encoded, counting, finer, node, but=1) as at:
            (row,) = self.run.engine.fetch(counting.check(at.all, 1, detail=True, kept=at.kept))
        self.sets.read(finer)
        settled = self._verdict([node], row, detail=True, settled=True)[0]
        counts = replace(settled.counts, smallest_suppressed=1)
        return replace(settled, counts=counts, enforced=True)

    def costs(self, verdicts: Sequence[Verdict]) -> list[Cost]:
        figures = self.suppressed_figures(verdicts, self.metric.need)
        return [
            self.metric.cost(self.stats, verdict.node, verdict.counts, of)
            for verdict, of in zip(verdicts, figures, strict=True)
        ]

    def suppressed_figures(self, verdicts: Sequence[Verdict], need: Need) -> list[list[float]]:
        """Return, for each node, the numbers that `need` names, one a column; none for other needs.

        Raises InternalError for ENTROPY unless the checker's own metric needs it: labels were looked up for that
        metric. The tables for entropies serve LEAVES as well, but not the other way round.
        """
        if need in {Need.WIDE, Need.AMBIGUITY}:
            return [self._kept_labels(verdict).figures(need) for verdict in verdicts]
        if need not in {Need.LEAVES, Need.ENTROPY}:
            return [[] for _ in verdicts]
        if need is Need.ENTROPY and self.metric.need is not need:
            raise InternalError(f"a checker for {self.metric.name} has not looked up entropies")
        items = self.looked_up.items
        figures = {
            v.node: self.stats.uniform_figures(v.node.levels, v.counts.suppressed, need)
            for v in verdicts
        }
        uncounted = [
            v.node
            for v in verdicts
            if v.counts.suppressed and items.of(v.node) and not v.counts.smallest_suppressed
        ]
        for verdict in verdicts:
            if verdict.counts.smallest_suppressed:
                self._ask_without_smallest(verdict, figures, need)
        for finer, members in self._by_set(uncounted):
            for batch in in_batches(members):
                self._ask_marginals(finer, batch, figures, need)
        return [figures[v.node] for v in verdicts]

    def _kept_labels(self, verdict: Verdict) -> KeptLabels:
        """Sum the leaves under the kept rows' labels, by one more GROUP BY where rows differ in them."""
        node, stats, looked_up = verdict.node, self.stats, self.looked_up
        kept_rows = verdict.counts.rows - verdict.counts.suppressed
        if looked_up.tables is None or not looked_up.items.of(node):
            return KeptLabels.of(stats, node, kept_rows)
        with self.classes(verdict) as (table, kept, bound):
            statement = kept_labels(self.counting, table, node, looked_up, kept=kept)
            (row,) = self.run.engine.fetch(statement, bound)
        return KeptLabels.of(stats, node, kept_rows, looked_up.items, row)

    def _ask_marginals(
        self, finer: FrequencySet, batch: list[Node], figures: dict[Node, list[float]], need: Need
    ) -> None:
        key = ("marginals", self.counting.requirements, need, len(batch))
        statement = self._prepared(finer, key, partial(self._marginals, finer.table, batch, need))
        params = [*self.counting.bindings(batch), *self._pairs(batch)]
        self._take(batch, self.run.engine.fetch(statement, params), figures)
        for node in batch:
            self._scanned(node, finer)
        self._note(finer, len(batch))

    def _ask_without_smallest(
        self, verdict: Verdict, figures: dict[Node, list[float]], need: Need
    ) -> None:
        """Fetch the marginals of a node that suppresses some classes that fit."""
        node, but = verdict.node, verdict.counts.smallest_suppressed or 0
        if not self.looked_up.items.of(node):
            return
        finer = self.sets.covering(node)
        with classes_at_node(self.run, self.encoded, self.counting, finer, node, but=but) as at:
            self._ask_settled([node], at.all, at.kept, figures, need)
        self.sets.read(finer)

    def _ask_settled(
        self,
        batch: list[Node],
        all_: exp.Table,
        kept: exp.Table,
        figures: dict[Node, list[float]],
        need: Need,
    ) -> None:
        """Fetch the marginals of the rows of `all_` that are not in the table `kept`."""
        if self.looked_up.items.numbers:
            statement = self._marginals(all_, batch, need, kept)
            self._take(batch, self.run.engine.fetch(statement, self._pairs(batch)), figures)

    def _marginals(
        self, finer: exp.Table, batch: list[Node], need: Need, kept: exp.Table | None = None
    ) -> Statement:
        if self.looked_up.tables is None:
            raise InternalError("the labels of suppressed rows were not looked up")
        items, weights = self.looked_up.tables
        weighted = weights if need is Need.LEAVES else None
        return self.counting.suppressed_marginals(
            finer, len(batch), self._room(batch), items=items, weights=weighted, kept=kept
        )

    def _room(self, batch: list[Node]) -> int:
        """Return how many pairs a statement binds: one a column and node, so that statements have few shapes."""
        return len(self.lattice.tops) * len(batch)

    def _pairs(self, batch: list[Node]) -> list[int]:
        """Return the pairs that marginals bind, a node's number and an item, as one list padded with -1."""
        pairs = [
            (at, item) for at, node in enumerate(batch) for item in self.looked_up.items.of(node)
        ]
        pairs += [(-1, -1)] * (self._room(batch) - len(pairs))
        return [part for pair in pairs for part in pair]

    def _take(
        self, batch: list[Node], rows: Sequence[Row], figures: dict[Node, list[float]]
    ) -> None:
        """Add fetched marginals to the figures of their node and column, and those of left-out rows."""
        for number, item, figure in rows:
            node = batch[int(str(number))]
            quasi = self.looked_up.items.of(node)[int(str(item))]
            widest = self.stats.columns[quasi].levels[node.levels[quasi]].widest
            figures[node][quasi] = float(str(figure)) + self.stats.left_out * widest


def in_batches(nodes: list[Node]) -> Iterator[list[Node]]:
    """Yield the nodes in batches of 16, 8, 4, 2 or 1: few sizes, so that few statements need rendering."""
    start, size = 0, BATCH
    while start < len(nodes):
        while size > len(nodes) - start:
            size //= 2
        yield nodes[start : start + size]
        start += size


def _fit_among_kept(
    run: Session, encoded: Encoded, counting: Counting, finer: FrequencySet, node: Node, *, but: int
) -> bool:
    """Return True if all classes that a node keeps also fit by the distribution of the kept rows."""
    engine = run.engine
    with classes_at_node(run, encoded, counting, finer, node, but=but) as at:
        of_table = count_values(run, counting.among_kept({}), at.kept, called="kept_values")
        among = counting.among_kept(of_table)
        (row,) = engine.fetch(among.check(at.kept, 1, detail=False), among.bindings([node]))
    for each in of_table.values():
        run.scratch.drop(each.table)
    _, _, failing, *_ = row
    return int(str(failing)) == 0
