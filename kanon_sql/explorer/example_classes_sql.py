"""The statement that reads labels and sizes of a few classes of a node from its frequency set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import name
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
        {"item": item, "masks": packing.column_masks(quasi, level)}
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
    return Statement("explorer/example_classes", leaves)
