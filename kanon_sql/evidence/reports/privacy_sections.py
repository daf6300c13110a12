"""The sections of a report on privacy: risk, class sizes, privacy models, sensitive values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.base.documents.shown import ShownTable
from kanon_sql.base.documents.text import counted, decimal_text, joined
from kanon_sql.counting.plans.shown_plan import suppressed_text
from kanon_sql.evidence.reports import report_charts
from kanon_sql.evidence.reports.report_values import ReportSection, Section, percent
from kanon_sql.policy.privacy.k_anonymity import SIZE
from kanon_sql.policy.privacy.risks import CountedBy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.evidence.reports.report import Report
    from kanon_sql.policy.privacy.risks import AttackerRisk, RiskFigures, SizeCount


def risk_section(report: Report) -> ReportSection:
    """Build the section on the risk of three attackers, before and after."""
    now, was, before = report.risk, report.risk_before, report.sizes_before
    by_rows = now.prosecutor
    risk = report.plan.risk if _people_hidden(report) else None
    highest, average = (
        (by_rows.highest, by_rows.average) if risk is None else (risk.highest, risk.average)
    )
    sentences = [
        (
            f"Someone who knows that a person is in the release, and their quasi-identifiers, finds the person's row with a "
            f"probability of at most {percent(highest)} (1 in {round(1 / highest):,}), and of "
            f"{percent(average)} on average. {_unique_text(report)}"
        ),
    ]
    if _people_hidden(report):
        stated = (
            "The plan states no risk by people."
            if risk is None
            else "These two probabilities are the plan's, which counted people."
        )
        sentences.append(
            f"The policy counts people, by a column that the release does not show. {stated} The chart and the table below "
            f"count rows, and the risk of a person with several rows can be higher than theirs: by rows the probability is "
            f"at most {percent(by_rows.highest)}, and {percent(by_rows.average)} on average."
        )
    if report.unique is not None and report.unique.unique:
        sentences.append(f"{report.unique}. These columns are {joined(report.unique.over)}.")
    attackers = (
        ("prosecutor: knows that a person is in the table", "prosecutor"),
        ("journalist: knows a person of the population", "journalist"),
        ("marketer: matches all rows with the population", "marketer"),
    )
    rows: list[list[object]] = []
    for title, key in attackers:
        then = None if was is None else getattr(was, key)
        after = getattr(now, key)
        for name in ("highest", "average"):
            if (key, name) == ("marketer", "highest"):
                continue
            of = "share of rows matched rightly" if key == "marketer" else f"{name} risk"
            rows.append([f"{title}: {of}", *_pair(then, after, name)])
    rows += [
        [
            f"share of rows with a risk above 1/{size:,} (in classes of fewer than {size:,})",
            "-" if before is None else percent(share_below(before, size)),
            percent(share_below(report.sizes, size)),
        ]
        for size in sorted({*SIZES, report_charts.k_of(report)}, reverse=True)
    ]
    rows.append(["unique rows", None if was is None else was.unique_rows, now.unique_rows])
    rows.append(["equivalence classes", None if was is None else was.classes, now.classes])
    rows.append(["rows", None if was is None else was.rows, now.rows])
    note = (
        "Three attackers are distinguished. The prosecutor knows that a certain person is in the data, the journalist looks "
        "for any person of a population, and the marketer matches all rows with a population and does not mind errors. No "
        "population is given here, and the release is taken for it: the worst case for the journalist and the marketer. "
        "The European Medicines Agency and Health Canada allow a risk of 0.09 for public clinical data, which is 1/11 in two "
        "digits: classes of at least 11. Read strictly, it asks for classes of 12."
    )
    return ReportSection(
        "risk",
        "Re-identification risk, before and after",
        [*sentences, note],
        report_charts.risk_charts(report),
        [ShownTable(["figure", "source", "release"], rows)],
        report.left_out.get(Section.RISK_BEFORE),
    )


SIZES = (2, 3, 5, 10, 11, 20)
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


def _people_hidden(report: Report) -> bool:
    """Return True if the policy counts people, and the release has no column of them."""
    return report.plan.counts_people is not None and report.counted is CountedBy.ROWS


def _pair(before: AttackerRisk | None, after: AttackerRisk, name: str) -> list[object]:
    return [
        "-" if before is None else percent(getattr(before, name)),
        percent(getattr(after, name)),
    ]


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
    if _people_hidden(report):
        asked = (
            f"and the policy asks for at least {k:,} people. The release does not show who they are; the plan counted at "
            f"least {report.plan.smallest_class:,} in each class"
        )
    sentences = [
        (
            f"An equivalence class is a set of rows with the same labels in all quasi-identifiers. The release has "
            f"{counted(report.risk.classes, 'class')}; the smallest has {counted(smallest, members)}, {asked}. Suppressed "
            f"rows: {suppressed_text(report.plan)}."
        ),
    ]
    return ReportSection("sizes", "Class sizes", sentences, report_charts.size_charts(report), [])


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
            found, verdict = f"{report.plan.smallest_class:,}", "counted by the plan"
        rows.append([f"{each.model}{over}", measure, bound, found, verdict])
    return ReportSection(
        "models",
        "Privacy models, with measured figures",
        ["Each figure is that of the worst class, counted anew in the released rows."]
        if any(each.found is not None for each in report.models)
        else [],
        [],
        [ShownTable(["model", "what is counted", "required", "found", "verdict"], rows)],
        report.left_out.get(Section.MODELS),
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
