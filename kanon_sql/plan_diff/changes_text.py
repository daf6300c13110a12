"""A difference of two plans in words and plain values. How a name is shown is its caller's affair."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, assert_never

from kanon_sql.documents.text import counted, printable
from kanon_sql.metrics.registry import figure_of
from kanon_sql.plan_diff.changes import (
    CHARGE_SUPPRESSION,
    ChangeKind,
    finite,
    highest_risk,
    suppression,
)
from kanon_sql.plans.recodings import (
    Blanked,
    Boxes,
    Enforced,
    FullDomain,
    Layers,
    Parts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kanon_sql.plan_diff.changes import (
        ColumnRecoding,
        FigureChange,
        PlanChanges,
        PrivacyBound,
    )
    from kanon_sql.plans.plan import Plan

    Show = Callable[[str], str]

NAMES = {
    "gcp": "GCP, global certainty penalty (Ghinita et al.)",
    "loss": "LM, loss metric (Iyengar), geometric mean of the columns",
    "precision": "Prec, precision (Sweeney)",
    "entropy": "non-uniform entropy, bits lost (De Waal and Willenborg)",
    "height": "height, sum of levels (Samarati)",
    "discernibility": "C_DM, discernibility (Bayardo and Agrawal)",
    "c_avg": "C_AVG, average class size over k (LeFevre et al.)",
    "aecs": "AECS, average class size, suppressed rows as a class (ARX)",
    "lower_bound": "below which no parts can cost",
    "classes_before": "distinct tuples in the source",
}
BRIEF = {"gcp": "GCP", "loss": "LM (geometric mean)", "precision": "Prec", "entropy": "entropy",
         "discernibility": "C_DM", "c_avg": "C_AVG", "aecs": "AECS"}  # fmt: skip
OF_A_POLICY = (
    "the policy, or what was said instead of it, changed: the entity that is counted and the roles "
    "of the other columns are not repeated in a plan, and only the policy's own diff shows them"
)
OF_OTHER_KEYS = (
    "the plans were hashed under different keys, or by different databases: whether the source's rows or "
    "the hierarchies of tables changed is not known (set KANON_SQL_PLAN_KEY alike where plans are made)"
)
SEPARATE = {"policy.sha256", "policy.overrides", "source", "hierarchies", "privacy",
            "search.algorithm", "search.metric", "search.optimal", "search.cost",
            "search.lattice_nodes", "search.checks_in_time", "recoding.levels", "recoding.heights",
            "recoding.max_suppressed", "recoding.suppressed_rows", "recoding.parts",
            "recoding.boxes", "recoding.depth", "recoding.least_suppressed", "figures",
            "over"}  # fmt: skip
"""The keys of a plan's document that a table or a line tells of; of others only the names are told."""


def headline(told: PlanChanges, show: Show = printable) -> tuple[str, str]:
    """Say in one sentence what matters: what it comes to, and of what that is concluded."""
    if told.same:
        return "The two plans are the same.", ""
    if not any(True for _ in _of_release(told)):
        rest = ", ".join(show(key) for key in changed_keys(told)) or "the order of their keys"
        return "Nothing that is released changed:", f"the plans differ in {rest} alone."
    signs = [*_signs(told, show)]
    safe, useful = _safety(told), _use(told)
    lead = f"{safe[0].upper()}{safe[1:]}, {useful}"
    if told.only_data:
        lead = f"Only the data changed: {safe}, {useful}"
    return f"{lead}{':' if signs else '.'}", f"{'; '.join(signs)}." if signs else ""


def _of_release(told: PlanChanges) -> Iterator[bool]:
    """Yield something for every change of what is released, or of what that is made from."""
    old, new = told.old, told.new
    for was, now in (
        (old.policy_digest, new.policy_digest),
        (dict(old.overrides), dict(new.overrides)),
        ((old.source_rows, old.where), (new.source_rows, new.where)),
        (dict(old.hierarchies), dict(new.hierarchies)),
        (set(old.privacy), set(new.privacy)),
        (old.max_suppressed, new.max_suppressed),
        (old.suppressed_rows, new.suppressed_rows),
        (old.recoding, new.recoding),
        (dict(old.heights), dict(new.heights)),
        ((old.classes, old.smallest_class), (new.classes, new.smallest_class)),
        (set(old.over), set(new.over)),
        (old.optimal, new.optimal),
        (repr(dict(old.figures)), repr(dict(new.figures))),
    ):
        if was != now:
            yield True
    if told.source_changed:
        yield True


def _safety(told: PlanChanges) -> str:
    """Say whether more or less is asked, of more or fewer columns."""
    weaker = any(each.weaker for each in told.asked) or _some(told, ChangeKind.GONE)
    stricter = any(each.stricter for each in told.asked) or _some(told, ChangeKind.ADDED)
    if weaker:
        return "less safe in one way, safer in another" if stricter else "less safe"
    return "safer" if stricter else "as much asked of privacy"


def _some(told: PlanChanges, verdict: ChangeKind) -> bool:
    return any(each.verdict is verdict for each in told.columns)


def _use(told: PlanChanges) -> str:
    """Say whether more is kept, by the leading figure and the rows suppressed."""
    leading = told.leading
    if leading is None:
        return "and how useful is not comparable"
    found = {leading.verdict} - {ChangeKind.SAME}
    if leading.name not in CHARGE_SUPPRESSION:
        found |= {told.suppressed.verdict} - {ChangeKind.SAME}
    if not found:
        return "as useful"
    if len(found) > 1:
        return "more useful in one way, less in another"
    return "more useful" if found == {ChangeKind.BETTER} else "less useful"


def _signs(told: PlanChanges, show: Show) -> Iterator[str]:
    """Say what the first sentence is concluded from."""
    for each in told.asked:
        if each.weaker or each.stricter:
            yield asked_words(each, show)
    for column in told.columns:
        if column.verdict in {ChangeKind.GONE, ChangeKind.ADDED}:
            gone = column.verdict is ChangeKind.GONE
            what = "is no quasi-identifier any more" if gone else "is a quasi-identifier now"
            yield f"{show(column.name)} {what}"
    if told.risk.verdict in {ChangeKind.BETTER, ChangeKind.WORSE}:
        old, new = (risk_text(each) for each in (told.old, told.new))
        yield f"the prosecutor's highest risk is {new} instead of {old}"
    leading = told.leading
    if leading is not None and leading.verdict is not ChangeKind.SAME:
        old, new = apart(leading.old, leading.new)
        yield f"{BRIEF.get(leading.name, show(leading.name))} {new} instead of {old}"
    if told.suppressed.verdict is not ChangeKind.SAME:
        old, new = (_share_text(each) for each in (told.old, told.new))
        yield f"{new} of the rows suppressed instead of {old}"
    if told.policy_changed and not _shown(told):
        yield "the policy changed in what a plan does not repeat"


def _shown(told: PlanChanges) -> bool:
    """Whether a change of the policy shows in the plan: in what is asked, of what, or how it is searched."""
    old, new = told.old, told.new
    return (old.privacy, old.names, dict(old.overrides), old.where, old.algorithm, old.metric) != (
        new.privacy, new.names, dict(new.overrides), new.where, new.algorithm, new.metric,
    ) or allowed_share(old) != allowed_share(new)  # fmt: skip


def asked_of(each: PrivacyBound, show: Show) -> str:
    """Name a privacy model, with its letter, and the columns that it is about."""
    about = [show(each.of)] if each.of else []
    return " ".join([each.model, *about] if each.model else about)


def asked_words(each: PrivacyBound, show: Show) -> str:
    about = f" {show(each.of)}" if each.of else ""
    if not each.model:
        return f"{show(each.of)} is {'asked now' if each.stricter else 'asked no more'}"
    letter = "k" if each.model.startswith("k") else "l"
    if each.old is None or each.new is None:
        number = each.new if each.old is None else each.old
        what = "is asked now" if each.old is None else "is asked no more"
        return f"{each.model.replace(letter, str(number), 1)}{about} {what}"
    old, new = each.shown if each.strict != (True, True) else (each.old, each.new)
    return f"{letter}{about} is {new} instead of {old}"


def warnings(told: PlanChanges, show: Show = printable) -> list[str]:
    """Say what a reviewer should not miss: whatever makes the release less safe, or is not told."""
    found = [asked_words(each, show) for each in told.asked if each.weaker]
    for each in told.columns:
        if each.verdict is ChangeKind.GONE:
            what = "is no quasi-identifier any more: whether it is left out, or released as it is"
            found.append(f"{show(each.name)} {what}, the policy says")
    if told.policy_changed and not _shown(told):
        found.append(f"{OF_A_POLICY}: nothing else in the plans tells what")
    if told.old.optimal and not told.new.optimal:
        found.append("the old plan was proven optimal, the new one is not")
    return found


def notes(told: PlanChanges, show: Show = printable) -> list[str]:
    """Say what the plans cannot tell of a policy that changed."""
    found = [OF_OTHER_KEYS] if told.other_keys else []
    if not told.policy_changed:
        return found
    if _shown(told):
        found.append(OF_A_POLICY)
    if told.unhashed:
        names = ", ".join(show(name) for name in told.unhashed)
        found.append(
            f"hierarchies that stand in the policy ({names}) have no hash of their own: figures "
            f"compare only if these stayed as they were"
        )
    return found


def changed_keys(told: PlanChanges) -> list[str]:
    """Name the keys of the plans' documents that differ and that nothing else tells of."""
    old, new = (dict(_keys(each.document())) for each in (told.old, told.new))
    if told.source_changed is None and told.old.source_fingerprint != told.new.source_fingerprint:
        old["source.fingerprint"] = (
            ""  # that one has a hash and the other none is no change of rows
        )
    return [
        key
        for key in dict.fromkeys([*old, *new])
        if key not in SEPARATE and old.get(key) != new.get(key)
    ]


def _keys(document: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for key, value in document.items():
        if key in {"policy", "search", "recoding"} and isinstance(value, dict):
            for name, below in value.items():
                yield f"{key}.{name}", json.dumps(below)
        else:
            yield key, json.dumps(value)


def document(told: PlanChanges) -> dict[str, object]:
    """Give the difference as plain values; numbers that are none are None."""
    old, new = told.old, told.new
    lead, signs = headline(told)
    return {
        "same": told.same,
        "headline": f"{lead} {signs}".strip(),
        "only_data": told.only_data,
        "warnings": warnings(told),
        "notes": notes(told),
        "privacy": [
            {
                "model": each.model or each.of,
                "of": each.of if each.model else "",
                **_pair(each),
                **({} if all(each.strict) else {"null_is_a_value": [not s for s in each.strict]}),
            }
            for each in told.asked
        ],
        "max_suppressed_rows": _both(old.max_suppressed, new.max_suppressed),
        "suppressed_rows": _both(old.suppressed_rows, new.suppressed_rows),
        "suppressed_share": _both(suppression(old), suppression(new)),
        "classes": _both(old.classes, new.classes),
        "smallest_class": _both(old.smallest_class, new.smallest_class),
        "highest_prosecutor_risk": _both(highest_risk(old), highest_risk(new)),
        "figures": {
            each.name: {**_pair(each), "not_comparable": each.why_not} for each in told.figures
        },
        "recoding": _both(recoded_words(old), recoded_words(new)),
        "columns": {
            each.name: {
                "old": column_words(each.old),
                "new": column_words(each.new),
                "change": each.verdict.value,
                "hierarchy": each.hierarchy.value,
            }
            for each in told.columns
        },
        "over": [
            {
                "columns": list(columns),
                "classes": _both(was[0], now[0]),
                "smallest_class": _both(was[1], now[1]),
            }
            for columns, was, now in over_sets(told)
        ],
        "algorithm": _both(old.algorithm, new.algorithm),
        "metric": _both(old.metric, new.metric),
        "optimal": _both(old.optimal, new.optimal),
        "ended_by_time_limit": _both(timed(old), timed(new)),
        "source_rows": _both(old.source_rows, new.source_rows),
        "source_changed": told.source_changed,
        "condition_changed": old.where != new.where,
        "policy_changed": told.policy_changed,
        "overrides": _both(dict(old.overrides), dict(new.overrides)),
        "other_keys_changed": changed_keys(told),
    }


def _both(old: object, new: object) -> dict[str, object]:
    return {"old": old, "new": new}


def _pair(each: PrivacyBound | FigureChange) -> dict[str, object]:
    return {"old": each.old, "new": each.new, "change": each.verdict.value}


def over_sets(
    told: PlanChanges,
) -> Iterator[tuple[tuple[str, ...], tuple[int | None, ...], tuple[int | None, ...]]]:
    """Give the classes and the smallest over each set of quasi-identifiers of several, in both plans."""
    old, new = (
        {each.columns: (each.classes, each.smallest_class) for each in plan.over}
        for plan in (told.old, told.new)
    )
    for columns in dict.fromkeys([*old, *new]):
        yield columns, old.get(columns, (None, None)), new.get(columns, (None, None))


def timed(plan: Plan) -> bool:
    """Whether the time limit ended the search."""
    return plan.checks_in_time is not None


def recoded_words(plan: Plan) -> str:
    """Say what kind of recoding a plan has."""
    match plan.recoding:
        case Layers(layers=layers):
            return f"rows at {counted(len(layers), 'node')}"
        case Blanked(blanks=blanks):
            return f"rows at one node, {counted(sum(blanks.released), 'cell')} blanked"
        case Enforced(least=least):
            return f"rows at one node, {least} missing at least"
        case Boxes(boxes=boxes, depth=depth):
            return f"rows in {counted(boxes, 'box')}, cut {counted(depth, 'time')} at most"
        case Parts():
            return "columns in parts"
        case FullDomain():
            return "rows at one node"
        case _:
            assert_never(plan.recoding)


def column_words(each: ColumnRecoding | None) -> str | None:
    """Say how a column is released; None where it is no quasi-identifier."""
    if each is None:
        return None
    if each.parts:
        return counted(len(each.parts), "part")
    if not each.levels:
        return "in boxes" if not each.height else f"in boxes, hierarchy of {each.height}"
    if len(each.levels) == 1:
        cells = f", {counted(each.blanked, 'cell')} blanked" if each.blanked else ""
        return f"level {each.levels[0]} of {each.height}{cells}"
    mean = "" if each.mean is None else f", {float(each.mean):.2f} in the mean"
    levels = ", ".join(map(str, each.levels))
    return f"levels {levels} of {each.height}{mean}"


def apart(old: float | None, new: float | None) -> tuple[str, str]:
    """Give two numbers in as few digits as show them and their difference.

    >>> apart(0.26611, 0.2019), apart(53291920.0, 5.0), apart(1.0001, 1.00011), apart(None, 3)
    (('0.2661', '0.2019'), ('53,291,920', '5'), ('1.00010', '1.00011'), ('-', '3'))
    """
    digits = 4
    while old != new and digits < 17 and _number(old, digits) == _number(new, digits):
        digits += 1
    return _number(old, digits), _number(new, digits)


def _number(value: float | None, digits: int) -> str:
    value = finite(value)
    if value is None:
        return "-"
    if value == int(value) or abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    return f"{value:#.{digits}g}"


def risk_text(plan: Plan) -> str:
    """Tell the prosecutor's highest risk as it is counted."""
    risk = highest_risk(plan)
    return "-" if risk is None else f"1/{plan.smallest_class:,} ({risk:.2%})"


def _share_text(plan: Plan) -> str:
    share = suppression(plan)
    return "-" if share is None else f"{share:.2%}"


def rows_text(rows: int, plan: Plan) -> str:
    """Tell a number of rows with its share of the source's."""
    share = f" ({rows / plan.source_rows:.2%})" if plan.source_rows > 0 else ""
    return f"{rows:,}{share}"


def allowed_share(plan: Plan) -> str:
    """Tell MaxSup as a share that a policy may have said."""
    return f"{plan.max_suppressed / max(plan.source_rows, 1):.2%}"


def average_class(plan: Plan) -> float | None:
    """Give the released rows a class."""
    released = plan.source_rows - plan.suppressed_rows
    return released / plan.classes if plan.classes > 0 else None


def cost_is_figure(plan: Plan) -> bool:
    """Whether a plan's cost is one of its figures too, which tell it by name."""
    name = figure_of(plan.metric)
    told = plan.figures.get(name)
    if told is not None and name == "precision":
        told = 1 - told
    return told is not None and len(plan.cost) == 1 and abs(told - plan.cost[0]) < 1e-9
