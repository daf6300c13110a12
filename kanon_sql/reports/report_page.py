"""The page of a report: one self-contained file, which loads no other."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING

from markupsafe import Markup

from kanon_sql.charts.render import can_render, svg_of
from kanon_sql.documents.shown import cell
from kanon_sql.documents.text import joined, printable
from kanon_sql.reports.dossier import dossier_of
from kanon_sql.reports.report_sections import sections
from kanon_sql.sql.report_pages import page_part, render_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.charts.chart import Chart
    from kanon_sql.documents.shown import ShownTable
    from kanon_sql.reports.report import Report
    from kanon_sql.reports.report_section import ReportSection

MISSING = "-"
"""How a table writes that there is no figure."""
FIGURE = re.compile(r"<?=?\[?-?[0-9][0-9,]*(\.[0-9]+)?%?\]?\*?|-|none")
"""A number as tables of reports write it: a share, or a cost with its marks."""
FOLDED = {"distributions", "correlations", "boxes", "trees"}
"""Sections whose charts have the figures of their tables."""
LONGEST = 400
"""Most characters of a text in a cell."""


def page_of(report: Report, *, certified: object = None) -> str:
    """Render the page; every text is escaped, and only the one script of its policy can run.

    `certified` is what a certificate shows on it; without one the page says that nothing confirms its figures.
    """
    found = sections(report)
    shown = [_shown(each) for each in found if each.charts or each.tables]
    left_out: dict[str, list[str]] = {}
    for each in found:
        if not (each.charts or each.tables):
            why = printable(each.missing or "there is nothing to show")
            left_out.setdefault(why, []).append(each.title)
    reasons = [(joined(titles), why) for why, titles in left_out.items()]
    css, script = page_part("chart.css"), page_part("chart.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return render_report(
        "report.html",
        report=report,
        dossier=dossier_of(report),
        certified=certified,
        sections=shown,
        left_out=reasons,
        draws=can_render(),
        css=Markup(css),  # noqa: S704  a file of this package
        script=Markup(script),  # noqa: S704  a file of this package
        script_hash=f"sha256-{digest}",
    )


def _shown(section: ReportSection) -> dict[str, object]:
    return {
        "id": section.id,
        "title": section.title,
        "sentences": [printable(each) for each in section.sentences],
        "figures": [_figure(each) for each in section.charts],
        "tables": [_table(each) for each in _not_drawn(section)],
        "folded": bool(section.charts) and section.id in FOLDED,
        "missing": None if section.missing is None else printable(section.missing),
    }


def _not_drawn(section: ReportSection) -> list[ShownTable]:
    """Leave out a table whose rows a chart has: its figures are below it already."""
    if section.id not in FOLDED:
        return list(section.tables)
    drawn = [(len(each.rows), len(each.headings)) for each in section.charts]
    return [
        table
        for n, table in enumerate(section.tables)
        if n >= len(drawn) or drawn[n][0] < len(table.rows) or drawn[n][1] < len(table.headings)
    ]


def _figure(chart: Chart) -> dict[str, object]:
    svg = Markup(svg_of(chart, alone=False)) if can_render() else None  # noqa: S704  escaped by its library
    return {
        "title": chart.title,
        "svg": svg,
        "headings": [_text(each) for each in chart.headings],
        "rows": _cells(chart.rows),
    }


def _table(table: ShownTable) -> dict[str, object]:
    return {
        "headings": [_text(each) for each in table.headings],
        "rows": _cells(table.rows),
    }


def _text(text: str) -> str:
    """Escape what does not print, and cut a text that is very long."""
    shown = printable(text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def _cells(rows: Sequence[Sequence[object]]) -> list[list[tuple[str, bool]]]:
    """Format the cells of a table; a column is one of numbers where all that it has are numbers, so that it is aligned."""
    cells = [[_cell(each) for each in row] for row in rows]
    numbers = [
        all(number or text == MISSING for text, number in column)
        and any(number for _, number in column)
        for column in zip(*cells, strict=True)
    ]
    return [
        [(text, number) for (text, _), number in zip(row, numbers, strict=True)] for row in cells
    ]


def _cell(value: object) -> tuple[str, bool]:
    """Format a value, with whether it is a number: also a share, or a figure with a mark."""
    text, number = cell(value)
    return _text(text), number or FIGURE.fullmatch(text) is not None
