"""Recodings of single columns to parts of several levels: the domain of each cut by what it tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.errors import InfeasibleError
from kanon_sql.flow.regions import BILLION, lay_out
from kanon_sql.flow.script import core_statements, in_parts
from kanon_sql.model.cutting import AnonymityRequirement
from kanon_sql.model.policy import Algorithm
from kanon_sql.model.privacy import demands
from kanon_sql.model.recoding import Parts
from kanon_sql.model.set_figures import SetFigures
from kanon_sql.search.bottom_up import bottom_up
from kanon_sql.search.sql_generalizations import SqlGeneralizations
from kanon_sql.search.sql_specializations import SqlSpecializations
from kanon_sql.search.top_down import top_down
from kanon_sql.sql import axes, hierarchies, sources
from kanon_sql.sql import parts as said
from kanon_sql.sql.leaves import column
from kanon_sql.sql.regions import ROOT, Regions, Shown, Tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.flow.hierarchies import Mapped
    from kanon_sql.flow.regions import Space
    from kanon_sql.flow.session import Session
    from kanon_sql.flow.source import Opened
    from kanon_sql.model.cutting import Cuts
    from kanon_sql.sql.released import Released
    from kanon_sql.sql.templates import Statement


@dataclass(frozen=True, slots=True)
class Parted:
    """Columns whose domains were cut: each one's map from values to parts, and what that comes to.

    `over` has the figures of the sets of quasi-identifiers that are asked of alone.
    """

    maps: tuple[exp.Table, ...]
    recoding: Parts
    cuts: Cuts
    classes: int
    smallest: int
    squares: int
    gcp: float
    over: tuple[SetFigures, ...]


def part_columns(
    run: Session, opened: Opened, mapped: Sequence[Mapped], *, deadline: float | None
) -> Parted:
    """Cut each column's domain by the policy's algorithm. Raises InfeasibleError."""
    space = lay_out(run, opened, mapped)
    leaves: list[exp.Table] = []
    nodes: list[exp.Table | None] = []
    for axis, table in zip(space.regions.axes, space.tables, strict=True):
        if isinstance(axis, Tree):
            leaves.append(run.scratch.table("ranked"))
            made = run.scratch.table("nodes")
            run.engine.say(said.ranked(leaves[-1], table))
            run.engine.say(said.ranked_nodes(made, leaves[-1], axis.masks))
            nodes.append(made)
        else:
            leaves.append(table)
            nodes.append(None)
    places = _places(run, opened, mapped, leaves)
    found, cuts = _search(run, mapped, places, nodes, deadline)
    maps, parts, widths = [], [], []
    for quasi, table in enumerate(leaves):
        map_, boxes = _map(run, space, quasi, domain=mapped[quasi].domain, axis=table, cuts=cuts)
        ((many, width),) = run.engine.ask(said.part_totals(boxes))
        maps.append(map_)
        parts.append(int(str(many)))
        widths.append(int(str(width)))
    names = [column_.name for column_ in run.policy.quasi]
    figures = {}
    for demand in demands(run.policy.privacy):
        of = {n: m for n, m in enumerate(maps) if not demand.columns or names[n] in demand.columns}
        figures[demand.columns] = _classes(run, places, of)
    classes, smallest, squares = figures.pop(())
    return Parted(
        maps=tuple(maps),
        recoding=Parts(tuple(parts), _digest(run, space, maps)),
        cuts=found,
        classes=classes,
        smallest=smallest,
        squares=squares,
        gcp=sum(widths) / BILLION / len(widths) / opened.rows,
        over=tuple(SetFigures(of, many, least) for of, (many, least, _) in figures.items()),
    )


def _places(
    run: Session, opened: Opened, mapped: Sequence[Mapped], leaves: Sequence[exp.Table]
) -> exp.Table:
    """Count the distinct tuples of places and values of the target."""
    target, entity = run.policy.search.target, run.policy.entity
    values = run.scratch.table("values")
    of_target = None
    if target is not None:
        run.engine.say(hierarchies.domain_codes(values, opened.table, target, rows=opened.rows))
        of_target = (column(target, of="s"), values)
    places = run.scratch.table("places")
    run.engine.say(
        axes.places(
            places,
            opened.table,
            [
                (column(each.column.name, of="s"), table, "place")
                for each, table in zip(mapped, leaves, strict=True)
            ],
            spreads=[],
            entity=None if entity is None else column(entity, of="s"),
            target=of_target,
            region=ROOT,
            rows=opened.rows,
        )
    )
    return places


def _search(
    run: Session,
    mapped: Sequence[Mapped],
    places: exp.Table,
    nodes: Sequence[exp.Table | None],
    deadline: float | None,
) -> tuple[Cuts, exp.Table]:
    search, names = run.policy.search, [each.column.name for each in mapped]
    asked = demands(run.policy.privacy)
    requirements = [
        AnonymityRequirement(
            tuple(names.index(name) for name in demand.columns or names), demand.class_size
        )
        for demand in asked
        if demand.binding or len(asked) == 1
    ]
    entity = run.policy.entity is not None
    found: Cuts | None
    if search.algorithm is Algorithm.TOP_DOWN:
        table = SqlSpecializations(
            run.engine,
            run.scratch,
            places=places,
            trees=nodes,
            requirements=requirements,
            entity=entity,
            deadline=deadline,
        )
        found = top_down(table, requirements, names, score=search.score, average=search.average)
        cuts = None if found is None else table.cuts()
    else:
        below = SqlGeneralizations(
            run.engine,
            run.scratch,
            places=places,
            trees=nodes,
            requirements=requirements,
            entity=entity,
        )
        found = bottom_up(below, requirements, names)
        cuts = None if found is None else below.cuts()
    if found is None or cuts is None:
        most = max(each.at_least for each in requirements)
        raise InfeasibleError(
            f"no recoding satisfies the policy: the whole table has fewer than {most} "
            f"{'entities' if entity else 'rows'}"
        )
    return found, cuts


def _map(
    run: Session,
    space: Space,
    quasi: int,
    *,
    domain: exp.Table,
    axis: exp.Table,
    cuts: exp.Table,
) -> tuple[exp.Table, exp.Table]:
    """Map a column's values to what their parts are released as: parts are boxes of one side."""
    of, bounds = space.regions.axes[quasi], space.shown[quasi].bounds
    alone = Regions((of,), ())
    working, regions, boxes, map_ = (
        run.scratch.table(what) for what in ("in_parts", "regions", "boxes", "part_map")
    )
    place = "path" if isinstance(of, Tree) else "place"
    run.engine.say(said.in_parts(working, axis, domain, cuts, quasi=quasi, place=place))
    run.engine.say(alone.survey(regions, working))
    shown = Shown.of(0, bounds=bounds)
    run.engine.say(alone.boxes(boxes, regions, [shown]))
    run.engine.say(said.part_map(map_, axis, cuts, boxes, quasi=quasi, shown=shown))
    return map_, boxes


def _classes(
    run: Session, places: exp.Table, maps: Mapping[int, exp.Table]
) -> tuple[int, int, int]:
    entity = run.policy.entity is not None
    (row,) = run.engine.ask(said.part_classes(places, maps, entity=entity))
    classes, smallest, squares = (int(str(cell)) for cell in row)
    return classes, smallest, squares


def _digest(run: Session, space: Space, maps: Sequence[exp.Table]) -> str:
    """Hash what every value of every column is released as."""
    hashes = []
    for map_, shown in zip(maps, space.shown, strict=True):
        sides = ("low", "high") if shown.bounds else ("label",)
        statement = sources.fingerprint(map_, [(name, True) for name in ("value", *sides)], rows=0)
        ((_, hashed),) = run.engine.ask(statement)
        hashes.append(str(hashed))
    return f"md5:{':'.join(hashes)}"


def stage_parts(
    run: Session, opened: Opened, mapped: Sequence[Mapped], made: Parted, staged: exp.Table
) -> tuple[list[Released], Statement]:
    """Say how rows are staged whose values are in parts, once the classes that fail are known."""
    released = [in_parts(each.column, map_) for each, map_ in zip(mapped, made.maps, strict=True)]
    *found, staging = core_statements(
        run.policy,
        opened.table,
        run.scratch.table("failing"),
        staged,
        released,
        recoded=made.recoding,
        columns=opened.columns,
        rows=opened.rows,
        named=lambda what, _: run.scratch.table(what),
        moved=run.scratch.table("moved"),
    )
    for statement in found:
        run.engine.say(statement)
    return released, staging
