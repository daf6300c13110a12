"""Statements over the equivalence classes that several nodes of one table release.

Codes do not distinguish such classes: classes of different nodes that are released under the same
labels are one. So these statements follow rows of a frequency set to their labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.lattice.items_sql import Items
from kanon_sql.recoding.local_suppression.suppress_cells_sql import SUPPRESSED
from kanon_sql.sql.quoting import name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.encode import QuasiTables
    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.packing import Packing


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
