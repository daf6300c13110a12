"""Collects the measured sections of a report, in the order of a dossier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.reports.privacy_sections import (
    models_section,
    risk_section,
    sensitive_section,
    sizes_section,
)
from kanon_sql.reports.utility_sections import (
    boxes_section,
    correlations_section,
    distributions_section,
    frontier_section,
    lattice_section,
    trees_section,
    utility_section,
)

if TYPE_CHECKING:
    from kanon_sql.reports.report import Report
    from kanon_sql.reports.report_section import ReportSection


def sections(report: Report) -> list[ReportSection]:
    """Return all measured sections in the order of a dossier."""
    return [
        risk_section(report),
        sizes_section(report),
        models_section(report),
        sensitive_section(report),
        utility_section(report),
        distributions_section(report),
        correlations_section(report),
        frontier_section(report),
        lattice_section(report),
        boxes_section(report),
        trees_section(report),
    ]
