"""What a call says of columns and bounds, which a first policy takes over as it is."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, assert_never

from kanon_sql.getting_started.propose_hierarchies import recoding_of
from kanon_sql.getting_started.propose_policy import ProposedBound
from kanon_sql.getting_started.suggested_policy import flow
from kanon_sql.late_dataclass import dataclass
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kanon_sql.getting_started.propose_columns import HierarchyFile, ProposedColumn

SAID = "as the call says"


@dataclass(frozen=True, slots=True)
class GivenRoles:
    """Roles and hierarchies of columns by name, what classes count, and bounds; None is for the policy to propose.

    `l` asks for that many distinct values of each sensitive column in each class. The policy of a call `of_frame`
    names no release: its rows become a frame again.
    """

    roles: Mapping[str, Role] = field(default_factory=dict)
    hierarchies: Mapping[str, object] = field(default_factory=dict)
    entity: str | None = None
    k: int | None = None
    l: int | None = None  # noqa: E741  the model's own name
    suppression: int | str = "1%"
    of_frame: bool = False

    def role_of(self, name: str) -> Role | None:
        """Return a column's role; the entity is dropped unless another role is given."""
        if name in self.hierarchies:
            return self.roles.get(name, Role.QUASI)
        return self.roles.get(name, Role.IDENTIFYING if name == self.entity else None)

    def taken_over(
        self, proposed: ProposedColumn, files: Mapping[str, HierarchyFile]
    ) -> ProposedColumn:
        """Return an entry with the role that is given; of a quasi-identifier without a hierarchy, with a proposed one."""
        name = proposed.profile.name
        role = self.role_of(name)
        if role is None:
            return proposed
        match role:
            case Role.QUASI if name in self.hierarchies:
                rest = f"hierarchy: {flow(self.hierarchies[name])}"
            case Role.QUASI:
                file = files.get(name)
                rest = recoding_of(proposed.profile, None if file is None else file.path)
            case Role.IDENTIFYING:
                rest = "action: drop"
            case Role.SENSITIVE | Role.INSENSITIVE:
                rest = ""
            case _:
                assert_never(role)
        return replace(proposed, role=role, rest=rest, why=SAID, undecided=False)

    def bound(self, number: int | None) -> ProposedBound | None:
        """Return a bound that is given."""
        return None if number is None else ProposedBound(number, SAID)


NOTHING = GivenRoles()
