"""Statements of bottom-up generalization: classes by the lowest place of each column's part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.recoding.single_dimensional.margins_sql import place
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp


def part(quasi: int) -> str:
    """Name the column that has the lowest place of each class's part of a quasi-identifier."""
    return f"part_{quasi}"


def first_classes(
    made: exp.Table, places: exp.Table, columns: Sequence[int], *, entity: bool
) -> Statement:
    """Make the classes of some columns in which each place is a part."""
    told = [{"before": place(quasi), "after": name(part(quasi)), "merged": []} for quasi in columns]
    return _generalize(made, places, told, entity=entity)


def generalize(
    made: exp.Table,
    before: exp.Table,
    columns: Sequence[int],
    merged: Mapping[int, Sequence[tuple[int, int]]],
    *,
    entity: bool,
) -> Statement:
    """Make the classes of some columns after intervals of some of them became one part each."""
    told = [
        {
            "before": name(part(quasi)),
            "after": name(part(quasi)),
            "merged": [
                {"low": literal(low), "high": literal(high)} for low, high in merged.get(quasi, ())
            ],
        }
        for quasi in columns
    ]
    return _generalize(made, before, told, entity=entity)


def _generalize(
    made: exp.Table, before: exp.Table, columns: Sequence[object], *, entity: bool
) -> Statement:
    return Statement(
        "single_dimensional/generalize",
        {
            "classes": made,
            "before": before,
            "entity": entity,
            "columns": columns,
            "groups": [literal(n + 1) for n in range(len(columns) + entity)],
        },
    )


def rarest(
    classes: exp.Table,
    requirements: Sequence[tuple[int, ...]],
    columns: Sequence[int],
    *,
    entity: bool,
) -> Statement:
    """Ask for the smallest classes of requirements, each by its columns: between which parts they are.

    A row has the requirement, a lowest and a highest part for each of the columns, and the size.
    """
    asked = [
        {
            "requirement": literal(number),
            "grouped": [column(part(quasi), of="c") for quasi in held],
            "whole": not entity and set(held) == set(columns),
            "spans": [
                {
                    "part": name(part(quasi)),
                    "held": quasi in held,
                    "low": name(f"low_{quasi}"),
                    "high": name(f"high_{quasi}"),
                }
                for quasi in columns
            ],
        }
        for number, held in enumerate(requirements)
    ]
    return Statement(
        "single_dimensional/rarest", {"classes": classes, "entity": entity, "asked": asked}
    )


def smallest_merged(
    classes: exp.Table,
    asked: Sequence[tuple[tuple[int, ...], int, int, int]],
    *,
    entity: bool,
) -> Statement:
    """Ask how large the smallest class over some columns is after an interval of one became a part."""
    told = [
        {
            "number": literal(number),
            "part": name(part(quasi)),
            "low": literal(low),
            "high": literal(high),
            "others": [name(part(each)) for each in columns if each != quasi],
            "grouped": [column(part(each), of="t") for each in columns],
        }
        for number, (columns, quasi, low, high) in enumerate(asked)
    ]
    return Statement(
        "single_dimensional/smallest_merged", {"classes": classes, "entity": entity, "asked": told}
    )
