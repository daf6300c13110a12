"""Checks where classes over several sets of quasi-identifiers must fit together.

A node then releases the greatest set of rows in which every class, over each set, fits. There is one, as a union of
such sets is one. It is left when the rows of classes that fall short are suppressed again and again until no class
does. It only grows with the node: rows that fit at a node fit at a coarser one, whose classes are unions of its own. So
searches tag nodes as they do with one set.

Models that weigh values have no greatest set: a class may fit once some of its rows are gone. A node then releases the
rows that are left by passes, each of which suppresses all classes that fall short; the models' monotony decides which
nodes a search may tag.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.lattice.encode import count_values, look_up
from kanon_sql.counting.lattice.result import FrequencySet, FrequencySets, SetFigures
from kanon_sql.counting.lattice.sql_checker import SqlChecker
from kanon_sql.counting.lattice.value_counters import first_set
from kanon_sql.engines.source import source_sql
from kanon_sql.policy.metrics.node import Node, joint_sets
from kanon_sql.policy.privacy.candidates_sql import compatible, fewest_candidates
from kanon_sql.policy.privacy.demands import demands, joint_demands

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.lattice.encode import Encoded
    from kanon_sql.counting.lattice.result import Verdict
    from kanon_sql.counting.lattice.smallest_classes import LookedUp
    from kanon_sql.counting.lattice.sql_checker import Batch, Thresholds
    from kanon_sql.counting.lattice.value_counters import ValueCounters
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Row
    from kanon_sql.policy.metrics.statistics import Counts, Metric, Need
    from kanon_sql.policy.privacy.privacy_model import Requirement


@dataclass(frozen=True, slots=True)
class Settled:
    """A batch of nodes after its last pass: all rows, the rows whose classes fit, and the last check.

    `passes` counts the passes that suppressed rows, at least one.
    """

    all: exp.Table
    fitting: exp.Table
    rows: list[Row]
    passes: int


class JointChecker(SqlChecker):
    """Checks nodes pass by pass, each one a statement over the rows that the last one left.

    A check without detail stops as soon as a node exceeds the suppression limit: its `suppressed` is then a lower
    bound. A metric of the classes needs every pass: bounds for other nodes are drawn from the exact classes of this
    one.
    """

    one_pass = False

    def under(self, thresholds: Thresholds) -> Self:
        """Return the same checker with other thresholds."""
        names = [column.name for column in self.run.policy.quasi]
        joint = joint_sets((each for each in thresholds if each.asks), names)
        counting = replace(self.counting, requirements=(), joint=joint)
        return replace(self, counting=counting, class_size=thresholds[0].class_size)

    def count_under(
        self, nodes: Sequence[Node], several: Sequence[Thresholds]
    ) -> list[list[Counts]]:
        """Count each node under each of the thresholds, one check after the other: no pass serves two."""
        found = [self.under(thresholds).check(nodes, detail=True) for thresholds in several]
        self.counted += len(nodes) * len(several)
        return [[verdict.counts for verdict in of_node] for of_node in zip(*found, strict=True)]

    def _check_rows(self, batches: Sequence[Batch], *, detail: bool) -> list[list[Row]]:
        """Return the check's row of each node, counted on the rows that its passes leave."""
        found = []
        exact = detail or self.metric.of_classes
        for finer, batch in batches:
            with self._settled(finer, batch, detail=detail, exact=exact) as settled:
                found.append(settled.rows)
        return found

    @contextmanager
    def _settled(
        self, finer: FrequencySet, batch: list[Node], *, detail: bool = False, exact: bool = True
    ) -> Iterator[Settled]:
        """Run passes until every class fits; unless `exact`, nodes beyond the limit may be left unfinished."""
        counting, engine = self.counting, self.run.engine
        all_ = self.run.scratch.create(
            "all", counting.roll_ups, finer.table, batch, rows=finer.rows
        )
        after, suppressed = all_, dict.fromkeys(range(len(batch)), 0)
        passes = 0
        while True:
            before, after = after, self.run.scratch.table("fitting")
            engine.execute(self._fitting(after, before, batch))
            if before is not all_:
                self.run.scratch.drop(before)
            rows = engine.fetch(counting.check(all_, len(batch), detail=detail, kept=after))
            now = {int(str(row[0])): int(str(row[3])) for row in rows}
            more = [at for at in now if now[at] > suppressed[at]]
            passes += bool(more) or not passes
            suppressed = now
            most = self.max_suppressed - self.stats.left_out
            if not any(exact or suppressed[at] <= most for at in more):
                break
        yield Settled(all_, after, rows, passes)
        self.run.scratch.drop(after)
        self.run.scratch.drop(all_)

    def _fitting(self, after: exp.Table, before: exp.Table, batch: list[Node]) -> Statement:
        """Return the statement of one pass: copy the rows of `before` whose classes fit, at each node."""
        del batch
        return self.counting.fitting(after, before)

    def _ask_marginals(
        self, finer: FrequencySet, batch: list[Node], figures: dict[Node, list[float]], need: Need
    ) -> None:
        with self._settled(finer, batch) as settled:
            self._ask_settled(batch, settled.all, settled.fitting, figures, need)
        self._note(finer, len(batch))

    def _note(self, finer: FrequencySet, passes: int) -> None:
        """Record passes over a set; their rows are journaled by the roll-ups that the passes begin with."""
        self.sets.read(finer, passes)

    @contextmanager
    def classes(
        self, verdict: Verdict
    ) -> Iterator[tuple[exp.Table, exp.Table | None, Sequence[int]]]:
        """Yield all rows of a node and those that its passes leave, as tables."""
        ((finer, _),) = self._by_set([verdict.node])
        with self._settled(finer, [verdict.node]) as settled:
            yield settled.all, settled.fitting, ()

    def fit_together(self, verdict: Verdict) -> bool:
        """Return True if the classes left at a node, over each set, fit by the distribution of all rows left."""
        counting, node = self.counting, verdict.node
        asked = [each for each in counting.joint if each.of_release]
        if not asked:
            return True
        ((finer, _),) = self._by_set([node])
        with self._settled(finer, [node]) as settled:
            left = self.run.scratch.table("fitting")
            among = counting.among_kept({})
            of_table = count_values(self.run, among, settled.fitting, called="kept_values")
            self.run.engine.execute(
                counting.among_kept(of_table).fitting_together(left, settled.fitting, asked)
            )
            counts = [
                self.run.engine.fetch_count(source_sql.count_rows(each))
                for each in (left, settled.fitting)
            ]
            for each in (left, *(values.table for values in of_table.values())):
                self.run.scratch.drop(each)
        self.sets.read(finer)
        return counts[0] == counts[1]

    def unmet(self, verdict: Verdict) -> tuple[Requirement, ...]:
        """Return the requirements of the release that the rows left at a node miss, each asked alone."""
        every = dict.fromkeys(each for of in self.counting.joint for each in of.of_release)
        return tuple(each for each in every if not self._of_release((each,)).fit_together(verdict))

    def _of_release(self, asked: tuple[Requirement, ...]) -> Self:
        joint = tuple(
            replace(of, of_release=tuple(each for each in of.of_release if each in asked))
            for of in self.counting.joint
        )
        return replace(self, counting=replace(self.counting, joint=joint, of_release=asked))

    def over_sets(self, node: Node) -> tuple[int, tuple[SetFigures, ...]]:
        """Return the passes of a node, and figures of its released rows over each set but that of all columns."""
        ((finer, _),) = self._by_set([node])
        found = []
        with self._settled(finer, [node]) as settled:
            for demand, each in zip(
                joint_demands(self.run.policy.privacy), self.counting.joint, strict=True
            ):
                if demand.beside:
                    continue  # its recount has the figures, by the values that are released
                coarser = self.lattice.of_columns({at: node.levels[at] for at in each.columns})
                statement = self.counting.check(settled.fitting, 1, detail=True)
                ((_, classes, _, _, smallest, *_),) = self.run.engine.fetch(
                    statement, self.counting.bindings([coarser])
                )
                found.append(SetFigures(demand.columns, int(str(classes)), int(str(smallest))))
        return settled.passes, tuple(figures for figures in found if figures.columns)


class CandidatesChecker(JointChecker):
    """Checks nodes where NULL matches any value, pass by pass, each node by statements of its own.

    A node releases the greatest set of rows in which each has enough candidates: rows of the set that match it in every
    column. It only grows with the node: labels that are equal or NULL stay so. The least number of candidates takes the
    place of the smallest class.
    """

    def under(self, thresholds: Thresholds) -> Self:
        """Return the same checker with another k."""
        return replace(self, class_size=thresholds[0].class_size)

    def _batches(self, nodes: Iterable[Node]) -> list[Batch]:
        return [(finer, [node]) for finer, batch in super()._batches(nodes) for node in batch]

    def _fitting(self, after: exp.Table, before: exp.Table, batch: list[Node]) -> Statement:
        (node,) = batch
        return compatible(after, before, self.counting.matched(node), least=self.class_size)

    def _ask_marginals(
        self, finer: FrequencySet, batch: list[Node], figures: dict[Node, list[float]], need: Need
    ) -> None:
        for node in batch:
            super()._ask_marginals(finer, [node], figures, need)

    def _check_rows(self, batches: Sequence[Batch], *, detail: bool) -> list[list[Row]]:
        found = []
        exact = detail or self.metric.of_classes
        for finer, batch in batches:
            with self._settled(finer, batch, detail=detail, exact=exact) as settled:
                rows = settled.rows
                if detail:
                    rows = [self._with_candidates(row, settled.fitting, batch[0]) for row in rows]
                found.append(rows)
        return found

    def _with_candidates(self, row: Row, fitting: exp.Table, node: Node) -> Row:
        """Replace the smallest kept class in the row of a check by the fewest candidates of a kept class."""
        statement = fewest_candidates(fitting, self.counting.matched(node))
        ((_, _, least, _),) = self.run.engine.fetch(statement)
        at, all_, failing, suppressed, smallest, _, *rest = row
        return (at, all_, failing, suppressed, smallest, least or 0, *rest)


def make_checker(
    run: Session,
    encoded: Encoded,
    *,
    metric: Metric,
    max_suppressed: int,
    deadline: float | None,
    looked_up: LookedUp | None = None,
    first: tuple[ValueCounters | None, FrequencySet] | None = None,
) -> SqlChecker:
    """Create the checker of the policy. What was `looked_up` on more rows holds for fewer rows, too, and so the `first` set."""
    kind = JointChecker if encoded.counting.joint else SqlChecker
    if any(encoded.counting.nulls):
        kind = CandidatesChecker
    counters, base = first or first_set(run, encoded)
    monotone = run.policy.monotone(max_suppressed)
    # Over several sets a check counts the rows that its passes leave, and not those that finer nodes lose of a class.
    # And entities that are in several classes of a finer node are fewer in the union of these classes.
    of_rows = kind is SqlChecker and not encoded.counting.entity
    known_below = of_rows and any(each.measure.lost for each in encoded.counting.requirements)
    counting = replace(
        encoded.counting, unavoidable=known_below and not monotone, counters=counters
    )
    return kind(
        run,
        encoded,
        metric,
        max_suppressed,
        deadline,
        looked_up or look_up(run.scratch, encoded, metric),
        counting,
        class_size=demands(run.policy.privacy)[0].class_size,
        monotone=monotone,
        sets=FrequencySets(encoded.stats, base),
    )
