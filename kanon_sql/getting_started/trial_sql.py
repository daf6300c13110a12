"""The statement that shows the same rows as several releases have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.sql.quoting import column, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp


def trial_rows(
    releases: Sequence[exp.Table], labels: Sequence[str], number: str, *, most: int
) -> Statement:
    """Read the labels of the first rows, by their numbers, that all of these releases have."""
    described = [
        {"table": each, "labels": [column(text, of="t") for text in labels]} for each in releases
    ]
    return Statement(
        "getting_started/trial_rows",
        {"releases": described, "number": name(number), "most": most},
    )
