"""Statements that count the bounds of regions and intervals which are values that few rows have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlglot import exp


def rare_places(
    rare: exp.Table, tuples: exp.Table, lines: Sequence[int], *, entity: bool, least: int
) -> Statement:
    """Find the coordinates, on numbered axes, that fewer rows than `least` have, or entities."""
    leaves = {"rare": rare, "tuples": tuples, "entity": entity, "least": least, "lines": lines}
    return Statement("recoding/rare_places", leaves)


def count_bounds(
    rare: exp.Table, lines: Iterable[tuple[int, exp.Table, int, exp.Table | None]]
) -> Statement:
    """Count the distinct released values on axes, and the rare ones.

    (axis, its regions, the number of the axis there, a table with the places of values that are no bounds).
    """
    described = [
        {"axis": n, "regions": regions, "own": own, "shown": shown}
        for n, regions, own, shown in lines
    ]
    return Statement("recoding/count_bounds", {"rare": rare, "lines": described})


def count_rare_values(
    source: exp.Table, text: str, *, entity: str | None, least: int, rows: int = 0
) -> Statement:
    """Count the values of a column, and those that fewer than so many rows have, or entities."""
    leaves = {"source": source, "column": column(text, of="s"), "least": least}
    leaves["entity"] = None if entity is None else column(entity, of="s")
    return Statement("recoding/count_rare_values", leaves, scans=rows)
