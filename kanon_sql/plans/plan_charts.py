"""The charts that a notebook shows of a plan: its generalization levels, and the risks before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.charts.bars import compared
from kanon_sql.charts.points import BeforeAfter, risk_before_after

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.charts.chart import Chart
    from kanon_sql.plans.plan import Plan


def plan_charts(plan: Plan) -> Iterator[Chart]:
    """Draw each quasi-identifier's level if the plan has one node, and prosecutor risks if it has any."""
    if plan.levels and not plan.recoding.layers:
        names = list(plan.levels)
        texts = [f"{plan.levels[name]} of {plan.heights[name]}" for name in names]
        yield compared(
            "Generalization levels",
            names,
            [plan.levels[name] / (plan.heights[name] or 1) for name in names],
            measure="level, as a share of the hierarchy's height",
            text_of=lambda at: texts[at],
            share=True,
        )
    if plan.risk is not None:
        tuples = plan.source_rows and plan.risk_before.get("before")
        before = tuples["prosecutor"]["average"] if isinstance(tuples, dict) else None
        yield risk_before_after(
            [
                BeforeAfter("prosecutor, highest", None, plan.risk.highest),
                BeforeAfter("prosecutor, average", before, plan.risk.average),
            ]
        )
