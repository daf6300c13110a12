"""Renders the HTML page of a report: one self-contained file, which loads no other."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING

from markupsafe import Markup

from kanon_sql.base.charts.render import can_render, svg_of
from kanon_sql.base.documents.shown import cell
from kanon_sql.base.documents.text import joined, printable
from kanon_sql.base.sql.report_pages import page_part, render_report
from kanon_sql.evidence.reports.dossier import dossier_of
from kanon_sql.evidence.reports.first_screen import answers, verdict_of
from kanon_sql.evidence.reports.report_charts import k_of
from kanon_sql.evidence.reports.utility_sections import sections

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.base.charts.chart import Chart
    from kanon_sql.base.documents.shown import ShownTable
    from kanon_sql.evidence.reports.report import Report
    from kanon_sql.evidence.reports.report_values import ReportSection

MISSING = "-"
"""The text of a cell without a number."""
FIGURE = re.compile(r"<?=?\[?-?[0-9][0-9,]*(\.[0-9]+)?%?\]?\*?|-|none")
"""A number as tables of reports write it: a share, or a cost with its marks."""
FOLDED = {"distributions", "correlations", "boxes", "trees"}
"""The sections whose charts show the numbers of their tables."""
LONGEST = 400
"""The most characters of a text in a cell."""


def page_of(report: Report, *, certified: object = None) -> str:
    """Render the page: every text is escaped, and its security policy allows only the page's own script.

    `certified` is the data of a certificate to show; without it the page says that nothing confirms its figures.
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
        verdict=verdict_of(report, k_of(report)),
        answers=[
            {"question": each.question, "sentence": each.sentence, "figure": _figure(each.chart)}
            for each in answers(report)
        ],
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
    """List a section's tables, but those whose rows and columns a chart has: its numbers are below it."""
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
    """Escape characters that do not print, and cut a text after `LONGEST` characters."""
    shown = printable(text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def _cells(rows: Sequence[Sequence[object]]) -> list[list[tuple[str, bool]]]:
    """Format the cells of a table, each with whether its column has only numbers and is aligned as such."""
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
    """Format a value, and return whether it is a number, a share, or a number with a mark."""
    text, number = cell(value)
    return _text(text), number or FIGURE.fullmatch(text) is not None
