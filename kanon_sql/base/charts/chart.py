"""A chart: its specification, a table of its numbers, its alternative text; colors, fonts and lines of all charts.

The colors differ in lightness, for people with color blindness and for print in black and white. The source is pale,
the release is dark, and values that a reader decides about (k, a threshold, the chosen recoding) have an accent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.report_pages import page_part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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


LONGEST_LABEL = 36
"""The most characters of a label in a chart."""
LONGEST_TEXT = 200
"""The most characters of a label in the table beside a chart."""
WIDTH = 560
"""The width in pixels of the plot, between its axes, of a chart with one panel."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart and the table of its numbers.

    `name` is the name of its file, `text` the alternative text. `spec` is a Vega-Lite specification with its data, whose
    colors are CSS variables; `rows` are the numbers that it draws, under their `headings`. The table's labels are
    on one line, without characters that do not print, and not longer than `LONGEST_TEXT`.
    """

    name: str
    title: str
    text: str
    spec: Mapping[str, object]
    headings: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "headings", tuple(shortened(each, LONGEST_TEXT) for each in self.headings)
        )
        rows = tuple(tuple(_cell(cell) for cell in row) for row in self.rows)
        object.__setattr__(self, "rows", rows)


def shortened(label: str, longest: int = LONGEST_LABEL) -> str:
    r"""Cut a label to the `longest` number of characters, and escape characters that do not print.

    >>> shortened("a\nb"), shortened("abcdefgh", 5)
    ('a\\nb', 'abcd…')
    """
    text = printable(label[: longest + 1])
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _cell(value: object) -> object:
    return shortened(value, LONGEST_TEXT) if isinstance(value, str) else value


def told_apart(labels: Sequence[str], longest: int = LONGEST_LABEL) -> list[str]:
    """Cut labels, and number those that would then be equal: a chart draws equal labels as one bar.

    >>> told_apart(["abcdefgh", "abcdefxy", "b"], 6)
    ['abcde…', 'abcde… (2)', 'b']
    """
    seen: set[str] = set()
    found = []
    for label in labels:
        text = short = shortened(label, longest)
        number = 1
        while text in seen:
            number += 1
            text = f"{short} ({number})"
        seen.add(text)
        found.append(text)
    return found


def share_text(share: float) -> str:
    """Format a share, from 0 to 1, as a percentage.

    >>> share_text(0.2), share_text(0.01234), share_text(0.000834), share_text(0.00001), share_text(0)
    ('20%', '1.2%', '0.08%', '<0.01%', '0%')
    """
    percent = 100 * share
    if 0 < percent < 0.005:
        return "<0.01%"
    if 0 < percent < 0.995:
        return f"{percent:.2f}".rstrip("0") + "%"
    return f"{percent:.1f}".removesuffix(".0") + "%"


def loss_text(metric: str) -> str:
    """Return the title of an axis of information loss, from the name of its metric.

    >>> loss_text("LM"), loss_text("loss (geometric mean)")
    ('information loss (LM)', 'loss (geometric mean)')
    """
    name = shortened(metric, 60)
    return name if "loss" in name.lower() else f"information loss ({name})"


def data(rows: Sequence[Mapping[str, object]]) -> Spec:
    """Return rows as the data of a specification."""
    return {"values": list(rows)}


def mark(kind: str, **settings: object) -> Spec:
    """Return a mark that screen readers skip, because another mark has the same numbers."""
    return {"type": kind, "aria": False, **settings}


def described(kind: str, **settings: object) -> Spec:
    """Return a mark whose field `tip` is read by screen readers, and shown on hover and keyboard focus."""
    return {"type": kind, "ariaRoleDescription": "figure", **settings}


def nominal(field: str, **settings: object) -> Spec:
    """Return a channel of labels."""
    return {"field": field, "type": "nominal", **settings}


def quantity(field: str, **settings: object) -> Spec:
    """Return a channel of numbers."""
    return {"field": field, "type": "quantitative", **settings}


TIP: Spec = {"field": "tip", "type": "nominal"}
"""The channel `description` of marks that are `described`."""
