"""A chart as a value (specification, table of numbers, alternative text), its style, and its drawing as SVG or PNG.

The colors differ in lightness, for people with color blindness and for print in black and white. The source is pale,
the release is dark, and values that a reader decides about (k, a threshold, the chosen recoding) have an accent.
Charts are drawn on this machine, with the library of the extra `report`.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import page_part
from kanon_sql.errors import Fault, InputError, install_command

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from xml.etree import ElementTree as ET


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

    >>> loss_text("LM"), loss_text("loss (geometric mean)"), loss_text("gcp")
    ('information loss (LM)', 'loss (geometric mean)', 'information loss (NCP, mean over cells)')
    """
    name = shortened(re.sub(r"^gcp\b", "NCP, mean over cells", metric), 60)
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


LIBRARY = "vl_convert"
VEGA_LITE = "5.20"
SHARPNESS = 2.0
"""The scale of a PNG: its pixels, in each direction, per pixel of the chart."""
NAMESPACE = "http://www.w3.org/2000/svg"
MOVED, TURNED = re.compile(r"translate\((-?[\d.]+)"), re.compile(r"rotate\((-?[\d.]+)")
WIDEST = 0.62
"""The mean width of a letter, as a share of the font's size, in the widest font of pages."""
LEFT_OUT = ("role-axis", "role-legend", "role-title")
"""Groups of an SVG that have no marks with numbers."""


def can_render() -> bool:
    """Return True if charts can be drawn: if the extra `report` is installed."""
    return find_spec(LIBRARY) is not None


def svg_of(chart: Chart, *, alone: bool) -> str:
    """Draw a chart as SVG.

    An SVG that stands `alone` has its title, fixed colors and a white background. Otherwise it is for a page: it has
    no title, and the colors of the page's CSS variables. The first mark with numbers can be reached by the tab key.

    Raises:
        InputError: The extra `report` is not installed.
    """
    svg = _library().vegalite_to_svg(
        _specification(chart, alone=alone), vl_version=VEGA_LITE, allowed_base_urls=[]
    )
    return _accessible(svg, chart, alone=alone)


def png_of(chart: Chart) -> bytes:
    """Draw a chart as PNG, with title and fixed colors, at twice the width and height of its SVG.

    Raises:
        InputError: The extra `report` is not installed.
    """
    png: bytes = _library().vegalite_to_png(
        _specification(chart, alone=True),
        vl_version=VEGA_LITE,
        scale=SHARPNESS,
        allowed_base_urls=[],
    )
    return png


@cache
def _library() -> Any:  # noqa: ANN401  a module of another package
    if not can_render():
        what = f"the library that draws them is not installed; {install_command('report')}"
        raise InputError("charts", [Fault("", what)])
    return import_module(LIBRARY)


def _specification(chart: Chart, *, alone: bool) -> str:
    spec: dict[str, object] = {**chart.spec, "config": CONFIG, "padding": 16 if alone else 4}
    if not alone:
        return json.dumps(spec)
    spec["title"] = {"text": chart.title}
    spec["background"] = "var(--chart-page)"
    return json.dumps(with_colours(spec, OF_VARIABLE))


def _accessible(svg: str, chart: Chart, *, alone: bool) -> str:
    """Add the alternative text as the SVG's label, and make its first mark with numbers a tab stop."""
    from xml.etree import ElementTree as ET  # noqa: PLC0415  of charts alone

    ET.register_namespace("", NAMESPACE)
    root = ET.fromstring(svg)  # noqa: S314  what the library wrote, without any entity
    for key in ("version", "class"):
        root.attrib.pop(key, None)
    root.set("class", "chart")
    root.set("role", "graphics-document")
    root.set("aria-roledescription", "chart")
    root.set("aria-label", chart.text)
    root.set("data-chart", chart.name)
    for at, each in enumerate(figures_of(root)):
        each.set("tabindex", "-1" if at else "0")
    if not alone:
        _make_room(root)
    if alone:
        title = ET.Element(f"{{{NAMESPACE}}}title")
        title.text = chart.title
        root.insert(0, title)
    return ET.tostring(root, encoding="unicode")


def _make_room(root: ET.Element) -> None:
    """Widen an SVG until its texts fit even in the widest font that a reader's browser may fall back to.

    The library lays texts out in its own font. In a wider font, labels would be cut off at the edges.
    """
    left, top, width, height = (float(each) for each in root.get("viewBox", "").split())
    right = left + width
    waiting: list[tuple[ET.Element, float, float]] = [(root, 0.0, 0.0)]
    while waiting:
        each, x, angle = waiting.pop()
        moved = each.get("transform", "")
        if (found := MOVED.match(moved)) is not None:
            x += float(found[1])
        if (turned := TURNED.search(moved)) is not None:
            angle += float(turned[1])
        waiting.extend((child, x, angle) for child in each)
        if not each.tag.endswith("text"):
            continue
        size = float(each.get("font-size", "12px").removesuffix("px"))
        long = len("".join(each.itertext())) * size * WIDEST * abs(math.cos(math.radians(angle)))
        before = {"end": 1.0, "middle": 0.5}.get(each.get("text-anchor", "start"), 0.0)
        left, right = min(left, x - before * long), max(right, x + (1 - before) * long)
    left, right = math.floor(left), math.ceil(right)
    root.set("viewBox", f"{left} {top:g} {right - left} {height:g}")
    root.set("width", str(right - left))


def figures_of(root: ET.Element) -> list[ET.Element]:
    """Return the marks of an SVG that have numbers, in document order."""
    found = []
    waiting = [root]
    while waiting:
        each = waiting.pop()
        if any(name in each.get("class", "").split() for name in LEFT_OUT):
            continue
        if each.get("aria-roledescription") == "figure":
            found.append(each)
        waiting.extend(reversed(each))
    return found
