"""Quasi-identifiers as axes: each value has a coordinate, and a table is its distinct tuples of these.

Mondrian cuts such axes into regions, and searches of single-dimensional recodings into intervals or nodes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, assert_never

from kanon_sql.base.documents.text import clause
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column
from kanon_sql.counting.hierarchies import value_axes
from kanon_sql.counting.lattice.encode import map_table, nodes_of_codes, survey_maps
from kanon_sql.engines.capabilities import KEY_BITS
from kanon_sql.errors import HierarchyError, InfeasibleError, InputError, InternalError
from kanon_sql.policy.hierarchies import mapping_sql
from kanon_sql.policy.hierarchies.mapping_sql import Packing
from kanon_sql.policy.hierarchies.order import Dates, Listed, OrderKind, Steps
from kanon_sql.policy.privacy.demands import requirements_unsuppressed, sensitive_attributes
from kanon_sql.policy.privacy.fitting_sql import TableValues, order_leaves, table_values, whole
from kanon_sql.policy.search_options import Algorithm, At, Choose, Dealing, Runs, Width
from kanon_sql.recoding.measured import unfit
from kanon_sql.recoding.multidimensional import region_cuts_sql
from kanon_sql.recoding.multidimensional.regions_sql import (
    ROOT,
    LineAxis,
    RegionLabels,
    Regions,
    RunSizes,
    TreeAxis,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.engines.base import Family
    from kanon_sql.policy.hierarchies.order import Order
    from kanon_sql.policy.metrics.statistics import ColumnStatistics
    from kanon_sql.recoding.multidimensional.regions_sql import Axis

BILLION = 10**9
"""Widths are summed in whole billionths of an axis."""
MEASURED_FAMILIES: Mapping[Family, str] = {
    **dict.fromkeys(("integer", "decimal", "float"), OrderKind.NUMBER.value),
    **dict.fromkeys(("date", "timestamp"), OrderKind.DATE.value),
}
"""The kind of order that values of a family of types are measured by."""
SHARED = (
    "gives several values one position (times of a day, or spellings of a number), so that a bound could be "
    "that of a suppressed row; make them one value, or say suppression: 0"
)


def measured_by(each: Mapped, opened: OpenSource | None = None) -> str | None:
    """Return the kind of order that a column's widths follow: number, date or list; None without an order.

    A column whose cells stand for what a class has follows the type that it has in the `opened` source, if it has no order.
    """
    order: Order | None = each.column.order
    match order:
        case None:
            if opened is None or not each.column.output.is_of_class:
                return None
            families = {of.name: of.family for of in opened.columns}
            return MEASURED_FAMILIES.get(families[each.column.name])
        case OrderKind.NUMBER | Steps():
            return OrderKind.NUMBER.value
        case OrderKind.DATE | Dates():
            return OrderKind.DATE.value
        case (
            OrderKind.TEXT
            | OrderKind.ALPHABETICAL
            | OrderKind.FREQUENCY
            | OrderKind.LIST
            | Listed()
        ):
            return OrderKind.LIST.value
        case _:
            assert_never(order)


@dataclass(frozen=True, slots=True)
class Space:
    """The axes of a table, each axis's table of coordinates, and codes of sensitive values and the target."""

    regions: Regions
    tables: tuple[exp.Table, ...]
    labels: tuple[RegionLabels, ...]
    sensitive: tuple[exp.Table, ...]
    target: exp.Table | None = None
    hidden: exp.Table | None = None
    """The values that are not shown alone, as too few have them: counted once, while the tuples have the entities."""

    @property
    def for_assignment(self) -> Space:
        """Return the space that is enough to assign tuples to regions: coordinates alone.

        Where regions overlap, rows are numbered in an order of all columns of the tuples, so nothing is left out.
        """
        if self.regions.overlapping:
            return self
        alone = replace(self.regions, sensitive=(), entity=False, targeted=False)
        return replace(self, regions=alone, sensitive=(), target=None)


def _run_sizes(run: Session, rows: int) -> RunSizes | None:
    """Return the sizes of runs where the policy groups rows by their order, else None."""
    options = run.policy.search.options
    if options.grouped is None:
        return None
    least = requirements_unsuppressed(run.policy.privacy)[0].bound
    return RunSizes(least, options.grouped is Runs.LEAST_LOSS, rows, one_sort=options.sorts_once)


def lay_out(run: Session, opened: OpenSource, mapped: Sequence[Mapped]) -> Space:
    """Assign every value of every quasi-identifier its coordinate.

    A column with an order is a line, any other the leaves of its hierarchy. Raises InputError where a search that
    suppresses rows could release a bound of such a row, and HierarchyError where a tree has too many branches.
    """
    search, options = run.policy.search, run.policy.search.options.cutting
    weights = dict(options.weights)
    suppresses = search.options.bounds_released and opened.max_suppressed(run.policy.suppression)
    axes: list[Axis] = []
    tables, faults = [], []
    by_order = search.options.by_order
    trees = _surveyed_trees(run, [m for m in mapped if m.column.order is None or not by_order])
    for each in mapped:
        weight = weights.get(each.column.name)
        if (surveyed := trees.get(each.column.name)) is not None:
            table, tree = _tree(run, each, weight, surveyed)
            tables.append(table)
            axes.append(tree)
            continue
        table = each.paths  # the line itself: a column with an order has no paths
        (counts,) = run.engine.fetch(value_axes.survey_line(table))
        _, last, uneven, sharing = (int(str(cell or 0)) for cell in counts)
        if sharing and suppresses and each.units is None:
            faults.append(run.policy.fault(f"columns.{each.column.name}.order", SHARED))
        half_open = isinstance(each.column.order, Steps)
        floating = half_open and each.column.name in opened.floating
        levels = () if each.above is None else each.above.levels
        line = LineAxis(
            table,
            last,
            not uneven,
            weight,
            each.units,
            half_open=half_open,
            floating=floating,
            nodes=each.nodes,
            levels=levels,
        )
        tables.append(table)
        axes.append(line)
    if faults:
        raise InputError(run.policy.subject, faults)
    needed = requirements_unsuppressed(run.policy.privacy)
    sensitive = sensitive_attributes(needed)
    overlapping = search.options.overlapping
    values = [
        _codes(
            run,
            opened,
            each.column,
            by_bytes=overlapping,
            counts_null=each.counts_null,
            order=None if each.order is None else order_leaves(each.order, column("value")),
        )
        for each in sensitive
    ]
    target = _target(run, opened)
    regions = Regions(
        tuple(axes),
        tuple(needed),
        sensitive,
        entity=run.policy.entity is not None,
        median=options.at is At.MEDIAN,
        choose=options.criterion,
        targeted=target is not None,
        relaxed=options.cuts is Dealing.RELAXED,
        runs=_run_sizes(run, opened.rows),
        width=options.width,
        values=_count_values(run, tables) if options.width is Width.DISTINCT else (),
    )
    labels = tuple(RegionLabels(n, each.column.output) for n, each in enumerate(mapped))
    return Space(regions, tuple(tables), labels, tuple(values), target)


def _count_values(run: Session, tables: Sequence[exp.Table]) -> tuple[int, ...]:
    return tuple(run.engine.fetch_count(value_axes.count_places(table)) for table in tables)


@dataclass(frozen=True, slots=True)
class _SurveyedTree:
    """The mapping table of a tree, its number of leaves, and the greatest number of a child at each level.

    A `flat` tree has one label above all of its leaves.
    """

    map: exp.Table
    leaves: int
    siblings: list[int]
    flat: bool


def _surveyed_trees(run: Session, mapped: Sequence[Mapped]) -> dict[str, _SurveyedTree]:
    """Create the mapping tables of columns that are trees, and survey them all in one statement."""
    if not mapped:
        return {}
    overlapping = run.policy.search.options.overlapping
    maps = [
        map_table(run.scratch, each, by_bytes=overlapping or each.column.output.is_of_rows)
        for each in mapped
    ]
    columns, siblings = survey_maps(run.engine, maps, mapped)
    return {
        each.column.name: _SurveyedTree(map_, of.domain, children, _is_flat(of))
        for each, map_, of, children in zip(mapped, maps, columns, siblings, strict=True)
    }


def _is_flat(column: ColumnStatistics) -> bool:
    """Return whether a hierarchy has one level, of one label that all leaves are under."""
    return len(column.levels) == 2 and column.levels[1].narrowest == column.domain


def _tree(
    run: Session, each: Mapped, weight: Decimal | None, surveyed: _SurveyedTree
) -> tuple[exp.Table, TreeAxis]:
    # Places of few bits are small numbers: several are packed into one, and leaves have their values as bits.
    bits = sum(last.bit_length() for last in surveyed.siblings)
    packing = Packing.of([surveyed.siblings], min(bits, KEY_BITS))
    if len(packing.keys) > 1:
        what = (
            "has more branches than a coordinate of 62 bits can distinguish; give it fewer levels"
        )
        where = f"columns.{each.column.name}.hierarchy"
        raise HierarchyError(run.policy.subject, [run.policy.fault(where, what)])
    table, nodes = run.scratch.table("axis"), run.scratch.table("nodes")
    masks = tuple(packing.column_masks(0, n)[0] for n in range(each.hierarchy.height + 1))
    levels = each.column.levels
    keep = masks[levels.least] if levels.least else None
    most = levels.most if levels.most is not None and levels.most < each.hierarchy.height else None
    run.engine.execute(value_axes.tree(table, surveyed.map, packing, keep=keep))
    run.engine.execute(
        value_axes.nodes(nodes, table, masks, least=levels.least, all_leaves=surveyed.leaves)
    )
    flat = surveyed.flat and not levels.least
    return table, TreeAxis(nodes, masks, weight, levels.least, most, flat)


def _codes(
    run: Session,
    opened: OpenSource,
    text: str,
    *,
    by_bytes: bool = False,
    counts_null: bool = True,
    order: Mapping[str, object] | None = None,
) -> exp.Table:
    return run.scratch.create(
        "values",
        mapping_sql.domain_codes,
        opened.table,
        text,
        rows=opened.rows,
        by_bytes=by_bytes and order is None,
        counts_null=counts_null,
        order=order,
    )


def _target(run: Session, opened: OpenSource) -> exp.Table | None:
    """Return codes of the values of the target, or for cuts by variance its numbers, as whole numbers."""
    target = run.policy.search.target
    if target is None:
        return None
    if run.policy.search.options.cutting.criterion is not Choose.VARIANCE:
        return _codes(run, opened, target)
    return run.scratch.create("values", region_cuts_sql.whole_numbers, lay_target(run, opened))


def lay_target(run: Session, opened: OpenSource) -> exp.Table:
    """Lay the numbers of a target out on a line. Raises InputError where it has other values."""
    target = run.policy.search.target
    if target is None:
        raise InternalError("a search by variance without a target passed the policy")
    domain, line = run.scratch.table("domain"), run.scratch.table("axis")
    run.engine.execute(mapping_sql.domain(domain, opened.table, target, rows=opened.rows))
    run.engine.execute(value_axes.line(line, domain, OrderKind.NUMBER, rows=opened.rows))
    (counts,) = run.engine.fetch(value_axes.survey_line(line))
    if without := int(str(counts[0] or 0)):
        what = f"{clause(without, 'distinct value', 'are not numbers')}; say choose: information"
        raise InputError(run.policy.subject, [run.policy.fault("search.target", what)])
    return line


def count_tuples(
    run: Session, opened: OpenSource, space: Space, mapped: Sequence[Mapped]
) -> exp.Table:
    """Count the distinct tuples of coordinates, with the values and entities that privacy models count."""
    working = run.scratch.table("working")
    entity, target = run.policy.entity if space.regions.entity else None, run.policy.search.target
    of_target = None
    if target is not None and space.target is not None:
        of_target = column(target, of="s"), space.target
    run.engine.execute(
        value_axes.places(
            working,
            opened.table,
            [
                (column(each.column.name, of="s"), table, "place")
                for each, table in zip(mapped, space.tables, strict=True)
            ],
            sensitive=[
                (column(each.column, of="s"), values)
                for each, values in zip(space.regions.sensitive, space.sensitive, strict=True)
            ],
            entity=None if entity is None else column(entity, of="s"),
            target=of_target,
            region=ROOT,
            rows=opened.rows,
            nulls=[each.nulls for each in mapped],
        )
    )
    return working


def weigh_tuples(run: Session, opened: OpenSource, space: Space, tuples: exp.Table) -> Space:
    """Return the space with counts of the whole table's values, where models compare regions with it."""
    regions = space.regions
    nodes = nodes_of_codes(run.scratch, opened, regions.sensitive, space.sensitive)
    of_table = {}
    for each, values, statement in table_values(
        regions.requirements,
        partial(run.scratch.table, "table_values"),
        lambda of: TableValues(
            tuples, regions.class_rows.value(of), weighted=True, coded=True, nodes=nodes.get(of)
        ),
    ):
        run.engine.execute(statement)
        of_table[each] = values
    return replace(space, regions=replace(regions, of_table=of_table))


def beyond_levels(run: Session) -> InfeasibleError:
    """Return the error where nothing fits at the coarsest levels that the policy allows."""
    bounded = "; ".join(
        f"columns.{column.name}.levels has most: {column.levels.most}"
        for column in run.policy.quasi
        if column.levels.most is not None
    )
    return InfeasibleError(
        f"no recoding satisfies the policy within the levels that columns may have: {bounded}. "
        f"{run.policy.search.algorithm} suppresses no rows: allow a coarser level, or use a search of the "
        f"lattice, such as {Algorithm.OPTIMAL}, with suppression"
    )


def check_whole_table(run: Session, space: Space, tuples: exp.Table) -> None:
    """Raise InfeasibleError where all rows as one region do not fit: then no region does."""
    needed = space.regions.requirements
    (row,) = run.engine.fetch(whole(tuples, needed, space.regions.class_rows))
    why = unfit(needed, [int(str(cell)) for cell in row])
    if why is not None:
        raise InfeasibleError(why)
