"""The statement that finds the classes that fail by a frequency set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.lattice.counting_sql import Counting
    from kanon_sql.lattice.node import Node
    from kanon_sql.lattice.smallest_classes_sql import Rank


def counted_classes(
    failing: exp.Table,
    frequency_set: exp.Table,
    counting: Counting,
    node: Node,
    labels: Sequence[Rank],
    *,
    least: int,
    rows: int,
) -> Statement:
    """Find the classes of a node that have fewer rows than `least`, named by the numbers of their labels."""
    counting = counting.of_nodes([node])
    packing = counting.packing
    masks = packing.masks(node)
    return Statement(
        "recoding/counted_classes",
        {
            "failing": failing,
            "frequency_set": frequency_set,
            "narrow": counting.narrow,
            "least": literal(least),
            "keys": [
                {"as": name(key), "mask": literal(mask)}
                for key, mask in zip(packing.keys, masks, strict=True)
            ],
            "groups": [literal(n) for n, _ in enumerate(packing.keys, start=1)],
            "labels": [
                {
                    "table": each.table,
                    "alias": name(f"q{n}"),
                    "code": column("code", of=f"q{n}"),
                    "as": name(f"class_{n}"),
                    "places": [
                        {"as": name(key), "mask": literal(mask)}
                        for key, mask in zip(packing.keys, each.masks, strict=False)
                        if mask
                    ],
                }
                for n, each in enumerate(labels)
            ],
        },
        scans=rows,
    )
