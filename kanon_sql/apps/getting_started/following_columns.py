"""Finds columns that follow from a quasi-identifier: age from birth, a city from its ZIP code, a square, a code.

Whoever sees such a column beside the generalized one can undo the generalization, so one is kept and the others dropped.
A column follows from another if each value of this has one value of it, or if it never falls, or never rises, as the
other rises. Pairs are counted in a sample first, and those that pass are counted in all rows.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.apps.getting_started.propose_columns import DROPPED
from kanon_sql.base.documents.text import printable
from kanon_sql.base.sql.quoting import column, literal
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.source import person_keys
from kanon_sql.counting.source.person_keys import AGREEING, BY_CHANCE, greatest_shares
from kanon_sql.engines.source import source_sql
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.getting_started.column_profiles import ColumnProfile
    from kanon_sql.apps.getting_started.propose_columns import ProposedColumn
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import Engine

SAMPLE = 20_000
"""The rows in which pairs of columns are counted first."""
WIDEST = 40
"""The most columns of which pairs are counted: those with the most distinct values."""
FOLLOWING = frozenset({Role.QUASI, Role.INSENSITIVE})
"""The roles of columns that are dropped where they follow: a column with a sensitive name is what a release is made for."""
ORDERED = 10
"""The fewest distinct values of two columns of which the order tells that one follows."""


def follow_by_order(
    source: exp.Table, first: tuple[str, str, bool], others: Sequence[tuple[str, str, bool]]
) -> Statement:
    """Count how often each column falls, and rises, from one value of the first column to the next larger one.

    A column is a name, the kind of its values, and whether that is its type.
    """
    leaves = {
        "source": source,
        "columns": [
            {"column": column(text, of="s"), "kind": kind, "is_typed": is_typed}
            for text, kind, is_typed in (first, *others)
        ],
        "one": literal(1),
    }
    return Statement("getting_started/follow_by_order", leaves)


def following_columns(
    run: Session,
    table: exp.Table,
    whole_table: exp.Table,
    columns: Sequence[ProposedColumn],
    *,
    rows: int,
    people: int,
) -> dict[str, str]:
    """Return the columns that follow from a quasi-identifier, each with the one that is kept.

    `table` has as many `rows`, and may be a sample of the `whole_table`, in which pairs are confirmed. `people` are the
    rows of the whole table, or the people of whom it has several rows: these agree in all that is true of a person.
    """
    there = [
        each
        for each in columns
        if _may_be_dropped(each) and each.profile.kind != "nested" and each.profile.values > 1
    ]
    # The finer column is kept, unless half of its rows have a value of their own: an age says enough of a day of birth. Of
    # two that say the same, the one with the plainer name is kept. What is known about a person is not dropped because
    # of a column of which nothing is known.
    there.sort(
        key=lambda each: (
            each.profile.nearly_unique,
            -each.profile.values,
            each.role is not Role.QUASI,
            each.undecided,
            len(each.profile.name),
        )
    )
    there = there[:WIDEST]
    small = table
    if rows > SAMPLE:
        small = run.scratch.create("sample", source_sql.sample_rows, table, SAMPLE, of=rows)
    shares = greatest_shares(run.engine, small, [each.profile.name for each in there])
    found: dict[str, str] = {}
    for at, first in enumerate(there):
        name = first.profile.name
        if first.role is not Role.QUASI or name in found:
            continue
        others = [
            each
            for each in there[at + 1 :]
            if each.profile.name not in found
            and first.undecided <= each.undecided
            and not _says_more(each.profile, first.profile)
        ]
        engine = run.engine
        few = min(people, rows, SAMPLE)
        passing = _following(engine, small, first, others, shares, people=few)
        if small is not whole_table:
            passing = _following(
                engine,
                whole_table,
                first,
                passing,
                shares,
                people=people,
                counted=table is whole_table,
            )
        found.update({each.profile.name: name for each in passing})
    return found


def _may_be_dropped(each: ProposedColumn) -> bool:
    return each.role in FOLLOWING or (each.role is Role.SENSITIVE and each.undecided)


def _says_more(other: ColumnProfile, first: ColumnProfile) -> bool:
    """Whether a column has values in rows in which the first has none, from which none can follow."""
    return other.nulls < AGREEING * first.nulls


def _following(
    engine: Engine,
    table: exp.Table,
    first: ProposedColumn,
    others: Sequence[ProposedColumn],
    shares: Mapping[str, float],
    *,
    people: int,
    counted: bool = True,
) -> list[ProposedColumn]:
    """Return the columns that follow from the first in a table, of which the profiles `counted` all rows, or a part.

    `shares` are the shares of rows that have a column's most frequent value.
    """
    if not others:
        return []
    names = [each.profile.name for each in others]
    name = first.profile.name
    values, repeated, _, *same = engine.fetch_counts(
        person_keys.constant_columns(table, name, names)
    )
    follows = {
        other
        for other, agreeing in zip(names, same, strict=True)
        if repeated
        and agreeing >= AGREEING * repeated
        and (people - values) * -math.log10(max(shares[other], 1e-9)) >= BY_CHANCE
    }
    follows |= _ordered(engine, table, first, others, counted=counted)
    return [each for each in others if each.profile.name in follows]


def _ordered(
    engine: Engine,
    table: exp.Table,
    first: ProposedColumn,
    others: Sequence[ProposedColumn],
    *,
    counted: bool,
) -> set[str]:
    """Return the columns of numbers or dates that never fall, or never rise, as the first one rises."""
    measured = [
        _measured(each.profile, counted=counted) for each in others if _has_order(each.profile)
    ]
    if not measured or not _has_order(first.profile):
        return set()
    first_measured = _measured(first.profile, counted=counted)
    counts = engine.fetch_counts(follow_by_order(table, first_measured, measured))
    return {
        other
        for (other, *_), falls, rises in zip(measured, counts[::2], counts[1::2], strict=True)
        if min(falls, rises) == 0 and max(falls, rises) >= ORDERED - 1
    }


def _measured(profile: ColumnProfile, *, counted: bool) -> tuple[str, str, bool]:
    """Return the name of a column, the kind of its values, and whether that is its type; texts are numbers if all `counted` are."""
    kind = "date" if profile.is_date else "number" if counted else profile.kind
    return profile.name, kind, profile.kind != "text"


def _has_order(profile: ColumnProfile) -> bool:
    """Whether the values are numbers or dates, and enough of them that their order does not agree by chance."""
    is_ordered = profile.is_date or (profile.is_number and not profile.unbounded)
    return is_ordered and profile.values >= ORDERED


def with_following(
    columns: Sequence[ProposedColumn], follows: Mapping[str, str], said: Collection[str]
) -> list[ProposedColumn]:
    """Drop the columns that follow from a quasi-identifier, except those about which a user has `said` something."""
    quasi = {each.profile.name for each in columns if each.role is Role.QUASI}
    return [
        replace(each, role=Role.IDENTIFYING, rest=DROPPED, why=_why(first), undecided=False)
        if (first := follows.get(each.profile.name)) in quasi
        and _may_be_dropped(each)
        and each.profile.name not in said
        else each
        for each in columns
    ]


def _why(first: str | None) -> str:
    return f"follows {printable(first or '')}, and would undo its generalization"
