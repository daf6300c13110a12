"""Values of the source that are released as they are, and that a report does not repeat.

A report goes to more people than its release: it is attached to files, mailed, and kept. What it shows of a column
with rows at level 0 is how many rows its values have, and no value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.plans.recodings import levels_used

if TYPE_CHECKING:
    from kanon_sql.reports.report import Report
    from kanon_sql.reports.report_values import LabelRows

OTHER = "another value"
"""How a value is shown that is not among those with most rows."""


def without_values(report: Report) -> Report:
    """Replace by numbers the labels of columns that have rows at level 0, the most frequent first."""
    recoding = report.plan.recoding
    hidden = {
        each.name: {label.text: f"value {n}" for n, label in enumerate(each.labels, start=1)}
        for at, each in enumerate(report.columns)
        if 0 in levels_used(recoding, at)
    }
    if not hidden:
        return report

    def numbered(column: str, text: str | None) -> str | None:
        if text is None or column not in hidden:
            return text
        return hidden[column].get(text, OTHER)

    def renamed(column: str, label: LabelRows) -> LabelRows:
        return replace(label, text=numbered(column, label.text))

    pairs = report.pairs
    if pairs is not None:
        one, other = pairs.columns
        of_pairs = (
            replace(each, one=numbered(one, each.one), other=numbered(other, each.other))
            for each in pairs.pairs
        )
        pairs = replace(pairs, pairs=tuple(of_pairs))
    columns = (
        replace(each, labels=tuple(renamed(each.name, label) for label in each.labels))
        for each in report.columns
    )
    return replace(report, columns=tuple(columns), pairs=pairs)
