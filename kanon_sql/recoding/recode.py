"""Carries out a plan's recoding, of any kind, in each channel that has SQL for it.

Each recoding has one recoder: it makes the recoding's classes, the SQL in a plan, and the queries of a release, of new
rows and of a script.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar

from kanon_sql.base.sql.words import dialect_of_words
from kanon_sql.counting.plans.recodings import (
    Enforced,
    FullDomain,
    LocalSuppression,
    Multidimensional,
    MultiNode,
    Recoding,
    SingleDimensional,
    WithoutSmallest,
    levels_used,
)
from kanon_sql.counting.source.column_problems import pseudonym_secret
from kanon_sql.counting.source.exposed_rows import (
    SAMPLE,
    count_lengths,
    tabulated_hashes,
    tabulated_rounds,
    write_masked,
)
from kanon_sql.counting.source.person_keys import unique_counts
from kanon_sql.engines import commands_sql
from kanon_sql.engines.base import ColumnType, whole
from kanon_sql.errors import Fault, InternalError, StalePlanError, StatementError
from kanon_sql.policy.hierarchies.labels_sql import Released, ReleasedRegions, release_map
from kanon_sql.policy.mask import CELLS, looked_up_by
from kanon_sql.policy.model import Nulls
from kanon_sql.policy.privacy.demands import (
    AT_ALL,
    demands,
    joint_demands,
    requirements,
    sensitive_attributes,
)
from kanon_sql.policy.privacy.fitting_sql import ValueNodes
from kanon_sql.policy.privacy.populations import population_of
from kanon_sql.recoding import staging_sql
from kanon_sql.recoding.multi_node import released_classes
from kanon_sql.recoding.query import (
    ALL_ROWS,
    POPULATION,
    SOURCE,
    STAGED,
    ReleaseQuery,
    RowsToRecode,
    key_names,
    keys,
    query_at_levels,
    script_table,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from sqlglot import exp

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.session import Session
    from kanon_sql.counting.source.exposed_rows import Tabulated
    from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable
    from kanon_sql.recoding.planning.make_plan import Planned
    from kanon_sql.recoding.query import ClassSteps
    from kanon_sql.recoding.single_dimensional.column_cuts import ColumnCuts

R_co = TypeVar("R_co", bound=Recoding, covariant=True)
Labels = tuple["Sequence[Statement]", "Sequence[Released]"]
"""The statements that map each column's values to labels, and the columns with the names of these maps."""
MOST_PASSES = 32
"""The most passes over several sets of quasi-identifiers; the recount refuses what would take more."""
MANY_ROWS = 100_000
"""Rows of a source from which counting codes of labels takes less time than counting their texts."""
ROWS_OF_VALUE = 8
"""Rows that a value must have on average, so that its cell is looked up in less time than it is masked again."""
PARTS_OF_VALUES = 16
"""Of so many parts of a column's values one is counted, to see whether they have two rows each: then each is hashed once.

HMAC takes six times as long as a look-up. The hash of `fake` and `shift_date` takes hardly longer than one.
"""


@contextmanager
def keys_in_session(run: Session) -> Iterator[None]:
    """Store the secrets of pseudonyms in the session for the length of the block."""
    bound: list[str] = []
    try:
        for env in key_names(run.policy):
            for name, pad in commands_sql.padded_keys(env, pseudonym_secret(env) or b"").items():
                bound.append(name)
                run.engine.store_key(name, pad)
        yield
    finally:
        for name in bound:
            with suppress(StatementError):  # in a broken transaction; never hide what broke it
                run.engine.forget_key(name)


def recode_columns(
    run: Session,
    planned: Planned,
    released: Sequence[Released],
    staged: exp.Table,
    *,
    labels: Sequence[Statement] = (),
    passes: int | None = None,
) -> ReleaseQuery:
    """Return the query of released columns, with the steps before staging executed."""
    opened = planned.opened
    query = query_at_levels(
        RowsToRecode.of(run, planned, None),
        recoder_of(planned.plan.recoding),
        released,
        staged=staged,
        labels=labels,
        passes=passes,
        population=None if opened.population is None else opened.population.table,
        nodes=opened.nodes,
        all_rows=opened.all_rows,
    )
    if planned.encoded is not None:
        from kanon_sql.recoding.counted_classes import (  # noqa: PLC0415  of a release at once
            with_counted_classes,
        )

        query = with_counted_classes(run, planned, query)
    for statement in query.before_staging:
        run.engine.execute(statement)
    return query


@contextmanager
def tabulated_masks(
    run: Session, source: exp.Table, columns: Sequence[ColumnType], rows: int
) -> Iterator[Tabulated]:
    """Tabulate the keyed numbers that the masks of many rows look up, within the block; give the table of each turn, by column.

    Whoever has such a table can undo the mask: it is as secret as the key, and is dropped with the block.
    """
    made: dict[str, Mapping[int, exp.Table]] = {}
    kinds = {each.name for each in columns}
    looks_up = run.engine.capabilities.looks_up_fast and rows >= MANY_ROWS
    if looks_up:
        made |= _tabulated_cells(run, source, columns, rows)
    for each in run.policy.columns if looks_up else ():
        if each.mask is None or not each.mask.keyed or each.name not in kinds or each.name in made:
            continue
        if each.mask.purpose is None:
            counts = unique_counts(run.engine, source, [each.name], parts=PARTS_OF_VALUES)
            if 2 * PARTS_OF_VALUES * counts[each.name].values <= counts[each.name].all_rows:
                table = run.scratch.table("hashes")
                run.engine.execute(tabulated_hashes(table, source, each))
                made[each.name] = {0: table}
        if not each.mask.tabulates:
            continue
        lengths = run.engine.fetch(count_lengths(source, each.name))
        shares = {whole(length): whole(n) * rows / SAMPLE for length, n in lengths}
        if found := each.mask.worth(shares):
            table = run.scratch.table("rounds")
            run.engine.execute(tabulated_rounds(table, each, each.mask, found))
            made[each.name] = dict.fromkeys((turn for turn, *_ in found), table)
    yield made
    for of_turns in made.values():
        run.scratch.drop(next(iter(of_turns.values())))


def _tabulated_cells(
    run: Session, source: exp.Table, columns: Sequence[ColumnType], rows: int
) -> Iterator[tuple[str, Mapping[int, exp.Table]]]:
    """Mask the values of columns that have few of them, each once for all its rows; give the table of each column."""
    from kanon_sql.recoding.label_codes import guess_values, values_to_mask  # noqa: PLC0415  of many rows

    masked = {each.name: each for each in run.policy.columns if each.mask and each.mask.repeats}
    found = [each for each in columns if each.name in masked and each.family in {"text", "integer"}]
    if not found:
        return
    values = run.engine.fetch_counts(guess_values(source, [each.name for each in found]))
    for each, many in zip(found, values, strict=True):
        if ROWS_OF_VALUE * many <= rows:
            of_values, by = run.scratch.table("values"), looked_up_by(each)
            run.engine.execute(values_to_mask(of_values, source, each.name, by))
            own = replace(run.policy, columns=(replace(masked[each.name], name="cell"),))
            both = [ColumnType("value", "BLOB"), replace(each, name="cell")]
            cells = write_masked(replace(run, policy=own), of_values, both, keyless=False)
            run.scratch.drop(of_values)
            yield each.name, {CELLS: cells}


def stage_to_count(run: Session, query: ReleaseQuery, *, rows: int) -> ReleaseQuery:
    """Stage rows only to count them; return the query with the table that has them.

    Of many rows labels are codes, as those of a release are: to create their types costs less than to stage texts.
    """
    query = replace(query, staging=staging_sql.in_any_order(query.staging))
    if rows < MANY_ROWS:
        run.engine.execute(query.staging)
        return query
    from kanon_sql.recoding.label_codes import stage_rows  # noqa: PLC0415  of many rows

    return stage_rows(run, query)


def drop_counted(run: Session, query: ReleaseQuery) -> None:
    """Drop the rows that `stage_to_count` staged."""
    run.scratch.drop(query.staged)
    if query.codes is not None:
        run.scratch.drop(query.codes.table)


class Recoder(Generic[R_co]):
    """Carries out a recoding whose columns have labels: here at levels, and the classes that fail are suppressed."""

    def __init__(self, recoding: R_co) -> None:
        self.recoding = recoding

    def classes(self, of: ClassSteps, passes: int | None) -> Iterator[Statement]:
        """Yield the statements that create the recoding's classes, and the table of failing ones.

        Classes over several sets are suppressed in `passes` passes, by default as many as the plan's own rows took.
        """
        own = self.recoding.passes
        if own and of.policy.nulls is Nulls.WILDCARD:
            return staging_sql.classes_without_candidates(
                of.tables("fitting", (passes or own) + 1),
                of.failing,
                of.rows,
                least=demands(of.policy.privacy)[0].class_size,
            )
        if joint := joint_demands(of.policy.privacy):
            steps = of.tables("fitting", max(passes or own, 1) + 1)
            return staging_sql.joint_classes(steps, of.failing, of.rows, joint)
        return of.unfit()

    def columns(self, rows: RowsToRecode) -> list[Released]:
        """Return each quasi-identifier with the levels it is released at and the name of its map."""
        # What a database makes of bounds beside decimals or floats may round the values themselves.
        exact = {c.name for c in rows.columns if c.family == "integer"}
        released = []
        for quasi, column in enumerate(rows.policy.quasi):
            level, *others = levels_used(self.recoding, quasi)
            released.append(
                Released(
                    column,
                    level,
                    rows.heights[column.name],
                    rows.named("map", quasi + 1),
                    tuple(others),
                    column.name in exact,
                    self.recoding.ranks,
                )
            )
        return released

    def labels(self, rows: RowsToRecode) -> Labels:
        """Map the values of rows to labels, by the plan and its boundaries."""
        pairs = list(zip(rows.quasi, self.columns(rows), strict=True))
        maps = [release_map(one, own.domain, own.paths, rows=rows.many) for own, one in pairs]
        return maps, [replace(one, nulls=own.nulls) for own, one in pairs]

    def recode(self, run: Session, planned: Planned, staged: exp.Table) -> ReleaseQuery:
        """Return a plan's query of its source, with the steps before staging executed. Raises StalePlanError."""
        labels, released = self.labels(RowsToRecode.of(run, planned, None))
        return recode_columns(run, planned, released, staged, labels=labels)

    def recode_new(
        self,
        run: Session,
        planned: Planned,
        staged: exp.Table,
        boundaries: exp.Table | None,
        *,
        as_built: bool = False,
    ) -> tuple[ReleaseQuery, int]:
        """Return the query of rows that the plan was not made from, and how many the recoding assigns.

        The steps before staging are executed. Rows `as_built` by a model of dbt are assigned without branches, and
        suppressed in the plan's own passes.
        """
        labels, released = self.labels(RowsToRecode.of(run, planned, boundaries))
        passes = None if as_built else MOST_PASSES
        query = recode_columns(run, planned, released, staged, labels=labels, passes=passes)
        return query, count_assigned(run, planned.opened.table, released)

    def plan_steps(self, rows: RowsToRecode, value_heights: Mapping[str, int]) -> list[Statement]:
        """Return the statements that a plan's file shows."""
        query = query_at_levels(
            rows,
            self,
            self.columns(rows),
            staged=STAGED,
            population=None if population_of(rows.policy.privacy) is None else POPULATION,
            nodes={
                text: ValueNodes(script_table("nodes", n), height)
                for n, (text, height) in enumerate(value_heights.items(), start=1)
            },
            all_rows=ALL_ROWS if rows.policy.nulls is Nulls.SUPPRESS else None,
        )
        return [*query.classes, query.staging]

    def script_query(self, rows: RowsToRecode) -> ReleaseQuery:
        """Return the query of a script."""
        labels, released = self.labels(rows)
        return query_at_levels(
            rows,
            self,
            released,
            staged=STAGED,
            labels=labels,
            all_rows=ALL_ROWS if rows.policy.nulls is Nulls.SUPPRESS else None,
        )


class _AlsoSuppressed(Recoder["Enforced | WithoutSmallest"]):
    """Some classes that fit are suppressed too."""

    def classes(self, of: ClassSteps, passes: int | None) -> Iterator[Statement]:
        del passes
        short, steps = of.named("short", 1), of.tables("fitting", 2)
        return staging_sql.enforced_classes(
            short, of.failing, of.rows, steps=steps, smallest=self.recoding.smallest
        )


class _AtNodes(Recoder[MultiNode]):
    """Each class is released at the first of several nodes where it fits."""

    def classes(self, of: ClassSteps, passes: int | None) -> Iterator[Statement]:
        del passes
        steps = of.tables("remainder", len(self.recoding.nodes))
        return released_classes.released_at_nodes(
            of.rows, self.recoding.nodes, steps=steps, moved=of.moved, failing=of.failing
        )


class _WithSuppressedCells(Recoder[LocalSuppression]):
    """Cells of outliers are suppressed, if there are any."""

    def classes(self, of: ClassSteps, passes: int | None) -> Iterator[Statement]:
        del passes
        if not self.recoding.moves:
            return of.unfit()
        rounds = range(1, self.recoding.suppressed_cells.rounds + 1)
        return released_classes.released_with_suppressed_cells(
            of.rows,
            self.recoding.combinations,
            steps=[
                *of.tables("outliers", 2),
                *(of.named("suppressed", number) for number in rounds),
                of.named("after_suppression", 1),
            ],
            moved=of.moved,
            failing=of.failing,
        )


class _InIntervals(Recoder[SingleDimensional]):
    """Each value is released as the interval or node of its column that contains it."""

    def columns(self, rows: RowsToRecode) -> list[Released]:
        return [
            Released(each, level=1, height=2, table=rows.named("map", n))
            for n, each in enumerate(rows.policy.quasi, start=1)
        ]

    def labels(self, rows: RowsToRecode) -> Labels:
        from kanon_sql.recoding.new_rows.assign import assign_to_intervals  # noqa: PLC0415  of cuts

        return assign_to_intervals(rows)

    def recode(self, run: Session, planned: Planned, staged: exp.Table) -> ReleaseQuery:
        released = [
            Released(each.column, level=1, height=2, table=map_)
            for each, map_ in zip(planned.mapped, self._cuts(run, planned).maps, strict=True)
        ]
        return recode_columns(run, planned, released, staged)

    def _cuts(self, run: Session, planned: Planned) -> ColumnCuts:
        """Return the cuts of the search, or make those of the plan again. Raises StalePlanError."""
        from kanon_sql.recoding.single_dimensional.column_cuts import (  # noqa: PLC0415  of cut columns
            ColumnCuts,
            recut_columns,
        )

        if isinstance(planned.cut, ColumnCuts):
            return planned.cut
        # Only a search that suppresses rows has classes whose values must not bound an interval.
        required = requirements(run.policy.privacy) if planned.plan.suppressed_rows else AT_ALL
        made = recut_columns(run, planned.opened, planned.mapped, self.recoding.starts, required)
        _check_same(made.recoding == self.recoding.with_boundaries(None), "parts")
        return made


class _InRegions(Recoder[Multidimensional]):
    """Each row is released as the region that contains it; regions, and not labels, make classes."""

    def recode(self, run: Session, planned: Planned, staged: exp.Table) -> ReleaseQuery:
        from kanon_sql.recoding.multidimensional.assign_regions import (  # noqa: PLC0415  of Mondrian
            stage_regions,
        )

        opened = planned.opened
        found = cut_regions_again(run, planned)
        columns, staging = stage_regions(run, opened, planned.mapped, staged, found=found)
        order = [column.name for column in opened.columns]
        return ReleaseQuery(
            run.policy, opened.table, staged, columns, order, staging, nodes=opened.nodes
        )

    def recode_new(
        self,
        run: Session,
        planned: Planned,
        staged: exp.Table,
        boundaries: exp.Table | None,
        *,
        as_built: bool = False,
    ) -> tuple[ReleaseQuery, int]:
        from kanon_sql.recoding.multidimensional.assign_regions import (  # noqa: PLC0415  of Mondrian
            run_steps,
        )
        from kanon_sql.recoding.new_rows import boundaries_sql  # noqa: PLC0415  of Mondrian
        from kanon_sql.recoding.new_rows.assign import assign_to_regions  # noqa: PLC0415  of Mondrian

        rows = RowsToRecode.of(run, planned, boundaries)
        depth = None if as_built else self.recoding.depth
        steps, made = assign_to_regions(rows, staged, depth=depth, boxes=self.recoding.regions)
        run_steps(run, steps)
        assigned = run.engine.fetch_count(boundaries_sql.count_assigned(made.inside))
        query = ReleaseQuery(
            run.policy, rows.source, staged, made.released, rows.order, made.staging
        )
        return query, assigned

    def plan_steps(self, rows: RowsToRecode, value_heights: Mapping[str, int]) -> list[Statement]:
        from kanon_sql.recoding.multidimensional import (  # noqa: PLC0415  few plans have regions
            assign_regions,
            regions_sql,
        )

        del value_heights
        released = [
            ReleasedRegions(
                each,
                0,
                rows.heights[each.name],
                script_table("axis", number),
                boundaries=regions_sql.RegionLabels(number - 1, each.output).names,
            )
            for number, each in enumerate(rows.policy.quasi, start=1)
        ]
        relaxed = None
        if rows.policy.search.options.overlapping:
            counted = sensitive_attributes(requirements(rows.policy.privacy))
            codes = {each: script_table("values", n) for n, each in enumerate(counted, start=1)}
            relaxed = assign_regions.RowOrder(None, codes, rows.policy.entity)
        return [
            assign_regions.stage_by_regions(
                STAGED,
                rows.source,
                assigned=script_table("region_of_tuple"),
                regions=script_table("regions"),
                policy=rows.policy,
                released=released,
                order=rows.order,
                relaxed=relaxed,
            )
        ]

    def script_query(self, rows: RowsToRecode) -> ReleaseQuery:
        from kanon_sql.recoding.new_rows.assign import assign_to_regions  # noqa: PLC0415  of Mondrian

        depth, boxes = self.recoding.depth, self.recoding.regions
        steps, made = assign_to_regions(rows, STAGED, depth=depth, boxes=boxes)
        failing = rows.named("failing_classes", 0)
        return ReleaseQuery(
            rows.policy,
            rows.source,
            STAGED,
            made.released,
            rows.order,
            made.staging,
            [step.statement for step in steps],
            [made.unfit_tuples(failing)],
            failing,
        )


RECODERS: dict[type[Recoding], type[Recoder[Any]]] = {
    FullDomain: Recoder,
    Enforced: _AlsoSuppressed,
    WithoutSmallest: _AlsoSuppressed,
    MultiNode: _AtNodes,
    LocalSuppression: _WithSuppressedCells,
    Multidimensional: _InRegions,
    SingleDimensional: _InIntervals,
}
"""The recoder of each recoding."""


def recoder_of(recoding: Recoding) -> Recoder[Recoding]:
    """Return what carries out a recoding."""
    return RECODERS[type(recoding)](recoding)


def recode(run: Session, planned: Planned, staged: exp.Table) -> ReleaseQuery:
    """Return a plan's query of its source, with the steps before staging executed. Raises StalePlanError."""
    query = recoder_of(planned.plan.recoding).recode(run, planned, staged)
    return query.with_masks(planned.opened.columns)


def plan_sql(
    run: Session,
    recoding: Recoding,
    heights: Mapping[str, int],
    columns: Sequence[ColumnType],
    value_heights: Mapping[str, int] | None = None,
) -> str:
    """Return the recoding's statements as text for the plan file and its reviewer.

    `value_heights` has the heights of sensitive columns' hierarchies, if a model reads these.
    """
    policy, dialect = run.policy, run.engine.dialect
    # How keys are prepared is printed where a shell of the database could do that.
    prepared = keys(policy) if dialect_of_words(dialect).local_files else ()
    rows = RowsToRecode(policy, SOURCE, columns, (), heights, None, script_table)
    *steps, staging = recoder_of(recoding).plan_steps(rows, value_heights or {})
    staging = staging_sql.with_masks(staging, policy, columns)
    return text_of([*prepared, *steps, staging], dialect)


def count_assigned(run: Session, source: exp.Table, released: Sequence[Released]) -> int:
    """Count the rows of a source whose values all have labels."""
    from kanon_sql.recoding.new_rows import boundaries_sql  # noqa: PLC0415  of new rows

    return run.engine.fetch_count(boundaries_sql.count_released(source, released))


def cut_regions_again(run: Session, planned: Planned) -> PartitionedTable:
    """Return the regions of the search, or those of the cut beside the plan, or else cut the source again.

    Raises StalePlanError.
    """
    from kanon_sql.recoding.multidimensional.kept_cut import (  # noqa: PLC0415  of Mondrian
        check_cut,
        read_cut,
    )
    from kanon_sql.recoding.multidimensional.mondrian import (  # noqa: PLC0415  of Mondrian
        PartitionedTable,
        partition_table,
    )
    from kanon_sql.recoding.rare_bounds import CutRequest  # noqa: PLC0415  of Mondrian

    if isinstance(planned.cut, PartitionedTable):
        return planned.cut
    depth = planned.plan.checks_in_time
    again = CutRequest(run, planned.opened, planned.mapped, None, None, stages=True)
    recoding = planned.plan.recoding
    if not isinstance(recoding, Multidimensional):
        raise InternalError("a plan without regions was cut into regions again")
    kept = read_cut(run, recoding, planned.kept_cut)
    try:
        made, _ = partition_table(again, depth=depth, kept=kept)
    except ValueError:  # regions that no search makes, as more depths than regions
        if kept is not None:
            check_cut(kept, same=False)
        raise
    same = made.recoding == recoding.with_boundaries(None)
    if kept is not None:
        check_cut(kept, same=same)
    _check_same(same, "boxes")
    return made


def _check_same(same: bool, kind: str) -> None:  # noqa: FBT001  it is what is checked
    if not same:
        what = "is not what the source is cut into; make the plan again and review it"
        raise StalePlanError("plan", [Fault(f"recoding.{kind}", what)])
