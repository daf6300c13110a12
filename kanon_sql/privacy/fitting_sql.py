"""The statements that part what fits from what does not, over one set of columns or several.

A release may keep the greatest set of rows in which every class, over each set, is as large and
as diverse as asked. It is what is left when the rows of classes that fall short are suppressed
again and again until none does: a row that goes can be in no such set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kanon_sql.privacy.models import by_measure
from kanon_sql.sql.quoting import literal
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot import exp

    from kanon_sql.privacy.models import Distinct, Requirement


Kind = Literal["rows", "distinct", "values"]


@dataclass(frozen=True, slots=True)
class KeyPart:
    """A column, or the bits of one, that tells the classes of a set apart."""

    column: exp.Identifier
    named: exp.Identifier
    mask: exp.Expr | None = None


@dataclass(frozen=True, slots=True)
class Fit:
    """What a class must reach: rows, distinct values but for NULL, or values of which NULL is one."""

    kind: Kind
    column: exp.Expr | None
    at_least: int

    @classmethod
    def of(
        cls,
        requirement: Requirement,
        *,
        entity: exp.Expr | None,
        value: Callable[[Distinct], exp.Expr],
    ) -> Fit:
        """Say how a requirement is counted: rows or entities, or the values of a column."""
        rows: tuple[Kind, exp.Expr | None] = ("rows" if entity is None else "distinct", entity)
        kind, counted = by_measure(
            requirement.measure,
            size=rows,
            distinct=lambda each: ("values" if each.counts_null else "distinct", value(each)),
        )
        return cls(kind, counted, requirement.at_least)

    @property
    def leaves(self) -> dict[str, object]:
        """Give it as templates read it."""
        return {"kind": self.kind, "column": self.column, "least": literal(self.at_least)}


@dataclass(frozen=True, slots=True)
class FittingSet:
    """One set of columns and what its classes must reach."""

    parts: Sequence[KeyPart]
    fits: Sequence[Fit]


def fitting(left: exp.Table, before: exp.Table, sets: Sequence[FittingSet]) -> Statement:
    """Make the table of what is left; each set's classes are those of the table before."""
    described = [
        {
            "parts": [{"column": p.column, "mask": p.mask, "as": p.named} for p in each.parts],
            "groups": [literal(n + 1) for n in range(len(each.parts))],
            "requirements": [fit.leaves for fit in each.fits],
        }
        for each in sets
    ]
    return Statement("privacy/fitting", {"fitting": left, "before": before, "sets": described})


def rest(
    left: exp.Table,
    before: exp.Table,
    parts: Sequence[KeyPart],
    fits: Sequence[Fit],
    *,
    rows: int = 0,
) -> Statement:
    """Make the table of the rows whose class, by these parts, does not fit."""
    return Statement(
        "privacy/rest",
        {
            "rest": left,
            "before": before,
            "parts": [{"column": p.column, "mask": p.mask, "as": p.named} for p in parts],
            "groups": [literal(n + 1) for n in range(len(parts))],
            "requirements": [fit.leaves for fit in fits],
        },
        scans=rows,
    )
