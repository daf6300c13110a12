"""Proposes for `init` what a policy has beside its columns: k, l, the search, and the text about the release."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.apps.getting_started.column_profiles import HEALTH
from kanon_sql.apps.getting_started.propose_columns import DROPPED
from kanon_sql.apps.getting_started.propose_hierarchies import levels_of
from kanon_sql.base.documents.lines import quoted
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source.person_keys import folded
from kanon_sql.policy.model import Role
from kanon_sql.policy.safe_harbor import entry_by
from kanon_sql.policy.search_options import Algorithm, Choose
from kanon_sql.policy.standards import STANDARDS, StandardName
from kanon_sql.recoding.planning.make_plan import MOST_NODES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.apps.getting_started.propose_columns import HierarchyFile, ProposedColumn


K_OF_HEALTH, K = 11, 5
MOST_BY_LOSS = 200_000
"""The most rows for which Mondrian chooses its cuts by loss, which takes longer."""
LEAST_PEOPLE = 1000
"""The least number of people for a k of 11 with health data; with fewer, little detail would be left."""


@dataclass(frozen=True, slots=True)
class ProposedBound:
    """A bound of a privacy model, and the reason for it."""

    number: int
    why: str


def propose_k(columns: Sequence[ProposedColumn], people: int) -> ProposedBound:
    """Propose k: 11 for health data of enough people, else 5."""
    health = any(HEALTH.search(folded(each.profile.name)) for each in columns)
    if health and people >= LEAST_PEOPLE:
        why = "health data: the highest risk is 1/11, a precedent of public releases"
        return ProposedBound(K_OF_HEALTH, why)
    if health:
        return ProposedBound(
            K, f"11 is usual for health data, and {people:,} people are few for it"
        )
    return ProposedBound(
        K, "the highest risk is 1/5, a usual minimum; 11 or more where the public gets the release"
    )


def propose_l(each: ProposedColumn, k: int) -> ProposedBound | None:
    """Propose l, the least distinct values of a sensitive column in a class; None if the column has too few."""
    if each.profile.values >= 10 and k == K_OF_HEALTH:
        return ProposedBound(
            3, "classes differ in it, so that finding a class does not tell the value"
        )
    if each.profile.values >= 4:
        return ProposedBound(
            2, "classes differ in it, so that finding a class does not tell the value"
        )
    return None


def propose_search(
    columns: Sequence[ProposedColumn],
    files: Mapping[str, HierarchyFile],
    *,
    rows: int,
    signature: bool,
    counts: bool = False,
) -> str:
    """Propose the search; no other function decides the default. Where rows show values for `counts`, it is Mondrian.

    With several quasi-identifiers, Mondrian had the least loss on every table that was measured. Cuts by loss lose
    less than cuts by width, but take up to twice the time.
    """
    quasi = [each for each in columns if each.role is Role.QUASI]
    if (len(quasi) > 1 and not signature) or counts:
        if rows > MOST_BY_LOSS:
            by_width = f"{{algorithm: {Algorithm.MONDRIAN}, choose: {Choose.WIDTH}}}"
            return f"{by_width}  # choose: loss loses less, in up to twice the time"
        by_loss = f"{{algorithm: {Algorithm.MONDRIAN}, choose: {Choose.LOSS}}}"
        return f"{by_loss}  # no row is suppressed; {{algorithm: optimal}} has one level a column; init --try compares"
    heights = {name: file.height for name, file in files.items()}
    nodes = math.prod(levels_of(each.rest, heights.get(each.profile.name)) for each in quasi)
    if nodes > MOST_NODES:
        how = f"{{algorithm: {Algorithm.LIGHTNING}, metric: loss, time_limit: 60s}}"
        return f"{how}  # {nodes:,} nodes are too many for {Algorithm.OPTIMAL}"
    return f"{{algorithm: {Algorithm.OPTIMAL}, metric: loss}}"


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
