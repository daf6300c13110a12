"""Values of the source that are released as they are, and that a report does not repeat.

A report goes to more people than its release: it is attached to files, mailed, and kept. What it shows of a label that
is a value of the source is how many rows it has, and not the value.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.plans.recodings import levels_used

if TYPE_CHECKING:
    from kanon_sql.plans.plan import Plan
    from kanon_sql.reports.report import Report
    from kanon_sql.reports.report_values import LabelRows

OTHER = "another value"
"""How a value is shown that is not among those with most rows."""
RANGE = re.compile(r"[\[(](.+), (.+)[\])]|(.+) to (.+)", re.DOTALL)
"""A label of an order that has two ends."""


def without_values(report: Report) -> Report:
    """Replace by numbers the labels that are values of the source, the most frequent first.

    Where the source was not read, these are the labels of a column with rows at level 0, and of a recoding without
    levels those that have not two different ends.
    """
    hidden: dict[str, dict[str | None, str | None]] = {}
    for at, column in enumerate(report.columns):
        own = [
            _is_own(each, report.plan, at) if each.own is None else each.own
            for each in column.labels
        ]
        if any(own):
            texts: dict[str | None, str | None] = {None: None}
            for n, (each, is_own) in enumerate(zip(column.labels, own, strict=True), start=1):
                texts[each.text] = f"value {n}" if is_own and each.text is not None else each.text
            hidden[column.name] = texts
    if not hidden:
        return report

    def numbered(column: str, text: str | None) -> str | None:
        return hidden[column].get(text, OTHER) if column in hidden else text

    def renamed(column: str, label: LabelRows) -> LabelRows:
        text = numbered(column, label.text)
        return replace(label, text=text, own=text != label.text)

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


def _is_own(label: LabelRows, plan: Plan, at: int) -> bool:
    """Tell whether a label may be a value of the source, as far as the plan shows it."""
    if plan.recoding.nodes:
        return 0 in levels_used(plan.recoding, at)
    ends = RANGE.fullmatch(label.text or "")
    if ends is None:
        return True
    low, high = (ends[1], ends[2]) if ends[1] is not None else (ends[3], ends[4])
    return low == high
