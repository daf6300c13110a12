"""The statement that reads labels and sizes of a few classes of a node from its frequency set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.counting_sql import Counting
    from kanon_sql.lattice.node import Node


def example_classes_of_node(
    counting: Counting,
    finer: exp.Table,
    node: Node,
    *,
    kept: exp.Table | None,
    labels: exp.Table,
    items: Sequence[int],
    least: int,
    most: int,
) -> Statement:
    """Read at most so many classes that a node keeps, each of at least so many rows or entities.

    `items` number the columns at their levels in the table of `labels`. Binds the node's masks, but none with `kept`.
    """
    packing = counting.packing
    columns = [
        {
            "alias": name(f"l{quasi}"),
            "label": column("label", of=f"l{quasi}"),
            "item": column("item", of=f"l{quasi}"),
            "number": literal(item),
            "places": [
                {"key": column(key, of=f"l{quasi}"), "as": name(key), "mask": literal(mask)}
                for key, mask in zip(packing.keys, packing.column_masks(quasi, level), strict=True)
            ],
        }
        for quasi, (item, level) in enumerate(zip(items, node.levels, strict=True))
    ]
    leaves = {
        **counting.class_leaves(finer, 1, kept),
        "size": name("entities" if counting.entity else "row_count"),
        "labels": labels,
        "columns": columns,
        "least": least,
        "most": most,
    }
    return Statement("explorer/example_classes_of_node", leaves)
