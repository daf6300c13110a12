"""Recodings to boxes: quasi-identifiers as axes, cut into regions, each released as one box."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kanon_sql.errors import (
    HierarchyError,
    InfeasibleError,
    InputError,
    InternalError,
)
from kanon_sql.hierarchies import axes_sql, mapping_sql
from kanon_sql.hierarchies.labels_sql import Boxed
from kanon_sql.hierarchies.order import OrderKind, Steps
from kanon_sql.lattice.encode import map_table, survey_maps
from kanon_sql.lattice.packing import Packing
from kanon_sql.plans.recodings import Boxes
from kanon_sql.policy.search_options import OF_LINES, Algorithm, At, Choose, Dealing, Mondrian
from kanon_sql.privacy.demands import requirements, sensitive_attributes
from kanon_sql.privacy.fitting_sql import whole
from kanon_sql.recoding.multidimensional import assign_regions_sql, cut_scores_sql, region_cuts_sql
from kanon_sql.recoding.multidimensional import regions_sql as said
from kanon_sql.recoding.multidimensional.mondrian import mondrian
from kanon_sql.recoding.multidimensional.partition import SqlPartitioning
from kanon_sql.recoding.multidimensional.regions_sql import (
    ROOT,
    LineAxis,
    RegionLabels,
    Regions,
    TreeAxis,
)
from kanon_sql.recoding.quality import unfit
from kanon_sql.recoding.rare_bounds import find_rare, rare_bounds
from kanon_sql.source import source_sql
from kanon_sql.sql.quoting import column

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from decimal import Decimal

    from sqlglot import exp

    from kanon_sql.hierarchies.mapping import Mapped
    from kanon_sql.recoding.multidimensional.region_cuts_sql import CutStatement
    from kanon_sql.recoding.multidimensional.regions_sql import Axis
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource
    from kanon_sql.sql.templates import Statement

BILLION = 10**9
SHARED = (
    "gives several values one place (times of a day, or spellings of a number), so that a bound could be "
    "that of a suppressed row; make them one value, or say suppression: 0"
)


@dataclass(frozen=True, slots=True)
class Space:
    """The axes of a table with what its regions must reach, and each axis's table of places."""

    regions: Regions
    tables: tuple[exp.Table, ...]
    shown: tuple[RegionLabels, ...]
    spreads: tuple[exp.Table, ...]
    target: exp.Table | None = None

    @property
    def places(self) -> Space:
        """Give what the branches of tuples are known by: where they lie on the axes.

        Tuples that are dealt stand in the order of all that they are told by.
        """
        if self.regions.dealt:
            return self
        alone = replace(self.regions, spreads=(), entity=False, targeted=False)
        return replace(self, regions=alone, spreads=(), target=None)


@dataclass(frozen=True, slots=True)
class Cut:
    """A table that was cut: the branches by depth, its regions, and what the boxes come to.

    `gcp` is the mean, over all cells of the quasi-identifiers, of the side of the cell's box as a
    share of the whole (the global certainty penalty of Ghinita et al., VLDB 2007). `notes` are on its bounds.
    """

    space: Space
    branches: tuple[exp.Table, ...]
    regions: exp.Table
    recoding: Boxes
    classes: int
    smallest: int
    squares: int
    gcp: float
    in_time: bool
    notes: tuple[str, ...] = ()


def _options(run: Session) -> Mondrian:
    """Give what Mondrian is told; other algorithms lay their columns out as it does by default."""
    options = run.policy.search.options
    return options if isinstance(options, Mondrian) else Mondrian()


def lay_out(run: Session, opened: OpenSource, mapped: Sequence[Mapped]) -> Space:
    """Give every value of every quasi-identifier its place.

    A column with an order is a line, any other the leaves of its hierarchy.
    """
    options = _options(run)
    weights = dict(options.weights)
    needed = requirements(run.policy.privacy)
    laid: list[Axis] = []
    tables, shown, faults = [], [], []
    # Bounds are values of kept rows, which are told by their places alone.
    spared = not run.policy.suppression.limit(opened.rows)
    spared = spared or run.policy.search.algorithm is not Algorithm.K_OPTIMIZE
    for number, each in enumerate(mapped):
        weight = weights.get(each.column.name)
        axis: Axis
        if each.column.order is not None and run.policy.search.algorithm in OF_LINES:
            table = each.paths  # the line itself: a column with an order has no paths
            (counts,) = run.engine.fetch(axes_sql.survey_line(table))
            _, last, uneven, sharing = (int(str(cell or 0)) for cell in counts)
            if sharing and not spared and each.units is None:
                faults.append(run.policy.fault(f"columns.{each.column.name}.order", SHARED))
            axis = LineAxis(
                table,
                last,
                not uneven,
                weight,
                each.units,
                half_open=isinstance(each.column.order, Steps),
            )
        else:
            table, axis = _tree(run, each, weight)
        laid.append(axis)
        tables.append(table)
        shown.append(RegionLabels.of(number, each.column.output))
    if faults:
        raise InputError(run.policy.subject, faults)
    spreads = sensitive_attributes(needed)
    dealt = options.cuts is Dealing.RELAXED
    values = [
        _codes(run, opened, each.column, by_bytes=dealt, counts_null=each.counts_null)
        for each in spreads
    ]
    target = _target(run, opened)
    regions = Regions(
        tuple(laid),
        tuple(needed),
        spreads,
        entity=run.policy.entity is not None,
        median=options.at is At.MEDIAN,
        choose=options.choose,
        targeted=target is not None,
        dealt=dealt,
    )
    return Space(regions, tuple(tables), tuple(shown), tuple(values), target)


def _codes(
    run: Session,
    opened: OpenSource,
    text: str,
    *,
    by_bytes: bool = False,
    counts_null: bool = True,
) -> exp.Table:
    codes = run.scratch.table("values")
    run.engine.execute(
        mapping_sql.domain_codes(
            codes,
            opened.table,
            text,
            rows=opened.rows,
            by_bytes=by_bytes,
            counts_null=counts_null,
        )
    )
    return codes


def _target(run: Session, opened: OpenSource) -> exp.Table | None:
    """Give the values of the column that cuts are to tell of numbers: codes, or whole steps of their own."""
    target = run.policy.search.target
    if target is None:
        return None
    if _options(run).choose is not Choose.VARIANCE:
        return _codes(run, opened, target)
    codes = run.scratch.table("values")
    run.engine.execute(cut_scores_sql.whole_numbers(codes, lay_target(run, opened)))
    return codes


def lay_target(run: Session, opened: OpenSource) -> exp.Table:
    """Lay the numbers of a target out on a line. Raises InputError where it has other values."""
    target = run.policy.search.target
    if target is None:
        raise InternalError("a search by variance without a target passed the policy")
    domain, line = run.scratch.table("domain"), run.scratch.table("axis")
    run.engine.execute(mapping_sql.domain(domain, opened.table, target, rows=opened.rows))
    run.engine.execute(axes_sql.line(line, domain, OrderKind.NUMBER))
    (counts,) = run.engine.fetch(axes_sql.survey_line(line))
    if without := int(str(counts[0] or 0)):
        what = f"has {without} distinct values that are no numbers; say choose: information"
        raise InputError(run.policy.subject, [run.policy.fault("search.target", what)])
    return line


def _tree(run: Session, each: Mapped, weight: Decimal | None) -> tuple[exp.Table, TreeAxis]:
    map_ = map_table(run, each, by_bytes=_options(run).cuts is Dealing.RELAXED)
    (facts,), siblings = survey_maps(run, [map_], [each])
    packing = Packing.of(siblings)
    if len(packing.keys) > 1:
        what = "has more branches than a place of 62 bits can tell apart; give it fewer levels"
        where = f"columns.{each.column.name}.hierarchy"
        raise HierarchyError(run.policy.subject, [run.policy.fault(where, what)])
    table, nodes = run.scratch.table("axis"), run.scratch.table("nodes")
    run.engine.execute(axes_sql.tree(table, map_, packing))
    masks = tuple(packing.column_masks(0, n)[0] for n in range(each.hierarchy.height + 1))
    run.engine.execute(axes_sql.nodes(nodes, table, masks, all_leaves=facts.domain))
    return table, TreeAxis(nodes, masks, weight)


def count_places(
    run: Session, opened: OpenSource, space: Space, mapped: Sequence[Mapped]
) -> exp.Table:
    """Count the distinct tuples of places, with all that the models count of them."""
    working = run.scratch.table("working")
    entity, target = run.policy.entity if space.regions.entity else None, run.policy.search.target
    of_target = None
    if target is not None and space.target is not None:
        of_target = column(target, of="s"), space.target
    run.engine.execute(
        axes_sql.places(
            working,
            opened.table,
            [
                (column(each.column.name, of="s"), table, "place")
                for each, table in zip(mapped, space.tables, strict=True)
            ],
            spreads=[
                (column(each.column, of="s"), values)
                for each, values in zip(space.regions.spreads, space.spreads, strict=True)
            ],
            entity=None if entity is None else column(entity, of="s"),
            target=of_target,
            region=ROOT,
            rows=opened.rows,
        )
    )
    return working


def cut(
    run: Session,
    opened: OpenSource,
    mapped: Sequence[Mapped],
    *,
    deadline: float | None,
    depth: int | None = None,
) -> Cut:
    """Cut a table into regions that fit, and count what they come to. Raises InfeasibleError.

    It ends at the `deadline`, or when the rows were cut `depth` times.
    """
    space = lay_out(run, opened, mapped)
    working = count_places(run, opened, space, mapped)
    refuse_unfit(run, space, working)
    rare = find_rare(run, space, working)
    partitioning = SqlPartitioning(
        run.engine,
        run.scratch,
        space.regions,
        working,
        lambda: deadline is not None and time.monotonic() > deadline,
        depth,
    )
    in_time = mondrian(partitioning)
    found = partitioning.partition()
    by_entity = run.policy.entity is not None
    if by_entity or any(each.centre for each in space.shown):  # which bounds do not tell
        working = count_places(run, opened, space, mapped)
        homes, boxes = find_homes(run, space, working, found.branches)
    else:
        boxes = run.scratch.table("boxes")
        run.engine.execute(space.regions.boxes(boxes, found.boxes, space.shown))
    (row,) = run.engine.fetch(said.totals(boxes, space.shown))
    classes, smallest, squares, _, *widths = (int(str(cell)) for cell in row)
    if by_entity:
        ((least,),) = run.engine.fetch(said.smallest(homes, boxes, space.shown))
        smallest = int(str(least))
    hashed_by = [text for each in space.shown for text in each.hashed]
    ((many, hashed),) = run.engine.fetch(source_sql.fingerprint(boxes, [*hashed_by, "row_count"]))
    return Cut(
        space=space,
        branches=found.branches,
        regions=found.boxes,
        recoding=Boxes(int(str(many)), found.depth, run.key.hash(f"{many} boxes: {hashed}")),
        classes=classes,
        smallest=smallest,
        squares=squares,
        gcp=sum(widths) / BILLION / len(widths) / opened.rows,
        in_time=in_time,
        notes=rare_bounds(run, space, rare, [(found.boxes, n) for n in range(len(mapped))]),
    )


def refuse_unfit(run: Session, space: Space, working: exp.Table) -> None:
    """Raise InfeasibleError where all rows as one region do not fit: then no region does."""
    needed = space.regions.requirements
    (row,) = run.engine.fetch(whole(working, needed, space.regions.class_rows))
    why = unfit(needed, [int(str(cell)) for cell in row])
    if why is not None:
        raise InfeasibleError(why)


def lead(
    run: Session, space: Space, working: exp.Table, branches: Sequence[exp.Table]
) -> exp.Table:
    """Lead tuples along branches: in which region each ends.

    The `working` table is gone then, as is all that was made on the way.
    """
    homes = run.scratch.table("homes")
    run_steps(
        run,
        region_cuts_sql.lead(
            space.regions, homes, working, branches, lambda what, _: run.scratch.table(what)
        ),
    )
    return homes


def run_steps(run: Session, steps: Iterable[CutStatement]) -> None:
    """Run steps, and drop what each reads for the last time."""
    for step in steps:
        run.engine.execute(step.statement)
        for table in step.spent:
            run.scratch.drop(table)


def find_homes(
    run: Session, space: Space, working: exp.Table, branches: Sequence[exp.Table]
) -> tuple[exp.Table, exp.Table]:
    """Lead tuples along branches: in which region each ends, and how the regions' boxes are shown."""
    homes = lead(run, space, working, branches)
    regions, boxes = run.scratch.table("regions"), run.scratch.table("boxes")
    run.engine.execute(space.regions.survey(regions, homes))
    centres = {}
    for n, (axis, shown) in enumerate(zip(space.regions.axes, space.shown, strict=True)):
        if isinstance(axis, LineAxis) and shown.centre is not None:
            centres[n] = run.scratch.table("centres")
            run.engine.execute(said.centres(centres[n], homes, axis, n, shown.centre))
    run.engine.execute(space.regions.boxes(boxes, regions, space.shown, centres=centres))
    return homes, boxes


def stage_boxes(
    run: Session, opened: OpenSource, mapped: Sequence[Mapped], made: Cut, staged: exp.Table
) -> tuple[list[Boxed], Statement]:
    """Find each row's box by the source's own rows, and say how they are staged."""
    places = made.space.places
    working = count_places(run, opened, places, mapped)
    homes, boxes = find_homes(run, places, working, made.branches)
    dealt = None
    if places.regions.dealt:
        of_rows = run.scratch.table("homes")
        run.engine.execute(region_cuts_sql.dealt_homes(places.regions, of_rows, homes))
        run.scratch.drop(homes)
        homes = of_rows
        dealt = assign_regions_sql.Dealt(
            dict(zip(places.regions.spreads, places.spreads, strict=True)), run.policy.entity
        )
    released = [
        Boxed(each.column, 0, each.hierarchy.height, table, sides=shown.names)
        for each, table, shown in zip(mapped, made.space.tables, made.space.shown, strict=True)
    ]
    staging = assign_regions_sql.stage_boxes(
        staged,
        opened.table,
        homes=homes,
        boxes=boxes,
        policy=run.policy,
        released=released,
        order=[column.name for column in opened.columns],
        dealt=dealt,
        rows=opened.rows,
    )
    return released, staging
