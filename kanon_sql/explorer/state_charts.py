"""The charts of a state of the explorer, each with the table of its figures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from kanon_sql.charts.bars import ColumnLoss, SizesOf, class_sizes, column_loss
from kanon_sql.charts.points import BeforeAfter, risk_before_after
from kanon_sql.charts.render import can_render, svg_of
from kanon_sql.explorer.state_names import ChartName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.charts.chart import Chart
    from kanon_sql.explorer.node_figures import StateFigures
    from kanon_sql.privacy.attackers import SizeCount
    from kanon_sql.privacy.risks import RiskFigures

NARROW = 280
"""Pixels between the axes of a chart that has half of the page."""


def charts_of(figures: StateFigures) -> list[ChartName]:
    """List the charts of a state; a state that is not a node has no chart of the loss by column."""
    return [each for each in ChartName if each is not ChartName.LOSS or figures.losses]


def chart_document(name: ChartName, figures: StateFigures) -> dict[str, object]:
    """Return a chart with its table as plain values for the page; without the drawing library, the table alone."""
    chart = _chart(name, figures)
    return {
        "title": chart.title,
        "text": chart.text,
        "svg": svg_of(chart, alone=False) if can_render() else None,
        "headings": list(chart.headings),
        "rows": [list(row) for row in chart.rows],
    }


def _chart(name: ChartName, figures: StateFigures) -> Chart:
    match name:
        case ChartName.SIZES:
            counted_by = "row" if figures.entity is None else "person"
            tables = [
                SizesOf("source", _counts(figures.before)),
                SizesOf(
                    "release" if figures.note else "at these levels",
                    _counts(figures.sizes),
                    figures.k,
                ),
            ]
            return class_sizes(tables, counted_by=counted_by)
        case ChartName.RISK:
            return _narrow(risk_before_after(_risks(figures)))
        case ChartName.LOSS:
            return _narrow(column_loss([ColumnLoss(n, of) for n, of in figures.losses.items()]))
        case _:
            assert_never(name)


def _narrow(chart: Chart) -> Chart:
    """Return a chart of one panel, narrowed to half of the page with text of the same size."""
    return replace(chart, spec={**chart.spec, "width": NARROW})


def _counts(sizes: Sequence[SizeCount]) -> list[tuple[int, int]]:
    return [(each.size, each.classes) for each in sizes]


def _risks(figures: StateFigures) -> list[BeforeAfter]:
    before, after = _shares(figures.risk_before), _shares(figures.risk_after)
    return [BeforeAfter(name, before.get(name), after.get(name)) for name in (before | after)]


def _shares(risk: RiskFigures | None) -> dict[str, float]:
    if risk is None:
        return {}
    return {
        "highest (prosecutor)": risk.prosecutor.highest,
        "average (prosecutor)": risk.prosecutor.average,
        "unique rows": risk.unique_rows / max(risk.rows, 1),
    }
