"""Charts of points: risks and correlations before and after, the trade-off by k, the Pareto frontier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.charts.chart import (
    ACCENT,
    INK,
    MAIN,
    PAGE,
    PALE,
    STEPS,
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
    spread,
    told_apart,
)
from kanon_sql.base.documents.text import counted, decimal_text
from kanon_sql.base.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.base.charts.chart import Spec

MOST_ROWS = 40
MOST_POINTS = 200
LINES = [*STEPS[1:], INK]
"""The colors of ordered lines, without those that are too pale for a line."""


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """A number of the source and of the release; None if it was not measured."""

    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class TradeoffPoint:
    """The re-identification risks, information loss and share of suppressed rows for one k."""

    k: int
    highest_risk: float
    average_risk: float | None
    loss: float | None
    suppressed: float
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """The least loss that was found for one k and one suppression limit, a share of the rows.

    `loss` is None if nothing is feasible, or the search did not end. For a `pareto` point there is no other that is at
    least as good in k, limit and loss, and better in one.
    """

    k: int
    max_suppressed: float
    loss: float | None
    chosen: bool = False
    pareto: bool = False


def risk_before_after(rows: Sequence[BeforeAfter], *, threshold: float | None = None) -> Chart:
    """Draw risks of the source and of the release.

    Args:
        rows: The risks, as probabilities or shares; at most 40.
        threshold: The highest risk that is allowed, if there is a limit.
    """
    both = any(each.after is not None for each in rows)
    return _before_after(
        "risk_before_after",
        f"Re-identification risk{' before and after' if both else ''}",
        rows,
        ("risk", "source", "release"),
        axis="probability or share of rows",
        percent=True,
        threshold=threshold,
    )


def correlations(pairs: Sequence[BeforeAfter], *, measure: str) -> Chart:
    """Draw how strongly pairs of columns are correlated, in the source and in the release.

    Args:
        pairs: The pairs, each named by both columns; at most 40.
        measure: The name of the measure of correlation.
    """
    return _before_after(
        "correlations",
        "Correlations before and after",
        pairs,
        ("columns", "source", "release"),
        axis=measure,
        percent=False,
        threshold=None,
    )


def _before_after(
    name: str,
    title: str,
    rows: Sequence[BeforeAfter],
    headings: tuple[str, str, str],
    *,
    axis: str,
    percent: bool,
    threshold: float | None,
) -> Chart:
    rows = rows[:MOST_ROWS]
    labels = told_apart([each.name for each in rows], 44)
    write = share_text if percent else decimal_text
    values: list[dict[str, object]] = []
    links: list[dict[str, object]] = []
    for row, label in zip(rows, labels, strict=True):
        both = {"source": row.before, "release": row.after}
        for of, value in both.items():
            if value is not None:
                tip = f"{label}, {of}: {write(value)}"
                values.append({"name": label, "series": of, "value": value, "tip": tip})
        if row.before is not None and row.after is not None:
            links.append({"name": label, "from": row.before, "to": row.after})
    numbers = [each for row in rows for each in (row.before, row.after) if each is not None]
    low = min([0.0, *numbers])
    high = max([*numbers, threshold or 0.0, 0.0]) or 1.0
    y: Spec = nominal("name", sort=labels, title=None, axis={"grid": True, "labelLimit": 300})
    scale: Spec = {"domain": [low * 1.15, 1.0 if 0.6 < high <= 1 else high * 1.15]}
    x: Spec = {
        "type": "quantitative",
        "title": axis,
        "scale": scale,
        "axis": {"tickCount": 4, "grid": False, **({"format": "~%"} if percent else {})},
    }
    legend: Spec = {"offset": 8 if threshold is None else 26}  # the threshold's text is between
    series: Spec = nominal("series", title=None, legend=legend)
    names = ["source", "release"]
    layers: list[Spec] = [
        {
            "data": data(links),
            "mark": mark("rule", color=PALE, strokeWidth=3),
            "encoding": {"y": y, "x": {"field": "from", **x}, "x2": {"field": "to"}},
        },
        {
            "data": data(values),
            "mark": described("point", size=110, stroke=PAGE, strokeWidth=1),
            "encoding": {
                "y": y,
                "x": {"field": "value", **x},
                "color": {**series, "scale": {"domain": names, "range": [PALE, MAIN]}},
                "shape": {**series, "scale": {"domain": names, "range": ["diamond", "circle"]}},
                "description": TIP,
            },
        },
    ]
    if threshold is not None:
        layers += _threshold("x", threshold, f"threshold {share_text(threshold)}", x)
    changes = ", ".join(
        f"{label} {write(row.before)} to {write(row.after)}"
        for row, label in zip(rows, labels, strict=True)
        if row.before is not None and row.after is not None
    )
    return Chart(
        name,
        title,
        f"Points: {axis}, in the source and in the release: {changes}.",
        {"width": WIDTH - 160, "height": {"step": 28}, "layer": layers},
        headings,
        tuple((each.name, each.before, each.after) for each in rows),
    )


def _threshold(channel: str, value: float, text: str, scale: Spec) -> list[Spec]:
    """Return a line across the chart at a threshold, and its text."""
    own = {"data": data([{"at": value, "text": text}])}
    at: Spec = {channel: {**scale, "field": "at"}}
    across: Spec = {"y": {"value": 0}} if channel == "x" else {"x": {"value": "width"}}
    return [
        {
            **own,
            "mark": mark("rule", color=ACCENT, strokeWidth=1.5, strokeDash=[5, 3]),
            "encoding": at,
        },
        {
            **own,
            "mark": mark("text", color=ACCENT, fontWeight="bold", align="left", dx=5, dy=-6),
            "encoding": {**at, **across, "text": nominal("text")},
        },
    ]


def tradeoff(points: Sequence[TradeoffPoint], *, metric: str) -> Chart:
    """Draw the risks, the information loss, and the suppressed rows for each k.

    Args:
        points: One for each k; at most 12.
        metric: The name of the loss metric.
    """
    points = sorted(points, key=lambda each: each.k)[:12]
    ks = [f"{each.k:,}" for each in points]
    panels: dict[str, list[float | None]] = {
        "Highest risk": [each.highest_risk for each in points],
        "Average risk": [each.average_risk for each in points],
        "Information loss": [each.loss for each in points],
        "Suppressed rows": [each.suppressed for each in points],
    }
    titles = [name for name, numbers in panels.items() if any(each is not None for each in numbers)]
    values = [
        {
            "panel": name,
            "k": point.k,
            "value": value,
            "shown": share_text(value),
            "kind": "chosen" if point.chosen else "other",
            "right": name.endswith("risk"),
            "tip": f"k = {k}{', chosen' if point.chosen else ''}: {name.lower()} {share_text(value)}",
        }
        for name in titles
        for point, k, value in zip(points, ks, panels[name], strict=True)
        if value is not None
    ]
    chosen = [f" k = {each.k:,} is chosen." for each in points if each.chosen]
    panel = max(110, 40 * len(points))
    return Chart(
        "tradeoff",
        "Privacy and utility by k",
        f"Lines: the re-identification risks, the {loss_text(metric)} and the suppressed rows for k = "
        f"{', '.join(ks)}.{''.join(chosen)}",
        {
            "data": data(values),
            "facet": nominal(
                "panel",
                sort=titles,
                title=None,
                header={"labelAnchor": "start", "labelFontSize": 12, "labelPadding": 14},
            ),
            "columns": max(1, min(len(titles), (WIDTH + 120) // (panel + 50))),
            "spacing": {"row": 26, "column": 34},
            "resolve": {"scale": {"y": "independent"}},
            "spec": {
                "width": panel,
                "height": 120,
                "encoding": {
                    "x": _k_axis([each.k for each in points]),
                    "y": quantity(
                        "value",
                        title=None,
                        axis={"format": "~%", "tickCount": 4},
                        scale={"zero": True, "range": [120, 20]},
                    ),
                },
                "layer": [
                    {"mark": mark("line", color=PALE, strokeWidth=2)},
                    {
                        "mark": described("point", size=90, stroke=PAGE, strokeWidth=1),
                        "encoding": {"color": _chosen(legend=bool(chosen)), "description": TIP},
                    },
                    *(
                        {  # beside the line: risks fall with k, and costs rise
                            "transform": [{"filter": side}],
                            "mark": mark("text", dx=shift, dy=-12, fontSize=11),
                            "encoding": {"text": nominal("shown")},
                        }
                        for side, shift in (("datum.right", 7), ("!datum.right", -5))
                    ),
                ],
            },
        },
        ("k", "highest risk", "average risk", loss_text(metric), "suppressed rows", "chosen"),
        tuple(
            (each.k, each.highest_risk, each.average_risk, each.loss, each.suppressed, each.chosen)
            for each in points
        ),
    )


def _k_axis(ks: Sequence[int]) -> Spec:
    """Return the axis of k, on which twice as large is equally far everywhere, and each k that was searched has its tick."""
    low, high = min(ks), max(ks)
    margin = 1.15 * (high / low) ** 0.05
    return {
        "field": "k",
        "type": "quantitative",
        "title": "k",
        "axis": {
            "values": sorted(set(ks)),
            "format": ",d",
            "labelAngle": 0,
            "labelOverlap": "greedy",
            "grid": False,
        },
        "scale": {"type": "log", "domain": [low / margin, high * margin], "nice": False},
    }


def _chosen(*, legend: bool) -> Spec:
    return nominal(
        "kind",
        title=None,
        legend={"values": ["chosen"]} if legend else None,
        scale={"domain": ["other", "chosen"], "range": [MAIN, ACCENT]},
    )


def frontier(points: Sequence[FrontierPoint], *, metric: str) -> Chart:
    """Draw the least information loss over k, a line for each suppression limit; mark the chosen point.

    Args:
        points: One for each k and suppression limit. Of more than five limits, five are drawn, with the chosen one.
        metric: The name of the loss metric.
    """
    points = points[:MOST_POINTS]
    known = any(each.pareto for each in points)
    ks = [f"{k:,}" for k in sorted({each.k for each in points})]
    shares = _drawn_limits(points)
    limits = dict(zip(shares, told_apart([share_text(each) for each in shares]), strict=True))
    colours = spread(LINES, len(shares))
    rows = points
    points = [each for each in points if each.max_suppressed in limits]
    values = [
        {
            "k": each.k,
            "limit": limits[each.max_suppressed],
            "loss": each.loss,
            "kind": "chosen" if each.chosen else "best" if each.pareto or not known else "other",
            "tip": f"k = {each.k:,}, at most {limits[each.max_suppressed]} suppressed: loss {decimal_text(each.loss)}"
            + (", chosen" if each.chosen else ""),
        }
        for each in points
        if each.loss is not None
    ]
    x = _k_axis([each.k for each in points])
    y: Spec = quantity(
        "loss",
        title=loss_text(metric).partition(" (")[0],  # all of it is cut beside a low plot
        scale={"zero": len({each["loss"] for each in values}) < 2, "nice": True},
        axis={"tickCount": 6},
    )
    limit: Spec = {
        "field": "limit",
        "type": "ordinal",
        "sort": list(limits.values()),
        "title": "rows that may be suppressed",
        "scale": {"domain": list(limits.values()), "range": colours},
        **({"legend": None} if len(limits) < 2 else {}),
    }
    dominated = (
        " A hollow point has another that is no worse in k, limit and loss."
        if any(each["kind"] == "other" for each in values)
        else ""
    )
    missing = sum(each.loss is None for each in points)
    chosen = [each for each in points if each.chosen]
    where = "".join(f" Chosen: k = {each.k:,}, loss {decimal_text(each.loss)}." for each in chosen)
    none = f" {counted(missing, 'combination')} had no result." if missing else ""
    return Chart(
        "frontier",
        "Information loss over k and the suppression limit",
        f"Lines: the least {loss_text(metric)} for k = {', '.join(ks)}, by the rows that may be "
        f"suppressed: {', '.join(limits.values())}.{where}{dominated}{none}",
        {
            "data": data(values),
            "width": WIDTH - 40,
            "height": 250,
            "encoding": {"x": x, "y": y},
            "layer": [
                {"mark": mark("line", strokeWidth=2), "encoding": {"color": limit}},
                {
                    **_only("best"),
                    "mark": described("point", size=80, strokeWidth=2),
                    "encoding": {"color": limit, "description": TIP},
                },
                *(
                    [
                        {
                            **_only("other"),
                            "mark": described(
                                "point", size=70, filled=True, fill=PAGE, strokeWidth=2
                            ),
                            "encoding": {"stroke": limit, "description": TIP},
                        }
                    ]
                    if dominated  # a layer without a mark would have no name for screen readers
                    else []
                ),
                {
                    **_only("chosen"),
                    "mark": described(
                        "point", size=190, shape="diamond", color=ACCENT, stroke=PAGE, strokeWidth=1
                    ),
                    "encoding": {"description": TIP},
                },
                {
                    **_only("chosen"),
                    "mark": mark(
                        "text",
                        align="left",
                        dx=9,
                        dy=13,
                        color=ACCENT,
                        fontWeight="bold",
                        text=", ".join(f"chosen: k = {each.k:,}" for each in chosen),
                    ),
                },
            ],
        },
        ("k", "rows that may be suppressed", loss_text(metric), "chosen"),
        tuple((each.k, share_text(each.max_suppressed), each.loss, each.chosen) for each in rows),
    )


def _drawn_limits(points: Sequence[FrontierPoint]) -> list[float]:
    """Choose the suppression limits to draw: the lowest, the highest, some between, and the chosen one."""
    shares = sorted({each.max_suppressed for each in points})
    most = len(LINES)
    if len(shares) <= most:
        return shares
    places = {(len(shares) - 1) * at // (most - 1) for at in range(most)}
    chosen = {shares.index(each.max_suppressed) for each in points if each.chosen}
    spare = sorted(places - chosen)[1:-1]
    for place in chosen - places:
        places.discard(min(spare, key=lambda at: abs(at - place)))
        places.add(place)
    return [shares[at] for at in sorted(places)]


def _only(kind: str) -> Spec:
    return {"transform": [{"filter": f"datum.kind === '{kind}'"}]}
