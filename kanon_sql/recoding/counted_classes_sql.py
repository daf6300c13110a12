"""Statements that find the classes of a node by a frequency set: those that fail, and those that are released."""

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
    described = [
        {
            "table": each.table,
            "alias": name(f"q{n}"),
            "code": column("code", of=f"q{n}"),
            "as": name(f"class_{n}"),
            "places": _places(counting, each.masks),
        }
        for n, each in enumerate(labels)
    ]
    leaves: dict[str, object] = {"failing": failing, "labels": described}
    leaves |= _of_classes(frequency_set, counting, node, least)
    return Statement("recoding/counted_classes", leaves, scans=rows)


def class_rows(
    named: exp.Table,
    frequency_set: exp.Table,
    counting: Counting,
    node: Node,
    quasi: Sequence[tuple[str, exp.Table]],
    *,
    least: int,
    weight: str,
    rows: int,
) -> Statement:
    """Write one row of the source for each class of a node that has at least so many rows, and that number as `weight`.

    `quasi` has each column with the codes of its values. Which of the values that a class has in a column stands there
    is not said: all are released as the same.
    """
    counting = counting.of_nodes([node])
    values = [
        {
            "codes": codes,
            "alias": name(f"q{n}"),
            "value": column("value", of=f"q{n}"),
            "as": name(text),
            "places": _places(counting, counting.packing.column_masks(n, level)),
        }
        for n, ((text, codes), level) in enumerate(zip(quasi, node.levels, strict=True))
    ]
    leaves: dict[str, object] = {"class_rows": named, "weight": name(weight), "values": values}
    leaves |= _of_classes(frequency_set, counting, node, least)
    return Statement("recoding/class_rows", leaves, scans=rows)


def _of_classes(
    frequency_set: exp.Table, counting: Counting, node: Node, least: int
) -> dict[str, object]:
    """Describe how a frequency set is rolled up to the classes of a node."""
    packing = counting.packing
    return {
        "frequency_set": frequency_set,
        "narrow": counting.narrow,
        "least": literal(least),
        "keys": [
            {"as": name(key), "mask": literal(mask)}
            for key, mask in zip(packing.keys, packing.masks(node), strict=True)
        ],
        "groups": [literal(n) for n, _ in enumerate(packing.keys, start=1)],
    }


def _places(counting: Counting, masks: Sequence[int]) -> list[dict[str, object]]:
    """Describe the bits of the keys that a label of one column keeps."""
    return [
        {"as": name(key), "mask": literal(mask)}
        for key, mask in zip(counting.packing.keys, masks, strict=False)
        if mask
    ]
