"""Statements of bottom-up generalization: classes by the lowest coordinate of each column's interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.sql.quoting import name
from kanon_sql.base.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp


def leaf_classes(
    table: exp.Table, tuples: exp.Table, columns: Sequence[int], carried: Sequence[exp.Identifier]
) -> Statement:
    """Create the classes in which every value is an interval; `carried` tells apart what is counted later."""
    leaves = {"classes": table, "tuples": tuples, "carried": carried, "columns": columns}
    groups = range(1, len(columns) + len(carried) + 1)
    return Statement("single_dimensional/bottom_up/leaf_classes", {**leaves, "groups": groups})


def generalized_classes(
    table: exp.Table,
    before: exp.Table,
    columns: Sequence[int],
    merged: Mapping[int, Sequence[tuple[int, int]]],
    carried: Sequence[exp.Identifier],
) -> Statement:
    """Create the classes of some columns after the intervals within others became one each."""
    return Statement(
        "single_dimensional/bottom_up/generalized_classes",
        {
            "classes": table,
            "before": before,
            "carried": carried,
            "columns": [{"quasi": quasi, "merged": merged.get(quasi, ())} for quasi in columns],
            "groups": range(1, len(columns) + len(carried) + 1),
        },
    )


def smallest_classes(
    classes: exp.Table,
    requirements: Sequence[tuple[Sequence[int], Mapping[str, object]]],
    columns: Sequence[int],
    *,
    apart: bool,
) -> Statement:
    """Fetch the smallest classes of requirements, each by its columns: between which intervals they are.

    Each has what it counts too. The rows of a class are one, unless they are told `apart` by what is carried.

    A row has the requirement, a lowest and a highest interval for each of the columns, and the size.
    """
    required = [
        {**counted, "number": number, "columns": own, "whole": not apart and {*own} == {*columns}}
        for number, (own, counted) in enumerate(requirements)
    ]
    return Statement(
        "single_dimensional/bottom_up/smallest_classes",
        {"classes": classes, "columns": columns, "requirements": required},
    )


def smallest_merged(
    classes: exp.Table,
    merges: Sequence[tuple[tuple[int, ...], int, int, int, Mapping[str, object]]],
    carried: Sequence[exp.Identifier],
) -> Statement:
    """Fetch how large the smallest class over some columns is after an interval of one became one part."""
    described = [
        {
            **counted,
            "number": number,
            "columns": columns,
            "quasi": quasi,
            "low": low,
            "high": high,
        }
        for number, (columns, quasi, low, high, counted) in enumerate(merges)
    ]
    return Statement(
        "single_dimensional/bottom_up/smallest_merged",
        {"classes": classes, "carried": carried, "requirements": described},
    )


def intervals(
    table: exp.Table, classes: exp.Table, merged: Sequence[int], tuples: exp.Table, columns: int
) -> Statement:
    """List the intervals of all columns, of which only some are `merged` in the classes."""
    described = [
        {"quasi": quasi, "table": classes, "starts": name(f"part_{quasi}")}
        if quasi in merged
        else {"quasi": quasi, "table": tuples, "starts": name(f"place_{quasi}")}
        for quasi in range(columns)
    ]
    return Statement(
        "single_dimensional/intervals",
        {"intervals": table, "columns": described, "tuples": tuples},
    )
