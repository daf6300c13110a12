"""Tables as plain text of at most 80 columns, for terminals and `str()`."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from kanon_sql.base.charts.chart import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WIDTH = 80
MOST_LINES = 4
"""The most lines of a cell."""
LEAST = 6
"""The least width of a column, in characters."""


def table_lines(texts: Sequence[Sequence[str]], right: Sequence[Sequence[bool]]) -> Iterator[str]:
    """Yield the lines of a table, whose first row has the headings; `right` says which cells are aligned right.

    The widest columns are narrowed to fit, and their texts wrapped.
    """
    widths = [max(len(row[at]) for row in texts) for at in range(len(texts[0]))]
    while sum(widths) + 2 * (len(widths) - 1) > WIDTH and max(widths) > LEAST:
        widths[widths.index(max(widths))] -= 1
    for row, sides in zip(texts, right, strict=True):
        yield from _row(row, widths, sides)


def _row(texts: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> Iterator[str]:
    cells = [_cell(text, width) for text, width in zip(texts, widths, strict=True)]
    for line in range(max(map(len, cells))):
        parts = (
            (lines[line] if line < len(lines) else "").rjust(width)
            if number
            else (lines[line] if line < len(lines) else "").ljust(width)
            for lines, width, number in zip(cells, widths, right, strict=True)
        )
        yield "  ".join(parts).rstrip()


def _cell(text: str, width: int) -> list[str]:
    """Wrap a text between words, and cut it after `MOST_LINES` lines."""
    lines = textwrap.wrap(text, width) or [""]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], shortened(" ".join(lines[MOST_LINES - 1 :]), width)]
    return lines
