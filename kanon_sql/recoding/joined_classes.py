"""Recount the classes of a plan where several, which its search counted apart, may be released alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.policy.masks import DROP
from kanon_sql.policy.metrics.class_metrics import Discernibility
from kanon_sql.policy.metrics.registry import C_AVG, average_class_size
from kanon_sql.policy.model import Role
from kanon_sql.policy.policy_rules import may_join
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.risks import ReleaseRisk, size_counts
from kanon_sql.recoding.measured import class_histogram, signature_histogram
from kanon_sql.recoding.rare_bounds import rare_values
from kanon_sql.recoding.recode import recode
from kanon_sql.recoding.recount import fetch_recount
from kanon_sql.recoding.staging_sql import hidden_entity

if TYPE_CHECKING:
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.model import Policy
    from kanon_sql.recoding.planning.make_plan import Planned


def plan_of_values(run: Session, planned: Planned) -> Plan:
    """Complete a plan that releases values of each class's rows: recount its classes, and add warnings."""
    plan = counted_as_released(run, planned)
    with run.engine.journal.step("warn"):
        return replace(plan, notes=(*plan.notes, *rare_values(run, planned.opened)))


def counted_as_released(run: Session, planned: Planned) -> Plan:
    """Recount the classes of a plan as a reader of its release does, where two of them may be alike.

    Two classes may release the same set or representative: they are then one, and larger. Figures that do not count
    classes, such as the loss, stay those of the labels.
    """
    plan, policy = planned.plan, run.policy
    if not any(may_join(policy, each) for each in policy.quasi):
        return plan
    counting = replace(run, policy=_without_others(policy))
    with run.engine.journal.step("classes"):
        staged = run.scratch.table("staged")
        query = recode(counting, planned, staged)
        run.engine.execute(query.staging)
        entity = hidden_entity(counting.policy) or policy.entity
        by_rows = size_counts(run.engine.fetch(class_histogram(staged, query.quasi)))
        sizes = by_rows
        if policy.signature and entity is not None:
            sizes = size_counts(run.engine.fetch(signature_histogram(staged, query.quasi, entity)))
        elif entity is not None:
            sizes = size_counts(
                run.engine.fetch(class_histogram(staged, query.quasi, entity=entity))
            )
        found = {
            demand.columns: fetch_recount(run.engine, statement, demand.recounted)
            for demand, statement in query.recounts()
        }
        run.scratch.drop(staged)
    whole, k = found[()], demands(policy.privacy)[0].class_size
    figures = dict(plan.figures)
    if Discernibility.quality.key in figures:
        squares = sum(each.size * each.rows for each in by_rows)
        figures[Discernibility.quality.key] = float(
            squares + plan.suppressed_rows * plan.source_rows
        )
    if C_AVG.key in figures:
        figures[C_AVG.key] = average_class_size(plan.released_rows, whole.classes, k)
    return replace(
        plan,
        classes=whole.classes,
        smallest_class=whole.smallest_class,
        figures=figures,
        risk=ReleaseRisk.of(sizes, policy.entity),
        over=tuple(
            replace(
                each,
                classes=found[each.columns].classes,
                smallest_class=found[each.columns].smallest_class,
            )
            for each in plan.over
        ),
    )


def _without_others(policy: Policy) -> Policy:
    """Return the policy without columns by which no class is counted: no secret is needed then."""
    counted = {Role.QUASI, Role.SENSITIVE}
    return replace(
        policy,
        columns=tuple(
            each
            if each.role in counted
            else replace(each, role=Role.IDENTIFYING, action=DROP, key_env=None)
            for each in policy.columns
        ),
    )
