"""Statements of top-down specialization: cuts of single columns, and the classes that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.recoding.single_dimensional.margins_sql import place, ways
from kanon_sql.sql.quoting import column, literal, name
from kanon_sql.sql.templates import Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlglot import exp

ABOVE = -2
"""The number of the part that is there before the first; no node and no place has it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """An interval of places that gets a part of a line, and the half of it that the places are in."""

    low: int
    high: int
    part: int
    child: int | None


@dataclass(frozen=True, slots=True)
class CutColumn:
    """Where the parts of a column are: beside each place, or their lowest places alone.

    Then `ends` is the table whose highest place is where the last part ends.
    """

    quasi: int
    table: exp.Table
    part: str
    place: str = "place"
    ends: exp.Table | None = None


def entities(places: exp.Table, *, entity: bool) -> Statement:
    """Count entities, or rows."""
    return Statement("single_dimensional/entities", {"places": places, "entity": entity})


def first_cut(made: exp.Table, margin: exp.Table, *, whole: int) -> Statement:
    """Make what the first cut of a column is specialized from."""
    leaves = {"cut": made, "margin": margin, "above": literal(ABOVE), "whole": literal(whole)}
    return Statement("single_dimensional/first_cut", leaves)


def specialize_tree(
    made: exp.Table,
    before: exp.Table,
    lineage: exp.Table,
    *,
    parts: Iterable[int],
    depth: int,
) -> Statement:
    """Replace nodes by their children in the cut of a tree."""
    return Statement(
        "single_dimensional/specialize_tree",
        {
            "cut": made,
            "before": before,
            "lineage": lineage,
            "parts": [literal(part) for part in parts],
            "steps": ways(depth),
        },
    )


def specialize_line(made: exp.Table, before: exp.Table, pieces: Iterable[Piece]) -> Statement:
    """Replace intervals by their halves in the cut of a line."""
    told = [
        {
            "low": literal(each.low),
            "high": literal(each.high),
            "part": literal(each.part),
            "child": None if each.child is None else literal(each.child),
        }
        for each in pieces
    ]
    return Statement(
        "single_dimensional/specialize_line", {"cut": made, "before": before, "pieces": told}
    )


def linked(
    made: exp.Table,
    places: exp.Table,
    cuts: Mapping[int, exp.Table],
    *,
    split: Iterable[int],
    within: Iterable[tuple[int, int, int]],
    entity: bool,
) -> Statement:
    """Make the classes of some columns, those to `split` by candidates' children too.

    `within` has columns and intervals of their places, of which a row has to have one; or nothing.
    """
    splitting = set(split)
    columns = [
        {
            "cut": cut,
            "alias": name(f"c{quasi}"),
            "place": place(quasi),
            "part": name(_part(quasi)),
            "child": name(_child(quasi)) if quasi in splitting else None,
        }
        for quasi, cut in cuts.items()
    ]
    intervals = [
        {"place": place(quasi), "low": literal(low), "high": literal(high)}
        for quasi, low, high in within
    ]
    return Statement(
        "single_dimensional/linked",
        {
            "linked": made,
            "places": places,
            "entity": entity,
            "within": intervals,
            "columns": columns,
            "groups": [
                literal(n + 1) for n in range(len(cuts) + len(splitting & set(cuts)) + entity)
            ],
        },
    )


def smallest_after(
    linked: exp.Table, asked: Sequence[tuple[int, int, Sequence[int]]], *, entity: bool
) -> Statement:
    """Ask for the smallest class after each candidate: of a requirement, a column, and all of its."""
    told = [
        {
            "requirement": literal(number),
            "quasi": literal(quasi),
            "part": name(_part(quasi)),
            "child": name(_child(quasi)),
            "grouped": [column(_part(each), of="l") for each in columns],
        }
        for number, quasi, columns in asked
    ]
    return Statement(
        "single_dimensional/smallest_after", {"linked": linked, "entity": entity, "asked": told}
    )


def cuts(made: exp.Table, columns: Iterable[CutColumn]) -> Statement:
    """Write down the parts of all columns."""
    told = [
        {
            "quasi": literal(each.quasi),
            "table": each.table,
            "part": name(each.part),
            "place": name(each.place),
            "ends": each.ends,
        }
        for each in columns
    ]
    return Statement("single_dimensional/cuts", {"cuts": made, "columns": told})


def _part(quasi: int) -> str:
    return f"part_{quasi}"


def _child(quasi: int) -> str:
    return f"child_{quasi}"
