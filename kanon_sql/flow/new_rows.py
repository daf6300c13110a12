"""A plan carried out on rows that it was not made from: each goes where the recoding puts it, or nowhere.

A row that has no place in the recoding (a value that a hierarchy has no entry for, or that lies in no
box) is held back. The others are recoded as the plan says; classes that are too small among them are
suppressed, whatever the plan's own rows were, so that the release fits by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kanon_sql.errors import InputError
from kanon_sql.flow.recode import Recoded, columns_at_levels, recode_columns
from kanon_sql.flow.regions import count_places, lay_out, lead, stage_homes
from kanon_sql.flow.script import in_parts
from kanon_sql.flow.sides import recall_sides
from kanon_sql.model.policy import Dealing
from kanon_sql.model.recoding import Boxes, Parts
from kanon_sql.sql import axes
from kanon_sql.sql import sides as said
from kanon_sql.sql.regions import Line

if TYPE_CHECKING:
    from sqlglot import exp

    from kanon_sql.flow.planning import Planned
    from kanon_sql.flow.regions import Space
    from kanon_sql.flow.session import Session
    from kanon_sql.sql.regions import Axis
    from kanon_sql.sql.released import Released

MOST_PASSES = 32
"""Passes over several sets of quasi-identifiers; the recount refuses what would take more."""


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows that a plan was not made from: how many there are, and how many have a place in it."""

    rows: int
    placed: int

    @property
    def held_back(self) -> int:
        """Count the rows that have no place in the recoding."""
        return self.rows - self.placed

    def document(self, released: int) -> dict[str, int]:
        """Tell what became of them."""
        return {
            "new_rows": self.rows,
            "held_back": self.held_back,
            "suppressed": self.placed - released,
        }


def recode_new(
    run: Session, planned: Planned, staged: exp.Table, *, stem: str
) -> tuple[Recoded, NewRows]:
    """Say how rows are staged that the plan was not made from; `stem` names the file of its sides.

    Raises InputError where boxes overlap, or are shown by what their own rows have in the middle.
    """
    faults = []
    if run.policy.search.cuts is Dealing.RELAXED:
        what = "relaxed has boxes that overlap, and new rows may lie in several: say cuts: strict"
        faults.append(run.policy.fault("search.cuts", what))
    for column in run.policy.quasi:
        if column.output.is_centre:
            what = f"{column.output} is of the plan's own rows; new ones need labels or bounds"
            faults.append(run.policy.fault(f"columns.{column.name}.output", what))
    if faults:
        raise InputError(run.policy.subject, faults)
    match planned.plan.recoding:
        case Boxes():
            return _into_boxes(run, planned, planned.plan.recoding, staged, stem)
        case Parts():
            released = _into_parts(run, planned, planned.plan.recoding, stem)
        case _:
            released = columns_at_levels(run, planned)
    made = recode_columns(run, planned, released, staged, passes=MOST_PASSES)
    ((placed,),) = run.engine.ask(said.count_placed(planned.opened.table, released))
    return made, NewRows(planned.opened.rows, int(str(placed)))


def _laid(
    run: Session, planned: Planned, recoding: Boxes | Parts, stem: str
) -> tuple[Space, exp.Table]:
    """Lay the new rows' values and the sides' own on the same axes."""
    opened, mapped = planned.opened, planned.mapped
    space = lay_out(run, opened, mapped, chosen=True)
    own = [each.column.name for each in mapped]
    sides = recall_sides(run, opened, space, recoding, own=own, stem=stem)
    laid: list[Axis] = []
    tables = []
    for n, (each, axis, table) in enumerate(
        zip(mapped, space.regions.axes, space.tables, strict=True)
    ):
        if isinstance(axis, Line) and each.column.order is not None:
            both, line = run.scratch.table("domain"), run.scratch.table("axis")
            run.engine.say(said.with_ends(both, each.domain, sides, n))
            run.engine.say(axes.line(line, both, each.column.order))
            laid.append(replace(axis, table=line))
            tables.append(line)
        else:
            laid.append(axis)
            tables.append(table)
    return replace(
        space, regions=replace(space.regions, axes=tuple(laid)), tables=tuple(tables)
    ), sides


def _into_boxes(
    run: Session, planned: Planned, recoding: Boxes, staged: exp.Table, stem: str
) -> tuple[Recoded, NewRows]:
    """Lead new rows along the branches, and keep those that lie in the box they come to."""
    space, sides = _laid(run, planned, recoding, stem)
    regions, many = space.regions, len(space.regions.axes)
    routes, boxes, inside, fitting, plain = (
        run.scratch.table(what) for what in ("routes", "boxes", "inside", "fitting", "homes")
    )
    run.engine.say(said.routes(routes, sides, regions.axes))
    run.engine.say(said.told(boxes, sides, regions.axes, space.shown))
    working = count_places(run, planned.opened, space, planned.mapped)
    homes = lead(run, space, working, [routes] * recoding.depth)
    run.engine.say(said.within(inside, homes, boxes, many))
    ((placed,),) = run.engine.ask(said.count(inside))
    run.engine.say(said.fitting(fitting, inside, boxes, space.shown, regions))
    run.engine.say(said.homes_of_places(plain, inside, many))
    released, staging = stage_homes(
        run, planned.opened, space, planned.mapped, homes=plain, boxes=fitting, staged=staged
    )
    return Recoded(released, None, staging), NewRows(planned.opened.rows, int(str(placed)))


def _into_parts(run: Session, planned: Planned, recoding: Parts, stem: str) -> list[Released]:
    """Map each column's new values to the parts they lie in."""
    space, sides = _laid(run, planned, recoding, stem)
    released: list[Released] = []
    for n, (each, table, shown) in enumerate(
        zip(planned.mapped, space.tables, space.shown, strict=True)
    ):
        boxes, map_ = run.scratch.table("boxes"), run.scratch.table("part_map")
        run.engine.say(said.told(boxes, sides, space.regions.axes, space.shown, only=n))
        run.engine.say(said.part_map(map_, table, boxes, shown, number=n))
        released.append(in_parts(each.column, map_))
    return released
