"""What a plan would release, staged to be measured beside its source, and dropped again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.planning.open_plan import name_plan, open_plan
from kanon_sql.recoding.recode import keys_in_session, recode
from kanon_sql.recoding.staging_sql import hidden_entity
from kanon_sql.run.inputs import open_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack
    from pathlib import Path

    from sqlglot import exp

    from kanon_sql.engines.connect import Settings
    from kanon_sql.plans.plan import Plan
    from kanon_sql.run.inputs import PolicyInput
    from kanon_sql.run.session import Session


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """A table by its scratch name, how messages name it, its quasi-identifiers, and its column of persons."""

    name: str
    table: exp.Table
    quasi: tuple[str, ...]
    entity: str | None


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
    """Open a run with a plan's source, and stage its rows as the plan recodes them; raises StalePlanError."""
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
    planned = open_plan(run, named, frame)
    staged = run.scratch.table("staged")
    with run.engine.journal.step("recode"):
        query = recode(run, planned, staged)
        with keys_in_session(run):
            run.engine.execute(query.staging)
    before = tuple(column.name for column in run.policy.quasi)
    entity = hidden_entity(run.policy) or run.policy.entity
    return (
        run,
        MeasuredTable("source", planned.opened.table, before, run.policy.entity),
        MeasuredTable("release", staged, tuple(query.quasi), entity),
    )
