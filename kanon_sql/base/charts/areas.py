"""Charts of areas: sensitive values in classes, distances of classes, and boxes in two dimensions."""

from __future__ import annotations

from calendar import isleap
from datetime import date, timedelta
from typing import TYPE_CHECKING

from kanon_sql.base.charts.chart import (
    ACCENT,
    INK,
    PAGE,
    SOFT,
    STEPS,
    TIP,
    WIDTH,
    Chart,
    data,
    described,
    mark,
    nominal,
    quantity,
    share_text,
    shortened,
    spread,
    told_apart,
)
from kanon_sql.base.documents.text import counted, decimal_text
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.base.charts.chart import Spec

MOST_VALUES = 30
LONGEST_SIDE = 18
"""The most characters of an axis label of the chart of boxes."""
MOST_BOXES = 2000


@dataclass(frozen=True, slots=True)
class SensitiveValue:
    """The share of one sensitive value in all released rows, and its lowest and highest share in a class."""

    label: str
    overall: float
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class BoxAxis:
    """An axis of the boxes' chart: a column of numbers, or of labels at positions 0 to 1, 1 to 2, ...

    A day is at the number that `year_of` returns.
    """

    name: str
    labels: Sequence[str] | None = None
    days: bool = False


@dataclass(frozen=True, slots=True)
class ClassBox:
    """A box of two columns, and the number of rows of the classes that have this box."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float
    rows: int


def sensitive_distribution(
    column: str, values: Sequence[SensitiveValue], *, t: float | None, largest: float | None
) -> Chart:
    """Draw how far the shares of a sensitive column's values in a class are from those in all rows.

    Args:
        column: The sensitive column.
        values: Its values, at most 30.
        t: The greatest distance that the policy allows, if it sets one.
        largest: The greatest distance of a class, if it was measured.
    """
    values = values[:MOST_VALUES]
    labels = told_apart([each.label for each in values])
    shown = shortened(column)
    ranges = "lowest to highest share in a class"
    overall = "share in all released rows"
    drawn = [
        {
            "label": label,
            "overall": each.overall,
            "lowest": each.lowest,
            "highest": each.highest,
            "range": ranges,
            "tick": overall,
            "tip": f"{label}: {share_text(each.overall)} of all released rows, {share_text(each.lowest)} to "
            f"{share_text(each.highest)} of the rows of a class",
        }
        for label, each in zip(labels, values, strict=True)
    ]
    x: Spec = {
        "type": "quantitative",
        "title": "share of the rows",
        "axis": {"format": "~%", "tickCount": 6},
    }
    colours: Spec = {
        "type": "nominal",
        "title": None,
        "scale": {"domain": [ranges, overall], "range": [STEPS[1], INK]},
    }
    found = (
        f" The greatest distance of a class is {decimal_text(largest)}"
        if largest is not None
        else ""
    )
    bound = (
        f"{',' if found else ' At most'} {'at most ' if found else ''}{decimal_text(t)} is allowed"
        if t is not None
        else ""
    )
    bounds = f"{found}{bound}." if found or bound else ""
    return Chart(
        "sensitive_distribution",
        f"Shares of {shown} in the classes",
        f"Bars: the share of each value of {shown} in the classes, beside its share in all released rows.{bounds}",
        {
            "data": data(drawn),
            "width": WIDTH - 120,
            "height": {"step": 24},
            "encoding": {
                "y": nominal("label", sort=labels, title=None, scale={"paddingInner": 0.3}),
            },
            "layer": [
                {
                    "mark": described("bar", cornerRadius=2),
                    "encoding": {
                        "x": {"field": "lowest", **x},
                        "x2": {"field": "highest"},
                        "color": {"field": "range", **colours},
                        "description": TIP,
                    },
                },
                {
                    "mark": mark("tick", thickness=3, size=20),
                    "encoding": {
                        "x": {"field": "overall", **x},
                        "color": {"field": "tick", **colours},
                    },
                },
            ],
        },
        ("value", "all released rows", "lowest in a class", "highest in a class"),
        tuple((each.label, each.overall, each.lowest, each.highest) for each in values),
    )


def class_distances(
    column: str, distances: Sequence[tuple[float, float, int]], *, t: float | None
) -> Chart:
    """Draw the number of classes by their distance from the distribution in all rows, and mark t.

    Args:
        column: The sensitive column.
        distances: The bands of distances: from, to, and the number of classes; at most 40.
        t: The greatest distance that the policy allows, if it sets one.
    """
    distances = distances[:40]
    shown = shortened(column)
    drawn = [
        {
            "low": low,
            "high": high,
            "classes": classes,
            "tip": f"{counted(classes, 'class')} with a distance of {decimal_text(low)} to {decimal_text(high)}",
        }
        for low, high, classes in distances
    ]
    highest = max([*(high for _, high, _ in distances), t or 0.0])
    x: Spec = {
        "type": "quantitative",
        "title": f"distance of a class from all released rows, by {shown}",
        "scale": {"domain": [0, highest or 1.0], "nice": True},
        "axis": {"grid": False, "tickCount": 8},
    }
    layers: list[Spec] = [
        {
            "data": data(drawn),
            "mark": described("rect", stroke=PAGE, strokeWidth=1),
            "encoding": {
                "x": {"field": "low", **x},
                "x2": {"field": "high"},
                "y": quantity(
                    "classes",
                    title="classes",
                    axis={"tickCount": 5, "format": ",d", "tickMinStep": 1},
                ),
                "y2": {"datum": 0},
                "description": TIP,
            },
        }
    ]
    if t is not None:
        own = {"data": data([{"t": t, "text": f"t = {decimal_text(t)}"}])}
        at: Spec = {"x": {"field": "t", **x}}
        layers += [
            {
                **own,
                "mark": mark("rule", color=ACCENT, strokeWidth=1.5, strokeDash=[5, 3]),
                "encoding": at,
            },
            {
                **own,
                "mark": mark("text", color=ACCENT, fontWeight="bold", align="right", dx=-5, dy=6),
                "encoding": {**at, "y": {"value": 0}, "text": nominal("text")},
            },
        ]
    total = sum(classes for _, _, classes in distances)
    allowed = f" The policy allows {decimal_text(t)}." if t is not None else ""
    return Chart(
        "class_distances",
        f"Distances of the classes, by {shown}",
        f"Bars: {counted(total, 'class')} by the distance of {shown} in the class from all released rows.{allowed}",
        {"width": WIDTH, "height": 180, "layer": layers},
        ("distance from", "to", "classes"),
        tuple((low, high, classes) for low, high, classes in distances),
    )


def boxes(x: BoxAxis, y: BoxAxis, found: Sequence[ClassBox]) -> Chart:
    """Draw how the classes cut two columns into boxes. Boxes with more rows are darker.

    Args:
        x: The column from left to right.
        y: The column from bottom to top.
        found: The boxes, at most 2,000.
    """
    found = sorted(found, key=lambda each: -each.rows)[:MOST_BOXES]
    bounds = _step_bounds([each.rows for each in found])
    steps = [_rows_text(low, high) for low, high in bounds]
    drawn = [
        {
            "x": each.x_low,
            "x2": each.x_high,
            "y": each.y_low,
            "y2": each.y_high,
            "step": next(
                text
                for (_, high), text in zip(bounds, steps, strict=True)
                if high is None or each.rows <= high
            ),
            "tip": f"{_side(x, each.x_low, each.x_high)}, {_side(y, each.y_low, each.y_high)}: {counted(each.rows, 'row')}",
        }
        for each in sorted(found, key=_area, reverse=True)
    ]
    high = 300 if y.labels is None else max(120, 26 * len(y.labels))
    layers: list[Spec] = [
        {
            "data": data(drawn),
            "mark": described("rect", stroke=PAGE, strokeWidth=1),
            "encoding": {
                "x": _scale("x", x),
                "x2": {"field": "x2"},
                "y": _scale("y", y),
                "y2": {"field": "y2"},
                "color": {
                    "field": "step",
                    "type": "ordinal",
                    "sort": steps,
                    "title": "rows",
                    "scale": {"domain": steps, "range": spread(STEPS, len(steps))},
                },
                "description": TIP,
            },
        },
        *_side_labels("x", x),
        *_side_labels("y", y),
    ]
    return Chart(
        "boxes",
        f"Boxes of {shortened(x.name)} and {shortened(y.name)}",
        f"Rectangles: {counted(len(found), 'box')} of {shortened(x.name)} and {shortened(y.name)}, "
        f"with {counted(sum(each.rows for each in found), 'row')}.",
        {"width": WIDTH - 60, "height": high, "layer": layers},
        (shortened(x.name), shortened(y.name), "rows"),
        tuple(
            (
                _side_text(x, each.x_low, each.x_high),
                _side_text(y, each.y_low, each.y_high),
                each.rows,
            )
            for each in found
        ),
    )


def _area(each: ClassBox) -> float:
    """Return a box's area. Boxes can overlap, so the largest are drawn first and hide no other."""
    return (each.x_high - each.x_low) * (each.y_high - each.y_low)


def _scale(channel: str, side: BoxAxis) -> Spec:
    title = shortened(side.name)
    scale: Spec = {"zero": False, "nice": False}
    if side.labels is None:
        along: Spec = {"grid": False, "tickCount": 8}
        if side.days:
            along |= {"format": "d", "tickMinStep": 1}
        return quantity(channel, title=title, scale=scale, axis=along)
    scale["domain"] = [0, len(side.labels)]
    widest = max((len(shortened(each, LONGEST_SIDE)) for each in side.labels), default=0)
    axis: Spec = {
        "grid": False,
        "labels": False,
        "titlePadding": 16 + (3 if channel == "x" else 6) * widest,
    }
    return quantity(channel, title=title, scale=scale, axis=axis)


def _side_labels(channel: str, side: BoxAxis) -> list[Spec]:
    """Return marks with an axis's labels. Vega-Lite's own axis would need an expression to place them."""
    if side.labels is None:
        return []
    names = told_apart(side.labels, LONGEST_SIDE)
    own = data([{"at": at + 0.5, "label": name} for at, name in enumerate(names)])
    shape: Spec = (
        {"align": "right", "dx": -8}
        if channel == "y"
        else {"align": "right", "angle": -30, "dy": 12, "dx": -2}
    )
    across: Spec = {"x": {"value": 0}} if channel == "y" else {"y": {"value": "height"}}
    return [
        {
            "data": own,
            "mark": mark("text", baseline="middle", color=SOFT, **shape),
            "encoding": {
                channel: quantity("at"),
                **across,
                "text": nominal("label"),
            },
        }
    ]


def _side(side: BoxAxis, low: float, high: float) -> str:
    return f"{shortened(side.name)} {_side_text(side, low, high)}"


def _side_text(side: BoxAxis, low: float, high: float) -> str:
    if side.labels is None:
        written = day_text if side.days else decimal_number
        return written(low) if low == high else f"{written(low)} to {written(high)}"
    inside = [shortened(label) for label in side.labels[int(low) : max(int(high), int(low) + 1)]]
    return inside[0] if len(inside) == 1 else f"{inside[0]} to {inside[-1]}" if inside else ""


def year_of(day: date) -> float:
    """Return a day as a number: its year, plus the share of the year that has passed.

    >>> year_of(date(2021, 1, 1)), year_of(date(2021, 7, 2))
    (2021.0, 2021.4986301369863)
    """
    return day.year + (day - date(day.year, 1, 1)).days / _days_of(day.year)


def day_text(year: float) -> str:
    """Format the day for which `year_of` returns this number.

    >>> [day_text(year_of(date(2020, 12, day))) for day in (1, 31)]
    ['2020-12-01', '2020-12-31']
    """
    whole = int(year)
    return f"{date(whole, 1, 1) + timedelta(days=round((year - whole) * _days_of(whole)))}"


def _days_of(year: int) -> int:
    return 366 if isleap(year) else 365


def decimal_number(value: float) -> str:
    """Format a number of the data: a whole number in full, any other with six significant digits.

    >>> decimal_number(1990.0), decimal_number(0.125)
    ('1990', '0.125')
    """
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def _step_bounds(rows: Sequence[int]) -> list[tuple[int, int | None]]:
    """Cut the boxes' numbers of rows into at most five ranges, each with about as many boxes."""
    if not rows:
        return []
    ordered = sorted(rows)
    ends = sorted(
        {ordered[len(ordered) * at // 5 - 1] for at in range(1, 6) if len(ordered) * at // 5}
    )
    return [
        (low, high)
        for low, high in zip([ordered[0], *(end + 1 for end in ends[:-1])], ends, strict=True)
    ]


def _rows_text(low: int, high: int | None) -> str:
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"
