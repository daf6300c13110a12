"""The items, pairs of a column and a level: statements that look up or sum what exact costs need of them.

`numbers` writes whole numbers of Python down as a table, as those of items are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, literal, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies.mapping_sql import leaf_count
from kanon_sql.policy.metrics.statistics import Need

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.lattice.counting_sql import Counting
    from kanon_sql.engines.base import Row
    from kanon_sql.policy.hierarchies.packing import Packing
    from kanon_sql.policy.metrics.node import Node
    from kanon_sql.policy.metrics.statistics import TableStatistics


def numbers(
    table: exp.Table, columns: Mapping[str, bool], rows: Sequence[Sequence[int]]
) -> Statement:
    """Create a table of whole numbers; `columns` says of each by its name whether it takes 64 bits."""
    described = [{"as": name(text), "wide": wide} for text, wide in columns.items()]
    leaves = {"table": table, "columns": described, "rows": rows}
    return Statement("lattice/numbers", leaves)


@dataclass(frozen=True)
class Items:
    """The (column, level) pairs whose share among the suppressed rows must be looked up.

    At all others the figure is the same for every row, so it needs no statement.
    """

    numbers: dict[tuple[int, int], int]

    def of(self, node: Node) -> dict[int, int]:
        """Map the numbers of a node's items that must be looked up to their columns."""
        pairs = enumerate(node.levels)
        return {self.numbers[pair]: pair[0] for pair in pairs if pair in self.numbers}

    def table(self, items: exp.Table, packing: Packing) -> Statement:
        rows = [
            [number, *packing.column_masks(quasi, level)]
            for (quasi, level), number in self.numbers.items()
        ]
        masks = {f"mask_{n + 1}": True for n in range(len(packing.keys))}
        return numbers(items, {"item": False, **masks}, rows)

    def weights(
        self, weights: exp.Table, packing: Packing, codes: Sequence[exp.Table]
    ) -> Statement:
        sources = []
        for (quasi, level), number in self.numbers.items():
            keys = [
                {
                    "as": name(key),
                    "code": column(key) if packing.uses(quasi, n) else None,
                    "mask": literal(packing.column_masks(quasi, level)[n]),
                }
                for n, key in enumerate(packing.keys)
            ]
            sources.append(
                {
                    "item": literal(number),
                    "codes": codes[quasi],
                    "places": keys,
                    "leaves": name(leaf_count(level)) if level else literal(1),
                }
            )
        return Statement("lattice/weights", {"weights": weights, "sources": sources})


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The items, and where there are any the tables of their masks and of their leaves."""

    items: Items
    tables: tuple[exp.Table, exp.Table] | None = None


def kept_labels(
    counting: Counting,
    finer: exp.Table,
    node: Node,
    looked_up: LookedUp,
    *,
    kept: exp.Table | None = None,
) -> Statement:
    """Sum over the kept rows the leaves under their labels where these differ, column by column, and their products.

    Binds the node's masks, but none with `kept`.
    """
    if looked_up.tables is None:
        raise InternalError("the leaves of labels were not looked up")
    packing, weights = counting.packing, looked_up.tables[1]
    labels = [
        {
            "as": name(f"l{quasi}"),
            "leaves": column("leaves", of=f"l{quasi}"),
            "wide": name(f"wide_{quasi}"),
            "item": literal(item),
            "places": [
                {"as": name(key), "mask": literal(mask)}
                for key, mask in zip(
                    packing.keys, packing.column_masks(quasi, node.levels[quasi]), strict=True
                )
            ],
        }
        for item, quasi in looked_up.items.of(node).items()
    ]
    masks = [literal(mask) for mask in packing.masks(node)]
    leaves = {
        **counting.class_leaves(finer, 1, kept),
        "places": [
            {"as": name(key), "mask": m} for key, m in zip(packing.keys, masks, strict=True)
        ],
        "weights": weights,
        "labels": labels,
    }
    return Statement("lattice/kept_labels", leaves)


@dataclass(frozen=True, slots=True)
class KeptLabels:
    """Sums over the kept rows of a node: of each column the leaves under labels that have several, and the ambiguity."""

    wide: tuple[int, ...]
    ambiguity: float
    all_tuples: int

    @classmethod
    def of(
        cls,
        stats: TableStatistics,
        node: Node,
        kept: int,
        items: Items | None = None,
        row: Row = (),
    ) -> KeptLabels:
        """Read what was summed, and multiply where all labels of a level have the same leaves."""
        widest = [
            of.levels[level].widest for of, level in zip(stats.columns, node.levels, strict=True)
        ]
        wide = [kept * leaves if leaves > 1 else 0 for leaves in widest]
        ambiguity, *sums = (float(str(cell)) for cell in row) if row else (float(kept),)
        counted = [] if items is None else list(items.of(node).values())
        for quasi, found in zip(counted, sums, strict=True):
            wide[quasi] = int(found)
        same = math.prod(leaves for at, leaves in enumerate(widest) if at not in counted)
        all_tuples = math.prod(of.domain for of in stats.columns)
        return cls(tuple(wide), ambiguity * same, all_tuples)

    def figures(self, need: Need) -> list[float]:
        """Give what a metric needs of them, a number a column."""
        if need is Need.WIDE:
            return [float(leaves) for leaves in self.wide]
        return [self.ambiguity / self.all_tuples for _ in self.wide]
