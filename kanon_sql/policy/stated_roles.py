"""The role of each column of a policy with the reason for it, as a report and a certificate state it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, assert_never

from kanon_sql.base.documents.shapes import check
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.about import WHY
from kanon_sql.policy.model import Action, Role

if TYPE_CHECKING:
    from kanon_sql.policy.model import Policy


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """A column of the source, its role, how it is released if it is identifying, and why it has this role."""

    column: str
    role: Role
    action: Action | None = None
    why: Annotated[str | None, WHY] = None

    def __post_init__(self) -> None:
        has_action = (self.action is not None) is (self.role is Role.IDENTIFYING)
        check(("action", has_action, "is of identifying columns"))

    @property
    def is_dropped(self) -> bool:
        """Whether the release leaves the column out."""
        return self.action is Action.DROP

    @property
    def treatment(self) -> str:
        """The way in which the release treats the column, in words.

        >>> ColumnRole("name", Role.IDENTIFYING, Action.DROP).treatment
        'dropped'
        """
        if self.role is Role.QUASI:
            return "generalized as far as needed"
        match self.action:
            case Action.DROP:
                return "dropped"
            case Action.HASH:
                return "replaced by a keyed hash"
            case Action.NULL:
                return "set to NULL"
            case None:
                return "released unchanged"
            case _:
                assert_never(self.action)


def column_roles(policy: Policy) -> tuple[ColumnRole, ...]:
    """List the role of each column, in the order of the policy."""
    return tuple(
        ColumnRole(
            each.name,
            each.role,
            each.action if each.role is Role.IDENTIFYING else None,
            each.why,
        )
        for each in policy.columns
    )
