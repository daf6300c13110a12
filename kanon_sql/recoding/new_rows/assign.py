"""Statements that assign later rows to the regions or intervals whose boundaries a plan has kept.

`apply --to-new-rows` runs them under names of a run, `compile` prints them under names that can be read. The tables'
names (`named`) stand in such scripts.

Boxes (relaxed regions, or runs of an order) may overlap. A row goes to the narrowest box that contains it (the sum of
its widths over all columns, as the plan measured them; ties by number), unless the class of that box does not fit among
the later rows: then to the narrowest whose class does. A row that no fitting box contains stays in a class that does
not fit, which is suppressed; a row that no box contains is withheld. Rows with equal quasi-identifiers go to the same
box.

Guarantee: a class fits with all its rows. Rows that are assigned in the second step join classes that fit without them,
and further rows or values make no class unfit under the models that are allowed here (those that weigh values are
refused). The result depends on the boxes and the rows alone, and not on their order or the engine.

Cost: each distinct tuple is compared only with the boxes under the nodes of a tree that contain it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column as column_of
from kanon_sql.counting.hierarchies import value_axes
from kanon_sql.counting.hierarchies.value_axes import follows_hierarchy
from kanon_sql.errors import InputError, InternalError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.labels_sql import Released, ReleasedRegions
from kanon_sql.policy.hierarchies.order import Dates, Listed, OrderKind, Steps
from kanon_sql.policy.privacy.demands import requirements, sensitive_attributes
from kanon_sql.policy.privacy.privacy_model import Distribution
from kanon_sql.recoding.multidimensional import assign_regions, region_cuts_sql
from kanon_sql.recoding.multidimensional.region_cuts_sql import CutStatement
from kanon_sql.recoding.multidimensional.regions_sql import ROOT, LineAxis, RegionLabels, Regions
from kanon_sql.recoding.new_rows import boundaries_sql
from kanon_sql.recoding.new_rows.boundaries_sql import AxisCoordinates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.hierarchies.mapping import NewColumn
    from kanon_sql.errors import Fault
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.query import RowsToRecode


@dataclass(frozen=True, slots=True)
class AssignedRows:
    """The tuples that lie in a region, the regions whose classes fit, and the statement that stages rows."""

    inside: exp.Table
    fitting: exp.Table
    released: list[ReleasedRegions]
    staging: Statement

    def unfit_tuples(self, table: exp.Table) -> Statement:
        """Return the statement for the tuples that lie in regions which do not fit."""
        return boundaries_sql.unfit_tuples(table, self.inside, self.fitting)


def are_trees(policy: Policy) -> list[bool]:
    """List for each quasi-identifier whether its axis is a tree, and no line."""
    lines = policy.search.options.by_order
    return [each.order is None or not lines for each in policy.quasi]


def may_overlap(policy: Policy) -> bool:
    """Whether regions may overlap, so that rows are assigned to boxes and not along branches."""
    return policy.search.options.overlapping


def rank_values(
    policy: Policy,
    columns: Sequence[NewColumn],
    boundaries: exp.Table,
    named: Callable[[str, int], exp.Table],
) -> tuple[list[Statement], list[AxisCoordinates]]:
    """Rank every value of each quasi-identifier among those of the rows and of the boundaries."""
    ranked = [rank_column(policy, n, each, boundaries, named) for n, each in enumerate(columns)]
    return [each for steps, _ in ranked for each in steps], [of for _, of in ranked]


def rank_column(
    policy: Policy,
    n: int,
    own: NewColumn,
    boundaries: exp.Table,
    named: Callable[[str, int], exp.Table],
) -> tuple[list[Statement], AxisCoordinates]:
    """Rank every value of one quasi-identifier."""
    axis = named("axis", n + 1)
    if are_trees(policy)[n]:
        nodes = named("nodes", n + 1)
        as_text = own.column.has_entries
        return [
            boundaries_sql.ranked_leaves(
                axis, own.domain, own.paths, height=own.height, as_text=as_text
            ),
            boundaries_sql.label_intervals(nodes, axis, own.height),
        ], AxisCoordinates(axis, nodes)
    match order := own.column.order:
        case Dates() | Steps():
            units = named("units", n + 1)
            return [
                value_axes.units(units, own.domain, order, kept=(boundaries, n)),
                value_axes.unit_line(axis, units, own.domain, order),
            ], AxisCoordinates(axis, units=units, half_open=isinstance(order, Steps))
        case OrderKind() | Listed():
            both = named("values", n + 1)
            above = own.above if follows_hierarchy(own.column) else None
            return [
                boundaries_sql.values_and_boundaries(both, own.domain, boundaries, n),
                value_axes.line(axis, both, order, along=above),
            ], AxisCoordinates(axis)
        case None:
            raise InternalError("a line without an order")
        case _:
            assert_never(order)


def labels_of(policy: Policy) -> list[RegionLabels]:
    """Return the columns of the labels, or the bounds, of each quasi-identifier."""
    return [RegionLabels(n, each.output) for n, each in enumerate(policy.quasi)]


def weighed_problems(policy: Policy) -> list[Fault]:
    """List the models that weigh values: the classes of assigned rows cannot be counted by them."""
    return [
        policy.fault(
            "privacy",
            f"the regions of mondrian are not counted by {each} in a script, in dbt or for new rows; make a plan of "
            f"these rows, or use a search of the lattice",
        )
        for each in policy.privacy
        if any(r.measure.distribution is not Distribution.NONE for r in each.requirements)
    ]


@dataclass(frozen=True, slots=True)
class PlacedTuples:
    """The tuples of rows that lie in a region, and the regions in the same coordinates."""

    inside: exp.Table
    found: exp.Table
    regions: Regions
    coordinates: list[AxisCoordinates]


def place_in_regions(
    policy: Policy,
    source: exp.Table,
    columns: Sequence[NewColumn],
    boundaries: exp.Table,
    *,
    depth: int | None,
    boxes: int,
    named: Callable[[str, int], exp.Table],
    counts: bool = True,
    rows: int = 0,
) -> tuple[list[CutStatement], PlacedTuples]:
    """Assign tuples to regions, and keep those that lie within one.

    Tuples follow the plan's branches, of the given `depth`. If regions may overlap, or boundaries have no branches (no
    `depth`), each tuple goes to the narrowest region that contains it (`assign_boxes`). Without `counts`, the values
    that models need are not counted: regions must not overlap then, so that each tuple lies in at most one. Raises
    InputError for models that weigh values.
    """
    if faults := weighed_problems(policy):
        raise InputError(policy.subject, faults)
    before, coordinates = rank_values(policy, columns, boundaries, named)
    needed = tuple(requirements(policy.privacy)) if counts else ()
    sensitive = sensitive_attributes(needed)
    many, region_labels, entity = len(columns), labels_of(policy), policy.entity if counts else None
    # By now the places of every column are consecutive, like those of a line.
    lines = tuple(LineAxis(each.axis, 0, even=True) for each in coordinates)
    regions = Regions(lines, needed, sensitive, entity=entity is not None)
    codes = [named("codes", n) for n, _ in enumerate(sensitive, start=1)]
    before += [
        mapping_sql.domain_codes(
            table, source, each.column, rows=rows, counts_null=each.counts_null
        )
        for table, each in zip(codes, sensitive, strict=True)
    ]
    found, inside, working = named("regions", 0), named("inside", 0), named("tuples", 1)
    before += [
        boundaries_sql.released_boundaries(
            found, boundaries, dict(enumerate(coordinates)), region_labels
        ),
        value_axes.places(
            working,
            source,
            [
                (column_of(own.column.name, of="s"), each.axis, "place")
                for own, each in zip(columns, coordinates, strict=True)
            ],
            sensitive=[
                (column_of(each.column, of="s"), table)
                for each, table in zip(sensitive, codes, strict=True)
            ],
            entity=None if entity is None else column_of(entity, of="s"),
            region=ROOT,
            rows=rows,
        ),
    ]
    steps = [*map(CutStatement, before)]
    if depth is None or may_overlap(policy):
        steps += assign_boxes(
            regions, inside, working, Boxes(found, boxes), labels=region_labels, named=named
        )
    else:
        branches, assigned = named("branches", 0), named("assigned", 0)
        steps += [
            CutStatement(boundaries_sql.branch_intervals(branches, boundaries, coordinates)),
            *region_cuts_sql.assign(regions, assigned, working, [branches] * depth, named),
            CutStatement(
                boundaries_sql.tuples_within(inside, assigned, found, many), (branches, assigned)
            ),
        ]
    return steps, PlacedTuples(inside, found, regions, coordinates)


def assign_to_regions(
    rows: RowsToRecode, staged: exp.Table, *, depth: int | None, boxes: int
) -> tuple[list[CutStatement], AssignedRows]:
    """Assign rows to regions; keep rows that lie within a region, and the classes that fit."""
    policy, source, columns, named, many = (
        rows.policy,
        rows.source,
        rows.quasi,
        rows.named,
        rows.many,
    )
    steps, placed = place_in_regions(
        policy, source, columns, rows.given, depth=depth, boxes=boxes, named=named, rows=many
    )
    inside, region_labels = placed.inside, labels_of(policy)
    fitting, plain = named("fitting_regions", 0), named("tuples", 0)
    steps += [
        CutStatement(
            boundaries_sql.fitting(fitting, inside, placed.found, region_labels, placed.regions),
            (placed.found,),
        ),
        CutStatement(boundaries_sql.regions_of_tuples(plain, inside, len(columns))),
    ]
    released = [
        ReleasedRegions(own.column, 0, own.height, each.axis, boundaries=of.names)
        for own, each, of in zip(columns, placed.coordinates, region_labels, strict=True)
    ]
    staging = assign_regions.stage_by_regions(
        staged,
        source,
        assigned=plain,
        regions=fitting,
        policy=policy,
        released=released,
        order=rows.order,
        rows=many,
    )
    return steps, AssignedRows(inside, fitting, released, staging)


def released_tuples(
    policy: Policy,
    source: exp.Table,
    columns: Sequence[NewColumn],
    boundaries: exp.Table,
    released: exp.Table,
    *,
    boxes: int,
    named: Callable[[str, int], exp.Table],
) -> list[Statement]:
    """Create the table of each tuple of a source's values that lies in a region, with its labels.

    The table has the columns `value_0` and so on, and those of `labels_of`. Boundaries have no branches.
    """
    steps, placed = place_in_regions(
        policy,
        source,
        columns,
        boundaries,
        depth=None,
        boxes=boxes,
        named=named,
        counts=may_overlap(policy),
    )
    plain = named("tuples", 0)
    return [
        *(each.statement for each in steps),
        boundaries_sql.regions_of_tuples(plain, placed.inside, len(columns)),
        boundaries_sql.released_tuples(
            released,
            source,
            plain,
            placed.found,
            axes=[
                (column_of(own.column.name, of="s"), each.axis)
                for own, each in zip(columns, placed.coordinates, strict=True)
            ],
            labels_of_regions=labels_of(policy),
        ),
    ]


def assign_to_intervals(rows: RowsToRecode) -> tuple[list[Statement], list[Released]]:
    """Map each column's values to the intervals they lie in."""
    policy, named = rows.policy, rows.named
    statements, coordinates = rank_values(policy, rows.quasi, rows.given, named)
    released: list[Released] = []
    for n, (own, each) in enumerate(zip(rows.quasi, coordinates, strict=True)):
        steps, one = assign_column(policy, n, own, each, rows.given, named=named)
        statements += steps
        released.append(one)
    return statements, released


def assign_column(
    policy: Policy,
    n: int,
    own: NewColumn,
    coordinates: AxisCoordinates,
    boundaries: exp.Table,
    *,
    named: Callable[[str, int], exp.Table],
) -> tuple[list[Statement], Released]:
    """Map ranked values of one quasi-identifier to their intervals; values outside are left out."""
    regions, map_ = named("intervals", n + 1), named("map", n + 1)
    labels = [each.without_rows for each in labels_of(policy)]
    return [
        boundaries_sql.released_boundaries(regions, boundaries, {n: coordinates}, labels, only=n),
        boundaries_sql.released_intervals(map_, coordinates.axis, regions, labels[n], quasi=n),
    ], Released(own.column, level=1, height=2, table=map_)


@dataclass(frozen=True, slots=True)
class Boxes:
    """The table of boxes in coordinates, with their labels; `most` bounds their number before it is made."""

    table: exp.Table
    most: int


def assign_boxes(
    regions: Regions,
    inside: exp.Table,
    working: exp.Table,
    boxes: Boxes,
    *,
    labels: Sequence[RegionLabels],
    named: Callable[[str, int], exp.Table],
) -> Iterator[CutStatement]:
    """Assign each tuple that lies in boxes its box, by the module's rule; drops the given tuples.

    Without requirements every class fits: each tuple goes to the narrowest box that contains it.
    """
    many = len(regions.axes)
    containing, first, fitting = (
        named(what, 0) for what in ("containing_boxes", "narrowest", "fitting_boxes")
    )
    yield from boxes_containing(containing, working, boxes, many, named)
    if not regions.requirements:
        yield CutStatement(
            boundaries_sql.narrowest_box(
                inside, working, containing, carried=regions.carried, axes=many
            ),
            (working, containing),
        )
        return
    yield CutStatement(
        boundaries_sql.narrowest_box(first, working, containing, carried=regions.carried, axes=many)
    )
    yield CutStatement(
        boundaries_sql.fitting(fitting, first, boxes.table, labels, regions), (first,)
    )
    yield CutStatement(
        boundaries_sql.narrowest_box(
            inside, working, containing, carried=regions.carried, axes=many, fitting=fitting
        ),
        (working, containing, fitting),
    )


def boxes_containing(
    containing: exp.Table,
    working: exp.Table,
    boxes: Boxes,
    axes: int,
    named: Callable[[str, int], exp.Table],
) -> Iterator[CutStatement]:
    """Find the boxes that contain each tuple, down a tree of boxes; does not drop the given tables."""
    depth = boundaries_sql.depth_of_tree(boxes.most)
    points, parts = named("points", 0), boxes.table
    yield CutStatement(boundaries_sql.points(points, working, axes))
    for n in range(1, depth + 1):
        parted, nodes, after = (named(what, n) for what in ("parted_boxes", "box_nodes", "points"))
        part = boundaries_sql.parts(parted, parts, axes, root=n == 1)
        yield CutStatement(part, () if n == 1 else (parts,))
        yield CutStatement(boundaries_sql.nodes(nodes, parted, axes))
        yield CutStatement(
            boundaries_sql.points_within(after, points, nodes, axes), (points, nodes)
        )
        points, parts = after, parted
    found = boundaries_sql.boxes_of_points(containing, points, parts, axes, tree=depth > 0)
    yield CutStatement(found, (points, parts) if depth else (points,))
