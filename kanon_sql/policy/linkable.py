"""Columns of a release that join the rows of one person, and how many people their rows give away.

k counts each class for itself. Who can join a person's rows reads the labels of all of them at once, and
that set of rows may be one person's alone, however large each of its classes is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.documents.shapes import check
from kanon_sql.policy.model import Linkable, Role

if TYPE_CHECKING:
    from kanon_sql.policy.model import Column, Policy

JOINS_ROWS = (
    "which joins all rows of a person: such a set of rows can be unique whatever k is; "
    "say action: drop, or accept it by linkable: accept"
)


@dataclass(frozen=True, slots=True)
class Linked:
    """How many values of a column that joins rows there are, and how many are unique.

    A value is unique if no other has the same rows, by the released quasi-identifiers of all of them.
    """

    column: str
    values: int
    unique: int

    def __post_init__(self) -> None:
        check(("unique", self.unique <= self.values, "must be at most values"))

    def __str__(self) -> str:
        """Tell it.

        >>> str(Linked("mrn", 2000, 660))
        'mrn joins rows: 660 of its 2000 values (33.00%) have a set of rows that no other has'
        """
        share = self.unique / max(self.values, 1)
        return (
            f"{self.column} joins rows: {self.unique} of its {self.values} values ({share:.2%}) "
            f"have a set of rows that no other has"
        )


def entity_column(policy: Policy) -> Column | None:
    """Give the column that the policy counts by; None where it counts rows."""
    return next((each for each in policy.columns if each.name == policy.entity), None)


def unlinked(policy: Policy) -> list[Column]:
    """Give the pseudonyms that must not join rows: those that the policy does not accept as linkable."""
    return [c for c in policy.columns if c.pseudonym and c.linkable is Linkable.REFUSE]


def linking_columns(policy: Policy) -> list[str]:
    """Name the released columns that join the rows of a person.

    They are the entity, where it is released, and the pseudonyms that the policy accepts as linkable.
    """
    return [
        each.name
        for each in policy.columns
        if (each.linkable is Linkable.ACCEPT if each.pseudonym else each.name == policy.entity)
        and (each.role is not Role.IDENTIFYING or each.pseudonym)
    ]
