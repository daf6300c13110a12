"""Statements that count the bounds of boxes and parts which are values that few have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlglot import exp


def rare_places(
    rare: exp.Table, working: exp.Table, lines: Sequence[int], *, entity: bool, least: int
) -> Statement:
    """Find the places, on axes by their numbers, that fewer rows than `least` have, or entities."""
    described = [{"number": literal(n), "place": name(f"place_{n}")} for n in lines]
    leaves = {"rare": rare, "working": working, "entity": entity, "least": literal(least)}
    return Statement("recoding/rare_places", {**leaves, "lines": described})


def count_bounds(rare: exp.Table, lines: Iterable[tuple[int, exp.Table, int]]) -> Statement:
    """Count the bounds on axes, of regions that have them as a numbered axis of their own; and the rare ones."""
    described = [
        {
            "number": literal(n),
            "regions": regions,
            "low": name(f"low_{own}"),
            "high": name(f"high_{own}"),
        }
        for n, regions, own in lines
    ]
    return Statement("recoding/count_bounds", {"rare": rare, "lines": described})
