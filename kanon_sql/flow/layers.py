"""The search, node after node, on the rows that no node before could keep; and what it comes to."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from kanon_sql.errors import InfeasibleError
from kanon_sql.flow.encode import look_up, make_checker
from kanon_sql.flow.outcome import Finished, needs_suppression
from kanon_sql.model.layer_cost import Sums
from kanon_sql.model.metric import ColumnFacts, Entropy, Height, LevelFacts, Need, TableFacts
from kanon_sql.model.policy import Recode
from kanon_sql.model.recoding import FullDomain, Layer, Layers
from kanon_sql.search.cells import Cells
from kanon_sql.search.layers import Barren, Remembering, charging, limit
from kanon_sql.search.result import Chain
from kanon_sql.sql.counting import Items
from kanon_sql.sql.labelled import Labelled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot import exp

    from kanon_sql.flow.encode import Encoded, LookedUp
    from kanon_sql.flow.session import Session
    from kanon_sql.model.lattice import Node
    from kanon_sql.model.metric import Metric
    from kanon_sql.search.checker import FullChecker
    from kanon_sql.search.result import Found
    from kanon_sql.search.sql_checker import SqlChecker


class Rest:
    """The rows that no node has taken yet, as a frequency set that shrinks."""

    def __init__(self, run: Session, encoded: Encoded) -> None:
        self.encoded = encoded
        self.rows = encoded.facts.rows
        self.layers: list[Layer] = []
        self.checks = 0
        self.cut_short = False
        self._run = run
        self._base = encoded.table
        self._labelled = Labelled(encoded.counting.packing, entity=encoded.counting.entity)
        self._classes: list[exp.Table] = []
        self._labels, self._items = run.scratch.table("labels"), run.scratch.table("items")
        run.engine.say(self._labelled.labels(self._labels, encoded.known))
        run.engine.say(self._labelled.items.table(self._items, encoded.counting.packing))

    def take(self, node: Node, classes: int) -> None:
        """Release the classes that fit at a node; the rest is what is left."""
        run, before = self._run, self.encoded
        left, taken = run.scratch.table("rest"), run.scratch.table("layer_classes")
        counting = before.counting
        run.engine.say(counting.rest(left, before.table, node, rows=before.held))
        ((held, rows, distinct),) = run.engine.ask(counting.totals(left))
        run.engine.say(
            self._labelled.classes(
                taken, before.table, left, self._labels, node=node, rows=before.held
            )
        )
        if before.table is not self._base:
            run.scratch.drop(before.table)
        self._classes.append(taken)
        self.layers.append(Layer(node, self.rows - int(str(rows)), classes))
        self.rows = int(str(rows))
        facts = replace(before.facts, classes=int(str(distinct)))
        self.encoded = replace(before, table=left, held=int(str(held)), facts=facts)

    def survey(self) -> None:
        """Find out what is known of the rest before a node is checked."""
        run, encoded = self._run, self.encoded
        statement = self._labelled.facts(
            encoded.table, self._items, self._labels, rows=encoded.held
        )
        found: dict[int, LevelFacts] = {}
        for row in run.engine.ask(statement):
            item, values, leaves, narrowest, widest = (int(str(cell)) for cell in row[:-1])
            found[item] = LevelFacts(values, leaves, narrowest, widest, float(str(row[-1])))
        numbers = self._labelled.items.numbers
        columns = tuple(
            ColumnFacts(
                column.domain,
                tuple(found[numbers[quasi, at]] for at in range(len(column.levels))),
            )
            for quasi, column in enumerate(encoded.facts.columns)
        )
        facts = TableFacts(self.rows, encoded.facts.classes, columns)
        self.encoded = replace(encoded, facts=facts)

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

    def go_on(
        self,
        whole: Encoded,
        allowed: Fraction,
        deadline: float | None,
        search: Callable[[FullChecker], Found | None],
    ) -> None:
        """Find nodes for the rest and take them, until no class can be gained or none may be.

        The last node that may be taken keeps as many rows as any could.
        """
        asked = self._run.policy.search
        metric = charging(asked.cost())
        looked_up = look_up(self._run, whole, metric)
        barren, cells = Barren(), None
        for layer in self.layers:
            barren.add(layer.node)
        last = False
        while self.rows and not last and len(self.layers) < asked.layers:
            last = len(self.layers) == asked.layers - 1
            if cells is None or last:
                self.survey()
            most = limit(asked, allowed, self.rows)
            checker = self.checker(metric, most=most, deadline=deadline, looked_up=looked_up)
            (top,) = checker.check([checker.lattice.top])
            if checker.late() or (checker.monotone and not top.counts.classes):
                self.checks += checker.checks
                self.cut_short = self.cut_short or checker.cut_short
                break
            verdict = None
            if asked.recoding is Recode.CELLS and not last:
                cells = cells or self._cells(checker, asked.cost())
                verdict = cells.next(checker)
                last = cells.spent
            if verdict is None and (asked.recoding is Recode.LOCAL or last):
                if last and top.counts.classes:
                    checker.max_suppressed = top.counts.suppressed
                found = search(Remembering(checker, barren))
                verdict = None if found is None else found.verdict
            self.checks += checker.checks
            self.cut_short = self.cut_short or checker.cut_short
            if verdict is None or not verdict.counts.classes:
                break
            self.take(verdict.node, verdict.counts.classes)
            barren.add(verdict.node)
            if cells is not None:
                cells.close(verdict.node, finer=checker.monotone)

    def _cells(self, checker: SqlChecker, metric: Metric) -> Cells:
        """Begin a pass over all nodes at which a class of the rest may fit."""
        cells = Cells(checker.lattice, metric, checker.facts)
        for layer in self.layers:
            cells.close(layer.node, finer=checker.monotone)
        return cells

    def sums(self) -> Sums:
        """Count what all nodes released together, as a reader sees it."""
        run = self._run
        ((classes, smallest, squares),) = run.engine.ask(self._labelled.merged(self._classes))
        leaves, shared = self._totals(self._classes)
        left: tuple[float, ...] | None = None
        if self.rows:
            last = self.layers[-1].node
            gone, before = run.scratch.table("layer_classes"), self.encoded
            run.engine.say(
                self._labelled.classes(
                    gone, before.table, None, self._labels, node=last, rows=before.held
                )
            )
            _, more = self._totals([gone])
            shared = tuple(a + b for a, b in zip(shared, more, strict=True))
            if run.policy.search.count_suppressed:
                left = self._left(last)
        return Sums(
            layers=tuple(self.layers),
            suppressed=self.rows,
            classes=int(str(classes)),
            smallest=int(str(smallest)),
            squares=int(str(squares)),
            leaves=leaves,
            shared=shared,
            left=left,
        )

    def _totals(self, tables: Sequence[exp.Table]) -> tuple[tuple[int, ...], tuple[float, ...]]:
        (row,) = self._run.engine.ask(self._labelled.totals(tables))
        return tuple(int(str(c)) for c in row[::2]), tuple(float(str(c)) for c in row[1::2])

    def _left(self, node: Node) -> tuple[float, ...]:
        """Sum c * ln c over the labels that the suppressed rows would have had."""
        self.survey()
        metric = Entropy(count_suppressed=True)
        checker = self.checker(metric, most=self.rows, deadline=None, looked_up=None)
        (figures,) = checker.suppressed_figures(checker.check([node]), Need.ENTROPY)
        return tuple(figures)


def release_in_layers(
    run: Session,
    encoded: Encoded,
    found: Found,
    *,
    max_suppressed: int,
    deadline: float | None,
    search: Callable[[FullChecker], Found | None],
) -> Finished | None:
    """Recode the rest as the policy says; None where there is none, or it is to be suppressed.

    The first layers are the nodes that the search gave, those without a class that fits left out.
    Guarantee: what fits at no node is not more than may be suppressed; else InfeasibleError.
    """
    recode = run.policy.search.recoding
    chain = found.then.nodes if isinstance(found.then, Chain) else ()
    alone = recode is Recode.FULL_DOMAIN or not found.verdict.counts.suppressed
    if alone and not chain:
        return None
    rest = Rest(run, encoded)
    rest.follow((found.verdict.node, *chain))
    if recode is not Recode.FULL_DOMAIN:
        rest.go_on(encoded, Fraction(max_suppressed, encoded.facts.rows), deadline, search)
    if not rest.layers or rest.rows > max_suppressed:
        raise InfeasibleError(needs_suppression(rest.rows, encoded.facts.rows, max_suppressed))
    if len(rest.layers) == 1:
        return Finished(FullDomain(rest.layers[0].node), checks=rest.checks)
    return Finished(Layers(tuple(rest.layers)), rest.sums(), rest.checks, rest.cut_short)
