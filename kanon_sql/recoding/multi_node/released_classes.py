"""Statements that release the rows of one table at several nodes, and sums over the released classes.

The release is two tables: `moved` has, for each class that is not released at the first node, the level of each of its
columns; `failing` has the classes that are suppressed. Both name classes by the codes of the finest levels used, as
local suppression does, so one statement stages either.

Codes do not distinguish the released classes: classes of different nodes that are released under the same labels are
one. So sums over classes follow rows of a frequency set to their labels.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.lattice.joint_checker import make_checker
from kanon_sql.counting.lattice.smallest_classes import Items
from kanon_sql.policy.hierarchies.labels_sql import class_code
from kanon_sql.policy.metrics.column_metrics import Entropy
from kanon_sql.policy.metrics.statistics import Need, Sums
from kanon_sql.policy.privacy.fitting_sql import FittingSet, KeyPart, rest
from kanon_sql.policy.privacy.risks import size_counts
from kanon_sql.recoding.local_suppression.suppress_cells_sql import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.counting.lattice.encode import Encoded, QuasiTables
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.hierarchies.labels_sql import SourceRows
    from kanon_sql.policy.hierarchies.packing import Packing
    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.policy.metrics.statistics import ReleasedNode


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


@dataclass(frozen=True)
class ClassLabels:
    """The labels of every column and level, and the statements that need them."""

    packing: Packing
    entity: bool

    @property
    def items(self) -> Items:
        """Number every column and level."""
        pairs = [(q, n) for q, top in enumerate(self.packing.tops) for n in range(top + 1)]
        return Items({pair: number for number, pair in enumerate(pairs)})

    @property
    def _columns(self) -> list[int]:
        return list(range(len(self.packing.tops)))

    def labels(self, table: exp.Table, known: Sequence[QuasiTables]) -> Statement:
        sources = []
        for (quasi, level), number in self.items.numbers.items():
            of = known[quasi]
            masks = [
                mask if self.packing.uses(quasi, key) else None
                for key, mask in enumerate(self.packing.column_masks(quasi, level))
            ]
            tables = {"codes": of.codes, "map": of.map, "paths": of.paths}
            own = {"item": number, "level": level, "masks": masks}
            sources.append({**own, **tables, **of.label(level)})
        return Statement("multi_node/labels", {"labels": table, "sources": sources})

    def statistics(
        self, remainder: exp.Table, items: exp.Table, labels: exp.Table, *, rows: int
    ) -> Statement:
        keys = [name(key) for key in self.packing.keys]
        leaves = {"remainder": remainder, "items": items, "labels": labels, "keys": keys}
        return Statement("multi_node/remainder_statistics", leaves, scans=rows)

    def released(
        self,
        table: exp.Table,
        before: exp.Table,
        without: exp.Table | None,
        labels: exp.Table,
        *,
        node: Node,
        rows: int = 0,
        suppressed_keys: Sequence[str] = (),
    ) -> Statement:
        """Create the table of the classes of `before` at a node, under their labels, but those of `without`.

        Where cells were suppressed, `suppressed_keys` name the keys without the bits of these.
        """
        keys = suppressed_keys or self.packing.keys
        numbers, tops = self.items.numbers, self.packing.tops
        return Statement(
            "multi_node/released_classes",
            {
                "classes": table,
                "before": before,
                "without": without,
                "keys": [
                    {"from": name(key), "mask": mask}
                    for key, mask in zip(keys, self.packing.masks(node), strict=True)
                ],
                "suppressed": name(SUPPRESSED) if suppressed_keys else None,
                "entity": self.entity,
                "labels": labels,
                "columns": [
                    {
                        "item": numbers[quasi, level],
                        "root": numbers[quasi, tops[quasi]],
                        "bit": 1 << quasi,
                        "masks": self.packing.column_masks(quasi, level),
                    }
                    for quasi, level in enumerate(node.levels)
                ],
            },
            scans=rows,
        )

    def totals(self, released: Sequence[exp.Table]) -> Statement:
        """Sum leaves and logarithms of shared labels, two figures a column."""
        leaves = {"released": released, "columns": self._columns}
        return Statement("multi_node/label_totals", leaves)

    def merged(self, released: Sequence[exp.Table]) -> Statement:
        """Count the equivalence classes, the smallest, and the squares of their rows."""
        leaves = {"released": released, "columns": self._columns, "entity": self.entity}
        return Statement("multi_node/merged_classes", leaves)

    def class_sizes(self, released: Sequence[exp.Table]) -> Statement:
        """Count the equivalence classes of each size, and their rows."""
        leaves = {"released": released, "columns": self._columns, "entity": self.entity}
        return Statement("multi_node/class_sizes", leaves)


def released_at_nodes(
    of: SourceRows,
    nodes: Sequence[Node],
    *,
    steps: Sequence[exp.Table],
    moved: exp.Table,
    failing: exp.Table,
) -> Iterator[Statement]:
    """Find out at which node each class is released, by the source's own rows.

    The first of `steps` becomes the table of all classes at the finest levels used, each other
    what the nodes before leave of it, and `failing` what the last one leaves.
    """
    yield of.classes(steps[0])
    for node, (before, after) in zip(nodes, pairwise([*steps, failing]), strict=True):
        codes = [
            name(class_code(i, r, at))
            for i, (r, at) in enumerate(zip(of.released, node.levels, strict=True))
        ]
        parts = [KeyPart(code, code) for code in codes]
        yield rest(after, before, FittingSet(parts, of.needed, of.class_rows))
    yield Statement(
        "multi_node/moved",
        {
            "moved": moved,
            "codes": [name(f"class_{i}") for i in range(len(of.released))],
            "levels": [name(f"level_{i}") for i in range(len(of.released))],
            "steps": [
                {"remainder": left, "levels": node.levels}
                for left, node in zip(steps[1:], nodes[1:], strict=True)
            ],
        },
    )
