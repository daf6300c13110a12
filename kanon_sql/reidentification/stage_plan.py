"""Stages the rows that a plan or a policy would release, so that `risk` can measure them beside the source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.late_dataclass import dataclass
from kanon_sql.planning.make_plan import make_plan
from kanon_sql.planning.open_plan import name_plan, open_plan
from kanon_sql.recoding.recode import keys_in_session, recode
from kanon_sql.recoding.staging_sql import hidden_entity
from kanon_sql.run.inputs import open_run
from kanon_sql.run.open_table import open_table
from kanon_sql.source.open_source import open_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    from sqlglot import exp

    from kanon_sql.engines.connect import Settings
    from kanon_sql.planning.make_plan import Planned
    from kanon_sql.plans.plan import Plan
    from kanon_sql.run.inputs import PolicyInput
    from kanon_sql.run.session import Session


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """A table to measure: its name in messages, its scratch name, its quasi-identifiers, its column of persons.

    `suppressed_before` counts the rows that were left out by their label; None where no such label is named.
    """

    name: str
    table: exp.Table
    quasi: tuple[str, ...]
    entity: str | None
    suppressed_before: int | None = None


def staged_plan(
    stack: ExitStack,
    plan: str | Path | Plan,
    policy: PolicyInput | None,
    source: object,
    *,
    connection: object | None,
    settings: Settings | None,
    progress: Callable[[str], None] | None,
) -> tuple[Session, MeasuredTable, MeasuredTable]:
    """Open a run on a plan's source, and stage the rows as the plan recodes them.

    Returns the run, the source and the staged release. Raises StalePlanError.
    """
    named = name_plan(plan, policy)
    run, frame = open_run(
        stack,
        named.policy,
        source,
        connection=connection,
        settings=settings,
        overrides=named.plan.overrides,
        progress=progress,
        writes=False,
        keeps_plan=True,
    )
    return run, *_staged(run, open_plan(run, named, frame))


def opened_policy(
    stack: ExitStack,
    policy: PolicyInput,
    source: object,
    *,
    release: object | None,
    connection: object | None,
    settings: Settings | None,
    progress: Callable[[str], None] | None,
) -> tuple[Session, MeasuredTable, MeasuredTable]:
    """Open a run on a policy's source, and open its `release`, or without one make a plan and stage its rows.

    Returns the run, the source and the release. Raises InfeasibleError where nothing satisfies the policy.
    """
    run, frame = open_run(
        stack,
        policy,
        source,
        connection=connection,
        settings=settings,
        progress=progress,
        writes=False,
    )
    if release is None:
        return run, *_staged(run, make_plan(run, frame=frame))
    opened = open_source(run, frame)
    made = open_table(run, release, "release").table
    there = {column.name for column in run.engine.columns(made)}
    quasi = tuple(name for column in run.policy.quasi for name in column.released_as)
    entity = run.policy.entity if run.policy.entity in there else None
    name = str(release) if isinstance(release, str | Path) else "release"
    return run, _before(run, opened.table), MeasuredTable(name, made, quasi, entity)


def _before(run: Session, source: exp.Table) -> MeasuredTable:
    quasi = tuple(column.name for column in run.policy.quasi)
    return MeasuredTable("source", source, quasi, run.policy.entity)


def _staged(run: Session, planned: Planned) -> tuple[MeasuredTable, MeasuredTable]:
    """Stage the rows as a plan recodes them; return the source and the staged release."""
    staged = run.scratch.table("staged")
    with run.engine.journal.step("recode"):
        query = recode(run, planned, staged)
        with keys_in_session(run):
            run.engine.execute(query.staging)
    entity = hidden_entity(run.policy) or run.policy.entity
    released = MeasuredTable("release", staged, tuple(query.quasi), entity)
    return _before(run, planned.opened.table), released
