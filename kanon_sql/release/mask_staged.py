"""Stages the rows of a release whose masks work on all staged rows: cells drawn at random, and items of lists."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kanon_sql.recoding.staging_sql import in_any_order
from kanon_sql.release.drawn_cells import draw_cells, is_drawn
from kanon_sql.release.protected_lists import lists_of, protect_lists

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot import exp

    from kanon_sql.counting.run.session import Session
    from kanon_sql.recoding.query import ReleaseQuery


def stage_and_mask(run: Session, query: ReleaseQuery) -> tuple[str, ...]:
    """Stage the rows of a query in steps, each a table of the one before; return warnings of what its lists lost.

    Guarantee: in a shuffled column each class has the same values as before, in a column with noise the sum is the
    same, and any items that are known of a person are those of k people of the class. Raises VerificationError.
    """
    steps: list[Callable[[exp.Table, exp.Table], str | None]] = []
    told: list[str | None] = []
    if is_drawn(run.policy):
        steps.append(partial(_draw, run, query))
    steps += [partial(_protect, run, query, each.name) for each in lists_of(run.policy)]
    before = run.scratch.table("unmasked")
    staging = replace(query.staging, leaves={**query.staging.leaves, "staged": before})
    run.engine.execute(in_any_order(staging) if is_drawn(run.policy) else staging)
    for number, step in enumerate(steps, start=1):
        after = query.staged if number == len(steps) else run.scratch.table("unmasked")
        told.append(step(before, after))
        run.scratch.drop(before)
        before = after
    return tuple(filter(None, told))


def _draw(run: Session, query: ReleaseQuery, before: exp.Table, after: exp.Table) -> None:
    columns = run.engine.columns(before)
    places = run.engine.capabilities.places_rows
    drawn = draw_cells(after, before, run.policy, columns, query.quasi, places_rows=places)
    run.engine.execute(drawn)


def _protect(
    run: Session, query: ReleaseQuery, named: str, before: exp.Table, after: exp.Table
) -> str | None:
    (own,) = (each for each in lists_of(run.policy) if each.name == named)
    return protect_lists(run, query, before, after, own)
