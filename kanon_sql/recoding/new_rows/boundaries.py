"""The sides of boxes and parts, kept beside a plan in a file, by hash: what rows to come are put into."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.engines.atomic_write import atomic_write
from kanon_sql.engines.base import ElsewhereError
from kanon_sql.errors import (
    Fault,
    InputError,
    StalePlanError,
    StatementError,
)
from kanon_sql.plans.plan import Plan
from kanon_sql.recoding.multidimensional.regions import Cut
from kanon_sql.recoding.multidimensional.regions_sql import LineAxis
from kanon_sql.recoding.new_rows import boundaries_sql as said
from kanon_sql.recoding.new_rows.assign import are_trees
from kanon_sql.source import source_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from kanon_sql.plans.recodings import Boxes, Parts
    from kanon_sql.recoding.single_dimensional.cut_columns import Parted
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource

AGAIN = "make the plan again"
NOT_KEPT = "no rows but its own can be put into what this plan makes, and no script says it:"


def beside_plan(plan_file: str) -> str:
    """Name the file of a plan's sides, but for its ending.

    >>> beside_plan("lake/people.plan.yml"), beside_plan("people")
    ('lake/people.plan.sides', 'people.sides')
    """
    return f"{plan_file.removesuffix('.yml').removesuffix('.yaml')}.sides"


def sides_of(plan: str | Path | Plan) -> str:
    """Name the file of a plan's sides: beside its own, or where they were just written."""
    return (plan.beside or "") if isinstance(plan, Plan) else beside_plan(str(plan))


def make_sides(run: Session, made: Cut | Parted) -> exp.Table:
    """Make the table of the sides that were found."""
    axes = made.space.regions.axes
    ends = {}
    for n, axis in enumerate(axes):
        if isinstance(axis, LineAxis) and axis.units is None:
            ends[n] = run.scratch.table("line_values")
            run.engine.execute(said.ends(ends[n], axis.table))
    table = run.scratch.table("sides")
    if isinstance(made, Cut):
        statement = said.sides(table, axes, ends, regions=made.regions, branches=made.branches)
    else:
        statement = said.sides(table, axes, ends, parts=made.regions)
    run.engine.execute(statement)
    return table


@dataclass(frozen=True, slots=True)
class Kept:
    """A recoding with the hash of its sides, and the file that they are in; or why they are in none."""

    recoding: Boxes | Parts
    path: str | None = None
    why: str | None = None


def keep_sides(run: Session, made: Cut | Parted, stem: str) -> Kept:
    """Write the sides to a file, which takes the place of one of that name.

    What is written is read back and compared. There is no file where boxes overlap: a row may lie in
    several of them, and its values do not say in which; nor where they are shown by their middle,
    which is that of their own rows.
    """
    if made.space.regions.dealt or any(each.centre for each in made.space.shown):
        return Kept(made.recoding)
    trees, table = are_trees(run.policy), make_sides(run, made)
    names = said.columns(trees)
    hashed = _hash(run, table, trees)
    path = Path(_with_ending(run, stem))
    try:
        with atomic_write(path) as place:
            run.engine.keep(table, names, str(place.written))
            for each in place.written.rglob(".*.crc"):  # Hadoop's own checksum of each file
                each.unlink()
            seen = _recalled(run, table, str(place.written))
            if _hash(run, seen, trees) != hashed:
                return Kept(made.recoding, why=f"{NOT_KEPT} a column is of a type that files lack")
            run.scratch.drop(seen)
            place.move(replace=True)
    except ElsewhereError:
        return Kept(made.recoding, why=f"{NOT_KEPT} the session's files are not this machine's")
    except OSError as error:
        what = f"cannot be written ({os.strerror(error.errno or 0)})"
        raise InputError(str(path), [Fault("", what)]) from error
    return Kept(replace(made.recoding, sides=hashed), str(path))


def recall_sides(
    run: Session, opened: OpenSource, recoding: Boxes | Parts, *, stem: str
) -> exp.Table:
    """Give the sides that a plan was kept with, for a source. Raises InputError and StalePlanError."""
    own, trees = [each.name for each in run.policy.quasi], are_trees(run.policy)
    like = run.scratch.table("like")
    run.engine.execute(said.like(like, opened.table, run.policy.quasi, trees))
    table = held_sides(run, recoding, like, sides_file(run, recoding, stem))
    declared = {each.name: each.type for each in run.engine.columns(like)}
    found = {each.name: each.type for each in run.engine.columns(table)}
    faults = [
        Fault(f"columns.{of}", "is of another type than it was when the plan was made")
        for n, of in enumerate(own)
        if not trees[n] and declared[f"low_{n}"] != found[f"low_{n}"]
    ]
    if faults:
        raise StalePlanError("plan", faults)
    return table


def sides_file(run: Session, recoding: Boxes | Parts, stem: str) -> str:
    """Name the file of a plan's sides; raises InputError where there is none."""
    path = _with_ending(run, stem)
    if recoding.sides is None:
        what = (
            f"has no sides, which rows are put into: {AGAIN} into a file (from Python, with sides=), "
            f"by strict cuts and with output: labels or bounds; a Spark Connect session keeps none"
        )
        raise InputError("plan", [Fault("recoding.sides", what)])
    if not stem:
        what = "are beside a plan's file, and this plan is none; say where, with sides="
        raise InputError("plan", [Fault("recoding.sides", what)])
    if not Path(path).exists():
        what = f"is missing; it was written beside the plan: keep the two together, or {AGAIN}"
        raise InputError(path, [Fault("", what)])
    return path


def held_sides(run: Session, recoding: Boxes | Parts, like: exp.Table, path: str) -> exp.Table:
    """See the sides in a file, if they are those that the plan has the hash of. Raises StalePlanError."""
    trees = are_trees(run.policy)
    try:
        table = _recalled(run, like, path)
        named = said.columns(trees)
        if [each.name for each in run.engine.columns(table)] != named:
            raise StalePlanError(path, [Fault("", f"is not of this plan; {AGAIN}")])
        if _hash(run, table, trees) != recoding.sides:
            what = f"is not the hash of {path}; {AGAIN}"
            raise StalePlanError("plan", [Fault("recoding.sides", what)])
    except StatementError as error:
        what = f"cannot be read ({error.kind}); {AGAIN}"
        raise StalePlanError(path, [Fault("", what)]) from error
    return table


def _with_ending(run: Session, stem: str) -> str:
    """Give a file its ending, if it has none yet."""
    ending = f".{run.engine.capabilities.boundary_format}"
    return stem if stem.endswith(ending) else f"{stem}{ending}"


def _recalled(run: Session, like: exp.Table, path: str) -> exp.Table:
    seen = run.scratch.table("recalled")
    run.scratch.is_view(seen, view=run.engine.recall(seen, like, path))
    return seen


def _hash(run: Session, table: exp.Table, trees: Sequence[bool]) -> str:
    columns = [(text, False) for text in said.columns(trees)]
    ((_, hashed),) = run.engine.fetch(source_sql.seal(table, columns, rows=0))
    return f"sha256:{hashed}"
