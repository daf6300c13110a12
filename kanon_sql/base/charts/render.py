"""Draws charts as SVG and PNG, on this machine, with the library of the extra `report`."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from kanon_sql.base.charts.chart import CONFIG, OF_VARIABLE, with_colours
from kanon_sql.errors import Fault, InputError

if TYPE_CHECKING:
    from kanon_sql.base.charts.chart import Chart

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
        what = "the library that draws them is not installed; pip install 'kanon-sql[report]'"
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
