"""The charts of a state of the explorer, each with the table of its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from kanon_sql.charts.bars import SizesOf, class_sizes
from kanon_sql.charts.render import can_render, svg_of
from kanon_sql.explorer.state_names import ChartName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.charts.chart import Chart
    from kanon_sql.explorer.node_figures import StateFigures
    from kanon_sql.privacy.attackers import SizeCount


def chart_document(name: ChartName, figures: StateFigures) -> dict[str, object]:
    """Give a chart as the page shows it; without the library that draws it, the table alone."""
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
                SizesOf("at these levels", _counts(figures.sizes), figures.k),
            ]
            return class_sizes(tables, counted_by=counted_by)
        case _:
            assert_never(name)


def _counts(sizes: Sequence[SizeCount]) -> list[tuple[int, int]]:
    return [(each.size, each.classes) for each in sizes]
