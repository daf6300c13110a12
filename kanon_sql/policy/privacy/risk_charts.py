"""Charts of risks for notebooks: the three attackers before and after a release, and the class sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.charts.bars import compared
from kanon_sql.base.charts.points import BeforeAfter, risk_before_after

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.base.charts.chart import Chart
    from kanon_sql.policy.privacy.risks import RiskFigures, SizeBand


def risks_chart(table: RiskFigures, released: RiskFigures | None) -> Chart:
    """Draw the risks of a table, and of its release where one was measured."""
    after: list[float | None] = [None] * 5 if released is None else _risks(released)
    names = (
        "highest",
        "prosecutor, average",
        "journalist, average",
        "marketer, average",
        "unique rows",
    )
    return risk_before_after(
        [BeforeAfter(*each) for each in zip(names, _risks(table), after, strict=True)]
    )


def _risks(of: RiskFigures) -> list[float | None]:
    averages = [each.average for each in (of.prosecutor, of.journalist, of.marketer)]
    return [of.prosecutor.highest, *averages, of.unique_rows / of.rows if of.rows else None]


def bands_chart(bands: Sequence[SizeBand]) -> Chart:
    """Draw how many classes have which size."""
    return compared(
        "Class sizes", [each.label for each in bands], [each.classes for each in bands], measure="classes"
    )  # fmt: skip
