"""The rows that no node could keep yet, as a frequency set that shrinks, and what all nodes release."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from kanon_sql.lattice.counting_sql import Items
from kanon_sql.lattice.encode import look_up, make_checker
from kanon_sql.lattice.result import Chain
from kanon_sql.lattice.statistics import (
    ColumnStatistics,
    LevelStatistics,
    Sums,
    TableStatistics,
)
from kanon_sql.metrics.column_metrics import Height
from kanon_sql.plans.recodings import FullDomain, Layer, Layers
from kanon_sql.policy.search import Recode
from kanon_sql.recoding.multi_node.iterate import charging, go_on
from kanon_sql.recoding.multi_node.released_classes import ReleasedClasses
from kanon_sql.recoding.quality import Finished

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot import exp

    from kanon_sql.errors import InfeasibleError
    from kanon_sql.lattice.checker import FullChecker
    from kanon_sql.lattice.encode import Encoded, LookedUp
    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.result import SearchResult
    from kanon_sql.lattice.sql_checker import SqlChecker
    from kanon_sql.metrics.metric import Metric
    from kanon_sql.run.session import Session


class Remainder:
    """The rows that no node has taken yet, as a frequency set that shrinks."""

    def __init__(self, run: Session, encoded: Encoded) -> None:
        self.encoded = encoded
        self.rows = encoded.facts.rows
        self.layers: list[Layer] = []
        self.checks = 0
        self.cut_short = False
        self._run = run
        self._base = encoded.table
        self._seen = ReleasedClasses(run, encoded)
        self._classes: list[exp.Table] = []
        self._items = run.scratch.table("items")
        run.engine.execute(self._seen.labelled.items.table(self._items, encoded.counting.packing))

    def take(self, node: Node, classes: int) -> None:
        """Release the classes that fit at a node; the rest is what is left."""
        run, before = self._run, self.encoded
        left = run.scratch.table("rest")
        counting = before.counting
        run.engine.execute(counting.rest(left, before.table, node, rows=before.held))
        ((held, rows, distinct),) = run.engine.fetch(counting.totals(left))
        self._classes.append(self._seen.classes_at(node, before, left))
        if before.table is not self._base:
            run.scratch.drop(before.table)
        self.layers.append(Layer(node, self.rows - int(str(rows)), classes))
        self.rows = int(str(rows))
        facts = replace(before.facts, classes=int(str(distinct)))
        self.encoded = replace(before, table=left, held=int(str(held)), facts=facts)

    def survey(self) -> None:
        """Find out what is known of the rest before a node is checked."""
        run, encoded = self._run, self.encoded
        statement = self._seen.labelled.facts(
            encoded.table, self._items, self._seen.labels, rows=encoded.held
        )
        found: dict[int, LevelStatistics] = {}
        for row in run.engine.fetch(statement):
            item, values, leaves, narrowest, widest = (int(str(cell)) for cell in row[:-1])
            found[item] = LevelStatistics(values, leaves, narrowest, widest, float(str(row[-1])))
        numbers = self._seen.labelled.items.numbers
        columns = tuple(
            ColumnStatistics(
                column.domain,
                tuple(found[numbers[quasi, at]] for at in range(len(column.levels))),
            )
            for quasi, column in enumerate(encoded.facts.columns)
        )
        facts = TableStatistics(self.rows, encoded.facts.classes, columns)
        self.encoded = replace(encoded, facts=facts)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Give the nodes that took rows, in order."""
        return tuple(layer.node for layer in self.layers)

    def checker(
        self, metric: Metric, *, most: int, deadline: float | None, looked_up: LookedUp | None
    ) -> SqlChecker:
        """Give the searches a checker of the rest."""
        return make_checker(
            self._run,
            self.encoded,
            metric=metric,
            max_suppressed=most,
            deadline=deadline,
            looked_up=looked_up,
        )

    def follow(self, nodes: Sequence[Node]) -> None:
        """Take nodes in order, but those at which no class of the rest fits."""
        nothing: LookedUp = (Items({}), None)
        for node in nodes:
            if not self.rows:
                break
            checker = self.checker(Height(), most=self.rows, deadline=None, looked_up=nothing)
            (verdict,) = checker.check([node])
            self.checks += 1
            if verdict.counts.classes:
                self.take(node, verdict.counts.classes)

    def sums(self) -> Sums:
        """Count what all nodes released together, as a reader sees it."""
        if self.rows and self._run.policy.search.count_suppressed:
            self.survey()
        return self._seen.sums(
            self._classes, layers=self.layers, gone=self.encoded, suppressed=self.rows
        )


def release_in_layers(
    run: Session,
    encoded: Encoded,
    found: SearchResult,
    *,
    max_suppressed: int,
    deadline: float | None,
    search: Callable[[FullChecker], SearchResult | None],
    refused: Callable[[int], InfeasibleError],
) -> Finished | None:
    """Recode the rest as the policy says; None where there is none, or it is to be suppressed.

    The first layers are the nodes that the search gave, those without a class that fits left out.
    Guarantee: what fits at no node is not more than may be suppressed; else what is `refused` is
    raised.
    """
    recode = run.policy.search.recoding
    chain = found.then.nodes if isinstance(found.then, Chain) else ()
    alone = recode is Recode.FULL_DOMAIN or not found.verdict.counts.suppressed
    if alone and not chain:
        return None
    rest = Remainder(run, encoded)
    rest.follow((found.verdict.node, *chain))
    if recode is not Recode.FULL_DOMAIN:
        metric = charging(run.policy.search.cost())
        looked_up = look_up(run, encoded, metric)
        go_on(
            rest,
            run.policy.search,
            allowed=Fraction(max_suppressed, encoded.facts.rows),
            checker_for=lambda most: rest.checker(
                metric, most=most, deadline=deadline, looked_up=looked_up
            ),
            run=search,
        )
    if not rest.layers or rest.rows > max_suppressed:
        raise refused(rest.rows)
    if len(rest.layers) == 1:
        return Finished(FullDomain(rest.layers[0].node), checks=rest.checks)
    return Finished(Layers(tuple(rest.layers)), rest.sums(), rest.checks, rest.cut_short)
