"""Turn a plan's recoding, of any kind, into the query that stages the release."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from kanon_sql.engines import pseudonym_keys_sql
from kanon_sql.errors import Fault, StalePlanError, StatementError
from kanon_sql.hierarchies.labels_sql import release_map
from kanon_sql.plans.recodings import (
    Enforced,
    FullDomain,
    LocalSuppression,
    Multidimensional,
    MultiNode,
    SingleDimensional,
    WithoutSmallest,
)
from kanon_sql.privacy.demands import AT_ALL, requirements
from kanon_sql.release.query import (
    ReleaseQuery,
    in_intervals,
    key_names,
    query_at_levels,
    released_columns,
)
from kanon_sql.source.column_problems import pseudonym_secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot import exp

    from kanon_sql.hierarchies.labels_sql import Released
    from kanon_sql.planning.make_plan import Planned
    from kanon_sql.recoding.multidimensional.mondrian import PartitionedTable
    from kanon_sql.recoding.single_dimensional.column_cuts import ColumnCuts
    from kanon_sql.run.session import Session
    from kanon_sql.sql.templates import Statement

MANY_ROWS = 100_000
"""Rows of a source from which counting codes of labels takes less time than counting their texts."""


def recode(run: Session, planned: Planned, staged: exp.Table) -> ReleaseQuery:
    """Return a plan's query of its source, with the steps before staging executed. Raises StalePlanError."""
    labels: Sequence[Statement] = ()
    released: Sequence[Released]
    plan, opened, mapped = planned.plan, planned.opened, planned.mapped
    match plan.recoding:
        case Multidimensional():
            from kanon_sql.recoding.multidimensional.assign_regions import (  # noqa: PLC0415  of Mondrian
                stage_regions,
            )

            found = cut_regions_again(run, planned, plan.recoding)
            columns, staging = stage_regions(run, opened, mapped, staged, found=found)
            order = [column.name for column in opened.columns]
            return ReleaseQuery(
                run.policy, opened.table, staged, columns, order, staging, nodes=opened.nodes
            )
        case SingleDimensional():
            cuts = _column_cuts(run, planned, plan.recoding)
            released = [
                in_intervals(each.column, map_)
                for each, map_ in zip(mapped, cuts.maps, strict=True)
            ]
        case FullDomain() | Enforced() | WithoutSmallest() | MultiNode() | LocalSuppression():
            labels, released = columns_at_levels(run, planned)
        case _:
            assert_never(plan.recoding)
    return recode_columns(run, planned, released, staged, labels=labels)


@contextmanager
def keys_in_session(run: Session) -> Iterator[None]:
    """Store the secrets of pseudonyms in the session for the length of the block."""
    bound: list[str] = []
    try:
        for env in key_names(run.policy):
            for name, pad in pseudonym_keys_sql.padded_keys(
                env, pseudonym_secret(env) or b""
            ).items():
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
        run.policy,
        planned.plan.recoding,
        released,
        source=opened.table,
        staged=staged,
        columns=opened.columns,
        named=lambda what, _: run.scratch.table(what),
        labels=labels,
        rows=opened.rows,
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


def stage_to_count(run: Session, query: ReleaseQuery, *, rows: int) -> ReleaseQuery:
    """Stage rows only to count them; return the query with the table that has them.

    Of many rows labels are codes, as those of a release are: to create their types costs less than to stage texts.
    """
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


def columns_at_levels(
    run: Session, planned: Planned
) -> tuple[Sequence[Statement], Sequence[Released]]:
    """Return the statements that map each column's values to labels at the plan's levels, and the columns."""
    plan = planned.plan
    released = released_columns(
        run.policy,
        plan.recoding,
        plan.heights,
        planned.opened.columns,
        lambda what, _: run.scratch.table(what),
    )
    pairs = list(zip(planned.mapped, released, strict=True))
    known = [replace(one, nulls=each.nulls) for each, one in pairs]
    rows = planned.opened.rows
    return [release_map(one, each.domain, each.paths, rows=rows) for each, one in pairs], known


def cut_regions_again(
    run: Session, planned: Planned, recoding: Multidimensional
) -> PartitionedTable:
    """Return the regions of the search, or cut the source again by the plan. Raises StalePlanError."""
    from kanon_sql.recoding.cuts import CutRequest  # noqa: PLC0415  of Mondrian
    from kanon_sql.recoding.multidimensional.mondrian import (  # noqa: PLC0415  of Mondrian
        PartitionedTable,
        partition_table,
    )

    if isinstance(planned.cut, PartitionedTable):
        return planned.cut
    depth = planned.plan.checks_in_time
    again = CutRequest(run, planned.opened, planned.mapped, deadline=None, resumed=None)
    made, _ = partition_table(again, depth=depth)
    _check_same(made.recoding == replace(recoding, boundaries=None), "boxes")
    return made


def _column_cuts(run: Session, planned: Planned, recoding: SingleDimensional) -> ColumnCuts:
    """Return the cuts of the search, or make those of the plan again. Raises StalePlanError."""
    from kanon_sql.recoding.single_dimensional.column_cuts import (  # noqa: PLC0415  of cut columns
        ColumnCuts,
        recut_columns,
    )

    if isinstance(planned.cut, ColumnCuts):
        return planned.cut
    # Only a search that suppresses rows has classes whose values must not bound an interval.
    required = requirements(run.policy.privacy) if planned.plan.suppressed_rows else AT_ALL
    made = recut_columns(run, planned.opened, planned.mapped, recoding.starts, required)
    _check_same(made.recoding == replace(recoding, boundaries=None), "parts")
    return made


def _check_same(same: bool, kind: str) -> None:  # noqa: FBT001  it is what is checked
    if not same:
        what = "is not what the source is cut into; make the plan again and review it"
        raise StalePlanError("plan", [Fault(f"recoding.{kind}", what)])
