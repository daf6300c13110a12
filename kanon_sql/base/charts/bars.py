"""Charts of bars: class sizes, distinct values, distributions, losses, and named numbers side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.charts.chart import (
    ACCENT,
    AFTER,
    INK,
    MAIN,
    PALE,
    TIP,
    WIDTH,
    Chart,
    data,
    described,
    loss_text,
    mark,
    nominal,
    quantity,
    share_text,
    shortened,
    told_apart,
)
from kanon_sql.base.documents.text import counted, decimal_text
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kanon_sql.base.charts.chart import Spec

LETTER = 7.5
"""The pixels of an axis letter in the widest font that a reader's browser may fall back to."""
MOST_LABELS = 30
"""The most bars of a distribution; the last one may sum up several labels."""
MOST_TABLES, MOST_SERIES, MOST_COLUMNS = 6, 5, 40


@dataclass(frozen=True, slots=True)
class SizesOf:
    """A table's class sizes: pairs of a size and its number of classes. `k` is its policy's bound, if any."""

    name: str
    sizes: Sequence[tuple[int, int]]
    k: int | None = None


@dataclass(frozen=True, slots=True)
class ColumnLoss:
    """A column's loss, from 0 to 1; None if it cannot be measured. `level` says how the column is recoded."""

    name: str
    loss: float | None
    level: str = ""


def size_bounds(largest: int, ks: Sequence[int]) -> list[int]:
    """Return the lower bounds of class-size bands: 1, 2, 5, 10, ... 1,000, 10,000, ..., and each k.

    >>> size_bounds(60, [3])
    [1, 2, 3, 5, 10, 20, 50]
    """
    fine = [first * 10**power for power in range(3) for first in (1, 2, 5)]
    coarse = [10**power for power in range(3, 19)]
    return sorted({1, *ks, *(each for each in (*fine, *coarse) if each <= largest)})


def class_sizes(tables: Sequence[SizesOf], *, counted_by: str = "row") -> Chart:
    """Draw the number of classes by their size, in a panel for each table, and mark k.

    Args:
        tables: The source, the release, or releases that other k would make; at most six.
        counted_by: The unit of class sizes, in the singular.
    """
    tables = tables[:MOST_TABLES]
    names = told_apart([each.name for each in tables])
    bounds = size_bounds(
        max((size for each in tables for size, _ in each.sizes), default=1),
        [each.k for each in tables if each.k is not None],
    )
    bands = list(zip(bounds, [*(each - 1 for each in bounds[1:]), None], strict=True))
    labels = [_band(low, high) for low, high in bands]
    shown = [f"{low:,}+" if high is None else _band(low, high) for low, high in bands]
    crowded = max(map(len, shown)) * LETTER > WIDTH / len(shown)
    values: list[dict[str, object]] = []
    rows: list[tuple[object, ...]] = []
    for table, name in zip(tables, names, strict=True):
        kind = "before" if table.k is None else "after"
        for (low, high), label, short in zip(bands, labels, shown, strict=True):
            within = [(s, n) for s, n in table.sizes if s >= low and (high is None or s <= high)]
            classes = sum(n for _, n in within)
            members = sum(s * n for s, n in within)
            rows.append((name, label, classes, members))
            values.append(
                {
                    "table": name,
                    "size": short,
                    "classes": classes,
                    "shown": f"{classes:,}" if classes else "",
                    "kind": "short" if table.k is not None and low < table.k else kind,
                    "k": f"k = {table.k:,}" if low == table.k else "",
                    "tip": f"{name}: {counted(classes, 'class')} of {label} {counted_by}{'' if high == 1 else 's'}, "
                    f"{counted(members, counted_by)} in all",
                }
            )
    size: Spec = nominal(
        "size",
        sort=shown,
        title=f"{counted_by}s in a class",
        axis={"labelAngle": -40 if crowded else 0},
    )
    layers: list[Spec] = [
        {
            "mark": described("bar"),
            "encoding": {
                "color": nominal(
                    "kind",
                    scale={
                        "domain": ["before", "after", "short"],
                        "range": [PALE, MAIN, ACCENT],
                    },
                    legend=None,
                ),
                "description": TIP,
            },
        },
        {
            "mark": mark("text", dy=-7, fontSize=11),
            "encoding": {"text": nominal("shown")},
        },
        *_k_marks(size),
    ]
    high = 150 if len(tables) < 4 else 110
    return Chart(
        "class_sizes",
        "Class sizes",
        "Bars: the number of classes by their size. "
        + " ".join(
            _sizes_text(each, name, counted_by) for each, name in zip(tables, names, strict=True)
        ),
        {
            "data": data(values),
            "facet": nominal(
                "table", sort=names, title=None, header={"labelAnchor": "start", "labelPadding": 8}
            ),
            "columns": 1,
            "spacing": 24,
            "resolve": {"scale": {"y": "independent"}},
            "spec": {
                "width": WIDTH,
                "height": high,
                "encoding": {
                    "x": size,
                    "y": quantity(
                        "classes",
                        title="classes",
                        axis={"tickCount": 4, "format": ",d", "tickMinStep": 1},
                        scale={"range": [high, 18]},
                    ),
                },
                "layer": layers,
            },
        },
        ("table", f"{counted_by}s in a class", "classes", f"{counted_by}s"),
        tuple(rows),
    )


def _k_marks(size: Spec) -> list[Spec]:
    """Return marks for k at the beginning of the first band that k allows."""
    at: Spec = {"x": {**size, "bandPosition": 0}, "y": {"value": 0}}
    only: Spec = {"transform": [{"filter": "datum.k !== ''"}]}
    return [
        {
            **only,
            "mark": mark("rule", color=ACCENT, strokeWidth=1.5, strokeDash=[5, 3]),
            "encoding": {**at, "y2": {"value": "height"}},
        },
        {
            **only,
            "mark": mark("text", align="right", dx=-6, dy=6, color=ACCENT, fontWeight="bold"),
            "encoding": {**at, "text": nominal("k")},
        },
    ]


def _band(low: int, high: int | None) -> str:
    if high is None:
        return f"{low:,} or more"
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def _sizes_text(table: SizesOf, name: str, counted_by: str) -> str:
    found = [(size, classes) for size, classes in table.sizes if classes]
    smallest = min((size for size, _ in found), default=0)
    classes = counted(sum(classes for _, classes in found), "class")
    return f"{name}: {classes}, the smallest of {counted(smallest, counted_by)}."


def distinct_values(columns: Sequence[str], series: Sequence[tuple[str, Sequence[int]]]) -> Chart:
    """Draw the number of distinct values of each column, in the source and in one or several releases.

    Args:
        columns: The columns, at most 40.
        series: The source and the releases: a title and one number per column; at most five.
    """
    columns, series = columns[:MOST_COLUMNS], series[:MOST_SERIES]
    names = told_apart(columns, 24)
    titles = told_apart([title for title, _ in series])
    values: list[dict[str, object]] = [
        {
            "column": name,
            "series": title,
            "values": numbers[at],
            "shown": f"{numbers[at]:,}",
            "tip": f"{name}, {title}: {counted(numbers[at], 'distinct value')}",
        }
        for at, name in enumerate(names)
        for title, (_, numbers) in zip(titles, series, strict=True)
    ]
    first, last = (series[0][1], series[-1][1]) if series else ((), ())
    changes = ", ".join(
        f"{name} {before:,} to {after:,}"
        for name, before, after in zip(names, first, last, strict=True)
    )
    panel = max(96, 34 * len(series))
    return Chart(
        "distinct_values",
        "Distinct values of each quasi-identifier",
        f"Bars: distinct values of each column, {', '.join(titles)}. From first to last: {changes}.",
        {
            "data": data(values),
            "facet": nominal(
                "column",
                sort=names,
                title=None,
                header={"labelFontSize": 12, "labelPadding": 10, "labelLimit": panel + 12},
            ),
            "columns": max(1, min(len(names), (WIDTH + 60) // (panel + 24))),
            "spacing": 24,
            "resolve": {"scale": {"y": "independent"}},
            "spec": {
                "width": panel,
                "height": 110,
                "encoding": {
                    "x": nominal("series", sort=titles, axis=None, scale={"paddingInner": 0.15}),
                    "y": quantity("values", axis=None, scale={"zero": True, "range": [110, 16]}),
                },
                "layer": [
                    {
                        "mark": described("bar"),
                        "encoding": {
                            "color": _colours(titles),
                            "description": TIP,
                        },
                    },
                    {
                        "mark": mark("text", dy=-7, fontSize=11),
                        "encoding": {"text": nominal("shown")},
                    },
                ],
            },
        },
        ("column", *titles),
        tuple((name, *(numbers[at] for _, numbers in series)) for at, name in enumerate(columns)),
    )


def _colours(titles: Sequence[str]) -> Spec:
    return nominal(
        "series",
        title=None,
        sort=list(titles),
        scale={"domain": list(titles), "range": [PALE, *AFTER[max(len(titles) - 1, 0)]]},
    )


def distribution(
    column: str, labels: Sequence[str], before: Sequence[int], after: Sequence[int]
) -> Chart:
    """Draw the share of rows of each released label, in the source and in the release.

    Args:
        column: The column.
        labels: The released labels in their order. If there are more than 30, one bar has all from the thirtieth on.
        before: The number of source rows that each label covers.
        after: The number of released rows with each label.
    """
    if len(labels) > MOST_LABELS:
        kept = MOST_LABELS - 1
        others = f"{len(labels) - kept:,} others"
        labels = [*labels[:kept], others]
        before = [*before[:kept], sum(before[kept:])]
        after = [*after[:kept], sum(after[kept:])]
    most = max(zip(after, told_apart(labels), strict=True), default=(0, ""))[1]
    shown = shortened(column)
    return _rows_side_by_side(
        "distribution",
        f"Distribution of {shown}",
        f"Bars: the share of rows of each of {counted(len(labels), 'label')} of {shown}, in the source and in the "
        f"release. Most released rows have {most}.",
        labels,
        {"source": before, "release": after},
        heading="label",
    )


def chances(
    labels: Sequence[str], before: Sequence[int] | None, after: Sequence[int], *, allowed: str
) -> Chart:
    """Draw the share of rows by the chance that their person is found, in the source and in the release.

    Args:
        labels: The chances, the highest first.
        before: The number of source rows with each; None if the source was not read.
        after: The number of released rows with each.
        allowed: The highest chance that the policy allows.
    """
    both = {} if before is None else {"source": before}
    return _rows_side_by_side(
        "chances",
        "Rows by the chance that somebody is found",
        f"Bars: the share of rows by the chance that their person is found. The policy allows {allowed}.",
        labels,
        {**both, "release": after},
        heading="chance of being found",
    )


def simple_counts(
    column: str, labels: Sequence[str], before: Sequence[float], after: Sequence[float]
) -> Chart:
    """Draw the counts of rows by bands of a column, as the source has them and as a reader of the release finds them."""
    chart = _rows_side_by_side(
        "simple_counts",
        f"Rows by {shortened(column)}",
        f"Bars: rows by {shortened(column)}, counted in the source and in the release.",
        labels,
        {"source": before, "release": after},
        heading=column,
        share=False,
    )
    rows = tuple(
        (label, b, a, share_text(abs(a - b) / b) if b else None)
        for label, b, a in zip(labels, before, after, strict=True)
    )
    return replace(chart, headings=(*chart.headings, "off by"), rows=rows)


def _rows_side_by_side(
    name: str,
    title: str,
    text: str,
    labels: Sequence[str],
    series: Mapping[str, Sequence[float]],
    *,
    heading: str,
    share: bool = True,
) -> Chart:
    """Draw a bar a label and series: its number of rows, or their share of all rows of the series."""
    names = told_apart(labels)
    values: list[dict[str, object]] = []
    for of, numbers in series.items():
        whole = sum(numbers)
        for label, number in zip(names, numbers, strict=True):
            part = number / whole if whole else 0.0
            tip = f"{label}: {share_text(part)} of the {of}, {counted(round(number), 'row')}"
            shown = part if share else number
            values.append({"label": label, "series": of, "value": shown, "tip": tip})
    x = quantity("value", title="share of the rows", axis={"format": "%", "tickCount": 6})
    if not share:
        x = quantity("value", title="rows", axis={"format": ",d", "tickCount": 6, "tickMinStep": 1})
    both = ["source", "release"]
    colours = _colours(both) if len(series) > 1 else {**_colours(both), "legend": None}
    return Chart(
        name,
        title,
        text,
        {
            "data": data(values),
            "width": WIDTH - 120,
            "height": {"step": 13 if len(names) > 4 else 16},
            "mark": described("bar"),
            "encoding": {
                "y": nominal("label", sort=names, title=None, scale={"paddingInner": 0.3}),
                "yOffset": nominal("series", sort=[each for each in both if each in series]),
                "x": x,
                "color": colours,
                "description": TIP,
            },
        },
        (heading, *(f"rows of the {of}" for of in series)),
        tuple(zip(labels, *series.values(), strict=True)),
    )


def column_loss(columns: Sequence[ColumnLoss], *, metric: str = "LM") -> Chart:
    """Draw each quasi-identifier's information loss: 0 if it is unchanged, 1 if no information is left."""
    columns = columns[:MOST_COLUMNS]
    shown = [share_text(each.loss) if each.loss is not None else "not measured" for each in columns]
    ends = [
        f"{text}, {shortened(each.level)}" if each.level else text
        for each, text in zip(columns, shown, strict=True)
    ]
    names = told_apart([each.name for each in columns])
    chart = compared(
        "Loss of each quasi-identifier",
        names,
        [each.loss for each in columns],
        measure=loss_text(metric),
        text_of=lambda at: ends[at],
        share=True,
    )
    headings: tuple[str, ...] = ("quasi-identifier", metric)
    rows: tuple[tuple[object, ...], ...] = tuple((each.name, each.loss) for each in columns)
    if any(each.level for each in columns):
        headings = (*headings, "recoded to")
        rows = tuple((*row, each.level) for row, each in zip(rows, columns, strict=True))
    return Chart("column_loss", chart.title, chart.text, chart.spec, headings, rows)


def compared(
    title: str,
    names: Sequence[str],
    values: Sequence[float | None],
    *,
    measure: str,
    text_of: Callable[[int], str] | None = None,
    share: bool = False,
    chosen: int | None = None,
) -> Chart:
    """Draw named numbers as bars, such as the level of each column or the loss of each search.

    Args:
        title: The chart's title.
        names: The names, at most 40.
        values: Their numbers; None draws no bar.
        measure: The name of the number, and of its axis.
        text_of: The text at the end of a bar, by its position; the number by default.
        share: Whether the numbers are shares, from 0 to 1.
        chosen: The position of the bar that is drawn in the accent color.
    """
    names, values = names[:MOST_COLUMNS], values[:MOST_COLUMNS]
    labels = told_apart(names)
    write = text_of or (lambda at: _number_text(values[at], share=share))
    bars = [
        {
            "name": label,
            "value": value or 0.0,
            "end": write(at),
            "kind": "chosen" if at == chosen else "other",
            "tip": f"{label}: {measure} {write(at)}",
        }
        for at, (label, value) in enumerate(zip(labels, values, strict=True))
    ]
    x: Spec = quantity("value", title=measure, axis={"tickCount": 6})
    if share:
        x["axis"] = {"format": "%", "values": [0, 0.25, 0.5, 0.75, 1]}
        x["scale"] = {"domain": [0, 1]}
    return Chart(
        "compared",
        title,
        f"Bars: {measure}. " + ", ".join(f"{each['name']} {each['end']}" for each in bars) + ".",
        {
            "data": data(bars),
            "width": WIDTH - 140,
            "height": {"step": 26},
            "encoding": {
                "y": nominal("name", sort=labels, title=None, scale={"paddingInner": 0.35}),
                "x": x,
            },
            "layer": [
                {
                    "mark": described("bar"),
                    "encoding": {
                        "color": nominal(
                            "kind",
                            legend=None,
                            scale={"domain": ["other", "chosen"], "range": [MAIN, ACCENT]},
                        ),
                        "description": TIP,
                    },
                },
                {
                    "mark": mark("text", align="left", dx=6, color=INK, fontSize=11),
                    "encoding": {"text": nominal("end")},
                },
            ],
        },
        ("", measure),
        tuple((name, value) for name, value in zip(names, values, strict=True)),
    )


def _number_text(value: float | None, *, share: bool) -> str:
    if value is None:
        return "none"
    return share_text(value) if share else decimal_text(value)
