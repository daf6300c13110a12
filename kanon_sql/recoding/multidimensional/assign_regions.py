"""Assign tuples and rows to the regions of a partition, by the branches that lead there, and find the regions' labels."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column
from kanon_sql.counting.lattice.result import SetFigures
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies.labels_sql import ReleasedRegions, quasi_columns
from kanon_sql.recoding.axes import count_tuples
from kanon_sql.recoding.multidimensional import assign_regions_sql, region_cuts_sql, regions_sql
from kanon_sql.recoding.multidimensional.apportioned_values import apportion, show_kept
from kanon_sql.recoding.multidimensional.regions_sql import LineAxis, ReleasedValues
from kanon_sql.recoding.query import ReleaseQuery

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.recoding.axes import Space
    from kanon_sql.recoding.multidimensional.apportioned_values import ApportionedPairs
    from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable
    from kanon_sql.recoding.multidimensional.region_cuts_sql import CutStatement
    from kanon_sql.recoding.multidimensional.regions_sql import Regions
    from kanon_sql.recoding.planning.make_plan import Planned


def run_steps(run: Session, steps: Iterable[CutStatement]) -> None:
    """Execute statements, and drop each table after the last one that reads it."""
    for step in steps:
        run.engine.execute(step.statement)
        for table in step.spent:
            run.scratch.drop(table)


def assign_tuples(
    run: Session, space: Space, tuples: exp.Table, branches: Sequence[exp.Table]
) -> tuple[exp.Table, ReleasedTable]:
    """Assign each tuple its region, and each region its labels; drops the given `tuples`."""
    assigned = lead_tuples(run, space.regions, tuples, branches)
    return assigned, release_assigned(run, space, assigned)[1]


def lead_tuples(
    run: Session,
    regions: Regions,
    tuples: exp.Table,
    branches: Sequence[exp.Table],
    *,
    in_order: bool = False,
) -> exp.Table:
    """Assign each tuple the region to which branches lead it; drops the given `tuples`.

    With `in_order`, tuples of strict cuts are stored in the order of their regions where an engine gains by that.
    """
    if not branches:
        return tuples
    assigned = run.scratch.table("region_of_tuple")

    def named(what: str, _: int) -> exp.Table:
        return run.scratch.table(what)

    if regions.relaxed:
        steps = region_cuts_sql.assign(regions, assigned, tuples, branches, named)
    else:
        steps = region_cuts_sql.lead(regions, assigned, tuples, branches, named, in_order=in_order)
    run_steps(run, steps)
    return assigned


def release_assigned(
    run: Session,
    space: Space,
    assigned: exp.Table,
    *,
    keyed: bool = False,
    kept: exp.Table | None = None,
) -> tuple[exp.Table, ReleasedTable]:
    """Measure the regions that tuples are assigned to; return them, and the table of their labels.

    The values that regions show may be `kept` by a plan.
    """
    regions = run.scratch.table("regions")
    run.engine.execute(space.regions.as_released.survey(regions, assigned, keyed=keyed))
    return regions, release_regions(run, space, regions, assigned, keyed=keyed, kept=kept)


def stage_regions(
    run: Session,
    opened: OpenSource,
    mapped: Sequence[Mapped],
    staged: exp.Table,
    *,
    found: PartitionedTable,
) -> tuple[list[ReleasedRegions], Statement]:
    """Assign the source's own rows to regions; return the released columns and the staging statement."""
    space = found.space.for_assignment
    assigned, regions = found.assigned, found.released
    if assigned is None:
        tuples = count_tuples(run, opened, space, mapped)
        assigned = lead_tuples(run, space.regions, tuples, found.branches)
    relaxed = None
    if space.regions.overlapping and found.lined is None:
        of_rows = run.scratch.table("region_of_row")
        run.engine.execute(region_cuts_sql.region_of_row(space.regions, of_rows, assigned))
        if found.assigned is None:
            run.scratch.drop(assigned)
        assigned = of_rows
        relaxed = assign_regions_sql.RowOrder(
            space.regions.axes,
            dict(zip(space.regions.sensitive, space.sensitive, strict=True)),
            run.policy.entity,
        )
    released = _released(space, mapped)
    staging = assign_regions_sql.stage_regions(
        staged,
        opened.table,
        assigned=assigned,
        regions=regions.table,
        policy=run.policy,
        released=released,
        order=[column.name for column in opened.columns],
        relaxed=relaxed,
        lined=found.lined,
        rows=opened.rows,
    )
    return released, staging


def _released(space: Space, mapped: Sequence[Mapped]) -> list[ReleasedRegions]:
    """Describe the columns of a release by regions."""
    return [
        ReleasedRegions(each.column, 0, each.hierarchy.height, table, boundaries=labels.names)
        for each, table, labels in zip(mapped, space.tables, space.labels, strict=True)
    ]


def see_regions(
    run: Session, planned: Planned, found: PartitionedTable
) -> tuple[ReleaseQuery, str]:
    """Return the query that sees one row a region in place of its rows, and the column with the number of these.

    All rows of a region are released alike, so that nothing is staged to show labels or to count by them.
    """
    released, staged = _released(found.space, planned.mapped), run.scratch.table("staged")
    columns = [
        {"from": part["from"], "as": part["as"]}
        for each in released
        for part in quasi_columns(each, 0, column(each.column.name))
    ]
    weight, taken = "row_count", {name.casefold() for each in released for name in each.names}
    while weight in taken:
        weight += "_"
    regions = found.released.table
    seen = assign_regions_sql.region_rows(staged, regions, columns, weight)
    run.see(staged, seen)
    order = [each.column.name for each in released]
    return ReleaseQuery(run.policy, regions, staged, released, order, seen), weight


@dataclass(frozen=True, slots=True)
class ReleasedTable:
    """The table of each region's labels; `shown` has the tables of the values that are released alone.

    Where all columns show apportioned values, `pairs` has those of the source and of the regions. `together` has the tables
    of the values that were chosen for all regions together, by the numbers of their columns.
    """

    table: exp.Table
    shown: Mapping[int, exp.Table] = field(default_factory=dict)
    pairs: ApportionedPairs | None = None
    together: Mapping[int, exp.Table] = field(default_factory=dict)


def release_regions(
    run: Session,
    space: Space,
    regions: exp.Table,
    tuples: exp.Table | None = None,
    *,
    keyed: bool = False,
    kept: exp.Table | None = None,
) -> ReleasedTable:
    """Create the table of each region's labels; labels that depend on rows need `tuples` with regions, or are `kept`."""
    found: dict[int, exp.Table] = {}
    shown: dict[int, exp.Table] = {}
    together: dict[int, ReleasedValues] = {}
    for n, (axis, labels) in enumerate(zip(space.regions.axes, space.labels, strict=True)):
        output = labels.output
        if output.by_nodes and isinstance(axis, LineAxis):
            found[n] = run.scratch.create(
                "nodes_of_lines", regions_sql.nodes_of_lines, regions, axis, n
            )
        if not output.is_of_rows:
            continue
        if tuples is None:
            raise InternalError(f"{output} follows from rows, and there are none")
        values = ReleasedValues(axis, space.tables[n], n)
        cells = found[n] = run.scratch.table("cells")
        if output.together:
            together[n] = values
        else:
            for step in values.cells(cells, tuples, run.policy.quasi[n], run.scratch.table):
                run.engine.execute(step)
        if (alone := output.values_shown(cells, space.tables[n])) is not None:
            shown[n] = alone
    pairs, chosen = None, {n: found[n] for n in together}
    if kept is not None:
        show_kept(run, together, chosen, kept)
    elif together and tuples is not None:
        pairs = apportion(run, together, chosen, tuples, space.hidden)
    released = run.scratch.create(
        "released_regions", space.regions.released, regions, space.labels, found=found, keyed=keyed
    )
    every = len(together) == len(space.labels)
    return ReleasedTable(released, shown, pairs if every else None, chosen)


@dataclass(frozen=True, slots=True)
class ClassesOfRegions:
    """The classes of a partition's release: with their tuples, if entities are counted."""

    run: Session
    space: Space
    released: exp.Table
    tuples: exp.Table | None

    def by_size(self) -> Statement:
        return regions_sql.class_sizes(self.tuples, self.released, self.space.labels)

    def over(self, demand: Demand) -> SetFigures:
        """Return the number of classes over a demand's columns, and the size of the smallest."""
        labels = [
            label
            for label, column in zip(self.space.labels, self.run.policy.quasi, strict=True)
            if column.name in demand.columns
        ]
        (row,) = self.run.engine.fetch(regions_sql.totals(self.released, labels))
        classes, smallest = (int(str(cell)) for cell in row)
        if self.tuples is not None:
            statement = regions_sql.smallest(self.tuples, self.released, labels)
            smallest = self.run.engine.fetch_count(statement)
        return SetFigures(demand.columns, classes, smallest)
