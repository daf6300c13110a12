"""Proposes for `init` what a policy has beside its columns, and takes over what a call states."""

from __future__ import annotations

import difflib
import math
import re
from dataclasses import field, replace
from typing import TYPE_CHECKING, assert_never

from kanon_sql.apps.getting_started.column_profiles import HEALTH
from kanon_sql.apps.getting_started.propose_columns import DROPPED
from kanon_sql.apps.getting_started.propose_hierarchies import (
    levels_of,
    lost_as_a_whole,
    recoding_of,
)
from kanon_sql.apps.getting_started.role_names import rule_of
from kanon_sql.base.documents.keys import quoted
from kanon_sql.base.documents.shown import flow
from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source.person_keys import folded
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.model import Role
from kanon_sql.policy.safe_harbor import entry_by
from kanon_sql.policy.search_options import Algorithm, Choose
from kanon_sql.policy.standards import STANDARDS, StandardName
from kanon_sql.recoding.planning.make_plan import MOST_NODES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.apps.getting_started.propose_columns import HierarchyFile, ProposedColumn
    from kanon_sql.apps.getting_started.propose_hierarchies import ForRecords
    from kanon_sql.counting.run.arguments import Use


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


def propose_k(
    columns: Sequence[ProposedColumn], people: int, recipients: str | None = None
) -> ProposedBound:
    """Propose k: 11 for health data of enough people, by the names of columns, or for the public; else 5."""
    health = any(
        HEALTH.search(name)
        or (each.role is Role.SENSITIVE and (rule := rule_of(name)) and rule.about == "health")
        for each in columns
        if (name := folded(each.profile.name))
    )
    if health and people >= LEAST_PEOPLE:
        why = "health data: the highest risk is 1/11; EMA and Health Canada ask for 0.09 of public releases, which is k: 12"
        return ProposedBound(K_OF_HEALTH, why)
    if health:
        return ProposedBound(
            K, f"11 is usual for health data, and {people:,} people are few for it"
        )
    if people >= LEAST_PEOPLE and re.search(r"\bpublic\b", recipients or "", re.IGNORECASE):
        return ProposedBound(K_OF_HEALTH, "the public gets the release: the highest risk is 1/11")
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
    by_regions: bool = False,
) -> str:
    """Propose the search; no other function decides the default. It is Mondrian where cells show what is of regions.

    With several quasi-identifiers, Mondrian had the least loss on every table that was measured. Cuts by loss lose
    less than cuts by width, but take up to twice the time.
    """
    quasi = [each for each in columns if each.role is Role.QUASI]
    if (len(quasi) > 1 and not signature) or by_regions:
        if rows > MOST_BY_LOSS:
            by_width = f"{{algorithm: {Algorithm.MONDRIAN}, choose: {Choose.WIDTH}}}"
            return f"{by_width}  # choose: loss loses less, in up to twice the time"
        by_loss = f"{{algorithm: {Algorithm.MONDRIAN}, choose: {Choose.LOSS}}}"
        none = "it suppresses no row by itself"
        if any(each.profile.name in files for each in quasi):
            none = "your hierarchies, with labels that differ by rows"
        return f"{by_loss}  # {none}; {{algorithm: optimal, metric: loss}} has one level a column; init --try compares"
    heights = {name: file.height for name, file in files.items()}
    nodes = math.prod(levels_of(each.rest, heights.get(each.profile.name)) for each in quasi)
    if nodes > MOST_NODES:
        how = f"{{algorithm: {Algorithm.LIGHTNING}, metric: loss, time_limit: 60s}}"
        return f"{how}  # {nodes:,} nodes are too many for {Algorithm.OPTIMAL}"
    return f"{{algorithm: {Algorithm.OPTIMAL}, metric: loss}}"


def propose_limit(
    columns: Sequence[ProposedColumn], use: ForRecords, limit: int | str | None
) -> tuple[int | str, bool]:
    """Propose the suppression limit, and whether rows with NULL are suppressed, which then raises the limit."""
    of_quasi = [each.profile for each in columns if each.role is Role.QUASI]
    if not any(map(use.loses_null, of_quasi)):
        return SUPPRESSION if limit is None else limit, False
    missing = sum(each.nulls / max(1, each.rows) for each in of_quasi)
    raised = min(100, 1 + math.ceil(100 * missing))
    return f"{raised}%" if limit is None else limit, True


ASKED = {
    "title": "what the data are",
    "purpose": "what the release is for",
    "contact": "who answers for it",
    "recipients": "who gets it",
}
"""What the readers of a report ask, by the key of `about:`; `init` has an option for each."""
OF_USE = {
    "terms": "the terms of use, such as a ban on linking, and how long it may be kept",
    "review": "when the release is reviewed, and by whom",
}
"""What they ask too, and the policy alone answers."""


def about_lines(
    standard: StandardName | None, said: Mapping[str, str], k: ProposedBound | None
) -> dict[str, list[tuple[str, str]]]:
    """Return the lines of `about:`, and those that only the publisher can fill in; none without a `k`, for a frame."""
    if k is None:
        return {"about": [], "unsaid": []}
    stated = {"standard": standard, **said, "threshold": k.why}
    return {
        "about": [(key, quoted(str(text))) for key, text in stated.items() if text is not None],
        "unsaid": [
            (key, question) for key, question in (ASKED | OF_USE).items() if key not in said
        ],
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


LISTED = 10
"""Columns that an error lists."""
SAID = "as the call says"
SUPPRESSION = "1%"
NO_COLUMN = "_kanon_no_column"
"""Stands for the quasi-identifiers that are yet to be proposed."""


@dataclass(frozen=True, slots=True)
class GivenRoles:
    """The roles and hierarchies of columns, the entity and the bounds that a call states; None is to be proposed.

    `l` is the least number of distinct values of each sensitive column in a class. The policy of a call `of_frame`
    names no release: the released rows become a frame again. `use` is what the release is for.
    """

    roles: Mapping[str, Role] = field(default_factory=dict)
    hierarchies: Mapping[str, object] = field(default_factory=dict)
    entity: str | None = None
    k: int | None = None
    l: int | None = None  # noqa: E741  the model's own name
    suppression: int | str | None = None
    use: Use | None = None
    of_frame: bool = False
    call: str = "suggest"
    index: tuple[object, ...] = ()
    """The names of a frame's index, which are no columns."""

    def check_names(self, there: Sequence[str]) -> None:
        """Raise InputError if the call names a column that is not in the source."""
        entity = [] if self.entity in {None, "row"} else [str(self.entity)]
        unknown = {*self.roles, *self.hierarchies, *entity}.difference(there)
        if unknown:
            faults = [_unknown(name, there, self.index) for name in sorted(unknown)]
            raise InputError(self.call, faults)

    def role_of(self, name: str) -> Role | None:
        """Return a column's role; the entity is dropped unless another role is given."""
        if name in self.hierarchies:
            return self.roles.get(name, Role.QUASI)
        return self.roles.get(name, Role.IDENTIFYING if name == self.entity else None)

    def needs_profile(self, name: str) -> bool:
        """Whether the values of a column must be counted, as something of its entry is to be proposed."""
        role = self.role_of(name)
        match role:
            case None:
                return True
            case Role.QUASI:
                return name not in self.hierarchies
            case Role.SENSITIVE:
                return self.l is None
            case Role.IDENTIFYING | Role.INSENSITIVE:
                return False
            case _:
                assert_never(role)

    @property
    def stated(self) -> dict[str, object]:
        """Return the call's statements as a policy, so that its faults are found before a source is read."""
        columns: dict[str, dict[str, object]] = {}
        for name in {**self.roles, **self.hierarchies}:
            role = self.role_of(name)
            columns[name] = {"role": str(role)}
            if role is Role.QUASI:
                columns[name]["hierarchy"] = self.hierarchies.get(name, "suppress")
            if role is Role.IDENTIFYING:
                columns[name]["action"] = "drop"
        quasi = any(each["role"] == Role.QUASI for each in columns.values())
        if not quasi:
            columns[NO_COLUMN] = {"role": str(Role.QUASI), "hierarchy": "suppress"}
        entity = "row" if self.entity is None else self.entity
        if entity != "row" and entity not in columns:
            columns[entity] = {"role": str(Role.IDENTIFYING), "action": "drop"}
        diverse = [] if self.l is None else self.columns_of(Role.SENSITIVE)
        return {
            "version": 1,
            "entity": entity,
            "columns": columns,
            "privacy": [
                {"k": 1 if self.k is None else self.k},
                *({"distinct_l": {"column": name, "l": self.l}} for name in diverse),
            ],
            "suppression": SUPPRESSION if self.suppression is None else self.suppression,
        }

    def columns_of(self, role: Role) -> list[str]:
        """List the columns to which the call gives a role."""
        return [name for name, of in self.roles.items() if of is role]

    def taken_over(
        self, proposed: ProposedColumn, files: Mapping[str, HierarchyFile]
    ) -> ProposedColumn:
        """Return a proposed entry with the call's role; a quasi-identifier gets the call's or a proposed hierarchy."""
        name = proposed.profile.name
        role = self.role_of(name)
        if role is None:
            return proposed
        match role:
            case Role.QUASI if name in self.hierarchies:
                rest = f"hierarchy: {flow(self.hierarchies[name])}"
            case Role.QUASI:
                file = files.get(name)
                path = None if file is None else file.path
                rest = recoding_of(proposed.profile, path, self.use)
            case Role.IDENTIFYING:
                rest = "action: drop"
            case Role.SENSITIVE | Role.INSENSITIVE:
                rest = ""
            case _:
                assert_never(role)
        lost = lost_as_a_whole(proposed.profile, rest)
        why = SAID if lost is None else f"{SAID}; {lost}"
        return replace(proposed, role=role, rest=rest, why=why, undecided=False)

    def bound(self, number: int | None) -> ProposedBound | None:
        """Return a bound that the call gives; None if it gives none."""
        return None if number is None else ProposedBound(number, SAID)


def _unknown(name: str, there: Sequence[str], index: Sequence[object]) -> Fault:
    if name in index:
        what = "is the index of the frame, and no column; reset_index() makes it one"
        return Fault(f"columns.{name}", what)
    folded = {each.casefold(): each for each in there}
    close = difflib.get_close_matches(name.casefold(), folded, n=1)
    listed = [printable(each) for each in list(folded.values())[:LISTED]]
    others = f"; its columns: {', '.join(listed)}{', ...' if len(folded) > LISTED else ''}"
    meant = f"; did you mean {printable(folded[close[0]])}?" if close else others
    return Fault(f"columns.{name}", f"is not a column of the source{meant}")


NOTHING = GivenRoles()
