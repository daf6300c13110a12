"""Statements that follow rows of a frequency set to the labels they are released under.

A recoding of several nodes cannot be counted by codes alone: classes of different nodes that are
released under the same labels are one to a reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.hierarchies.mapping_sql import leaf_count
from kanon_sql.lattice.counting_sql import Items
from kanon_sql.recoding.local_suppression.suppress_cells_sql import BLANKED
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.packing import Packing
    from kanon_sql.lattice.quasi_tables import QuasiTables


@dataclass(frozen=True)
class Labelled:
    """The labels of every column and level, and the statements that need them."""

    packing: Packing
    entity: bool

    @property
    def items(self) -> Items:
        """Number every column and level."""
        pairs = [(q, n) for q, top in enumerate(self.packing.tops) for n in range(top + 1)]
        return Items({pair: number for number, pair in enumerate(pairs)})

    @property
    def _keys(self) -> list[exp.Identifier]:
        return [name(key) for key in self.packing.keys]

    @property
    def _columns(self) -> range:
        return range(len(self.packing.tops))

    def labels(self, table: exp.Table, known: Sequence[QuasiTables]) -> Statement:
        """Write every label down, by its code."""
        sources = []
        for (quasi, at), number in self.items.numbers.items():
            of = known[quasi]
            masks = self.packing.column_masks(quasi, at)
            sources.append(
                {
                    "item": literal(number),
                    "codes": of.codes,
                    "map": of.map,
                    "paths": of.paths,
                    "value": column("value", of="c"),
                    "other": column("value", of="m"),
                    "path": column("value", of="p"),
                    **of.label(at),
                    "places": [
                        {
                            "as": key,
                            "code": column(key.name, of="c")
                            if self.packing.uses(quasi, n)
                            else None,
                            "mask": literal(mask),
                        }
                        for n, (key, mask) in enumerate(zip(self._keys, masks, strict=True))
                    ],
                    "leaves": column(leaf_count(at), of="m") if at else literal(1),
                    "groups": [literal(n + 2) for n in range(len(masks))],
                }
            )
        return Statement("multi_node/labels", {"labels": table, "sources": sources})

    def facts(
        self, rest: exp.Table, items: exp.Table, labels: exp.Table, *, rows: int
    ) -> Statement:
        """Survey what is left, at every level of every column."""
        return Statement(
            "multi_node/rest_facts",
            {
                "rest": rest,
                "items": items,
                "labels": labels,
                "keys": [
                    {"as": key, "mask": name(f"mask_{n}")}
                    for n, key in enumerate(self._keys, start=1)
                ],
                "size": column("row_count", of="g"),
            },
            scans=rows,
        )

    def classes(
        self,
        table: exp.Table,
        before: exp.Table,
        rest: exp.Table | None,
        labels: exp.Table,
        *,
        node: Node,
        rows: int,
    ) -> Statement:
        """Make the table of the classes that a node releases, under their labels."""
        keys = [
            {"as": key, "mask": literal(mask)}
            for key, mask in zip(self._keys, self.packing.masks(node), strict=True)
        ]
        numbers = self.items.numbers
        columns = []
        for quasi, at in enumerate(node.levels):
            masks = self.packing.column_masks(quasi, at)
            columns.append(
                {
                    **self._of_column(quasi),
                    "item": literal(numbers[quasi, at]),
                    "places": [
                        {"as": key, "mask": literal(mask)}
                        for key, mask in zip(self._keys, masks, strict=True)
                    ],
                }
            )
        groups = len(keys) + self.entity
        return Statement(
            "multi_node/layer_classes",
            {
                "classes": table,
                "before": before,
                "rest": rest,
                "keys": keys,
                "entity": self.entity,
                "groups": [literal(n + 1) for n in range(groups)],
                "labels": labels,
                "columns": columns,
            },
            scans=rows,
        )

    def shown(
        self,
        table: exp.Table,
        shown: exp.Table,
        short: exp.Table,
        labels: exp.Table,
        *,
        node: Node,
        keys: Sequence[str],
    ) -> Statement:
        """Make the table of classes that are released at a node with some cells blanked."""
        numbers = self.items.numbers
        columns = [
            {
                **self._of_column(quasi),
                "item": literal(numbers[quasi, at]),
                "root": literal(numbers[quasi, self.packing.tops[quasi]]),
                "bit": literal(1 << quasi),
                "places": [
                    {"as": key, "from": name(own), "mask": literal(mask)}
                    for key, own, mask in zip(
                        self._keys, keys, self.packing.column_masks(quasi, at), strict=True
                    )
                ],
            }
            for quasi, at in enumerate(node.levels)
        ]
        return Statement(
            "multi_node/shown_classes",
            {
                "classes": table,
                "shown": shown,
                "short": short,
                "keys": [name(own) for own in keys],
                "entity": self.entity,
                "labels": labels,
                "blanked": name(BLANKED),
                "columns": columns,
            },
        )

    @staticmethod
    def _of_column(quasi: int) -> dict[str, object]:
        """Name what is told of one column of a class."""
        return {
            "alias": name(f"q{quasi}"),
            "label": name(f"label_{quasi}"),
            "leaves": name(f"leaves_{quasi}"),
            "shared": name(f"shared_{quasi}"),
        }

    def totals(self, layers: Sequence[exp.Table]) -> Statement:
        """Sum leaves and logarithms of shared labels, two figures a column."""
        return Statement(
            "multi_node/layer_totals",
            {
                "layers": list(layers),
                "columns": [
                    {
                        "leaves": name(f"leaves_{quasi}"),
                        "size": column(f"shared_{quasi}", of="u"),
                        "total": name(f"total_{quasi}"),
                        "logarithms": name(f"logarithms_{quasi}"),
                    }
                    for quasi in self._columns
                ],
            },
        )

    def merged(self, layers: Sequence[exp.Table]) -> Statement:
        """Count the classes that a reader sees, the smallest, and the squares of their rows."""
        labels = [column(f"label_{quasi}", of="u") for quasi in self._columns]
        return Statement(
            "multi_node/merged_classes",
            {"layers": list(layers), "labels": labels, "entity": self.entity},
        )
