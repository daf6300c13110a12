"""Colors, fonts and lines of all charts. Pages set colors by CSS variables; separate files fix them.

The colors differ in lightness, for people with color blindness and for print in black and white. The source is pale,
the release is dark, and values that a reader decides about (k, a threshold, the chosen recoding) have an accent.
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
"""The colors of a separate file, by the names of their CSS variables without `--chart-`."""


def _variable(name: str) -> str:
    return f"var(--chart-{name})"


def spread(colours: list[str], number: int) -> list[str]:
    """Choose `number` of five ordered colors, as far apart as possible."""
    return [colours[at] for at in EVENLY[number]]


def lattice_style() -> str:
    """Return the part of the charts' style sheet that a picture of a lattice needs."""
    return page_part("chart.css").partition("/* The picture of a lattice")[2].partition("*/")[2]


def fixed(text: str) -> str:
    """Replace the CSS variables in one of our style sheets by fixed colors, for a separate file."""
    for variable, colour in OF_VARIABLE.items():
        text = text.replace(variable, colour)
    return text


INK, SOFT, LINE, PAGE = map(_variable, ("ink", "soft", "line", "page"))
MAIN, PALE, ACCENT = map(_variable, ("main", "pale", "accent"))
STEPS = [_variable(f"step{at}") for at in range(1, 6)]
"""The colors of ordered steps, from little to much."""
EVENLY = ((), (2,), (1, 3), (0, 2, 4), (0, 1, 3, 4), (0, 1, 2, 3, 4))
AFTER = ((), (MAIN,), (STEPS[2], STEPS[4]), STEPS[2:], (*STEPS[2:], INK))
"""The colors of releases drawn beside a source, by the number of releases; they differ in lightness."""

OF_VARIABLE = {_variable(name): colour for name, colour in FIXED.items()}

FONT = "'Liberation Sans', Arial, Helvetica, sans-serif"
"""Fonts with equal letter widths, so that a text is as wide in a browser as the library measured it."""

DATA = {"values", "domain", "sort"}
"""The keys of a specification whose values may contain labels of the data."""

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
    """Replace a specification's CSS variables by colors, but not in data: a label may look like one."""
    if isinstance(part, dict):
        return {
            key: value if key in DATA else with_colours(value, colours)
            for key, value in part.items()
        }
    if isinstance(part, list):
        return [with_colours(each, colours) for each in part]
    return colours.get(part, part) if isinstance(part, str) else part
