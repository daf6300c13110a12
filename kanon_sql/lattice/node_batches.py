"""How many nodes one statement counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.lattice.node import Node

BATCH = 16
"""Nodes of one statement while a set is small: they share a scan and the engine's fixed cost."""


def cut(nodes: list[Node]) -> Iterator[list[Node]]:
    """Cut nodes into batches of a few sizes, so that few statements need rendering."""
    start, size = 0, BATCH
    while start < len(nodes):
        while size > len(nodes) - start:
            size //= 2
        yield nodes[start : start + size]
        start += size
