"""The role of each column of a policy with the reason for it, and the released columns that link a person's rows.

k bounds the size of each class. An attacker who links a person's rows sees the labels of all of them
together, and that set of rows may be unique, however large the class of each row is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.shapes import OneOf, check
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.policy.masks import BY_KEY
from kanon_sql.policy.model import Linkable, Role
from kanon_sql.policy.standards import WHY

if TYPE_CHECKING:
    from kanon_sql.policy.model import Column, Policy


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """A column of the source, its role, how it is released if it is identifying, and why it has this role."""

    column: str
    role: Role
    action: Annotated[str | None, OneOf(tuple(BY_KEY))] = None
    why: Annotated[str | None, WHY] = None

    def __post_init__(self) -> None:
        always, never = self.role is Role.IDENTIFYING, self.role in {Role.QUASI, Role.SENSITIVE}
        has_action = self.action is not None if always else not (never and self.action)
        check(("action", has_action, "is of identifying and insensitive columns"))

    @property
    def is_dropped(self) -> bool:
        """Whether the release leaves the column out."""
        return self.action is not None and BY_KEY[self.action].is_dropped

    @property
    def treatment(self) -> str:
        """The way in which the release treats the column, in words.

        >>> ColumnRole("name", Role.IDENTIFYING, "drop").treatment
        'dropped'
        """
        if self.role is Role.QUASI:
            return "generalized as far as needed"
        return "released unchanged" if self.action is None else BY_KEY[self.action].treatment


def column_roles(policy: Policy) -> tuple[ColumnRole, ...]:
    """List the role of each column, in the order of the policy."""
    return tuple(
        ColumnRole(
            each.name,
            each.role,
            None if each.mask is None else each.mask.key,
            each.why,
        )
        for each in policy.columns
    )


JOINS_ROWS = (
    "which links all rows of a person: such a set of rows can be unique whatever k is; "
    "use action: drop, or accept it by linkable: accept"
)
SAY_SIGNATURE = (
    "which links all rows of a person, and k people in each class do not protect such a set of rows: say entity: "
    "{{signature: {name}}}, drop it, or accept it by linkable: accept"
)
"""The reason why the entity may not be released where people are counted class by class."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The number of values of a column that links rows, and the number of unique ones.

    A value is unique if no other value has the same set of released rows, by their quasi-identifiers.
    """

    column: str
    values: int
    unique: int

    def __post_init__(self) -> None:
        check(("unique", self.unique <= self.values, "must be at most values"))

    def __str__(self) -> str:
        """Return the text of a warning: the column, its values, and the share of unique ones.

        >>> str(Linked("mrn", 2000, 660))
        'mrn links rows: 660 of its 2000 values (33.00%) have a set of rows that no other value has'
        """
        share = self.unique / max(self.values, 1)
        return (
            f"{self.column} links rows: {self.unique} of its {self.values} values ({share:.2%}) "
            f"have a set of rows that no other value has"
        )


def entity_column(policy: Policy) -> Column | None:
    """Return the column whose values the policy counts; None if it counts rows."""
    return next((each for each in policy.columns if each.name == policy.entity), None)


def is_released(column: Column) -> bool:
    """Whether the release shows which rows have equal values of a column, by its values or by pseudonyms."""
    return column.role is not Role.IDENTIFYING or column.pseudonym


def unlinked(policy: Policy) -> list[Column]:
    """List the pseudonyms that must not link rows: those that the policy does not accept as linkable.

    The entity's pseudonym may link rows where people are compared by all their rows (`signature`).
    """
    kept = policy.entity if policy.signature else None
    return [
        c
        for c in policy.columns
        if c.pseudonym and c.linkable is Linkable.REFUSE and c.name != kept
    ]


def linking_columns(policy: Policy) -> list[str]:
    """List the released columns that link the rows of a person.

    They are the entity, if it is released, and the pseudonyms that the policy accepts as linkable.
    """
    accepted = [c.name for c in policy.columns if c.pseudonym and c.linkable is Linkable.ACCEPT]
    entity = entity_column(policy)
    own = [] if entity is None or not is_released(entity) else [entity.name]
    return [c.name for c in policy.columns if c.name in {*accepted, *own}]


def possible_stand_ins(policy: Policy) -> list[str]:
    """List the released columns that must not link rows as the entity does, which the release hides.

    The list is empty without an entity, and if the release has the entity or its pseudonym, which links rows anyway.
    """
    entity = entity_column(policy)
    if entity is None or is_released(entity):
        return []
    return [c.name for c in policy.columns if c.shows_values and c.linkable is Linkable.REFUSE]
