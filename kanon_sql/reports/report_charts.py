"""The charts of a report, by the builders of `charts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.charts.bars import SizesOf, class_sizes
from kanon_sql.privacy.demands import demands
from kanon_sql.privacy.risks import CountedBy

if TYPE_CHECKING:
    from kanon_sql.charts.chart import Chart
    from kanon_sql.reports.report import Report


def risk(report: Report) -> list[Chart]:
    """Draw the risks before and after."""
    del report
    return []


def class_size_charts(report: Report) -> list[Chart]:
    """Draw the class sizes of the source and of the release, and those for other k."""
    k = demands(report.policy.privacy)[0].class_size
    tables = []
    if report.sizes_before is not None:
        tables.append(SizesOf("source", [(s.size, s.classes) for s in report.sizes_before]))
    tables.append(SizesOf(f"release, k = {k:,}", [(s.size, s.classes) for s in report.sizes], k))
    members = "person" if report.counted is CountedBy.PERSONS else "row"
    return [class_sizes(tables, counted_by=members)]


def sensitive(report: Report) -> list[Chart]:
    """Draw the distances of the classes."""
    del report
    return []


def utility(report: Report) -> list[Chart]:
    """Draw the loss of each column, and the distinct values."""
    del report
    return []


def distributions(report: Report) -> list[Chart]:
    """Draw the rows of the labels of each column."""
    del report
    return []


def correlations(report: Report) -> list[Chart]:
    """Draw the mutual information of pairs."""
    del report
    return []


def frontier(report: Report) -> list[Chart]:
    """Draw the frontier over k and the suppression limit."""
    del report
    return []


def lattice(report: Report) -> list[Chart]:
    """Draw the lattice."""
    del report
    return []


def label_boxes(report: Report) -> list[Chart]:
    """Draw the pairs of labels."""
    del report
    return []


def trees(report: Report) -> list[Chart]:
    """Draw the hierarchies."""
    del report
    return []


def figure_charts(report: Report) -> list[Chart]:
    """Draw the three figures that are files of their own."""
    return class_size_charts(report)
