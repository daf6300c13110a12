"""Options of a call or of the command line that replace entries of a policy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from kanon_sql.base.documents.lines import read_mapping
from kanon_sql.base.documents.records import Record
from kanon_sql.base.documents.shapes import Parsed, Refused, Whole
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.engines.locations import PLACE, Source, source_from_text
from kanon_sql.errors import Fault, PolicyError
from kanon_sql.policy.metrics.column_metrics import Aggregate
from kanon_sql.policy.metrics.registry import takes
from kanon_sql.policy.metrics.statistics import EVEN
from kanon_sql.policy.model import SUPPRESSION, Policy, Suppression
from kanon_sql.policy.policy_rules import conflicts
from kanon_sql.policy.privacy.k_anonymity import with_other_k
from kanon_sql.policy.safe_harbor import breaches
from kanon_sql.policy.search import METRIC, TIME, Recode, Search, by_present_names
from kanon_sql.policy.search_options import Algorithm  # noqa: TC001  the type of a field is its shape

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Overrides:
    """Entries that replace those of a policy; None keeps the policy's."""

    source: Annotated[Source | None, Parsed(PLACE, source_from_text)] = None
    k: Annotated[int | None, Whole(1)] = None
    suppression: Annotated[Suppression | None, SUPPRESSION] = None
    algorithm: Algorithm | None = None
    metric: Annotated[str | None, METRIC] = None
    recoding: Recode | None = None
    max_nodes: Annotated[int | None, Whole(2)] = None
    time_limit: Annotated[float | None, TIME] = None
    frequency_set: Annotated[str | None, PLACE] = None


OVERRIDES = Record(Overrides)
ENTRIES = {
    "source": "source",
    "frequency_set": "source",
    "k": "privacy",
    "suppression": "suppression",
    **dict.fromkeys(("algorithm", "metric", "recoding", "max_nodes", "time_limit"), "search"),
}
"""The entry of a policy that each override replaces, in full or in part."""


def overridden(policy: Policy, overrides: Mapping[str, str | int]) -> Policy:
    """Replace entries of the policy by overrides; raises PolicyError with all faults.

    A relative path starts from the policy's folder, as in the policy. The policy's `where`, `weight` and `missing`
    apply to another source too, `skip` and `header` to another file. A frequency set is read instead of the policy's
    source, which stays named.
    """
    document = read_mapping(by_present_names(overrides))
    faults = document.faults
    try:
        replaced = OVERRIDES.read(document)
    except Refused:
        replaced = Overrides()
    source = replaced.source or policy.source
    of_file = source.path is not None
    policy = replace(
        policy,
        source=replace(
            source,
            where=policy.source.where,
            weight=policy.source.weight,
            missing=policy.source.missing,
            skip=policy.source.skip if of_file else 0,
            header=policy.source.header if of_file else None,
            encoding=policy.source.encoding if of_file else None,
            quote=policy.source.quote if of_file else None,
            comment=policy.source.comment if of_file else None,
            sheet=policy.source.sheet if of_file else None,
            range=policy.source.range if of_file else None,
            values=policy.source.values if of_file else None,
            frequency_set=replaced.frequency_set,
        ),
        suppression=replaced.suppression or policy.suppression,
        search=_searched(policy.search, replaced, faults),
        lines=_lines_left(policy, overrides),
    )
    if replaced.k is not None:
        policy = replace(policy, privacy=with_other_k(policy.privacy, replaced.k))
    if not faults:
        for option, what in conflicts(policy):
            fault = policy.fault(f"search.{option}", what)
            faults.append(Fault(option, what) if option in overrides else fault)
        by_standard = breaches(policy, definite=True)
        faults += [policy.fault(".".join(each.path), each.what) for each in by_standard]
    if faults:
        raise PolicyError("overrides" if overrides else policy.subject, faults)
    return policy


def _lines_left(policy: Policy, overrides: Mapping[str, str | int]) -> dict[str, int]:
    """Return the lines of entries that no override replaces: a fault of another one is not at a line of the policy."""
    gone = {ENTRIES[each] for each in overrides if each in ENTRIES}
    return {
        of: at
        for of, at in policy.lines.items()
        if of.partition(".")[0].partition("[")[0] not in gone
    }


def _searched(search: Search, replaced: Overrides, faults: list[Fault]) -> Search:
    """Replace options of the search, and append what cannot be replaced to `faults`."""
    if replaced.algorithm is not None:
        before = search.options
        search = search.switched(replaced.algorithm)
        if search.options is not before and before.generalize:
            columns = ", ".join(column for column, _ in before.generalize)
            what = f"{replaced.algorithm} has no option generalize, which the policy sets for {columns}"
            faults.append(Fault("algorithm", f"{what}; remove it from the policy"))
    if replaced.metric not in {None, search.metric}:
        default = Aggregate.GEOMETRIC_MEAN
        metric = str(replaced.metric)
        keeps = takes(metric, "factor") and metric != "entropy"
        search = replace(
            search,
            metric=metric,
            aggregate=default,
            count_suppressed=False,
            ignore_suppressed=False,
            generalization_factor=search.generalization_factor if keeps else EVEN,
        )
    if replaced.recoding is not None:
        search = replace(search, recoding=replaced.recoding)
    if search.recoding is Recode.FULL_DOMAIN:
        search = search.at_one_node
        if replaced.max_nodes is not None:
            faults.append(Fault("max_nodes", "goes with recoding: local or cells"))
    elif replaced.max_nodes is not None:
        search = replace(search, max_nodes=replaced.max_nodes)
    return (
        search if replaced.time_limit is None else replace(search, time_limit=replaced.time_limit)
    )
