"""Computes the re-identification risks of a staged release by its class sizes, and checks the plan's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, StalePlanError
from kanon_sql.policy.privacy.risks import (
    BOUNDS,
    ReleaseRisk,
    attacker_risk,
    marketer_risk,
    risk_figures,
    size_counts,
)
from kanon_sql.recoding import risk_sql, staging_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.privacy.risks import RiskFigures, SizeCount
    from kanon_sql.recoding.query import ReleaseQuery


def count_risk(
    run: Session,
    query: ReleaseQuery,
    plan: Plan | None = None,
    *,
    sizes: Sequence[SizeCount] | None = None,
) -> RiskFigures:
    """Compute the risks of staged rows from the `sizes` of their classes, in the policy's rows or people.

    Without `sizes` they are counted here, by one more GROUP BY. The journalist and the marketer look for rows in the
    policy's population, or without one in the release itself. Raises StalePlanError where the plan states other risks.
    """
    entity = staging_sql.hidden_entity(run.policy) or run.policy.entity
    if sizes is None:
        sizes = size_counts(run.engine.fetch(_histogram(run, query, entity)))
    if plan is not None and plan.risk is not None and plan.risk != ReleaseRisk.of(sizes, entity):
        what = "is not that of the staged rows; make the plan again and review it"
        raise StalePlanError("plan", [Fault("risk", what)])
    found = risk_figures(sizes, BOUNDS)
    if query.population is None:
        return found
    statement = risk_sql.population_histogram(
        query.staged, query.population.table, query.quasi, entity=entity
    )
    among = size_counts(run.engine.fetch(statement))
    return replace(
        found, journalist=attacker_risk(among, BOUNDS), marketer=marketer_risk(among, BOUNDS)
    )


def _histogram(run: Session, query: ReleaseQuery, entity: str | None) -> Statement:
    if run.policy.signature and entity is not None:
        return risk_sql.signature_histogram(query.staged, query.quasi, entity)
    rows = query.rows
    return risk_sql.class_histogram(rows.table, query.quasi, entity=entity, codes=rows.coded)
