"""The roles, hierarchies and bounds that a call states, which the first policy takes over unchanged."""

from __future__ import annotations

import difflib
from dataclasses import field, replace
from typing import TYPE_CHECKING, assert_never

from kanon_sql.apps.getting_started.propose_hierarchies import lost_as_a_whole, recoding_of
from kanon_sql.apps.getting_started.propose_policy import ProposedBound
from kanon_sql.apps.getting_started.suggested_policy import flow
from kanon_sql.base.documents.text import printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.apps.getting_started.propose_columns import HierarchyFile, ProposedColumn
    from kanon_sql.counting.run.arguments import Use

LISTED = 10
"""Columns that an error lists."""
SAID = "as the call says"
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
    suppression: int | str = "1%"
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
            "suppression": self.suppression,
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
                rest = recoding_of(proposed.profile, path, values=self.use == "counts")
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
