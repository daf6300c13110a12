"""The difference of two plans, as it is handed out: a value with its Markdown and its document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_sql.documents.text import printable
from kanon_sql.plan_diff.changes import PlanChanges
from kanon_sql.plan_diff.markdown import markdown
from kanon_sql.plan_diff.summary import changed_keys, headline, notes, warnings


@dataclass(frozen=True, slots=True)
class PlanDiff(PlanChanges):
    """Two plans beside each other: bounds, recoding, quality metrics and inputs.

    `markdown` tells the changes for a pull request, `document()` as plain values. Neither holds
    a value of the data, nor the text of a condition or a statement, which may quote one; names in
    the Markdown are code, and can do nothing there.
    """

    @property
    def markdown(self) -> str:
        """Tell the changes: one sentence that says what matters, and small tables."""
        return markdown(self)

    def document(self) -> dict[str, object]:
        """Give the changes as plain values; numbers that are none are None."""
        found: dict[str, Any] = {
            "same": self.same,
            "headline": " ".join(headline(self, printable)).strip(),
            "only_data": self.only_data,
            "warnings": warnings(self, printable),
            "notes": notes(self, printable),
            "privacy": [],
            "figures": {},
            "columns": {},
        }
        for row in self.rows():
            place = found[row.group] if row.group else found
            value = {"old": row.old, "new": row.new, **row.more}
            if isinstance(place, list):
                place.append(value)
            elif row.key:
                place[row.key] = value
        return {
            **found,
            "over": [
                {
                    "columns": list(columns),
                    "classes": {"old": was[0], "new": now[0]},
                    "smallest_class": {"old": was[1], "new": now[1]},
                }
                for columns, was, now in self.sets
            ],
            "source_changed": self.source_changed,
            "condition_changed": self.differs(lambda plan: plan.where),
            "policy_changed": self.policy_changed,
            "overrides": {"old": dict(self.old.overrides), "new": dict(self.new.overrides)},
            "other_keys_changed": changed_keys(self),
        }
