"""What a call says of columns and bounds, which a first policy takes over as it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kanon_sql.getting_started.suggested_policy import flow
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class GivenRoles:
    """Roles and hierarchies of columns by name, what classes count, and the bounds.

    `l` asks for that many distinct values of each sensitive column in each class; None asks for none.
    """

    roles: Mapping[str, Role] = field(default_factory=dict)
    hierarchies: Mapping[str, object] = field(default_factory=dict)
    entity: str | None = None
    k: int = 5
    l: int | None = None  # noqa: E741  the model's own name
    suppression: int | str = "1%"

    def role_of(self, name: str) -> Role | None:
        """Return a column's role; the entity is dropped unless another role is given."""
        if name in self.hierarchies:
            return self.roles.get(name, Role.QUASI)
        return self.roles.get(name, Role.IDENTIFYING if name == self.entity else None)

    def rest_of(self, name: str, suggested: str) -> str:
        """Return the rest of a column's entry; of a quasi-identifier without a hierarchy, what is suggested."""
        match self.role_of(name):
            case Role.QUASI if name in self.hierarchies:
                return f"hierarchy: {flow(self.hierarchies[name])}"
            case Role.QUASI | None:
                return suggested
            case Role.IDENTIFYING:
                return "action: drop"
            case Role.SENSITIVE | Role.INSENSITIVE:
                return ""


NOTHING = GivenRoles()
