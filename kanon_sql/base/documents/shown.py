"""How results are shown: one line in a console, tables of text for terminals, small tables and charts in a notebook; texts of YAML."""

from __future__ import annotations

import textwrap
from base64 import b64encode
from typing import TYPE_CHECKING

import yaml

from kanon_sql.base.charts.chart import shortened
from kanon_sql.base.documents.keys import quoted
from kanon_sql.base.documents.text import counted, decimal_text, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import render_report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.base.charts.chart import Chart


WIDEST = 120
"""Most characters of a line."""
MOST_ROWS = 30
"""Most rows of a table in a notebook. Files and commands list longer tables."""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table with its headings. A notebook shows its first MOST_ROWS rows, and counts the others."""

    headings: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Shown:
    """The parts of a result for display. A console shows `line` alone, a notebook the other parts.

    `facts` are names with their values. A notebook folds `text` until the reader opens it. `charts` are drawn where
    the extra `report` is installed.
    """

    line: str
    facts: Sequence[tuple[str, object]] = ()
    tables: Sequence[ShownTable] = ()
    warnings: Sequence[str] = ()
    text: str | None = None
    charts: Sequence[Chart] = ()


class ShownResult:
    """Base class of results. A console shows a line, a notebook tables: counts and names, and no SQL."""

    __slots__ = ()

    def _shown(self) -> Shown:
        """Return the parts for display."""
        raise NotImplementedError

    def __repr__(self) -> str:
        shown = self._shown()
        line = printable(f"<{type(self).__name__}: {shown.line}")
        end = f"; {counted(len(shown.warnings), 'warning')}>" if shown.warnings else ">"
        return f"{_shortened(line, WIDEST - len(end))}{end}"

    def _repr_html_(self) -> str:
        from kanon_sql.base.charts.chart import can_render  # noqa: PLC0415  a notebook alone draws

        shown = self._shown()
        return render_report(
            "shown.html",
            title=type(self).__name__,
            facts=[(printable(name), cell(value)) for name, value in shown.facts],
            tables=[
                {
                    "headings": list(map(printable, each.headings)),
                    "rows": [list(map(cell, row)) for row in each.rows[:MOST_ROWS]],
                    "more": max(len(each.rows) - MOST_ROWS, 0),
                }
                for each in shown.tables
            ],
            pictures=list(map(_picture, shown.charts)) if can_render() else [],
            warnings=list(map(printable, shown.warnings)),
            text=shown.text,
        )


def _shortened(line: str, most: int) -> str:
    """Return a line of at most `most` characters, without its last clauses, or words, if it is longer.

    >>> _shortened("<Release: 8 rows; in a database", 27), _shortened("<Risk: 8 rows and 2 people", 20)
    ('<Release: 8 rows; ...', '<Risk: 8 rows ...')
    """
    if len(line) <= most:
        return line
    kept = line[: most - 3]
    for between in ("; ", " "):
        before, found, _ = kept.rpartition(between)
        if found and len(before) > most // 2:
            return f"{before}{between}..."
    return f"{kept}..."


def _picture(chart: Chart) -> tuple[str, str]:
    """Return a chart as a data URI, which notebooks show even where they block other SVG, and its text."""
    from kanon_sql.base.charts.chart import svg_of  # noqa: PLC0415  a notebook alone draws

    svg = svg_of(chart, alone=True)
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}", chart.text


def cell(value: object) -> tuple[str, bool]:
    """Return the text of a value, and whether the value is a number.

    >>> cell(1234), cell(0.25), cell(True), cell(None), cell("a")
    (('1,234', True), ('0.2500', True), ('yes', False), ('-', False), ('a', False))
    """
    if value is None or isinstance(value, bool):
        return {None: "-", True: "yes", False: "no"}[value], False
    if isinstance(value, int):
        return f"{value:,}", True
    if isinstance(value, float):
        return decimal_text(value), True
    return printable(str(value)), False


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


def flow(value: object) -> str:
    """Write a value on one line of YAML.

    >>> flow({"mask": 5}), flow("suppress"), flow([1, 2])
    ('{mask: 5}', 'suppress', '[1, 2]')
    """
    text = yaml.safe_dump(
        value, default_flow_style=True, allow_unicode=True, sort_keys=False, width=float("inf")
    )
    return str(text).removesuffix("\n").removesuffix("\n...")


def block_text(text: str) -> str:
    """Write a text of several lines as the value of a key: as a block if YAML reads it back unchanged, else quoted."""
    if not all(line.isprintable() for line in text.split("\n")):
        return quoted(text)
    block = "|-\n" + "\n".join(f"    {line}" for line in text.split("\n"))
    try:
        same = yaml.safe_load(f"key:\n  inner: {block}\n") == {"key": {"inner": text}}
    except yaml.YAMLError:
        same = False
    return block if same else quoted(text)
