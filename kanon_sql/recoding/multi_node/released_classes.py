"""The equivalence classes of a release of several nodes, by their labels, and sums over them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from kanon_sql.lattice.joint_checker import make_checker
from kanon_sql.lattice.statistics import Need, Sums
from kanon_sql.metrics.column_metrics import Entropy
from kanon_sql.privacy.attackers import size_counts
from kanon_sql.recoding.multi_node.released_classes_sql import ClassLabels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.encode import Encoded
    from kanon_sql.lattice.node import Node
    from kanon_sql.plans.recodings import ReleasedNode
    from kanon_sql.run.session import Session


class ReleasedClasses:
    """The table of the labels of all codes, and statements that count classes by these labels."""

    def __init__(self, run: Session, encoded: Encoded) -> None:
        self._run = run
        self.labels_of = ClassLabels(encoded.counting.packing, entity=encoded.counting.entity)
        self.labels = run.scratch.create("labels", self.labels_of.labels, encoded.known)

    def classes_at(self, node: Node, of: Encoded, without: exp.Table | None = None) -> exp.Table:
        """Create the table of the classes that a node releases, by their labels, but those of `without`."""
        return self._run.scratch.create(
            "released_classes",
            self.labels_of.released,
            of.table,
            without,
            self.labels,
            node=node,
            rows=of.set_rows,
        )

    def sums(
        self,
        released: Sequence[exp.Table],
        *,
        released_nodes: Sequence[ReleasedNode],
        failing: Encoded,
        suppressed: int,
    ) -> Sums:
        """Sum over tables of released classes; the suppressed rows, in `failing`, count at the last node."""
        run, node = self._run, released_nodes[-1].node
        ((classes, smallest, squares),) = run.engine.fetch(self.labels_of.merged(released))
        leaves, shared = self._totals(released)
        logs: tuple[float, ...] | None = None
        if suppressed:
            _, more = self._totals([self.classes_at(node, failing)])
            shared = tuple(a + b for a, b in zip(shared, more, strict=True))
            if run.policy.search.count_suppressed:
                logs = self._suppressed_logs(failing, node, suppressed)
        return Sums(
            released_nodes=tuple(released_nodes),
            suppressed=suppressed,
            classes=int(str(classes)),
            smallest=int(str(smallest)),
            squares=int(str(squares)),
            leaves=leaves,
            shared=tuple(map(float, shared)),
            suppressed_logs=logs,
            sizes=tuple(size_counts(run.engine.fetch(self.labels_of.class_sizes(released)))),
        )

    def _totals(self, tables: Sequence[exp.Table]) -> tuple[tuple[int, ...], tuple[Decimal, ...]]:
        (row,) = self._run.engine.fetch(self.labels_of.totals(tables))
        return tuple(int(str(c)) for c in row[::2]), tuple(Decimal(str(c)) for c in row[1::2])

    def _suppressed_logs(self, failing: Encoded, node: Node, suppressed: int) -> tuple[float, ...]:
        """Sum c * ln c over the labels that suppressed rows have at a node, where no class fits."""
        metric = Entropy(count_suppressed=True)
        checker = make_checker(
            self._run, failing, metric=metric, max_suppressed=suppressed, deadline=None
        )
        (figures,) = checker.suppressed_figures(checker.check([node]), Need.ENTROPY)
        return tuple(figures)
