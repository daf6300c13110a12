"""What the command line may say instead of the policy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, PolicyError
from kanon_sql.model.column_metric import Aggregate
from kanon_sql.model.metric import METRICS
from kanon_sql.model.places import HOLDS_KEY, holds_password, source_from_text
from kanon_sql.model.policy import Algorithm, Policy
from kanon_sql.model.policy_file import suppression_from
from kanon_sql.model.privacy import KAnonymity
from kanon_sql.model.search_file import switched

if TYPE_CHECKING:
    from collections.abc import Mapping

KNOWN = ("source", "k", "suppression", "algorithm", "metric")


def overridden(policy: Policy, overrides: Mapping[str, str | int]) -> Policy:
    """Put overrides in the place of what the policy says; raises PolicyError with all faults.

    A source that is a path starts from the policy's folder, as in the policy; the rows that
    `where` asks for are asked of it too.
    """
    faults = [Fault(name, "cannot be overridden") for name in overrides if name not in KNOWN]
    named = source_from_text(str(overrides["source"])) if "source" in overrides else policy.source
    faults += [Fault("source", HOLDS_KEY)] if holds_password(named.path or "") else []
    policy = replace(policy, source=replace(named, where=policy.source.where))
    if "k" in overrides:
        k = overrides["k"]
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            faults.append(Fault("k", "must be a whole number of at least 1"))
        else:
            others = tuple(m for m in policy.privacy if not isinstance(m, KAnonymity))
            policy = replace(policy, privacy=(KAnonymity(k), *others))
    if "suppression" in overrides:
        suppression, fault = suppression_from(overrides["suppression"])
        if fault is not None:
            faults.append(Fault("suppression", fault))
        policy = replace(policy, suppression=suppression)
    search = policy.search
    if "algorithm" in overrides:
        known = [member.value for member in Algorithm]
        if overrides["algorithm"] in known:
            search = switched(search, Algorithm(overrides["algorithm"]))
        else:
            faults.append(Fault("algorithm", f"must be one of {', '.join(known)}"))
    if "metric" in overrides:
        metric = str(overrides["metric"])
        if metric not in METRICS:
            faults.append(Fault("metric", f"must be one of {', '.join(METRICS)}"))
        elif metric != search.metric:
            default = Aggregate.GEOMETRIC_MEAN
            search = replace(search, metric=metric, aggregate=default, count_suppressed=False)
    if faults:
        raise PolicyError("overrides", faults)
    return replace(policy, search=search)
