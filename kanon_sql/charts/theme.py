"""Colours, fonts and lines of all charts. A page sets the colours by CSS variables; a file of its own has fixed ones.

The colours differ in lightness, for people with colour blindness and for print without colours: what is before is pale,
what is after is dark, and what a reader decides about (k, a threshold, the chosen recoding) has an accent.
"""

from __future__ import annotations

from typing import TypeAlias

from kanon_sql.sql.report_pages import page_part

Spec: TypeAlias = dict[str, object]
"""A part of a Vega-Lite specification."""

FIXED = {
    "ink": "#1f2328",
    "soft": "#57606a",
    "line": "#d8dee4",
    "page": "#ffffff",
    "main": "#1f6fa8",
    "pale": "#a9b7c4",
    "accent": "#b4490a",
    "tint": "#ffe1c9",
    "band": "#f6f8fa",
    "step1": "#d9e8f3",
    "step2": "#a9cce4",
    "step3": "#6ba6d0",
    "step4": "#2f7db3",
    "step5": "#0b4f80",
}
"""The colours of a file of its own, by the names of their CSS variables without `--chart-`."""


def _variable(name: str) -> str:
    return f"var(--chart-{name})"


def spread(colours: list[str], number: int) -> list[str]:
    """Choose so many of five colours that are in an order, as far apart as can be."""
    return [colours[at] for at in EVENLY[number]]


def lattice_style() -> str:
    """Give the part of the style sheet of charts that a picture of a lattice needs."""
    return page_part("chart.css").partition("/* The picture of a lattice")[2].partition("*/")[2]


def fixed(text: str) -> str:
    """Replace the variables in a style sheet of ours by colours, for a file of its own."""
    for variable, colour in OF_VARIABLE.items():
        text = text.replace(variable, colour)
    return text


INK, SOFT, LINE, PAGE = map(_variable, ("ink", "soft", "line", "page"))
MAIN, PALE, ACCENT = map(_variable, ("main", "pale", "accent"))
STEPS = [_variable(f"step{at}") for at in range(1, 6)]
"""From little to much."""
EVENLY = ((), (2,), (1, 3), (0, 2, 4), (0, 1, 3, 4), (0, 1, 2, 3, 4))
AFTER = ((), (MAIN,), (STEPS[2], STEPS[4]), STEPS[2:], (*STEPS[2:], INK))
"""Of so many series in an order, after what was before: they differ in lightness, so that everybody tells them apart."""

OF_VARIABLE = {_variable(name): colour for name, colour in FIXED.items()}

FONT = "'Liberation Sans', Arial, Helvetica, sans-serif"
"""Fonts with the same widths, so that a text is as wide in a browser as where it was measured."""

DATA = {"values", "domain", "sort"}
"""The keys of a specification under which labels of the data are."""

CONFIG: Spec = {
    "font": FONT,
    "background": None,
    "view": {"stroke": None},
    "axis": {
        "domain": False,
        "ticks": False,
        "gridColor": LINE,
        "domainColor": SOFT,
        "labelColor": SOFT,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelPadding": 6,
        "labelFlush": False,
        "titlePadding": 10,
        "labelLimit": 260,
        "titleLimit": 420,
    },
    "axisBand": {"grid": False},
    "axisY": {"labelPadding": 10},
    "header": {
        "labelColor": INK,
        "labelFontSize": 13,
        "labelFontWeight": "bold",
        "labelLimit": 260,
        "titleColor": INK,
    },
    "legend": {
        "labelColor": INK,
        "titleColor": SOFT,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "orient": "top",
        "direction": "horizontal",
        "labelLimit": 320,
        "symbolStrokeWidth": 1.5,
        "offset": 8,
    },
    "title": {
        "anchor": "start",
        "color": INK,
        "fontSize": 15,
        "fontWeight": "bold",
        "offset": 14,
        "limit": 640,
    },
    "text": {"color": INK, "fontSize": 12},
    "mark": {"color": MAIN},
    "rule": {"color": SOFT},
    "point": {"filled": True, "size": 80, "opacity": 1},
}


def with_colours(part: object, colours: dict[str, str]) -> object:
    """Replace the variables of a specification by colours, but not in data: a label may read like a variable."""
    if isinstance(part, dict):
        return {
            key: value if key in DATA else with_colours(value, colours)
            for key, value in part.items()
        }
    if isinstance(part, list):
        return [with_colours(each, colours) for each in part]
    return colours.get(part, part) if isinstance(part, str) else part
