"""Single-dimensional recoding: the domain of each column is cut into intervals, the same for all rows.

An interval holds the leaves below a node of a hierarchy, or neighbours in the order of a column's
values. Values are known by their coordinates: their ranks among the leaves, or in the order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column, name
from kanon_sql.base.sql.templates import Statement
from kanon_sql.counting.lattice.result import SetFigures
from kanon_sql.counting.plans.recodings import SingleDimensional
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import InputError, InternalError
from kanon_sql.policy.cut_steps import AnonymityRequirement
from kanon_sql.policy.outputs import NODE
from kanon_sql.policy.privacy.demands import AT_ALL, demands, joint_demands
from kanon_sql.policy.privacy.risks import size_counts
from kanon_sql.recoding.axes import beyond_levels, check_whole_table, count_tuples, lay_out
from kanon_sql.recoding.multidimensional.regions_sql import RegionLabels, Regions, TreeAxis
from kanon_sql.recoding.rare_bounds import CutFound, find_rare, outcome_of_cut, rare_bounds
from kanon_sql.recoding.single_dimensional import cut_scores
from kanon_sql.recoding.single_dimensional.cut_scores import RemovedLoss, TupleSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.cut_steps import Cuts, CutStep
    from kanon_sql.policy.metrics.statistics import Cost
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.policy.privacy.fitting_sql import ClassRows
    from kanon_sql.policy.privacy.privacy_model import Requirement
    from kanon_sql.policy.privacy.risks import SizeCount
    from kanon_sql.recoding.axes import Space
    from kanon_sql.recoding.rare_bounds import CutRequest
    from kanon_sql.recoding.single_dimensional.bottom_up import BottomUpTable
    from kanon_sql.recoding.single_dimensional.top_down import TopDownTable

    Starts = tuple[tuple[int, ...], ...]
    """The first coordinate of each interval, column by column."""


def ranked_paths(table: exp.Table, tree: exp.Table) -> Statement:
    return Statement("single_dimensional/ranked_paths", {"ranked": table, "axis": tree})


def node_intervals(
    nodes: exp.Table, ranked: exp.Table, levels: Sequence[tuple[int, int]]
) -> Statement:
    """List the nodes of a tree: (node, parent, low, high, level); `levels` are numbered, with the bits that each keeps."""
    leaves = {"nodes": nodes, "ranked": ranked, "levels": levels}
    return Statement("single_dimensional/node_intervals", leaves)


def interval_starts(intervals: exp.Table) -> Statement:
    return Statement("single_dimensional/interval_starts", {"intervals": intervals})


def loaded_intervals(intervals: exp.Table, loaded: exp.Table) -> Statement:
    leaves = {"intervals": intervals, "loaded": loaded}
    return Statement("single_dimensional/loaded_intervals", leaves)


def assigned_intervals(
    table: exp.Table, axis: exp.Table, intervals: exp.Table, *, quasi: int, coordinate: str
) -> Statement:
    """Assign each coordinate of a column its interval, and the `coordinate` that the axis has for it."""
    return Statement(
        "single_dimensional/assigned_intervals",
        {
            "assigned": table,
            "axis": axis,
            "intervals": intervals,
            "quasi": quasi,
            "coordinate": column(coordinate, of="a"),
        },
    )


def kept_tuples(
    table: exp.Table,
    tuples: exp.Table,
    assigned: Sequence[exp.Table],
    required: Sequence[Requirement],
    where: ClassRows,
) -> Statement:
    """Keep the tuples whose classes, of the intervals of all columns, have all that is required."""
    leaves = {"kept": table, "tuples": tuples, "columns": list(enumerate(assigned))}
    return Statement(
        "single_dimensional/kept_tuples",
        {**leaves, "requirements": where.requirements(required)},
    )


def interval_tuples(
    table: exp.Table, kept: exp.Table, assigned: exp.Table, *, quasi: int
) -> Statement:
    """Put the values of one column that tuples have into their intervals, as if these were regions."""
    leaves = {"tuples": table, "kept": kept, "assigned": assigned, "quasi": quasi}
    return Statement("single_dimensional/interval_tuples", leaves)


def interval_labels(
    map_: exp.Table,
    axis: exp.Table,
    regions: exp.Table,
    released: exp.Table,
    *,
    coordinate: str,
    released_as: RegionLabels,
) -> Statement:
    """Map each value of a column to what its interval is released as, if it lies within its bounds."""
    return Statement(
        "single_dimensional/interval_labels",
        {
            "map": map_,
            "axis": axis,
            "regions": regions,
            "released": released,
            "labels": [
                {"from": name(label), "as": name(kind)}
                for label, kind in zip(released_as.names, released_as.output.parts, strict=True)
            ],
            "coordinate": column(coordinate, of="a"),
        },
    )


def interval_classes(
    tuples: exp.Table,
    maps: Mapping[int, exp.Table],
    required: Sequence[Requirement],
    where: ClassRows,
) -> Statement:
    """Count the classes over some columns, by their numbers: classes, smallest, squares, rows kept.

    The first of what is required is the size of classes.
    """
    leaves = _of_intervals(tuples, maps, required, where)
    return Statement("single_dimensional/interval_classes", leaves)


def class_sizes(
    tuples: exp.Table,
    maps: Mapping[int, exp.Table],
    required: Sequence[Requirement],
    where: ClassRows,
) -> Statement:
    """Count the classes of each size that fit, and their rows."""
    leaves = _of_intervals(tuples, maps, required, where)
    return Statement("single_dimensional/class_sizes", leaves)


def _of_intervals(
    tuples: exp.Table,
    maps: Mapping[int, exp.Table],
    required: Sequence[Requirement],
    where: ClassRows,
) -> dict[str, object]:
    """Give the leaves of classes over some columns; the first of what is required is their size."""
    size, *others = where.requirements(required)
    described = [
        {**each, "measure": name(f"measure_{number}")} for number, each in enumerate(others)
    ]
    leaves = {"tuples": tuples, "columns": list(maps.items())}
    return {**leaves, "requirements": [{**size, "measure": name("size")}, *described]}


def interval_widths(intervals: exp.Table) -> Statement:
    return Statement("single_dimensional/interval_widths", {"intervals": intervals})


MOST_INTERVALS = 100_000
"""Most intervals of all columns together: a plan lists each, and a reader should be able to read it."""


@dataclass(frozen=True, slots=True)
class RankedColumns:
    """Columns as axes of coordinates without gaps: each one's values, and the nodes of those that are trees."""

    space: Space
    nodes: tuple[exp.Table | None, ...]

    def coordinate(self, quasi: int) -> str:
        """Name the column with a value's coordinate on its axis: `path` for a leaf of a tree, else `place`."""
        return "place" if self.nodes[quasi] is None else "path"


@dataclass(frozen=True, slots=True)
class ColumnCuts:
    """Columns that were cut: each one's intervals as regions of one axis, and the map of values to labels."""

    space: Space
    regions: tuple[exp.Table, ...]
    maps: tuple[exp.Table, ...]
    recoding: SingleDimensional
    widths: tuple[int, ...]


def rank_columns(run: Session, opened: OpenSource, mapped: Sequence[Mapped]) -> RankedColumns:
    """Rank every value in the order of its column, or among the leaves of its hierarchy."""
    space = lay_out(run, opened, mapped)
    # Values that depend on a class's rows are found when classes are known; until then there are intervals, or nodes.
    space = replace(space, labels=tuple(each.without_rows for each in space.labels))
    tables: list[exp.Table] = []
    nodes: list[exp.Table | None] = []
    for axis, table in zip(space.regions.axes, space.tables, strict=True):
        if isinstance(axis, TreeAxis):
            ranked, of_tree = run.scratch.table("ranked"), run.scratch.table("nodes")
            run.engine.execute(ranked_paths(ranked, table))
            run.engine.execute(node_intervals(of_tree, ranked, axis.allowed))
            tables.append(ranked)
            nodes.append(of_tree)
        else:
            tables.append(table)
            nodes.append(None)
    return RankedColumns(replace(space, tables=tuple(tables)), tuple(nodes))


@dataclass(frozen=True, slots=True)
class CutProblem:
    """The input of a single-dimensional search: the ranked columns, and the table of distinct tuples."""

    run: Session
    opened: OpenSource
    columns: RankedColumns
    tuples: exp.Table

    @classmethod
    def open(cls, request: CutRequest) -> CutProblem:
        """Rank the columns and count the tuples. Raises InfeasibleError where all rows together do not fit."""
        run, opened = request.run, request.opened
        columns = rank_columns(run, opened, request.mapped)
        tuples = count_tuples(run, opened, columns.space, request.mapped)
        check_whole_table(run, columns.space, tuples)
        trees = [nodes for nodes in columns.nodes if nodes is not None]
        _check_count(run, trees, "would cut hierarchies of {} nodes", "that it can look at")
        return cls(run, opened, columns, tuples)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.run.policy.quasi)

    @property
    def by_entity(self) -> bool:
        """Whether classes are counted in entities, and not in rows."""
        return self.run.policy.entity is not None

    @property
    def source(self) -> TupleSource:
        """The tuples, with the requirements that a greedy search must meet."""
        return TupleSource(
            self.run.engine,
            self.run.scratch,
            self.tuples,
            self.columns.nodes,
            self.requirements,
            self.by_entity,
            self.columns.space.regions.sensitive,
        )

    @property
    def source_by_loss(self) -> TupleSource:
        """The same, where a specialization gains the loss that it removes."""
        space = self.columns.space
        lines: list[exp.Table | None] = []
        widths: list[exp.Table | None] = []
        for axis, table, nodes in zip(
            space.regions.axes, space.tables, self.columns.nodes, strict=True
        ):
            if nodes is None or not isinstance(axis, TreeAxis):
                lines.append(table)
                widths.append(None)
                continue
            lines.append(None)
            create = self.run.scratch.create
            widths.append(create("widths", cut_scores.node_widths, nodes, table, axis))
        cells = self.opened.rows * len(self.names)
        return replace(
            self.source, gains=RemovedLoss(lines, widths, cells, tuple(self.requirements))
        )

    @property
    def requirements(self) -> list[AnonymityRequirement]:
        """The class sizes and numbers of different values that each set of quasi-identifiers must reach."""
        demanded = demands(self.run.policy.privacy)
        found = [
            AnonymityRequirement(self._over(demand), required.bound, required.measure)
            for demand in demanded
            for required in demand.requirements
            if required.binding
        ]
        return found or [AnonymityRequirement(self._over(demanded[0]), 1)]

    def _over(self, demand: Demand) -> tuple[int, ...]:
        return tuple(self.names.index(name) for name in demand.columns or self.names)

    def solved(
        self,
        intervals: exp.Table,
        *,
        required: Sequence[Requirement] = AT_ALL,
        steps: tuple[CutStep, ...] = (),
        checks_in_time: int | None = None,
        cost: Cost | None = None,
        proven: bool = False,
        lower_bound: int | None = None,
        state: Mapping[str, object] | None = None,
    ) -> CutFound:
        """Cut the columns into the intervals that a search found, and count the classes of the release.

        Classes that do not fit are suppressed.
        """
        run = self.run
        _check_count(run, [intervals], "cuts the columns into {} parts", "that a plan can name")
        starts: list[list[int]] = [[] for _ in self.names]
        for quasi, start in run.engine.fetch(interval_starts(intervals)):
            starts[int(str(quasi))].append(int(str(start)))
        made = apply_cuts(run, self.columns, self.tuples, tuple(map(tuple, starts)), required)
        counts = {
            demand.columns: self._count_classes(made, demand)
            for demand in demands(run.policy.privacy)
        }
        asked = {each.columns for each in joint_demands(run.policy.privacy) if each.columns}
        bounding = _of_bounds(run, self.columns.space)
        rare = find_rare(run, bounding, self.tuples)
        outcome = outcome_of_cut(
            run,
            made.recoding,
            opened=self.opened,
            widths=made.widths,
            counts=counts[()],
            sizes=self._class_sizes(made),
            cost=cost,
            proven=proven,
            lower_bound=lower_bound,
        )
        return CutFound(
            made,
            outcome,
            checks_in_time,
            steps,
            tuple(SetFigures(of, n, least) for of, (n, least, *_) in counts.items() if of in asked),
            state,
            rare_bounds(run, bounding, rare, [(each, 0) for each in made.regions]),
        )

    def solved_by_steps(self, table: TopDownTable | BottomUpTable, found: Cuts | None) -> CutFound:
        """Cut columns by a greedy search's steps. Raises InfeasibleError if nothing fits at allowed levels."""
        if found is None:
            if self.columns.space.regions.bounded:
                raise beyond_levels(self.run)
            raise InternalError("the whole table fits, and its search found nothing that does")
        in_time = len(found.steps) if found.cut_short else None
        return self.solved(table.intervals(), steps=found.steps, checks_in_time=in_time)

    def _class_sizes(self, made: ColumnCuts) -> list[SizeCount]:
        """Count, by size, the classes over all columns that fit."""
        maps, where = dict(enumerate(made.maps)), self.columns.space.regions.rows_of("w")
        required = demands(self.run.policy.privacy)[0].requirements
        statement = class_sizes(self.tuples, maps, required, where)
        return size_counts(self.run.engine.fetch(statement))

    def _count_classes(self, made: ColumnCuts, demand: Demand) -> tuple[int, int, int, int]:
        """Return, over some columns: classes, the smallest, their squared rows, and the suppressed rows."""
        over, where = demand.columns, self.columns.space.regions.rows_of("w")
        maps = {n: made.maps[n] for n, name in enumerate(self.names) if not over or name in over}
        (row,) = self.run.engine.fetch(
            interval_classes(self.tuples, maps, demand.requirements, where)
        )
        classes, smallest, squares, kept = (int(str(cell or 0)) for cell in row)
        return classes, smallest, squares, self.opened.rows - kept


def _of_bounds(run: Session, space: Space) -> Space:
    """Return the space without bounds for columns that release values of each class's rows instead."""
    labels = tuple(
        RegionLabels(n, NODE) if each.output.is_of_rows else own
        for n, (each, own) in enumerate(zip(run.policy.quasi, space.labels, strict=True))
    )
    return replace(space, labels=labels)


def _check_count(run: Session, tables: Sequence[exp.Table], many: str, most: str) -> None:
    """Raise InputError for more intervals or nodes than should be read into memory."""
    found = sum(int(str(run.engine.fetch(source_sql.count_rows(each))[0][0])) for each in tables)
    if found > MOST_INTERVALS:
        what = (
            f"{run.policy.search.algorithm} {many.format(found)}, more than the {MOST_INTERVALS} {most}; "
            f"make values coarser, or use another algorithm"
        )
        raise InputError(run.policy.subject, [run.policy.fault("search.algorithm", what)])


def recut_columns(
    run: Session,
    opened: OpenSource,
    mapped: Sequence[Mapped],
    starts: Starts,
    required: Sequence[Requirement],
) -> ColumnCuts:
    columns = rank_columns(run, opened, mapped)
    tuples = count_tuples(run, opened, columns.space, mapped)
    return apply_cuts(run, columns, tuples, starts, required)


def apply_cuts(
    run: Session,
    columns: RankedColumns,
    tuples: exp.Table,
    starts: Starts,
    required: Sequence[Requirement],
) -> ColumnCuts:
    """Map every value to the label of its interval.

    Guarantee: an interval is bounded only by values of kept rows, those in classes that meet all of `required`; a value
    outside of these bounds has no label.
    """
    loaded, intervals, kept = (run.scratch.table(what) for what in ("loaded", "intervals", "kept"))
    run.engine.load(
        loaded,
        ["value", "part", "low", "high"],
        (tuple(map(str, each)) for each in SingleDimensional(starts, "").intervals),
    )
    run.engine.execute(loaded_intervals(intervals, loaded))
    assigned = [run.scratch.table("assigned") for _ in columns.nodes]
    for quasi, (axis, table) in enumerate(zip(columns.space.tables, assigned, strict=True)):
        coordinate = columns.coordinate(quasi)
        run.engine.execute(
            assigned_intervals(table, axis, intervals, quasi=quasi, coordinate=coordinate)
        )
    where = columns.space.regions.rows_of()
    run.engine.execute(kept_tuples(kept, tuples, assigned, required, where))
    maps, regions, widths = [], [], []
    for quasi, table in enumerate(assigned):
        own, labels, map_ = _label_intervals(run, columns, quasi, kept=kept, assigned=table)
        ((width,),) = run.engine.fetch(interval_widths(labels))
        regions.append(own)
        maps.append(map_)
        widths.append(int(str(width)))
    recoding = SingleDimensional(starts, _digest(run, columns.space, maps))
    return ColumnCuts(columns.space, tuple(regions), tuple(maps), recoding, tuple(widths))


def _label_intervals(
    run: Session, columns: RankedColumns, quasi: int, *, kept: exp.Table, assigned: exp.Table
) -> tuple[exp.Table, exp.Table, exp.Table]:
    """Return a column's intervals as regions of one axis, their labels, and the map from values to labels."""
    space = columns.space
    alone, released_as = (
        Regions((space.regions.axes[quasi],), ()),
        replace(space.labels[quasi], number=0),
    )
    working, regions, labels, map_ = (
        run.scratch.table(what) for what in ("in_intervals", "regions", "labels", "interval_map")
    )
    run.engine.execute(interval_tuples(working, kept, assigned, quasi=quasi))
    run.engine.execute(alone.survey(regions, working))
    run.engine.execute(alone.released(labels, regions, [released_as]))
    coordinate = columns.coordinate(quasi)
    run.engine.execute(
        interval_labels(
            map_,
            space.tables[quasi],
            regions,
            labels,
            coordinate=coordinate,
            released_as=released_as,
        )
    )
    return regions, labels, map_


def _digest(run: Session, space: Space, maps: Sequence[exp.Table]) -> str:
    """Hash, under the run's key, the label of every value of every column."""
    hashes = []
    for map_, labels in zip(maps, space.labels, strict=True):
        names = ["value", *labels.output.parts]
        ((_, hashed),) = run.engine.fetch(source_sql.fingerprint(map_, names))
        hashes.append(str(hashed))
    return run.key.hash(f"parts: {' '.join(hashes)}")
