"""Split nodes into batches, each of which one statement counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.lattice.node import Node

BATCH = 16
"""Most nodes that one statement counts on a small set: they share a scan and the engine's fixed cost."""


def cut(nodes: list[Node]) -> Iterator[list[Node]]:
    """Yield the nodes in batches of 16, 8, 4, 2 or 1: few sizes, so that few statements need rendering."""
    start, size = 0, BATCH
    while start < len(nodes):
        while size > len(nodes) - start:
            size //= 2
        yield nodes[start : start + size]
        start += size
