"""The texts of a report: the policy's description, columns and limits, and the sections on privacy."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from kanon_sql.base.documents.shown import ShownTable
from kanon_sql.base.documents.text import counted, decimal_text, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.hierarchies.value_axes import follows_hierarchy
from kanon_sql.counting.plans.recodings import levels_used
from kanon_sql.counting.plans.shown_plan import suppressed_text
from kanon_sql.evidence.reports import report_charts
from kanon_sql.evidence.reports.report_values import UNANSWERED, ReportSection, Section, percent
from kanon_sql.policy.hierarchies.entries import ROOT, member_of_range
from kanon_sql.policy.hierarchies.order import BY_BYTES, Dates, Listed, OrderKind, Steps
from kanon_sql.policy.model import Role
from kanon_sql.policy.policy_rules import ColumnRole, column_roles, linking_columns
from kanon_sql.policy.privacy.demands import requirements, sensitive_attributes
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.policy.standards import StandardName

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.evidence.reports.report import Report
    from kanon_sql.policy.hierarchies.order import Order
    from kanon_sql.policy.model import Column, Policy
    from kanon_sql.policy.privacy.risks import AttackerRisk, RiskFigures, SizeCount
    from kanon_sql.policy.standards import About


ANY, ANY_BELOW = "any value", "a value of this group"
"""The texts in place of an example value if none is made up."""
UNCHANGED = "the value itself"
"""The text on a column that is released at level 0."""


@dataclass(frozen=True, slots=True)
class Transformation:
    """The transformation of one quasi-identifier, in words.

    `rule` describes its hierarchy or order, `recoded` the chosen levels or cuts, and `becomes` the labels that result.
    `after` is a label of the release, and `before` a made-up value that it stands for, or a text for any value. Each is
    None if there is none to show.
    """

    column: str
    released_as: tuple[str, ...]
    rule: str
    recoded: str
    becomes: str
    before: str | None = None
    after: str | None = None

    @property
    def unchanged(self) -> bool:
        """True if all rows keep their value in this column."""
        return self.becomes == UNCHANGED


def transformations(
    policy: Policy, plan: Plan, labels: Mapping[str, Sequence[str]]
) -> tuple[Transformation, ...]:
    """Describe a plan's transformation of each quasi-identifier.

    `labels` has released labels by column, the most frequent first; a label of bounds is `LOW to HIGH`. A column with
    rows at level 0 shows none.
    """
    found = []
    for number, each in enumerate(policy.quasi):
        levels, height = levels_used(plan.recoding, number), plan.heights[each.name]
        recoded = plan.recoding.column_text(number, height)
        shown = () if 0 in levels else labels.get(each.name, ())
        members = ((made_up(each, levels, label), label) for label in shown)
        first = next(iter(shown), None)
        before, after = next((pair for pair in members if pair[0] is not None), (None, first))
        if before is None and after is not None and not each.output.is_of_rows:
            before = ANY if len(shown) == 1 or after == ROOT else ANY_BELOW
        found.append(
            Transformation(
                each.name,
                each.released_as,
                _rule(each),
                recoded,
                _becomes(each, levels, height),
                before,
                after,
            )
        )
    return tuple(found)


def _rule(column: Column) -> str:
    """Describe a column's hierarchy and order: the ways in which it may be generalized."""
    follows = follows_hierarchy(column)
    ordered = "the order of that hierarchy" if follows else column.order and _own(column.order)
    along = f"cut along {ordered}" if ordered else ""
    if column.hierarchy is None:
        return along
    spec = column.hierarchy.described
    return f"{spec}, {along}" if along else spec


NAMED_ORDERS = {
    OrderKind.NUMBER: "its numbers",
    OrderKind.DATE: "its dates",
    **dict.fromkeys(BY_BYTES | {OrderKind.LIST}, "the order of its texts"),
    OrderKind.FREQUENCY: "its values from the most to the least frequent one",
}


def _own(order: Order) -> str:
    """Describe a column's own order, one that follows no hierarchy."""
    match order:
        case Dates(unit=unit):
            return f"its dates by {unit}"
        case Steps(width=width):
            return f"its numbers in steps of {width:f}"
        case Listed(values=values):
            return f"the order of a list of {counted(len(values), 'value')}"
        case OrderKind():
            return NAMED_ORDERS[order]
        case _:
            assert_never(order)


def _becomes(column: Column, levels: tuple[int, ...], height: int) -> str:
    """Describe the labels that a column has in the release."""
    if column.output.words is not None:
        return column.output.words
    spec = column.hierarchy
    if not levels:
        return column.output.region_words
    if spec is None:
        return ""
    parts = [spec.becomes(level, height) if level else UNCHANGED for level in sorted(levels)]
    ranges = ", as two columns" if column.output.bounded else ""
    return f"{joined(list(dict.fromkeys(parts)), 'or')}{ranges}"


def made_up(column: Column, levels: tuple[int, ...], label: str) -> str | None:
    """Make up a value that a label stands for, from the label alone; None if that is not possible.

    >>> from kanon_sql.policy.hierarchies.specs import IntervalHierarchy
    >>> from kanon_sql.policy.model import Column, Role
    >>> ages = Column("age", Role.QUASI, IntervalHierarchy((20,)))
    >>> made_up(ages, (1,), "[20, 40)")
    '37'
    """
    if column.output.is_of_rows:
        return None
    if column.hierarchy is None:
        return member_of_range(label)
    return column.hierarchy.made_up(levels, label)


@dataclass(frozen=True, slots=True)
class Limit:
    """A risk that a release does not protect from: a name, and one or two sentences."""

    title: str
    text: str


ASKED = {
    "title": "what the data are",
    "purpose": "what the release is for",
    "contact": "who answers for it",
    "recipients": "who receives it; the verdict names them",
    "terms": "under which terms, such as a ban on linking it and on finding people, and how long it may be kept",
    "review": "when it is reviewed again, and by whom",
    "threshold": "why this k, and these other thresholds",
}
"""The texts of a policy's `about` that whoever decides asks for."""


@dataclass(frozen=True, slots=True)
class Dossier:
    """The texts that an ethics board asks for. It holds no value of the source.

    `entity` is the column whose distinct values classes count, or None if they count rows; `unreleased` says how many rows
    are not in the release, and why.
    """

    about: About
    roles: tuple[ColumnRole, ...]
    entity: str | None
    transformations: tuple[Transformation, ...]
    unreleased: str
    privacy: tuple[str, ...]
    limits: tuple[Limit, ...]
    sql: str

    @property
    def unanswered(self) -> tuple[tuple[str, str], ...]:
        """Questions of whoever decides that the report cannot answer, each with where the answer is."""
        return UNANSWERED

    @property
    def could_state(self) -> tuple[tuple[str, str], ...]:
        """The keys of the policy that are not stated, each with what it would tell the readers of a report."""
        about = [
            (f"about: {key}", what)
            for key, what in ASKED.items()
            if getattr(self.about, key) is None
        ]
        bare = [each.column for each in self.roles if each.why is None]
        why = (
            [(f"why: of {joined(bare)}", "why each of these columns has its role")] if bare else []
        )
        sensitive = any(each.role is Role.SENSITIVE for each in self.roles)
        none = (
            "which columns nobody should learn about a person; how they are spread is then measured"
        )
        return (*about, *why, *([] if sensitive else [("role: sensitive", none)]))

    @property
    def half_open(self) -> str | None:
        """A shown label such as "[20, 40)", whose notation the page must then explain; None if there is none."""
        labels = (each.after or "" for each in self.transformations)
        return next((each for each in labels if each[:1] == "[" and each[-1:] == ")"), None)


def dossier_of(report: Report) -> Dossier:
    """Collect the texts of a report from its policy, its plan, and the labels that it lists."""
    policy, plan = report.policy, report.plan
    labels = {
        each.name: [label.text for label in each.labels if label.text and not label.own]
        for each in report.columns
    }
    return Dossier(
        policy.about,
        column_roles(policy),
        policy.entity,
        transformations(policy, plan, labels),
        _unreleased(report),
        plan.privacy,
        tuple(limits_of(policy, of_source=report.sizes_before is not None)),
        plan.sql,
    )


def _unreleased(report: Report) -> str:
    """Say how many rows are not in the release, and why."""
    plan = report.plan
    if report.series is not None:
        return f"The series withholds {counted(report.series.withheld, 'living row')} for later releases."
    allowed = f"the policy allows at most {plan.max_suppressed:,}."
    if report.removed:
        allowed = f"{allowed} {counted(report.removed, 'released row')} with at least one value removed (*) stay in it."
    if not plan.suppressed_rows:
        return f"No row of {plan.source_rows:,} is suppressed; {allowed}"
    return (
        f"{plan.suppressed_rows:,} of {plan.source_rows:,} rows are suppressed, as their classes do not satisfy the privacy "
        f"models; {allowed}"
    )


def limits_of(policy: Policy, *, of_source: bool) -> Iterator[Limit]:
    """Yield the limits that apply to this policy; others are left out, so that the list stays short.

    `of_source` says whether the page has counts of the source.
    """
    bounded = sensitive_attributes(r for model in policy.privacy for r in model.requirements)
    guarded = list(dict.fromkeys(each.column for each in bounded))
    bare = [each.name for each in policy.with_role(Role.SENSITIVE) if each.name not in guarded]
    if bare:
        yield Limit(
            "What all rows of a class share",
            f"No privacy model bounds {joined(bare)}: where all rows of a class have one value, anyone who finds the "
            "class learns it.",
        )
    if guarded:
        nearness = any(each.in_tree or each.order is not None for each in bounded)
        alike = "" if nearness else " Values that mean nearly the same count as different."
        yield Limit(
            "What most rows of a class share",
            f"The models bound {joined(guarded)} as this page states, and do not hide that some values are likelier in "
            f"one class than in another.{alike}",
        )
    if stand_ins := [each.name for each in policy.quasi if each.output.is_of_class]:
        yield Limit(
            TRUTH,
            f"A row does not show what is true of it, but values that stand for its class, in {joined(stand_ins)}. Count "
            "many rows, and conclude nothing from one.",
        )
    unchanged = [each.name for each in policy.columns if each.shows_values]
    yield Limit(
        "Knowledge beyond the quasi-identifiers",
        "The risks on this page are those of someone who knows the quasi-identifiers and nothing else."
        + (
            f" Anyone who also knows a value of {joined(unchanged, 'or')} can use it to find a row."
            if unchanged
            else ""
        ),
    )
    if not any(each.measure.of_rest for each in requirements(policy.privacy)):
        yield Limit("Membership", "That a person is among the data is not hidden.")
    yield Limit(
        "Other releases",
        "Several releases of the same people can reveal together what each of them hides. This page describes one "
        "release only."
        if policy.series is None
        else " ".join(policy.series.not_protected),
    )
    has = (
        "counts of the source that the release does not show"
        if of_source
        else "counts of the release by class and label, and of the source the figures that the plan states"
    )
    yield Limit(
        "This page",
        f"This page is a second release of the same people: it has {has}. It is for those who decide; whoever publishes "
        "it beside the release publishes these counts, too.",
    )
    if policy.entity is None:
        yield Limit(
            ROWS_AND_PEOPLE,
            "Classes count rows. If a person has several rows, a class holds fewer people than rows, and the risk of a "
            "person can be higher than stated.",
        )
    if linking := linking_columns(policy):
        yield Limit(
            "Rows of one person can be joined",
            f"The release keeps {joined(linking)}, which links the rows of a person: a set of rows can single "
            "someone out although each class is large enough.",
        )
    if any(each.keyed for each in policy.columns):
        yield Limit("Pseudonyms", "A keyed hash is as secret as its key.")
    masked = {each.name: each.mask for each in policy.columns if each.mask is not None}
    shown = [
        f"{name}: {of.unprotected}"
        for name, of in masked.items()
        if of.told_apart or of.is_after_staging
    ]
    if shown:
        yield Limit("Masked columns", f"Masks leave to be seen: {'; '.join(shown)}.")
    exact = {OrderKind.NUMBER, *BY_BYTES}
    by_order = policy.search.options.by_order
    if by_order and any(each.order in exact or each.output.may_be_of_one for each in policy.quasi):
        yield Limit(
            "Bounds and medians",
            "A bound or a median that follows from the rows of a class can be the value of one person.",
        )
    yield Limit(
        "The choices of the policy",
        "Counting confirms the models for the columns that the policy names. It does not confirm that the roles are "
        "right, that the hierarchies group what belongs together, or that the thresholds suit the recipients.",
    )
    yield Limit(
        "Law",
        "This page is no legal opinion: data that satisfy the policy can still be personal data.",
    )


def risk_section(report: Report) -> ReportSection:
    """Build the section on the risk of three attackers, before and after."""
    now, was, before = report.risk, report.risk_before, report.sizes_before
    by_rows = now.prosecutor
    risk = report.plan.risk if report_charts.people_hidden(report) else None
    highest, average = (
        (by_rows.highest, by_rows.average) if risk is None else (risk.highest, risk.average)
    )
    sentences = [
        (
            f"Someone who knows that a person is in the release, and their quasi-identifiers, could find the person's row with a "
            f"probability of at most {percent(highest)} (1 in {round(1 / highest):,}), and of "
            f"{percent(average)} on average. {_unique_text(report)}"
        ),
    ]
    if report_charts.people_hidden(report):
        stated = (
            "The plan states no risk by people."
            if risk is None
            else f"These two probabilities are the {counter(report)}'s, which counted people."
        )
        sentences.append(
            f"The policy counts people, by a column that the release does not show. {stated} The chart and the table below "
            f"count rows, unless they say otherwise. A person with several rows in a class is counted several times there, so "
            f"that figures by rows look milder: by rows the probability is at most {percent(by_rows.highest)}, and "
            f"{percent(by_rows.average)} on average.{_several_rows(report)}"
        )
    if report.unique is not None and report.unique.unique:
        sentences.append(f"{report.unique}. These columns are {joined(report.unique.over)}.")
    then = None if was is None else was.prosecutor
    rows: list[list[object]] = [
        ["highest risk", *_pair(then, by_rows, "highest")],
        ["average risk, and share of rows matched rightly", *_pair(then, by_rows, "average")],
    ]
    rows += [
        [
            f"share of rows with a risk above 1/{size:,} (in classes of fewer than {size:,})",
            "-" if before is None else percent(share_below(before, size)),
            percent(share_below(report.sizes, size)),
        ]
        for size in sorted({*SIZES, report_charts.k_of(report)}, reverse=True)
    ]
    rows += [
        [
            f"share of rows with a risk above {bound}, by people, as the {counter(report)} counted",
            "-",
            percent(share),
        ]
        for bound, share in report_charts.shares_of_people(report)
    ]
    rows.append(["unique rows", None if was is None else was.unique_rows, now.unique_rows])
    rows.append(["equivalence classes", None if was is None else was.classes, now.classes])
    rows.append(["rows", None if was is None else was.rows, now.rows])
    headings = ["figure", "source", "release"]
    if was is None:
        headings, rows = ["figure", "release"], [[name, after] for name, _, after in rows]
    note = (
        "Three attackers are distinguished. The prosecutor knows that a certain person is in the data, the journalist looks "
        "for any person of a population, and the marketer matches all rows with a population and does not mind errors. No "
        "population is given here, and the release is taken for it, the worst case: so the figures of all three are equal."
    )
    if report.policy.about.standard is StandardName.EMA0070:
        meets = "meets" if highest <= OF_PUBLIC_DATA else "does not meet"
        note = f"{note} A risk of 0.09 is allowed, so at least 12 in a class; this release, with {highest:.4f}, {meets} it."
    return ReportSection(
        "risk",
        "Re-identification risk" if was is None else "Re-identification risk, before and after",
        [*sentences, note],
        report_charts.risk_charts(report),
        [ShownTable(headings, rows)],
        report.left_out.get(Section.RISK_BEFORE),
    )


TRUTH, ROWS_AND_PEOPLE = "Truth of single rows", "Rows and people"
"""The titles of the limits of a release whose cells stand for classes, and of one whose classes count rows."""
OF_PUBLIC_DATA = 0.09
"""The highest risk of public clinical data."""
SIZES = (2, 3, 5, 10, 11, 12, 20)
"""The class sizes, beside the policy's k, that risks are compared with: guidelines and custodians use them."""


def share_below(sizes: Sequence[SizeCount], size: int) -> float:
    """Return the share of rows in classes of fewer members than `size`: those whose risk is above 1/`size`.

    >>> from kanon_sql.policy.privacy.risks import SizeCount
    >>> sizes = [SizeCount(11, 2, 22), SizeCount(10, 1, 10)]
    >>> share_below(sizes, 10), share_below(sizes, 11)
    (0.0, 0.3125)
    """
    rows = sum(each.rows for each in sizes)
    return sum(each.rows for each in sizes if each.size < size) / rows if rows else 0.0


def _pair(before: AttackerRisk | None, after: AttackerRisk, name: str) -> list[object]:
    return [
        "-" if before is None else percent(getattr(before, name)),
        percent(getattr(after, name)),
    ]


def _several_rows(report: Report) -> str:
    """Return a sentence on the people with several rows, if the source was counted."""
    if report.people is None:
        return ""
    people, several = report.people
    return f" Of {people:,} people in the source {several:,} have several rows."


def _unique_text(report: Report) -> str:
    now: RiskFigures = report.risk
    many = counted(now.unique_rows, "row") if now.unique_rows else "No row"
    kept = f"{many} of the release {'are' if now.unique_rows > 1 else 'is'} unique by the quasi-identifiers"
    if report.risk_before is None:
        return f"{kept}."
    was = report.risk_before
    share = percent(was.unique_rows / max(was.rows, 1))
    return f"{kept}; in the source {was.unique_rows:,} of {was.rows:,} rows were ({share})."


def sizes_section(report: Report) -> ReportSection:
    """Build the section on the sizes of classes."""
    k = report_charts.k_of(report)
    members = report_charts.member(report)
    smallest = min((each.size for each in report.sizes), default=0)
    asked = f"and the policy asks for at least {k:,}"
    if report_charts.people_hidden(report):
        asked = (
            f"and the policy asks for at least {k:,} people. The release does not show who they are; the {counter(report)} counted at "
            f"least {report.plan.smallest_class:,} in each class"
        )
    sentences = [
        (
            f"An equivalence class is a set of rows with the same labels in all quasi-identifiers. The release has "
            f"{counted(report.risk.classes, 'class')}; the smallest has {counted(smallest, members)}, {asked}. "
            f"{_not_shown(report)}."
        ),
    ]
    return ReportSection("sizes", "Class sizes", sentences, report_charts.size_charts(report), [])


def counter(report: Report) -> str:
    """Return what counted the people whom a release does not show: the plan, or the ledger of its series."""
    return "plan" if report.series is None else "ledger"


def _not_shown(report: Report) -> str:
    if report.series is None:
        return f"Suppressed rows: {suppressed_text(report.plan)}"
    return f"Withheld rows: {report.series.withheld:,}"


def series_section(report: Report) -> Iterator[ReportSection]:
    """Yield the section on the series, if the release is one of a series."""
    of = report.series
    if of is None:
        return
    rows: list[list[object]] = [
        ["releases", of.releases],
        ["rows that the last one shows", of.shown],
        ["living rows withheld", of.withheld],
        ["deleted rows still shown", of.waiting],
        ["rows that any release has shown", of.ever_shown],
        ["cells", of.cells],
        ["smallest cell", of.smallest_cell],
    ]
    sentences = [*of.sentences, "What the series does not hide is under Limits, as other releases."]
    table = ShownTable(["figure of the ledger", "value"], rows)
    yield ReportSection("series", "The series of releases", sentences, [], [table])


def models_section(report: Report) -> ReportSection:
    """Build the section that compares the models' requirements with the counts."""
    rows: list[list[object]] = []
    members = "people" if report.plan.counts_people is not None else "rows"
    for each in report.models:
        bound = f"{'at most' if each.at_most else 'at least'} {_number(each.required)}"
        verdict = {True: "holds", False: "does not hold", None: "not counted here"}[each.holds]
        over = f" over {', '.join(each.over)}" if each.over else ""
        found = "-" if each.found is None else _number(each.found)
        measure = members if each.measure == str(SIZE) else each.measure
        if each.found is None and each.measure == str(SIZE) and not each.over:
            found, verdict = f"{report.plan.smallest_class:,}", f"counted by the {counter(report)}"
        rows.append([f"{each.model}{over}", measure, bound, found, verdict])
    return ReportSection(
        "models",
        "Privacy models, with measured figures",
        list(_of_figures(report)),
        [],
        [ShownTable(["model", "what is counted", "required", "found", "verdict"], rows)],
        report.left_out.get(Section.MODELS),
    )


def _of_figures(report: Report) -> Iterator[str]:
    """Yield a sentence on where the models' figures are from."""
    anew = [each.found is not None for each in report.models]
    if all(anew):
        yield "Each figure is that of the worst class, counted anew in the released rows."
    elif any(anew):
        yield (
            "Each figure is that of the worst class. Where the verdict is “holds” or “does not hold”, it was counted anew in "
            f"the released rows. Where it is “counted by the {counter(report)}”, the release does not show it."
        )


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) or value == int(value) else f"{value:.9g}"


def sensitive_section(report: Report) -> ReportSection:
    """Build the section on the distribution of sensitive values in the classes."""
    rows: list[list[object]] = []
    for each in report.sensitive:
        least = min((of.least for of in each.distinct), default=0)
        rows.append(
            [
                each.column,
                f"{int(least):,}",
                percent(each.largest_share),
                decimal_text(each.largest_distance),
            ]
        )
    headings = [
        "sensitive column",
        "fewest values in a class",
        "largest share of one value in a class",
        "largest distance from the release (t)",
    ]
    return ReportSection(
        "sensitive",
        "Sensitive values in the classes",
        [
            (
                "Anyone who finds a person's class learns how the sensitive values are distributed in it. The distance compares "
                "the shares of the values in a class with those in the whole release, as half the sum of the differences: 0 "
                "where they are the same, near 1 where the class reveals the value. NULL is not counted."
            )
        ],
        report_charts.sensitive_charts(report),
        [ShownTable(headings, rows)] if rows else [],
        report.left_out.get(Section.SENSITIVE),
    )
