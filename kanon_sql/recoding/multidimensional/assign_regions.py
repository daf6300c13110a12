"""Assign tuples and rows to the regions of a partition, by the branches that lead there, and find the regions' labels."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, cast

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.lattice.result import SetFigures
from kanon_sql.errors import InternalError
from kanon_sql.policy.hierarchies.labels_sql import ReleasedRegions, quasi_columns
from kanon_sql.policy.search_options import Width
from kanon_sql.recoding.axes import count_tuples
from kanon_sql.recoding.label_codes import REGION
from kanon_sql.recoding.multidimensional import region_cuts_sql, regions_sql
from kanon_sql.recoding.multidimensional.apportioned_values import apportion, show_kept
from kanon_sql.recoding.multidimensional.regions_sql import (
    LineAxis,
    Packed,
    ReleasedValues,
    keys_of,
)
from kanon_sql.recoding.query import ReleaseQuery
from kanon_sql.recoding.staging_sql import recoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.hierarchies.labels_sql import Released
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.policy.privacy.privacy_model import SensitiveAttribute
    from kanon_sql.recoding.axes import Space
    from kanon_sql.recoding.multidimensional.apportioned_values import ApportionedPairs
    from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable
    from kanon_sql.recoding.multidimensional.region_cuts_sql import CutStatement
    from kanon_sql.recoding.multidimensional.regions_sql import Axis, LinedRows, Regions
    from kanon_sql.recoding.planning.make_plan import Planned


@dataclass(frozen=True, slots=True)
class RowOrder:
    """What distinguishes tuples where cuts are relaxed: their coordinates, sensitive values, entities.

    The `axes` that coordinates are packed by are not known to the text of a plan, which is written without the data.
    """

    axes: Sequence[Axis] | None
    sensitive: Mapping[SensitiveAttribute, exp.Table]
    entity: str | None


def stage_by_regions(
    staged: exp.Table,
    source: exp.Table,
    *,
    assigned: exp.Table,
    regions: exp.Table,
    policy: Policy,
    released: Sequence[Released],
    order: Sequence[str],
    relaxed: RowOrder | None = None,
    lined: LinedRows | None = None,
    rows: int = 0,
) -> Statement:
    """Write the staged table of rows by regions, shuffled; rows that lie in none are left out.

    `assigned` has the region of each tuple of coordinates, or of each row of a tuple where cuts are
    `relaxed`; `regions` what each region is released as. Where rows are `lined` each is numbered in the line of all, and
    lies in the region of its number: if its place in the line is between those of the region's rows when it was made.
    """
    leaves = recoded(source, policy, released, order, with_hidden=True)
    places = [column("place", of=f"q{n}") for n in range(len(released))]
    if lined is not None:
        entries = cast("list[dict[str, exp.Column]]", leaves["columns"])
        carried = [{**each, "carried": each["from"].table != REGION} for each in entries]
        if lined.holds(carried):
            carried = [{**each, **lined.read(each)} for each in carried]
            leaves["joins"] = []
        else:
            lined = replace(lined, rows=None)
        leaves |= {"lined": _lined(lined, places), "columns": carried}
        leaves |= {"regions": regions, "codes": [], "failing": None}
        return Statement(
            "recoding/stage", {"staged": staged, "in_any_order": False, **leaves}, scans=rows
        )
    if relaxed is None:
        codes = [
            {"from": each, "as": name(f"place_{n}"), "assigned": None}
            for n, each in enumerate(places)
        ]
    else:
        packed = Packed.keys(places, relaxed.axes)
        of: dict[str, object] = {f"tuple_{n}": key for n, key in enumerate(packed)}
        of |= {f"spread_{n}": column("code", of=f"v{n}") for n in range(len(relaxed.sensitive))}
        of |= {} if relaxed.entity is None else {"entity": column(relaxed.entity, of="s")}
        nth, lot, *names = _free(policy, ["nth", "lot", *of])
        leaves["lot"] = name(lot)
        leaves["of_sensitive"] = _joined(relaxed.sensitive)
        leaves["nth"] = name(nth)
        leaves["numbered"] = [
            {"packed" if isinstance(each, Packed) else "from": each, "as": name(free)}
            for free, each in zip(names, of.values(), strict=True)
        ]
        codes = [
            {
                "from": column(free, of="s"),
                "as": name(text),
                "assigned": column(text, of="r") if text.startswith("spread_") else None,
            }
            for free, text in zip(names, of, strict=True)
        ]
    leaves |= {"assigned": assigned, "regions": regions, "codes": codes, "failing": None}
    return Statement(
        "recoding/stage", {"staged": staged, "in_any_order": False, **leaves}, scans=rows
    )


def region_rows(
    rows: exp.Table, regions: exp.Table, columns: Sequence[Mapping[str, object]], weight: str
) -> Statement:
    """See the labels of each region as one row, with the number of its rows under the name of a `weight`."""
    leaves = {"rows": rows, "regions": regions, "columns": columns, "weight": name(weight)}
    return Statement("multidimensional/region_rows", leaves)


def _lined(lined: LinedRows, places: Sequence[exp.Column]) -> dict[str, object]:
    """Describe the line that rows are numbered in."""
    order = lined.order
    return {
        "axes": range(len(order.axes)),
        "packed": keys_of(order.radixes),
        "given": order.given,
        "radixes": order.radixes,
        "least": order.least,
        "ranks": order.ranks,
        "places": places,
        "filled": lined.filled,
        "cut": lined.cut,
        "rows": lined.rows,
    }


def _joined(sensitive: Mapping[SensitiveAttribute, exp.Table]) -> list[dict[str, object]]:
    """Join the numbers of sensitive values to the source."""
    return [
        {
            "table": table,
            "alias": name(f"v{n}"),
            "column": column(each.column, of="s"),
            "value": column("value", of=f"v{n}"),
        }
        for n, (each, table) in enumerate(sensitive.items())
    ]


def _free(policy: Policy, texts: Sequence[str]) -> list[str]:
    """Return names that no column of the source has."""
    taken = {each.name.casefold() for each in policy.columns}
    while any(text in taken for text in texts):
        texts = [f"{text}_" for text in texts]
    return list(texts)


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
        relaxed = RowOrder(
            space.regions.axes,
            dict(zip(space.regions.sensitive, space.sensitive, strict=True)),
            run.policy.entity,
        )
    released = _released(space, mapped)
    staging = stage_by_regions(
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
    seen = region_rows(staged, regions, columns, weight)
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


@dataclass(frozen=True, slots=True)
class AssignedRegions:
    """The regions that are released, with their bounds and labels, and the tuples of each where these were assigned."""

    regions: exp.Table
    released: ReleasedTable
    tuples: exp.Table | None = None
    lined: LinedRows | None = None


def as_released(run: Session, cutting: Regions, regions: exp.Table) -> exp.Table:
    """Measure finished regions by the widths that releases are compared by, if cuts used other widths."""
    if cutting.width is Width.VALUES:
        return regions
    many = len(cutting.axes)
    bounds = run.scratch.create("region_bounds", regions_sql.bounds_of, regions, many)
    return run.scratch.create("regions", cutting.survey_again, bounds)


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
