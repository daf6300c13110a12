"""The difference of two plans, as it is handed out: a value with its Markdown and its document."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.plan_diff.changes import PlanChanges
from kanon_sql.plan_diff.changes_text import document
from kanon_sql.plan_diff.markdown import markdown


@dataclass(frozen=True, slots=True)
class PlanDiff(PlanChanges):
    """Two plans beside each other: bounds, recoding, figures and inputs.

    `markdown` tells the changes for a pull request, `document()` as plain values. Neither holds
    a value of the data, nor the text of a condition or a statement, which may quote one; names in
    the Markdown are code, and can do nothing there.
    """

    @property
    def markdown(self) -> str:
        """Tell the changes: one sentence that says what matters, and small tables."""
        return markdown(self)

    def document(self) -> dict[str, object]:
        """Give the changes as plain values."""
        return document(self)
