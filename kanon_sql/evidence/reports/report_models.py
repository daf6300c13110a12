"""The models of a report: the requirements of a policy as they are recounted in a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from kanon_sql.evidence.reports.report_values import MeasuredModel
from kanon_sql.policy.privacy.demands import demands
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.recoding.recount import fetch_recount

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kanon_sql.base.sql.templates import Statement
    from kanon_sql.counting.run.session import Session
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.demands import Demand
    from kanon_sql.policy.privacy.privacy_model import Measure, Requirement
    from kanon_sql.policy.privacy.risks import SizeCount
    from kanon_sql.recoding.recount import Verification


Counted: TypeAlias = "Mapping[tuple[tuple[str, ...], Measure], int]"
"""The figures that were counted of a release, by the columns of their classes and their measure."""


def measured_models(
    run: Session,
    recounts: Sequence[tuple[Demand, Statement]],
    sizes: Sequence[SizeCount],
    *,
    people_hidden: bool,
    counted_before: Counted | None = None,
) -> tuple[MeasuredModel, ...]:
    """Recount the models' requirements; if these are only class sizes, take the smallest of `sizes`.

    Without `recounts` nothing is found. With `people_hidden` no class size is found, because it would count rows. A
    recount whose figures were all `counted_before` is not made again.
    """
    policy = run.policy
    asked = demands(policy.privacy)
    of_sizes = len(asked) == 1 and all(each.measure == SIZE for each in asked[0].recounted)
    found: dict[tuple[str, ...], Verification] = {}
    known: dict[tuple[tuple[str, ...], Measure], int] = {}
    for demand, statement in () if of_sizes else recounts:
        needed = [(demand.columns, each.measure) for each in demand.recounted]
        before = {each: (counted_before or {}).get(each) for each in needed}
        if None in before.values():
            found[demand.columns] = fetch_recount(run.engine, statement, demand.recounted)
        else:
            known |= {each: counts for each, counts in before.items() if counts is not None}
    models = []
    for demand in asked:
        counted = found.get(demand.columns)
        for each in demand.recounted:
            if not (each.binding or each.of_release or each.measure == SIZE):
                continue
            of_rows = people_hidden and each.measure == SIZE
            value = None if counted is None or of_rows else _found(counted, each.measure)
            if not of_rows and (demand.columns, each.measure) in known:
                value = each.measure.as_written(known[demand.columns, each.measure])
            if of_sizes and recounts and sizes:
                value = min(of.size for of in sizes)
            models.append(_model(policy, demand, each, value))
    return tuple(models)


def _model(
    policy: Policy, demand: Demand, required: Requirement, value: float | None
) -> MeasuredModel:
    bound = required.measure.as_written(required.bound)
    holds = None
    if value is not None:
        holds = value <= bound if required.measure.at_most else value >= bound
    return MeasuredModel(
        _stated(policy, required.measure),
        str(required.measure),
        demand.columns,
        required.measure.at_most,
        bound,
        value,
        holds,
    )


def _stated(policy: Policy, measure: Measure) -> str:
    """Return the text of the policy's model that requires a measure."""
    for model in policy.privacy:
        if any(each.measure == measure for each in model.requirements):
            return str(model)
    return str(measure)


def _found(counted: Verification, measure: Measure) -> float | None:
    """Return a recount's value of one measure; None if it has none."""
    if measure == SIZE:
        return counted.smallest_class
    if measure.of_all_classes:
        return counted.of_all.get(measure.reported)
    if measure.about is None:
        return None
    return counted.worst.get(measure.reported_as, {}).get(measure.about)
