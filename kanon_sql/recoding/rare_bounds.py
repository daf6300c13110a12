"""The result of searches that cut, and warnings of bounds in it that are values of few rows, or of few entities.

Such a search cuts the table into regions or each column into intervals, and searches no lattice. Each is a `CutSearch`,
which planning finds in `searches/algorithms.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.quoting import column
from kanon_sql.base.sql.templates import Statement
from kanon_sql.policy.hierarchies.order import OrderKind, Snapped
from kanon_sql.policy.metrics.class_metrics import Discernibility
from kanon_sql.policy.metrics.registry import C_AVG, GCP, LOWER_BOUND, average_class_size
from kanon_sql.policy.privacy.demands import demands, requirements
from kanon_sql.policy.privacy.risks import ReleaseRisk
from kanon_sql.recoding.axes import BILLION
from kanon_sql.recoding.measured import Outcome
from kanon_sql.recoding.multidimensional.regions_sql import LineAxis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.counting.hierarchies.mapping import Mapped
    from kanon_sql.counting.lattice.result import SetFigures
    from kanon_sql.counting.plans.recodings import Multidimensional, SingleDimensional
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.open_source import OpenSource
    from kanon_sql.policy.cut_steps import CutStep
    from kanon_sql.policy.metrics.statistics import Cost
    from kanon_sql.policy.privacy.risks import SizeCount
    from kanon_sql.recoding.axes import Space
    from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable
    from kanon_sql.recoding.single_dimensional.column_cuts import ColumnCuts


def rare_places(
    rare: exp.Table,
    tuples: exp.Table,
    lines: Sequence[int],
    *,
    entity: bool,
    least: int,
    ranked: bool = False,
) -> Statement:
    """Find the coordinates, on numbered axes, that fewer rows than `least` have, or entities; in `ranked` places or tuples."""
    leaves = {"rare": rare, "tuples": tuples, "entity": entity, "least": least, "lines": lines}
    leaves["ranked"] = ranked
    return Statement("recoding/rare_places", leaves)


def rare_counts(rare: exp.Table) -> Statement:
    """Count the rare coordinates on each axis that has some."""
    return Statement("recoding/rare_counts", {"rare": rare})


def count_bounds(
    rare: exp.Table, lines: Iterable[tuple[int, exp.Table, int, exp.Table | None]]
) -> Statement:
    """Count the distinct released values on axes, and the rare ones.

    (axis, its regions, the number of the axis there, a table with the places of values that are no bounds).
    """
    described = [
        {"axis": n, "regions": regions, "own": own, "shown": shown}
        for n, regions, own, shown in lines
    ]
    return Statement("recoding/count_bounds", {"rare": rare, "lines": described})


def count_rare_values(
    source: exp.Table, text: str, *, entity: str | None, least: int, rows: int = 0
) -> Statement:
    """Count the values of a column, and those that fewer than so many rows have, or entities."""
    leaves = {"source": source, "column": column(text, of="s"), "least": least}
    leaves["entity"] = None if entity is None else column(entity, of="s")
    return Statement("recoding/count_rare_values", leaves, scans=rows)


def exact_axes(space: Space) -> list[int]:
    """Return the numbers of the axes that release values of rows, alone or as bounds; not units or nodes."""
    return [
        n
        for n, (axis, labels) in enumerate(zip(space.regions.axes, space.labels, strict=True))
        if (labels.output.shows_values or (labels.output.shows_ends and not axis.tree))
        and (axis.units is None if isinstance(axis, LineAxis) else not axis.least)
    ]


def find_rare(
    run: Session, space: Space, tuples: exp.Table, *, ranked: bool = False
) -> exp.Table | None:
    """Create the table of values that fewer than k rows or entities have; None if no axis releases any.

    The rows of values are counted in tuples, or in places that are `ranked`.
    """
    lines = exact_axes(space)
    if not lines:
        return None
    rare = run.scratch.table("rare")
    least = requirements(run.policy.privacy)[0].bound
    entity = run.policy.entity is not None
    found = rare_places(rare, tuples, lines, entity=entity, least=least, ranked=ranked)
    run.engine.execute(found)
    return rare


def rare_bounds(
    run: Session,
    space: Space,
    rare: exp.Table | None,
    regions: Sequence[tuple[exp.Table, int]],
    *,
    shown: Mapping[int, exp.Table] | None = None,
) -> tuple[str, ...]:
    """Warn of each column with rare bounds, or with rare values in sets or as representatives.

    `regions` has, for each axis, a table of regions or intervals and the number of the axis in it. `shown` has, by
    axis, the table of the coordinates of values that are released alone.
    """
    if rare is None:
        return ()
    by_themselves = shown or {}
    lines = [(n, *regions[n], by_themselves.get(n)) for n in exact_axes(space)]
    k, who = requirements(run.policy.privacy)[0].bound, "rows"
    if run.policy.entity is not None:
        who = "people"
    warnings = []
    for number, many, few in run.engine.fetch(count_bounds(rare, lines)):
        column = run.policy.quasi[int(str(number))]
        if few:
            instead = "give it a hierarchy, or make it coarser in a query"
            if column.order is OrderKind.NUMBER:
                instead = "say snap: and a width, such as 10, to release whole steps"
            elif column.hierarchy is not None and int(str(number)) in by_themselves:
                instead = "say output: node, or make it coarser in a query"
            which = (
                "are released" if int(str(number)) in by_themselves else "bound what is released"
            )
            warnings.append(
                f"columns.{column.name}: {few:,} of the {many:,} values that {which} have "
                f"fewer than {k} {who} each; {instead}"
            )
    return tuple(warnings)


def rare_values(run: Session, opened: OpenSource) -> Iterator[str]:
    """Warn of each column that releases values of its classes' rows, some of them of few rows or entities."""
    k, entity = requirements(run.policy.privacy)[0].bound, run.policy.entity
    who = "rows" if entity is None else "people"
    for each in run.policy.of_rows:
        if isinstance(each.order, Snapped):
            continue
        counted = count_rare_values(
            opened.table, each.name, entity=entity, least=k, rows=opened.rows
        )
        many, few = run.engine.fetch_counts(counted)
        if few:
            yield (
                f"columns.{each.name}: {few:,} of its {many:,} values have fewer than {k} {who} each, and output: "
                f"{each.output} releases values as they are; say output: node, or make it coarser in a query"
            )


@dataclass(frozen=True, slots=True)
class CutFound:
    """The result of a search for cuts: the cut table or columns, their outcome, and notes for the plan.

    `checks_in_time` counts the steps, depths or heads of a search that the time limit ended. The search can be resumed
    from `state`, if it has one.
    """

    made: PartitionedTable | ColumnCuts
    outcome: Outcome
    checks_in_time: int | None = None
    steps: tuple[CutStep, ...] = ()
    over: tuple[SetFigures, ...] = ()
    state: Mapping[str, object] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CutRequest:
    """The input of a search for cuts, which ends at the `deadline` (on the monotonic clock) at the latest."""

    run: Session
    opened: OpenSource
    mapped: Sequence[Mapped]
    deadline: float | None
    resumed: Mapping[str, object] | None
    stages: bool = False
    """Whether the run stages the rows of the release, too."""


CutSearch: TypeAlias = "Callable[[CutRequest], CutFound]"
"""A search for cuts. It may raise InfeasibleError, and StalePlanError where a resumed state does not fit the source."""


def outcome_of_cut(
    run: Session,
    recoding: Multidimensional | SingleDimensional,
    *,
    opened: OpenSource,
    widths: Sequence[int],
    counts: tuple[int, int, int, int],
    sizes: Sequence[SizeCount],
    cost: Cost | None = None,
    proven: bool = False,
    lower_bound: int | None = None,
) -> Outcome:
    """Return the outcome of a release by cuts.

    `counts` are its classes, the smallest, their squared rows, and the suppressed rows. The cost is the global
    certainty penalty, unless the search minimized another: the mean of the widths of all cells, in billionths of an
    axis. A cell of a row that was left out is as wide as the axis.
    """
    classes, smallest, squares, by_size = counts
    rows, suppressed = opened.source_rows, by_size + opened.left_out
    gcp = (sum(widths) / BILLION / len(widths) + opened.left_out) / rows
    k = demands(run.policy.privacy)[0].class_size
    figures = {
        Discernibility.quality.key: float(squares + suppressed * rows),
        C_AVG.key: average_class_size(rows - suppressed, classes, k),
    }
    if lower_bound is not None:
        figures[LOWER_BOUND.key] = float(lower_bound)
    return Outcome(
        recoding,
        (gcp,) if cost is None else cost,
        optimal=proven,
        suppressed=suppressed,
        classes=classes,
        smallest=smallest,
        # The penalty of rows that are suppressed for the size of their class is not defined.
        figures=figures if by_size else {GCP.key: gcp, **figures},
        risk=ReleaseRisk.of(sizes, run.policy.entity),
    )
