"""What the command line may say instead of the policy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from kanon_sql.documents.lines import read_mapping
from kanon_sql.documents.records import Record
from kanon_sql.documents.shapes import Parsed, Refused, Whole
from kanon_sql.errors import Fault, PolicyError
from kanon_sql.metrics.column_metrics import Aggregate
from kanon_sql.policy.locations import PLACE, Source, source_from_text
from kanon_sql.policy.model import SUPPRESSION, Policy, Suppression
from kanon_sql.policy.policy_rules import conflicts
from kanon_sql.policy.search import METRIC, TIME, Recode, Search
from kanon_sql.policy.search_options import Algorithm, MuArgus
from kanon_sql.privacy.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Overrides:
    """Entries of a policy that may be said instead of it; None where the policy's own stays."""

    source: Annotated[Source | None, Parsed(PLACE, source_from_text)] = None
    k: Annotated[int | None, Whole(1)] = None
    suppression: Annotated[Suppression | None, SUPPRESSION] = None
    algorithm: Algorithm | None = None
    metric: Annotated[str | None, METRIC] = None
    recoding: Recode | None = None
    layers: Annotated[int | None, Whole(2)] = None
    time_limit: Annotated[float | None, TIME] = None


OVERRIDES = Record(Overrides)


def overridden(policy: Policy, overrides: Mapping[str, str | int]) -> Policy:
    """Put overrides in the place of what the policy says; raises PolicyError with all faults.

    A source that is a path starts from the policy's folder, as in the policy; the rows that
    `where` asks for are asked of it too, and as many lines are above its header.
    """
    document = read_mapping(overrides)
    faults = document.faults
    try:
        said = OVERRIDES.read(document)
    except Refused:
        said = Overrides()
    source = said.source or policy.source
    skip = 0 if source.path is None else policy.source.skip
    policy = replace(
        policy,
        source=replace(source, where=policy.source.where, skip=skip),
        suppression=said.suppression or policy.suppression,
        search=_searched(policy.search, said, faults),
    )
    if said.k is not None:
        others = tuple(m for m in policy.privacy if not isinstance(m, KAnonymity))
        policy = replace(policy, privacy=(KAnonymity(said.k), *others))
    if not faults:
        for option, what in conflicts(policy):
            own = option in overrides
            faults.append(Fault(option, what) if own else policy.fault(f"search.{option}", what))
    if faults:
        raise PolicyError("overrides" if overrides else policy.subject, faults)
    return policy


def _searched(search: Search, said: Overrides, faults: list[Fault]) -> Search:
    """Put overrides in the place of what the policy says of the search."""
    if said.algorithm is not None:
        before = search.options
        search = search.switched(said.algorithm)
        if search.options is not before and isinstance(before, MuArgus) and before.generalize:
            columns = ", ".join(column for column, _ in before.generalize)
            what = "does not hold columns to the levels that the policy's generalize asks for"
            told = f"{said.algorithm} {what} ({columns}); take that out of the policy"
            faults.append(Fault("algorithm", told))
    if said.metric not in {None, search.metric}:
        default = Aggregate.GEOMETRIC_MEAN
        search = replace(search, metric=str(said.metric), aggregate=default, count_suppressed=False)
    if said.recoding is not None:
        search = replace(search, recoding=said.recoding)
    if search.recoding is Recode.FULL_DOMAIN:
        search = search.at_one_node
        if said.layers is not None:
            faults.append(Fault("layers", "goes with recoding: local or cells"))
    elif said.layers is not None:
        search = replace(search, layers=said.layers)
    return search if said.time_limit is None else replace(search, time_limit=said.time_limit)
