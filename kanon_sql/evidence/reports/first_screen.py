"""The first screen of a report: a verdict in one sentence, its figures, what it is of, and charts with their answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.base.charts.bars import ColumnLoss, chances, column_loss, simple_counts
from kanon_sql.base.charts.chart import loss_text
from kanon_sql.base.charts.points import BeforeAfter, correlations
from kanon_sql.base.documents.text import clause, counted, decimal_text, joined, one_in_ten
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source.exposed_rows import MOST_OF_ONE
from kanon_sql.counting.source.open_view import source_name
from kanon_sql.evidence.reports.dossier import TRUTH, counter, dossier_of, share_below
from kanon_sql.evidence.reports.report_charts import (
    class_risk,
    frontier_charts,
    k_of,
    people_hidden,
    shares_of_people,
    without_reason,
)
from kanon_sql.evidence.reports.report_values import percent
from kanon_sql.policy.metrics.registry import OF_SIMPLE_COUNTS
from kanon_sql.policy.model import Role
from kanon_sql.recoding.linked_rows import UNDOES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.base.charts.chart import Chart
    from kanon_sql.evidence.reports.report import Report
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.risks import SizeCount


@dataclass(frozen=True, slots=True)
class Answer:
    """A question that whoever decides asks, its answer in a sentence, and the chart that shows it."""

    question: str
    sentence: str
    chart: Chart


NARROW, LABELLED = 260, 200
"""The widths of a chart's plot in pixels, without and with labels beside its rows: two charts stand side by side, also on
paper, and texts are of one size in all."""
LOW = 170
"""The height of a plot that has no rows."""


def answers(report: Report) -> list[Answer]:
    """Return the questions that this report can answer; others have no figures, and `left_out` says why."""
    of_all = (_at_risk(report), _columns(report), _counts(report), _numbers(report))
    found = (*of_all, _other_k(report))
    return [
        replace(each, chart=replace(each.chart, spec=_small(each.chart)))
        for each in found
        if each is not None
    ]


def _small(chart: Chart) -> dict[str, object]:
    """Return the specification of a chart with a smaller plot."""
    high = chart.spec.get("height")
    if isinstance(high, int):
        return {**chart.spec, "width": NARROW, "height": LOW}
    return {**chart.spec, "width": LABELLED}


def _at_risk(report: Report) -> Answer:
    """Answer who is at risk: rows by the size of their class, before and after."""
    k = k_of(report)
    starts = [*(each for each in (1, 2, 5) if each < k), k, 2 * k, 10 * k]
    ends = [*(each - 1 for each in starts[1:]), None]
    labels = [_chance(low, high) for low, high in zip(starts, ends, strict=True)]

    def rows(sizes: Sequence[SizeCount]) -> list[int]:
        return [
            sum(of.rows for of in sizes if low <= of.size and (high is None or of.size <= high))
            for low, high in zip(starts, ends, strict=True)
        ]

    now = percent(share_below(report.sizes, k))
    sentence = (
        f"In the release {now} of the rows could be found with a probability above 1 in {k:,}"
    )
    before, question = None, "Who is at risk?"
    if report.sizes_before is not None:
        before = rows(report.sizes_before)
        was = percent(share_below(report.sizes_before, k))
        question = "Who is at risk, before and after?"
        sentence = f"{was} of the rows of the source could be found with a probability above 1 in {k:,}, and {now} of the release"
    if people_hidden(report):
        sentence = f"{sentence}. Rows are counted here, as the release does not show people"
        if shares := shares_of_people(report):
            above = ", ".join(f"{percent(share)} a risk above {bound}" for bound, share in shares)
            sentence = (
                f"{sentence}; by people, as the {counter(report)} counted, of the rows {above}"
            )
    chart = chances(labels, before, rows(report.sizes), allowed=_chance(k, None))
    return Answer(question, f"{sentence}.", chart)


def _chance(low: int, high: int | None) -> str:
    if high is None:
        return f"1 in {low:,} or less"
    if low == high:
        return "1 in 1: unique" if low == 1 else f"1 in {low:,}"
    return f"1 in {low:,} to {high:,}"


def column_losses(report: Report) -> list[tuple[str, float]]:
    """Return the loss of each quasi-identifier, the mean NCP of its cells; none if it is not known of all."""
    if report.quality is None:
        return []
    losses = [
        (each.name, each.certainty) for each in report.quality.columns if each.certainty is not None
    ]
    return losses if len(losses) == len(report.quality.columns) else []


def lost_columns(report: Report) -> list[str]:
    """Return the quasi-identifiers with several values in the source that have one label in all rows of the release."""
    return [
        each.name for each in report.columns if each.distinct == 1 < (each.distinct_before or 0)
    ]


def _columns(report: Report) -> Answer | None:
    """Answer what each column lost."""
    losses = column_losses(report)
    if not losses:
        return None
    by_levels = report.plan.recoding.by_levels
    recoded = {each.name: each.recoded if by_levels else "" for each in report.columns}
    name, most = max(losses, key=lambda each: each[1])
    whole = [name for name, loss in losses if loss == 0]
    sentence = f"Most: {name}, {percent(most)}" if most else "None lost anything"
    if most and whole:
        sentence = f"{sentence}. Nothing: {joined(whole)}"
    if any(each.output.is_of_rows for each in report.policy.quasi):
        sentence = f"{sentence}. A loss is the part of the column that a class spans, whose value stands for it"
    else:
        sentence = f"{sentence}. At 0% all values are kept, at 100% a column says nothing"
    chart = column_loss(
        [ColumnLoss(name, loss, recoded[name]) for name, loss in losses], metric="information loss"
    )
    return Answer("What did each column lose?", f"{sentence}.", chart)


def _counts(report: Report) -> Answer | None:
    """Answer what simple counts lose: rows by bands of one column, before and after."""
    lost = lost_columns(report)
    table = next(
        (
            each
            for each in report.small
            if each.rate is None and len(each.columns) == 1 and each.columns[0] not in lost
        ),
        None,
    )
    if table is None:
        return None
    (column,) = table.columns
    known = [
        (" ".join(row.bands), row.before, row.after[0])
        for row in table.rows
        if row.after[0] is not None
    ]
    labels, before, after = (
        (list(each) for each in zip(*known, strict=True)) if known else ([], [], [])
    )
    if not labels:
        return None
    off, band = max((abs(a - b) / b, label) for label, b, a in known if b)
    sentence = f"Rows by {column}: furthest off is {band}, by {percent(round(off, 3))}"
    if not round(off, 3):
        sentence = f"Rows by {column} are as in the source"
    if report.quality is not None and report.quality.simple_counts is not None:
        errors = report.quality.simple_counts
        sentence = f"{sentence}. {errors[:1].upper()}{errors[1:]}"
    return Answer(
        "What do simple counts lose?", f"{sentence}.", simple_counts(column, labels, before, after)
    )


MOST_PAIRS = 10
"""The most pairs of numbers on the first screen: those that change most."""


def _numbers(report: Report) -> Answer | None:
    """Answer what correlations lose where quasi-identifiers are released as numbers of their class."""
    numbers = None if report.quality is None else report.quality.numbers
    quasi = {each.name for each in report.policy.quasi}
    pairs = [] if numbers is None else numbers.by_change
    if not any({each.one, each.other} & quasi for each in pairs):
        return None
    most, count = pairs[0], counted(len(pairs), "pair")
    sentence = f"Of {count} of numbers, {most} changes most: {most.before:.3f} in the source, {most.after:.3f} in the release"
    if most.change < LEAST_CHANGE:
        sentence = f"Of {count} of numbers, none changes by {LEAST_CHANGE} or more"
    sentence = (
        f"{sentence}. All rows of a class show the same numbers: two such columns may follow each other more closely than in the "
        "source, or less; and standard errors of a regression grow"
    )
    chart = correlations(
        [BeforeAfter(str(each), each.before, each.after) for each in pairs[:MOST_PAIRS]],
        measure="Pearson's correlation",
    )
    return Answer("What do correlations lose?", f"{sentence}.", replace(chart, name="pearson"))


LEAST_CHANGE = 0.005
"""The least change of a correlation that the first screen names."""


def _other_k(report: Report) -> Answer | None:
    """Answer what another k would lose, with the policy's marked."""
    charts = frontier_charts(report)
    if not charts:
        return None
    return Answer("What would another k lose?", _of_other_k(report), charts[-1])


def _of_other_k(report: Report) -> str:
    plan, k = report.plan, k_of(report)
    limit = plan.max_suppressed
    losses = {each.k: each.loss for each in report.cuts}
    if report.search is not None:
        cells = report.search.explanation.frontier
        losses = {
            each.k: each.optimum.cost[0]
            for each in cells
            if each.max_suppressed == limit and each.optimum.found
        }
    smaller, larger = [n for n in losses if n < k], [n for n in losses if n > k]
    near = [*([max(smaller)] if smaller else []), *([min(larger)] if larger else [])]
    parts = [f"k = {k:,} loses {decimal_text(plan.cost[0])}"]
    parts += [f"k = {each:,} would lose {decimal_text(losses[each])}" for each in near]
    return f"{', '.join(parts)}: {loss_text(plan.metric)}."


LONGEST_RECIPIENTS = 160
"""The most characters of the recipients in the verdict; longer texts stand under the purpose alone."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the verdict with the limit or the count that it is read beside; `is_open` if somebody must judge it."""

    name: str
    value: str
    beside: str
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class ReleaseVerdict:
    """Whether a release meets its policy, in words around the recipients, and the figures that say so.

    `line` is the verdict in short. `is_open` where the release meets its policy, and nearly all rows are unique by released
    columns that nobody has given a reason for. The text is `before`, the recipients, and `after`; `recipients` is empty if the
    policy names none, or at length. `decided` has what whoever signs has judged, and whether it is open. `origin` has the date,
    the source and the hashes by their names.
    """

    meets: bool
    line: str
    before: str
    recipients: str
    after: str
    figures: Sequence[Figure]
    decided: Sequence[tuple[str, str, bool]]
    origin: Sequence[tuple[str, str]]
    is_open: bool = False

    @property
    def text(self) -> str:
        """The words as text."""
        return f"{self.before}{self.recipients}{self.after}"

    @property
    def mark(self) -> str:
        """The mark of the verdict: PASS, OPEN or FAIL."""
        if not self.meets:
            return "FAIL"
        return "OPEN" if self.is_open else "PASS"


def verdict_of(report: Report, k: int) -> ReleaseVerdict:
    """Return the verdict on a report's release, whose policy asks for classes of at least `k`."""
    failed = [
        f"{each.model} asks for {'at most' if each.at_most else 'at least'} {each.required:g} and has {each.found:g}"
        for each in report.models
        if each.holds is False
    ]
    figures, decided, origin = list(_figures(report, k)), list(_decided(report)), _origin(report)
    recipients = " ".join((report.policy.about.recipients or "").split()).rstrip(".")
    if len(recipients) > LONGEST_RECIPIENTS:
        recipients = ""
    if failed:
        before = f"This {report.of} does not meet its policy, and nothing of it may be released"
        line, after = "Does not meet its policy", f": {'; '.join(failed)}."
        return ReleaseVerdict(False, line, before, "", after, figures, decided, origin)  # noqa: FBT003  `meets`
    whose = " for " if recipients else ", which names no recipients"
    recipients = f"“{recipients}”" if recipients else ""
    line, exposed = "Meets its policy", _exposed(report)
    undone = any(UNDOES in each for each in report.warnings)
    is_open = undone or (bool(exposed) and bool(without_reason(report.policy)))
    if undone:
        line = f"Meets its policy, but released columns tell values that it generalizes: see “Warnings”. {exposed}".rstrip()
    elif is_open:
        line = f"Meets its policy, but only against somebody who knows no more than {_known(report)}. {exposed}"
    after = f", against somebody who knows no more than {_known(report)}: {', '.join(_clauses(report, k))}."
    if exposed and not is_open:
        after = f"{after} {exposed}"
    return ReleaseVerdict(
        meets=True,
        line=line,
        before=f"This {report.of} meets its policy{whose}",
        recipients=recipients,
        after=after,
        figures=figures,
        decided=decided,
        origin=origin,
        is_open=is_open,
    )


MOST_NAMED = 6
"""The most columns that the verdict names."""


def _known(report: Report) -> str:
    """Return what somebody knows of a person by the policy: its quasi-identifiers, by name if they are few."""
    names = [each.name for each in report.policy.quasi]
    return joined(names) if len(names) <= MOST_NAMED else f"the {len(names)} quasi-identifiers"


def _exposed(report: Report) -> str:
    """Return a sentence on rows that are unique by a released column beside the quasi-identifiers; empty unless nearly all are."""
    unique = report.unique
    if unique is None or not unique.nearly_all:
        return ""
    if not unique.alone:
        return (
            f"With all released columns {unique.unique:,} of {unique.rows:,} rows could be found."
        )
    name, share = unique.alone[0]
    return (
        f"With {name} as well, {_part(share, report.risk.rows)} could be found; with all released columns "
        f"{unique.unique:,} of {unique.rows:,}."
    )


def _part(share: float, rows: int) -> str:
    """Return a number of rows with its share; the share alone where a part of the rows was counted."""
    if rows > MOST_OF_ONE:
        return f"about {share:.0%} of {rows:,} rows"
    return f"{round(share * rows):,} of {rows:,} rows ({percent(round(share, 3))})"


def _clauses(report: Report, k: int) -> Iterator[str]:
    """Yield the clauses of the verdict: classes, risk, error of simple counts, suppressed rows."""
    risk, plan = class_risk(report), report.plan
    many = counted(report.risk.classes, "equivalence class")
    hidden = f", as {report.recounted or 'the sender'} counted" if risk.of_plan else ""
    yield (
        f"each of its {many} (rows that are alike in these columns) has at least {_members(report, risk.smallest)} "
        f"(k = {k:,}){hidden}"
    )
    yield (
        f"a person is found with a probability of at most {percent(risk.highest)} (the policy allows 1/{k:,}) and of "
        f"{percent(risk.average)} on average"
    )
    if (errors := _count_errors(report)) is not None:
        spread, plain, tenth = errors
        known = (
            "" if spread == plain else " (if each label is spread over the values that it covers)"
        )
        yield f"half of simple counts are off by at most {spread:.1%}{one_in_ten(tenth)}{known}"
    if lost := lost_columns(report):
        yield f"{joined(lost)} {'is' if len(lost) == 1 else 'are'} lost (one label in all rows)"
    removed = f"{clause(report.removed, 'row', 'have at least one value removed')} (*)"
    if report.series is not None:
        yield f"and the series withholds {counted(report.series.withheld, 'living row')} for later releases"
    elif not plan.suppressed_rows:
        but = f", but {removed}" if report.removed else ""
        yield f"and no row of {plan.source_rows:,} is suppressed{but}"
    else:
        too = f", and {removed}" if report.removed else ""
        yield f"and {plan.suppressed_rows:,} of {plan.source_rows:,} rows are suppressed{too}"


OF_EVERY_PAGE = {"This page", "The choices of the policy", "Law", TRUTH}
"""The titles of limits that are of the report, and of no release, and of the one that the verdict says itself."""


def roles_decided(policy: Policy) -> Iterator[tuple[str, str, bool]]:
    """Yield the judgements on the roles of the columns."""
    bare = without_reason(policy)
    dropped = [each.name for each in policy.columns if each.is_dropped]
    sensitive = [each.name for each in policy.with_role(Role.SENSITIVE) if each.name not in bare]
    masked = {
        each.name: f"{each.name} ({each.mask})"
        for each in policy.columns
        if each.mask is not None and not each.is_dropped
    }
    alone = [each for each in bare if each not in masked]
    loose = [masked.pop(each) for each in bare if each in masked]
    kept = [
        each.name
        for each in policy.with_role(Role.INSENSITIVE)
        if each.mask is None and each.name not in bare
    ]
    stand_ins = [each.name for each in policy.quasi if each.output.is_of_class]
    if generalized := [each.name for each in policy.quasi if each.name not in stand_ins]:
        yield "Generalized, as somebody could know them", joined(generalized), False
    if stand_ins:
        what = f"{joined(stand_ins)}: each row shows a value that stands for its class"
        yield "Not true of single rows", what, True
    if sensitive:
        yield "Released unchanged, sensitive", joined(sensitive), False
    if kept:
        yield "Released unchanged, with a reason", joined(kept), False
    undecided = "NO REASON GIVEN, nobody has decided that these could not be known"
    if alone:
        yield "Released unchanged", f"{joined(alone)}: {undecided}", True
    if loose:
        yield "Masked in part", f"{joined(loose)}: {undecided}", True
    if masked:
        yield "Masked", joined([*masked.values()]), False
    if dropped:
        yield "Removed", joined(dropped), False


def _decided(report: Report) -> Iterator[tuple[str, str, bool]]:
    """Yield the judgements that a signer confirms: roles, limits, warnings, and what nobody can check."""
    policy = report.policy
    yield from roles_decided(policy)
    if people_hidden(report) and report.recounted is not None:
        what = f"counted in the source by {report.recounted}, and k of them found in each; a reader without the source cannot"
        yield "The people of each class", what, False
    elif people_hidden(report):
        what = f"UNCHECKED: the people of each class, by {policy.entity}. Its sender counted them; the release does not show it"
        yield "Not to be seen in the release", what, True
    titles = [each.title for each in dossier_of(report).limits if each.title not in OF_EVERY_PAGE]
    yield "Not protected from", f"{'; '.join(titles).lower()}: see “Limits”", False
    terms = policy.about.terms
    yield (
        "Terms of use",
        terms or "NOT STATED: no ban on linking or on finding people",
        terms is None,
    )
    if report.others:
        what = f"{joined(report.others)}: values that both show join their rows, and nothing here counts them together"
        yield "Other releases of the same people", what, True
    if report.warnings:
        what = f"{counted(len(report.warnings), 'warning')} of the plan: see “Warnings”"
        yield "Warnings", what, True


def _members(report: Report, many: int) -> str:
    """Return a number of people or rows, as the policy counts."""
    if report.plan.counts_people is None:
        return counted(many, "row")
    return "1 person" if many == 1 else f"{many:,} people"


def _count_errors(report: Report) -> tuple[float, float, float | None] | None:
    """Return the errors of simple counts, with labels spread and as they are, and of one in ten; None if not measured."""
    measured = {} if report.quality is None else report.quality.figures
    for known in (measured, report.plan.figures):
        spread, plain, tenth = map(known.get, OF_SIMPLE_COUNTS)
        if spread is not None and plain is not None:
            return spread, plain, tenth
    return None


def _figures(report: Report, k: int) -> Iterator[Figure]:
    """Yield the figures of the verdict, each with its limit."""
    risk, plan = class_risk(report), report.plan
    by = "counts rows"
    if plan.counts_people is not None:
        by = f"counts people by {report.policy.entity}"
    unchecked = risk.of_plan and report.recounted is None
    if unchecked:
        by = (
            f"{by}, as the {counter(report)} did: UNCHECKED, the release does not show who they are"
        )
    elif risk.of_plan:
        by = f"{by} in the source; {report.recounted} found k in each class"
    yield Figure("Smallest class", _members(report, risk.smallest), f"k = {k:,}, {by}", unchecked)
    yield Figure(
        "Highest risk", percent(risk.highest), f"the policy allows 1/{k:,}, {percent(1 / k)}"
    )
    asked = next((each.required for each in report.models if each.measure == AVERAGE), None)
    beside = "" if asked is None else f"the policy allows {percent(asked)}"
    if asked is None:
        parts = []
        if risk.of_plan:
            parts.append(f"by people; by rows {percent(report.risk.prosecutor.average)}")
        if report.risk_before is not None:
            was = percent(report.risk_before.prosecutor.average)
            parts.append(f"in the source {was}" if parts else f"{was} in the source")
        beside = ", ".join(parts)
    yield Figure("Average risk", percent(risk.average), beside)
    if report.sensitive:
        worst = max(report.sensitive, key=lambda each: each.largest_share)
        beside = "of the rows of one class have the same value: whoever finds this class "
        beside += "learns it" if worst.largest_share >= 1 else "is so often right to guess it"
        yield Figure(f"Likeliest {worst.column}", percent(worst.largest_share), beside)
    if (errors := _count_errors(report)) is not None:
        spread, plain, tenth = errors
        beside = (
            f"half of counts by two quasi-identifiers are off by at most that{one_in_ten(tenth)}"
        )
        if spread != plain:
            unspread = "most values are not found if not" if plain >= 1 else f"{plain:.1%} if not"
            beside = f"{beside}, each label spread over the values that it covers; {unspread}"
        yield Figure("Error of simple counts", f"{spread:.1%}", beside)
    yield from _unreleased(report)
    if report.unique is not None and report.unique.unique:
        alone = report.unique
        beside = "found by all their released values, whatever k is"
        if alone.alone:
            shares = [
                f"{name} {percent(round(share, 3))}" for name, share in alone.alone[:MOST_ALONE]
            ]
            beside = f"with the quasi-identifiers and one column: {', '.join(shares)}"
        yield Figure(
            "Unique by all columns", f"{alone.unique:,} of {alone.rows:,}", beside, alone.nearly_all
        )


MOST_ALONE = 4
"""The most columns whose share of unique rows is beside that of all."""


def _unreleased(report: Report) -> Iterator[Figure]:
    """Yield the figures of rows that the release does not show: suppressed ones, or those of a series."""
    plan, series = report.plan, report.series
    if series is None:
        share = percent(plan.suppressed_share)
        beside = f"{share}; the policy allows {plan.max_suppressed:,}"
        if report.removed:
            beside = (
                f"{beside}; {counted(report.removed, 'row')} with at least one value removed (*)"
            )
        yield Figure("Suppressed rows", f"{plan.suppressed_rows:,} of {plan.source_rows:,}", beside)
        return
    since = f"the oldest since {_day(series.withheld_since)}" if series.withheld else "none"
    beside = f"{since}; {percent(series.shown_share)} of the source's rows are shown"
    yield Figure("Withheld rows", f"{series.withheld:,}", beside)
    since = f"the oldest since {_day(series.waiting_since)}" if series.waiting else "none"
    yield Figure("Deleted rows still shown", f"{series.waiting:,}", since)


def _day(moment: str | None) -> str:
    return (moment or "").partition("T")[0]


AVERAGE = "classes per row of the release"
"""The measure of the model that bounds the average risk."""


def _origin(report: Report) -> list[tuple[str, str]]:
    """Return the date, the source and the hashes of a report."""
    plan, policy = report.plan, report.policy
    source = source_name(policy.source).partition("?")[0]  # what follows can be a signature
    rules = "Policy's rules, as the plan has them"
    if not any(name.startswith("Policy") for name, _ in report.files):
        rules = "Policy, SHA-256"
    return [
        ("Date", report.made_on),
        ("Source", source if report.series else f"{source}, {counted(plan.source_rows, 'row')}"),
        *report.files,
        (rules, plan.policy_digest),
        *(
            ("In place of the policy's entries", f"{stated}: given when it was planned")
            for stated in [", ".join(f"{key}: {value}" for key, value in plan.overrides.items())]
            if stated
        ),
        ("Plan, SHA-256", report.plan_digest),
    ]
