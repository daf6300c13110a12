"""Statements of top-down specialization: the cut of each column, and the classes of its candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kanon_sql.base.sql.templates import Statement
from kanon_sql.recoding.single_dimensional.information_gain_sql import upward

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from sqlglot import exp

ABOVE = -2
"""The number of the interval that is there before the first cut; no node and no coordinate has it."""


class Piece(NamedTuple):
    """Places that get an interval of an ordered column, and the half of it that they are in."""

    low: int
    high: int
    part: int
    child: int | None


def first_cut(table: exp.Table, counts: exp.Table, *, whole: int) -> Statement:
    leaves = {"cut": table, "counts": counts, "above": ABOVE, "whole": whole}
    return Statement("single_dimensional/top_down/first_cut", leaves)


def first_cut_of_roots(table: exp.Table, ancestors: exp.Table, *, depth: int) -> Statement:
    """Create what the first cut of a tree with several roots is specialized from: each place's root is a child."""
    leaves = {"cut": table, "ancestors": ancestors, "above": ABOVE}
    return Statement(
        "single_dimensional/top_down/first_cut_of_roots", {**leaves, "up": range(depth, -1, -1)}
    )


def specialize_tree(
    table: exp.Table, before: exp.Table, ancestors: exp.Table, *, nodes: Sequence[int], depth: int
) -> Statement:
    leaves = {"cut": table, "before": before, "ancestors": ancestors, "nodes": nodes}
    return Statement(
        "single_dimensional/top_down/specialize_tree", {**leaves, "steps": upward(depth)}
    )


def specialize_line(table: exp.Table, before: exp.Table, pieces: Sequence[Piece]) -> Statement:
    return Statement(
        "single_dimensional/top_down/specialize_line",
        {"cut": table, "before": before, "pieces": pieces},
    )


def candidate_classes(
    table: exp.Table,
    tuples: exp.Table,
    cuts: Mapping[int, exp.Table],
    *,
    split: Collection[int],
    within: Sequence[tuple[int, int, int]],
    carried: Sequence[exp.Identifier],
) -> Statement:
    """Create the classes of some columns, of those to `split` by the children of candidates too.

    `within` has columns with an interval each: a tuple has to lie in one of them. Empty, all do.
    """
    columns = [
        {"quasi": quasi, "cut": cut, "splits": quasi in split} for quasi, cut in cuts.items()
    ]
    groups = len(cuts) + len({*split} & {*cuts}) + len(carried)
    return Statement(
        "single_dimensional/top_down/candidate_classes",
        {
            "classes": table,
            "tuples": tuples,
            "carried": carried,
            "within": within,
            "columns": columns,
            "groups": range(1, groups + 1),
        },
    )


def smallest_after(
    classes: exp.Table,
    pairs: Sequence[tuple[int, int, Sequence[int]]],
    counted: Sequence[Mapping[str, object]],
) -> Statement:
    """Fetch the smallest class after each candidate of a requirement and a column.

    Each of `pairs` has the two numbers, and the columns that distinguish the requirement's classes; `counted` has what
    each requirement counts of them.
    """
    described = [
        {**counted[number], "number": number, "quasi": quasi, "columns": columns}
        for number, quasi, columns in pairs
    ]
    leaves = {"classes": classes, "requirements": described}
    return Statement("single_dimensional/top_down/smallest_after", leaves)


def intervals(table: exp.Table, cuts: Iterable[exp.Table]) -> Statement:
    """List the intervals of all columns, by the cut of each."""
    columns = [{"quasi": quasi, "table": cut, "starts": None} for quasi, cut in enumerate(cuts)]
    return Statement(
        "single_dimensional/intervals", {"intervals": table, "columns": columns, "tuples": None}
    )
