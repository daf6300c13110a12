"""The statements that part what fits from what does not, over one set of columns or several.

A release may keep the greatest set of rows in which every class, over each set, is as large and
as diverse as asked. It is what is left when the rows of classes that fall short are suppressed
again and again until none does: a row that goes can be in no such set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kanon_sql.sql.leaves import literal
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp


Kind = Literal["rows", "distinct", "values"]


@dataclass(frozen=True, slots=True)
class Part:
    """A column, or the bits of one, that tells the classes of a set apart."""

    column: exp.Identifier
    named: exp.Identifier
    mask: exp.Expr | None = None


@dataclass(frozen=True, slots=True)
class Fit:
    """What a class must reach: rows, distinct values that are never NULL, or any values."""

    kind: Kind
    column: exp.Identifier
    at_least: int


@dataclass(frozen=True, slots=True)
class FittingSet:
    """One set of columns and what its classes must reach."""

    parts: Sequence[Part]
    fits: Sequence[Fit]


def fitting(left: exp.Table, before: exp.Table, sets: Sequence[FittingSet]) -> Statement:
    """Make the table of what is left; each set's classes are those of the table before."""
    described = [
        {
            "parts": [{"column": p.column, "mask": p.mask, "as": p.named} for p in each.parts],
            "groups": [literal(n + 1) for n in range(len(each.parts))],
            "requirements": [
                {"kind": fit.kind, "column": fit.column, "least": literal(fit.at_least)}
                for fit in each.fits
            ],
        }
        for each in sets
    ]
    return Statement("fitting", {"fitting": left, "before": before, "sets": described})


def rest(
    left: exp.Table, before: exp.Table, parts: Sequence[Part], fits: Sequence[Fit], *, rows: int = 0
) -> Statement:
    """Make the table of the rows whose class, by these parts, does not fit."""
    return Statement(
        "rest",
        {
            "rest": left,
            "before": before,
            "parts": [{"column": p.column, "mask": p.mask, "as": p.named} for p in parts],
            "groups": [literal(n + 1) for n in range(len(parts))],
            "requirements": [
                {"kind": fit.kind, "column": fit.column, "least": literal(fit.at_least)}
                for fit in fits
            ],
        },
        scans=rows,
    )
