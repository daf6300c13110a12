"""The parts of a comparison of two plans: how each recodes each column, and what only their policies say.

Everything is a value that can be compared and printed. `show` makes a name safe where it is printed. Policies say how other
columns are released, and who is counted.
"""

from __future__ import annotations

import json
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from kanon_sql.base.documents.text import apart, counted, decimal_text
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.plans.plan import IN_THE_POLICY
from kanon_sql.policy.metrics.registry import (
    AVERAGE_RISK,
    HIGHEST_RISK,
    QUALITY,
    SHARE_ABOVE,
    SUPPRESSED_SHARE,
    UNIQUE_ROWS,
)
from kanon_sql.policy.model import Linkable, Rare, Role
from kanon_sql.policy.privacy.risks import STATED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from fractions import Fraction

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.evidence.explanation.plan_diff import PlanDiff
    from kanon_sql.policy.metrics.statistics import QualityMetric
    from kanon_sql.policy.model import Column, Policy

    Show = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class RiskRow:
    """A risk metric: its value `of` a plan, None if the plan states none, and its `text`."""

    metric: QualityMetric
    of: Callable[[Plan], float | None]
    text: Callable[[Plan], str]


def _highest(plan: Plan) -> str:
    """Format the prosecutor's highest risk as one over the smallest class, and in percent."""
    risk = plan.highest_risk
    return text_of(None if risk is None else f"1/{plan.smallest_class:,} ({risk:.2%})")


def _average(plan: Plan) -> float | None:
    return None if plan.risk is None else plan.risk.average


def _above(plan: Plan) -> float | None:
    if plan.risk is None:
        return None
    return plan.risk.rows_above.get(STATED, 0) / max(plan.released_rows, 1)


def _unique(plan: Plan) -> float | None:
    return None if plan.risk is None else plan.risk.unique_rows


def _share(of: Callable[[Plan], float | None]) -> Callable[[Plan], str]:
    """Return a function that formats the share `of` a plan in percent."""

    def text(plan: Plan) -> str:
        share = of(plan)
        return text_of(None if share is None else f"{share:.2%}")

    return text


RISKS = (
    RiskRow(HIGHEST_RISK, lambda plan: plan.highest_risk, _highest),
    RiskRow(AVERAGE_RISK, _average, _share(_average)),
    RiskRow(SHARE_ABOVE, _above, _share(_above)),
    RiskRow(UNIQUE_ROWS, _unique, lambda plan: text_of(_unique(plan))),
)


@dataclass(frozen=True, slots=True)
class ColumnRecoding:
    """How a plan recodes a column: at `levels` of its hierarchy, or in intervals that begin at `starts`.

    `mean` is the mean level over released rows, where a suppressed cell counts as the root. Regions have only a height.
    """

    levels: tuple[int, ...]
    height: int
    mean: Fraction | None = None
    suppressed_cells: int = 0
    starts: tuple[int, ...] = ()

    def change(self, new: ColumnRecoding) -> ChangeKind:
        """Compare this recoding with a `new` one under the same hierarchy: same, finer, coarser, or changed."""
        if self == new:
            return ChangeKind.SAME
        found = ChangeKind.SAME
        if self.starts and new.starts:
            ends = len(self.starts), len(new.starts)
            found = compared(*ends, ChangeKind.FINER, ChangeKind.COARSER)
        elif self.mean is not None and new.mean is not None:
            found = compared(self.mean, new.mean, ChangeKind.COARSER, ChangeKind.FINER)
        return ChangeKind.CHANGED if found is ChangeKind.SAME else found


def recoded_columns(plan: Plan) -> dict[str, ColumnRecoding]:
    """Return the recoding of each quasi-identifier by its name."""
    return dict(zip(plan.names, _recoded(plan), strict=True))


def _recoded(plan: Plan) -> Iterator[ColumnRecoding]:
    recoding, rows = plan.recoding, plan.source_rows - plan.suppressed_rows
    for at, height in enumerate(plan.heights.values()):
        levels = recoding.levels_of(at)
        if recoding.by_levels and not recoding.layers:  # not that of suppressed cells
            levels = (recoding.nodes[0].levels[at],)
        yield ColumnRecoding(
            levels,
            height,
            recoding.mean_level(at, height, rows),
            recoding.cells_of(at),
            recoding.starts_of(at),
        )


def column_text(each: ColumnRecoding | None) -> str | None:
    """Return a short text on a column's recoding; None if the column is not a quasi-identifier."""
    if each is None:
        return None
    if each.starts:
        return counted(len(each.starts), "interval")
    if not each.levels:
        below = f", within a hierarchy of {counted(each.height, 'level')}" if each.height else ""
        return f"in regions{below}"
    if len(each.levels) == 1:
        cells = counted(each.suppressed_cells, "cell")
        more = f", {cells} suppressed" if each.suppressed_cells else ""
        return f"level {each.levels[0]} of {each.height}{more}"
    mean = "" if each.mean is None else f", {float(each.mean):.2f} on average"
    return f"levels {', '.join(map(str, each.levels))} of {each.height}{mean}"


TABLES = ("Privacy", "Recoding", "Quality and risk", "Search", "Inputs")
PRIVACY, RECODING, QUALITY_AND_RISK, SEARCH, INPUTS = TABLES


class ChangeKind(StrEnum):
    """How a property changed: a bound of a privacy model, a column's recoding, or a number."""

    SAME = "same"
    WEAKER = "weaker"
    STRICTER = "stricter"
    GONE = "gone"
    ADDED = "new"
    FINER = "finer"
    COARSER = "coarser"
    BETTER = "better"
    WORSE = "worse"
    CHANGED = "changed"


def compared(
    old: Any,  # noqa: ANN401  anything that has an order
    new: Any,  # noqa: ANN401
    higher: ChangeKind = ChangeKind.CHANGED,
    lower: ChangeKind = ChangeKind.CHANGED,
) -> ChangeKind:
    """Compare a value of two plans, where None is a value that a plan lacks.

    `higher` and `lower` name the change to a higher and to a lower value.
    """
    if old == new:
        return ChangeKind.SAME
    if old is None or new is None:
        return ChangeKind.ADDED if old is None else ChangeKind.GONE
    if higher is lower:
        return higher
    return higher if new > old else lower


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A property that at least one of two plans has, named by `title` and `names`.

    Text from a plan's file is in `names`, and in both values if they are `from_file`: a caller that prints it must
    make it safe. The document has the row under its `key`, inside its `group` if there is one, with `more` beside both
    values. Tables list a row if it changed or is marked `always`; a row without a table is in the document only.
    `brief` is the title in a sentence, and `note` replaces the change in the table.
    """

    table: str
    title: str
    old: object
    new: object
    change: ChangeKind = ChangeKind.SAME
    names: tuple[str, ...] = ()
    texts: tuple[str, str] | None = None
    from_file: bool = False
    always: bool = False
    brief: str = ""
    note: str = ""
    group: str = ""
    key: str = ""
    more: Mapping[str, object] = field(default_factory=dict)

    @property
    def weakens(self) -> bool:
        """True if a bound is weaker, or a privacy model or quasi-identifier is gone."""
        return self.protects and self.change in {ChangeKind.WEAKER, ChangeKind.GONE}

    @property
    def strengthens(self) -> bool:
        return self.protects and self.change in {ChangeKind.STRICTER, ChangeKind.ADDED}

    @property
    def protects(self) -> bool:
        """True if the property is a privacy model, a quasi-identifier, or an entry of the policy."""
        return self.group in {"privacy", "columns", "policy"}

    def titled(self, show: Show, *, brief: bool = False) -> str:
        """Return the title, or its brief form, with the row's names as `show` prints them."""
        title = (self.brief or self.title) if brief else self.title
        return " ".join(filter(None, [title, ", ".join(map(show, self.names))]))

    def cells(self, show: Show) -> tuple[str, str]:
        """Return both values as text; decimal numbers have as many digits as it takes to see that they differ."""
        if self.texts is not None:
            return self.texts
        if isinstance(self.old, float) or isinstance(self.new, float):
            return apart(self.old, self.new, decimal_text)  # type: ignore[arg-type]
        old, new = (
            show(str(value)) if self.from_file and value is not None else text_of(value)
            for value in (self.old, self.new)
        )
        return old, new

    def sentence(self, show: Show) -> str:
        """Return a sentence on the change, without its period."""
        now = "now" if self.change is ChangeKind.ADDED else "no longer"
        old, new = self.cells(show)
        if self.change not in {ChangeKind.ADDED, ChangeKind.GONE}:
            return f"{self.titled(show, brief=True)} is {new} instead of {old}"
        if self.group == "columns":
            return f"{self.titled(show)} is {now} a quasi-identifier"
        bound = new if self.change is ChangeKind.ADDED else old
        return f"{self.titled(show)}{f' ({bound})' if self.brief else ''} is {now} required"


def text_of(value: object) -> str:
    """Format a value of a plan; None, a value that the plan lacks, is a dash."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value)


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
             "search.lattice_nodes", "search.checks_in_time", "recoding.levels", "recoding.highest_levels",
             "recoding.within",
             "recoding.max_suppressed", "recoding.suppressed_rows", "recoding.parts",
             "recoding.regions", "recoding.depth", "recoding.least_suppressed", "figures",
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
    """Return True if a change of the policy shows: in bounds, columns, or the search, or in known policies."""
    return _policy_row_changed(changes) or changes.differs(
        lambda plan: (
            (plan.privacy, plan.names, dict(plan.overrides), plan.where, dict(plan.within or {})),
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


def _policy_row_changed(changes: PlanDiff) -> bool:
    return any(
        row.group == "policy" and row.change is not ChangeKind.SAME for row in changes.rows()
    )


def notes(changes: PlanDiff, show: Show) -> list[str]:
    """List limits of the comparison: hashes with other keys, and policy changes that plans do not state."""
    found = [OTHER_KEYS] if changes.other_keys else []
    if changes.policies is None and changes.policy_changed and _policy_change_shows(changes):
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


GROUP = "policy"
NOT_RELEASED, GENERALIZED, IN_SOME_WAY, AS_IT_IS = range(4)
"""How much of a column a reader of the release sees, in order."""


def policy_rows(old: Policy, new: Policy) -> Iterator[ChangeRow]:
    """Yield what changed: columns by how they are released, the counted entity, and NULL."""
    olds, news = ({each.name: each for each in policy.columns} for policy in (old, new))
    for name in dict.fromkeys([*olds, *news]):
        yield from _column(name, olds.get(name), news.get(name))
    stricter = ChangeKind.STRICTER if new.entity is not None else ChangeKind.WEAKER
    alone = old.entity is None or new.entity is None
    counted = compared(old.entity, new.entity)
    yield _row(
        "counted entity",
        old.entity or "rows",
        new.entity or "rows",
        stricter if alone and counted is not ChangeKind.SAME else counted,
        from_file=True,
    )
    for title, was, now in (
        ("comparing people by all their rows", old.signature, new.signature),
        ("NULL in quasi-identifiers", str(old.nulls), str(new.nulls)),
    ):
        yield _row(title, was, now, compared(was, now))


def _column(name: str, old: Column | None, new: Column | None) -> Iterator[ChangeRow]:
    """Yield how a column is released; a new quasi-identifier is in the plan already."""
    seen = (_seen(old), _seen(new))
    if seen[1] != GENERALIZED or seen[0] > GENERALIZED:
        texts = _column_text(old), _column_text(new)
        change = compared(*seen, ChangeKind.WEAKER, ChangeKind.STRICTER)
        if change is ChangeKind.SAME and seen[0] is not NOT_RELEASED:
            change = compared(*texts)
        yield _row("", *texts, change, (name,))
    for title, entry, loose in (
        ("linking rows by", "linkable", Linkable.ACCEPT),
        ("showing rare values of", "rare", Rare.SHOW),
    ):
        ends = (getattr(old, entry, None) is loose, getattr(new, entry, None) is loose)
        change = compared(*ends, ChangeKind.WEAKER, ChangeKind.STRICTER)
        texts = ("accepted" if ends[0] else "refused", "accepted" if ends[1] else "refused")
        yield _row(title, *texts, change, (name,))


def _seen(column: Column | None) -> int:
    if column is None or column.is_dropped:
        return NOT_RELEASED
    if column.mask is not None:
        return NOT_RELEASED if column.mask.staged_as == "null" else IN_SOME_WAY
    return GENERALIZED if column.role is Role.QUASI else AS_IT_IS


def _column_text(column: Column | None) -> str | None:
    if column is None:
        return None
    if column.role is Role.IDENTIFYING:
        return f"identifying ({column.action})"
    return f"{column.role} ({'generalized' if column.role is Role.QUASI else 'as it is'})"


def _row(
    title: str,
    old: object,
    new: object,
    change: ChangeKind,
    names: tuple[str, ...] = (),
    *,
    from_file: bool = False,
) -> ChangeRow:
    return ChangeRow(
        PRIVACY,
        title,
        old,
        new,
        change,
        names,
        from_file=from_file,
        group=GROUP,
        key=" ".join([title, *names]).strip(),
        more={"change": change.value},
    )
