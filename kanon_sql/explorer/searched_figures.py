"""The figures of a state that is not a node: the policy's search runs, and its release is staged and counted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from kanon_sql.documents.text import counted
from kanon_sql.explorer.node_figures import ShownClass, StateFigures
from kanon_sql.planning.make_plan import make_plan
from kanon_sql.privacy.attackers import size_counts
from kanon_sql.privacy.demands import demands
from kanon_sql.recoding.read_examples import read_examples
from kanon_sql.recoding.recode import keys_in_session, recode
from kanon_sql.recoding.staging_sql import hidden_entity
from kanon_sql.reidentification.risk_sql import class_histogram

if TYPE_CHECKING:
    from kanon_sql.run.session import Session
    from kanon_sql.source.open_source import OpenSource


def figures_of_search(run: Session, opened: OpenSource, *, of_rows: int) -> StateFigures:
    """Search an open source as the policy says, stage the release, and count its classes.

    The source may be a sample of one with `of_rows` rows. Raises InfeasibleError.
    """
    began = time.perf_counter()
    planned = make_plan(run, opened=opened, released=True)
    plan, policy = planned.plan, run.policy
    staged = run.scratch.table("staged")
    query = recode(run, planned, staged)
    with keys_in_session(run):
        run.engine.execute(query.staging)
    entity = hidden_entity(policy) or policy.entity
    quasi = [column.name for column in policy.quasi]
    kept, before = (
        tuple(size_counts(run.engine.fetch(class_histogram(table, of, entity=whose))))
        for table, of, whose in (
            (staged, tuple(query.quasi), entity),
            (planned.opened.table, quasi, policy.entity),
        )
    )
    examples = read_examples(run, query, rows=plan.released_rows)
    return StateFigures(
        rows=plan.source_rows,
        suppressed=plan.suppressed_rows,
        limit=plan.max_suppressed,
        classes=plan.classes,
        smallest=plan.smallest_class,
        feasible=True,
        why="",
        entity=policy.entity,
        k=demands(policy.privacy)[0].class_size,
        sizes=kept,
        kept=kept,
        before=before,
        cost=plan.cost,
        metric=plan.metric,
        quality=plan.figures,
        losses={},
        failing=(),
        columns=examples.columns,
        examples=tuple(
            ShownClass(each.labels, each.rows, each.people or each.rows)
            for each in examples.classes
        ),
        seconds=time.perf_counter() - began,
        note=str(plan.recoding),
        sample=_sample_text(plan.source_rows, of_rows, policy.entity),
    )


def _sample_text(rows: int, of_rows: int, entity: str | None) -> str:
    if rows == of_rows:
        return ""
    people = "" if entity is None else f", all rows of some values of {entity}"
    return f"a sample of {rows:,} of {counted(of_rows, 'row')}{people}, by lot and always the same"
