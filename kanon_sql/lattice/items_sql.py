"""The items: pairs of a column and a level, and statements that look up what exact costs need of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.hierarchies.mapping_sql import leaf_count
from kanon_sql.late_dataclass import dataclass
from kanon_sql.lattice.numbers_sql import numbers
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.packing import Packing


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
