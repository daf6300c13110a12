"""Describes a comparison of two plans in sentences. `show` makes a name safe where it is printed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kanon_sql.counting.plans.plan import IN_THE_POLICY
from kanon_sql.evidence.plan_diff.recoded_columns import ChangeKind
from kanon_sql.policy.metrics.registry import HIGHEST_RISK, QUALITY, SUPPRESSED_SHARE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.evidence.plan_diff.plan_diff import PlanDiff
    from kanon_sql.evidence.plan_diff.recoded_columns import Show

NOT_IN_PLANS = (
    "the policy, or an option in its place, changed: a plan states neither the counted entity nor the "
    "roles of other columns, so compare the policies too"
)
OTHER_KEYS = (
    "the plans were hashed under different keys, or by different databases: whether the source's rows or "
    "the hierarchies of tables changed is unknown (set KANON_SQL_PLAN_KEY alike where plans are made)"
)
IN_TABLES = {"policy.sha256", "policy.overrides", "source", "hierarchies", "privacy",
             "search.algorithm", "search.metric", "search.optimal", "search.cost",
             "search.lattice_nodes", "search.checks_in_time", "recoding.levels", "recoding.heights",
             "recoding.within",
             "recoding.max_suppressed", "recoding.suppressed_rows", "recoding.parts",
             "recoding.boxes", "recoding.depth", "recoding.least_suppressed", "figures",
             "over", "risk"}  # fmt: skip
"""The keys of a plan's document that tables show; of other changed keys, only the names are listed."""


def headline(changes: PlanDiff, show: Show) -> tuple[str, str]:
    """Return one sentence on privacy and utility, and the list of changes that it is concluded from."""
    if changes.same:
        return "The two plans are the same.", ""
    if not (changes.differs(_released) or changes.source_changed):
        keys = ", ".join(map(show, changed_keys(changes))) or "the order of their keys"
        return "Nothing that is released changed:", f"the plans differ only in {keys}."
    signs = [*_signs(changes, show)]
    lead = f"{_privacy(changes)}; {_utility(changes)}"
    if changes.only_data:
        lead = f"Only the data changed: {lead[0].lower()}{lead[1:]}"
    return f"{lead}{':' if signs else '.'}", f"{'; '.join(signs)}." if signs else ""


def _released(plan: Plan) -> object:
    """Return the fields of a plan that decide which rows and labels a release holds, and their quality."""
    return (
        (plan.policy_digest, dict(plan.overrides)),
        (plan.source_rows, plan.where, dict(plan.hierarchies)),
        (set(plan.privacy), plan.max_suppressed),
        (plan.recoding, dict(plan.heights), plan.suppressed_rows),
        (plan.classes, plan.smallest_class, set(plan.over)),
        (plan.optimal, repr(dict(plan.figures))),
    )


def _privacy(changes: PlanDiff) -> str:
    """Return a clause on privacy: weaker or stronger requirements, or else whether the risk changed."""
    weaker = any(row.weakens for row in changes.rows())
    stronger = any(row.strengthens for row in changes.rows())
    if weaker and stronger:
        return "Mixed change: privacy is weaker in one respect and stronger in another"
    if weaker or stronger:
        return f"Privacy is {'weaker' if weaker else 'stronger'}"
    same = "The privacy models and their parameters are unchanged"
    risk = next(row.change for row in changes.rows() if row.key == HIGHEST_RISK.key)
    if risk in {ChangeKind.BETTER, ChangeKind.WORSE}:
        return f"{same}, but the risk is {'lower' if risk is ChangeKind.BETTER else 'higher'}"
    return same


def _utility(changes: PlanDiff) -> str:
    """Return a clause on utility, by the leading metric and, if it does not charge them, suppressed rows."""
    leading = changes.leading()
    if leading is None:
        return "utility cannot be compared"
    found = {leading.change}
    if leading.key not in QUALITY or not QUALITY[leading.key].charges_suppression:
        found.add(changes.suppressed.change)
    found -= {ChangeKind.SAME}
    if len(found) > 1:
        return "utility is higher in one respect and lower in another"
    if not found:
        return "utility is unchanged"
    return f"utility is {'higher' if found == {ChangeKind.BETTER} else 'lower'}"


def _signs(changes: PlanDiff, show: Show) -> Iterator[str]:
    """Yield the changes that the headline is concluded from."""
    leading = changes.leading()
    keys = {HIGHEST_RISK.key, SUPPRESSED_SHARE.key, leading.key if leading else ""}
    for row in changes.rows():
        judged = row.key in keys and row.change in {ChangeKind.BETTER, ChangeKind.WORSE}
        if row.weakens or row.strengthens or judged:
            yield row.sentence(show)
    if changes.policy_changed and not _policy_change_shows(changes):
        yield "the policy changed in something that a plan does not state"


def _policy_change_shows(changes: PlanDiff) -> bool:
    """Return True if a change of the policy shows in the plan: in bounds, columns, or the search."""
    return changes.differs(
        lambda plan: (
            (plan.privacy, plan.names, dict(plan.overrides), plan.where),
            (plan.algorithm, plan.metric),
            f"{plan.max_suppressed / max(plan.source_rows, 1):.2%}",
        )
    )


def warnings(changes: PlanDiff, show: Show) -> list[str]:
    """List warnings: weaker privacy, policy changes that plans do not show, a lost proof of the optimum."""
    dropped = ": the policy says whether it is dropped or released as it is"
    found = [
        row.sentence(show) + (dropped if row.group == "columns" else "")
        for row in changes.rows()
        if row.weakens
    ]
    if changes.policy_changed and not _policy_change_shows(changes):
        found.append(f"{NOT_IN_PLANS}: nothing else in the plans shows this change")
    if changes.old.optimal and not changes.new.optimal:
        found.append("the old plan was proven optimal, the new one is not")
    return found


def notes(changes: PlanDiff, show: Show) -> list[str]:
    """List limits of the comparison: hashes with other keys, and policy changes that plans do not state."""
    found = [OTHER_KEYS] if changes.other_keys else []
    if changes.policy_changed and _policy_change_shows(changes):
        found.append(NOT_IN_PLANS)
    old, new = changes.both(
        lambda plan: {name for name, each in plan.hierarchies.items() if each == IN_THE_POLICY}
    )
    if changes.policy_changed and (
        unhashed := [name for name in changes.old.names if name in old & new]
    ):
        found.append(
            f"hierarchies written in the policy ({', '.join(map(show, unhashed))}) have no hash of their own: "
            "quality metrics can be compared only if these did not change"
        )
    return found


def changed_keys(changes: PlanDiff) -> list[str]:
    """Return the keys of the plans' documents that differ and are in no table."""
    old, new = changes.both(lambda plan: dict(_keys(plan.document())))
    if changes.source_changed is None and changes.differs(lambda plan: plan.source_fingerprint):
        old["source.fingerprint"] = ""  # only one has a hash, or both do under other keys
    return [
        key
        for key in dict.fromkeys([*old, *new])
        if key not in IN_TABLES and old.get(key) != new.get(key)
    ]


def _keys(document: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for key, value in document.items():
        if key in {"policy", "search", "recoding"} and isinstance(value, dict):
            for name, below in value.items():
                yield f"{key}.{name}", json.dumps(below)
        else:
            yield key, json.dumps(value)
