"""A section of a report: sentences, charts and tables, which pages and terminals show alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.charts.chart import Chart  # noqa: TC001  the type of a field
from kanon_sql.documents.shown import ShownTable
from kanon_sql.late_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class ReportSection:
    """One section: sentences, charts, and tables, in this order; `missing` says why some are missing."""

    id: str
    title: str
    sentences: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[ShownTable] = ()
    missing: str | None = None


def percent(share: float | None) -> str:
    """Format a share as a percentage; None is a dash.

    >>> percent(0.2), percent(0.01234), percent(0.00001), percent(None)
    ('20%', '1.23%', '<0.01%', '-')
    """
    if share is None:
        return "-"
    if 0 < share < 0.00005:
        return "<0.01%"
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def tables_of(section: ReportSection) -> Sequence[ShownTable]:
    """Return the tables of a section for readers without charts: its own, or else those of its charts."""
    return section.tables or [ShownTable(each.headings, each.rows) for each in section.charts]
