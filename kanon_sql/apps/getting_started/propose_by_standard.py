"""Writes what a first policy says of its release, and what the standard asks that a call names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.apps.getting_started.propose_columns import DROPPED
from kanon_sql.apps.getting_started.propose_policy import ProposedBound
from kanon_sql.base.documents.lines import quoted
from kanon_sql.policy.model import Role
from kanon_sql.policy.safe_harbor import entry_by
from kanon_sql.policy.standards import STANDARDS, StandardName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.apps.getting_started.propose_columns import ProposedColumn

ASKED = {
    "title": "what the data are",
    "purpose": "what the release is for",
    "contact": "who answers for it",
    "recipients": "who gets it, and under which terms",
}
"""What the readers of a report ask, by the key of `about:`."""


def about_lines(
    standard: StandardName | None, said: Mapping[str, str], k: ProposedBound | None
) -> dict[str, list[tuple[str, str]]]:
    """Return the lines of `about:`, and those that only the publisher can fill in; none without a `k`, for a frame."""
    if k is None:
        return {"about": [], "unsaid": []}
    stated = {"standard": standard, **said, "threshold": k.why}
    return {
        "about": [(key, quoted(str(text))) for key, text in stated.items() if text is not None],
        "unsaid": [(key, question) for key, question in ASKED.items() if key not in said],
    }


def bound_by(standard: StandardName | None, proposed: ProposedBound) -> ProposedBound:
    """Return the k that a standard sets, with its source; the proposed one if that is greater, or none is set."""
    if standard is None:
        return proposed
    found = STANDARDS[standard]
    if found.k is None or found.threshold is None or found.k < proposed.number:
        return proposed
    return ProposedBound(found.k, found.threshold)


def column_by(standard: StandardName | None, each: ProposedColumn) -> ProposedColumn:
    """Return the entry of a column as a standard asks for it: Safe Harbor removes identifiers, places, days and high ages."""
    if standard is not StandardName.HIPAA_SAFE_HARBOR or each.role is Role.IDENTIFYING:
        return each
    profile = each.profile
    rest = entry_by(
        profile.name,
        is_date=profile.is_date,
        is_number=profile.is_number,
        code=profile.code if profile.coded == profile.present else None,
    )
    if rest is None:
        return each
    counts = each.why.partition("; ")[2]
    if rest == "drop":
        why = "; ".join(filter(None, ("named like what Safe Harbor removes", counts)))
        return replace(each, role=Role.IDENTIFYING, rest=DROPPED, why=why, undecided=False)
    missing = each.rest.partition("missing: ")[2]
    return replace(
        each,
        role=Role.QUASI,
        rest=f"{rest}, missing: {missing}" if missing else rest,
        why="; ".join(filter(None, ("as Safe Harbor allows it", counts))),
        undecided=False,
    )
