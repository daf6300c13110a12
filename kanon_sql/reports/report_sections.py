"""The measured sections of a report: sentences, charts and tables, the same for a page and for a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kanon_sql.charts.chart import Chart  # noqa: TC001  the type of a field
from kanon_sql.documents.shown import ShownTable
from kanon_sql.documents.text import counted, decimal_text, joined
from kanon_sql.explanation.explanation import Certainty
from kanon_sql.plans.shown_plan import suppressed_text
from kanon_sql.privacy.k_anonymity import SIZE
from kanon_sql.privacy.risks import CountedBy
from kanon_sql.release_quality.measures import CLASSIFICATION, DM_STAR, MEASURES
from kanon_sql.reports import report_charts
from kanon_sql.reports.report_values import NULL, Section
from kanon_sql.reports.search_tables import frontier_table, neighbour_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.explanation.explanation import Member
    from kanon_sql.plans.plan import Plan
    from kanon_sql.privacy.attackers import AttackerRisk
    from kanon_sql.privacy.risks import RiskFigures
    from kanon_sql.reports.report import Report


NOT_ASKED = {CLASSIFICATION.key, DM_STAR.key}
"""Figures of quality that a report does not ask for."""


@dataclass(frozen=True, slots=True)
class ReportSection:
    """One section: its sentences, then its charts with their tables, then its tables. `missing` says why it has none."""

    id: str
    title: str
    sentences: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[ShownTable] = ()
    missing: str | None = None


def sections(report: Report) -> list[ReportSection]:
    """Give the measured sections in the order in which a dossier asks for them."""
    return [
        _risk(report),
        _sizes(report),
        _models(report),
        _sensitive(report),
        _utility(report),
        _distributions(report),
        _correlations(report),
        _frontier(report),
        _lattice(report),
        _boxes(report),
        _trees(report),
    ]


def percent(share: float | None) -> str:
    """Write a share as a percentage; a dash where there is none.

    >>> percent(0.2), percent(0.01234), percent(0.00001), percent(None)
    ('20%', '1.23%', '<0.01%', '-')
    """
    if share is None:
        return "-"
    if 0 < share < 0.00005:
        return "<0.01%"
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"


def _risk(report: Report) -> ReportSection:
    now, was = report.risk, report.risk_before
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
        before = None if was is None else getattr(was, key)
        after = getattr(now, key)
        for name in ("highest", "average"):
            if (key, name) == ("marketer", "highest"):
                continue
            of = "share of rows matched rightly" if key == "marketer" else f"{name} risk"
            rows.append([f"{title}: {of}", *_pair(before, after, name)])
    for bound in now.prosecutor.above:
        row = [f"share of rows with a risk above {bound}"]
        rows.append(
            [
                *row,
                "-" if was is None else percent(was.prosecutor.above[bound]),
                percent(now.prosecutor.above[bound]),
            ]
        )
    rows.append(["unique rows", None if was is None else was.unique_rows, now.unique_rows])
    rows.append(["equivalence classes", None if was is None else was.classes, now.classes])
    rows.append(["rows", None if was is None else was.rows, now.rows])
    note = (
        "Three attackers are distinguished. The prosecutor knows that a certain person is in the data, the journalist looks "
        "for any person of a population, and the marketer matches all rows with a population and does not mind errors. No "
        "population is given here, and the release is taken for it: the worst case for the journalist and the marketer. Of the "
        "thresholds in the table, 0.09 is that of the European Medicines Agency and Health Canada for public clinical data."
    )
    return ReportSection(
        "risk",
        "Re-identification risk, before and after",
        [*sentences, note],
        report_charts.risk_charts(report),
        [ShownTable(["figure", "source", "release"], rows)],
        report.left_out.get(Section.RISK_BEFORE),
    )


def _people_hidden(report: Report) -> bool:
    """Whether the policy counts people, and the release does not show whose rows it has."""
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


def _sizes(report: Report) -> ReportSection:
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


def _models(report: Report) -> ReportSection:
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


def _sensitive(report: Report) -> ReportSection:
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


def _utility(report: Report) -> ReportSection:
    quality = report.quality
    if quality is None:
        rows: list[list[object]] = [
            [each.name, each.recoded, None, each.distinct, None, None] for each in report.columns
        ]
    else:
        rows = [
            [
                each.name,
                each.recoded,
                each.distinct_before,
                each.distinct,
                None if of.loss is None else percent(of.loss),
                None if of.certainty is None else percent(of.certainty),
            ]
            for each, of in zip(report.columns, quality.columns, strict=True)
        ]
    tables = [
        ShownTable(
            [
                "quasi-identifier",
                "recoded to",
                "values before",
                "labels after",
                "loss (LM)",
                "penalty (NCP)",
            ],
            rows,
        )
    ]
    if quality is not None:
        figures: list[list[object]] = [
            [measure.name, decimal_text(value), measure.title]
            for key, measure in MEASURES.items()
            if (value := quality.figures.get(key)) is not None
        ]
        if (errors := quality.queries) is not None and errors.median is not None:
            asked = f"of {len(errors.errors):,} drawn COUNT queries, estimated from the release"
            figures[:0] = [
                [f"query error ({name})", percent(value), f"{name} relative error {asked}"]
                for name, value in (("median", errors.median), ("mean", errors.mean))
            ]
        tables.append(ShownTable(["figure", "value", "what it is"], figures))
    why = report.left_out.get(Section.UTILITY)
    if quality is not None and quality.reasons:
        left: dict[str, list[str]] = {}
        for key, text in quality.reasons.items():
            if key not in NOT_ASKED:
                left.setdefault(text, []).append(MEASURES[key].name)
        why = "; ".join(f"{joined(names)} ({text})" for text, names in left.items()) or None
    cost = ", ".join(map(decimal_text, report.plan.cost))
    proof = "proven optimal" if report.plan.optimal else "not proven optimal"
    return ReportSection(
        "utility",
        "Utility: what is lost, column by column",
        [
            (
                f"The algorithm {report.plan.algorithm} chose the recoding by the metric {report.plan.metric}: {cost}, {proof}. A "
                f"column with a loss of 0% keeps all of its information, one with 100% keeps none; suppressed rows lose all."
            )
        ],
        report_charts.utility_charts(report),
        tables,
        why,
    )


def _distributions(report: Report) -> ReportSection:
    tables = [
        ShownTable(
            [each.name, "rows before", "rows after"],
            [
                *(
                    [of.text if of.text is not None else NULL, of.before, of.rows]
                    for of in each.labels
                ),
                *(
                    [[f"{each.other_labels:,} other labels", None, None]]
                    if each.other_labels
                    else []
                ),
            ],
        )
        for each in report.columns
    ]
    return ReportSection(
        "distributions",
        "Distributions before and after",
        [
            (
                "The rows under each released label: those of the source, before any row was suppressed, and those of the release. "
                "Where a column is released as it is, its values are numbered here, the most frequent first."
            )
        ],
        report_charts.distribution_charts(report),
        tables,
        report.left_out.get(Section.DISTRIBUTIONS),
    )


def _correlations(report: Report) -> ReportSection:
    rows: list[list[object]] = [
        [f"{each.one} and {each.other}", decimal_text(each.before), decimal_text(each.after)]
        for each in report.correlations
    ]
    return ReportSection(
        "correlations",
        "Correlations kept",
        [
            (
                "How much two columns say about each other, as mutual information in bits per row. Generalization lowers it; what "
                "remains is what an analysis of the release can still find. In a small source, pairs of columns with many values "
                "have a high figure by chance alone."
            )
        ],
        report_charts.correlation_charts(report),
        [ShownTable(["pair of quasi-identifiers", "bits before", "bits after"], rows)]
        if rows
        else [],
        report.left_out.get(Section.CORRELATIONS),
    )


def _frontier(report: Report) -> ReportSection:
    tables = []
    sentences: list[str] = []
    if report.search is not None:
        explained = report.search.explanation
        tables = [frontier_table(explained)]
        sentences = [
            (
                f"The least {explained.plan.metric} that one node reaches under other k and other suppression limits, with all "
                f"else as in the policy. The policy's own limits are in brackets. A star marks a figure that no other limits, "
                f"as strict or stricter, reach or improve on."
            )
        ]
        best = [each.optimum for each in explained.frontier]
        if any(not each.found and each.known is not Certainty.INFEASIBLE for each in best):
            sentences.append("A dash: the time for these searches ended before this one.")
        if any(not each.found and each.known is Certainty.INFEASIBLE for each in best):
            sentences.append("None: no node satisfies these limits.")
        if any(each.found and not each.proven for each in best):
            sentences.append(
                "After <= stands the least that was found; the time ended before it was proven."
            )
    return ReportSection(
        "frontier",
        "Privacy against utility",
        sentences,
        report_charts.frontier_charts(report),
        tables,
        report.left_out.get(Section.SEARCH),
    )


def _lattice(report: Report) -> ReportSection:
    tables, sentences = [], []
    if report.search is not None:
        explained = report.search.explanation
        nodes = explained.nodes or ()
        known = [each for each in nodes if each.feasible is not None]
        names = joined([str(name) for name in explained.plan.heights])
        sentences = [
            (
                f"A node gives each quasi-identifier a generalization level, in the order {names}. The lattice has "
                f"{counted(explained.plan.lattice_nodes or 0, 'node')}. {_decided(known, explained.plan)}"
            ),
        ]
        tables = [neighbour_table(explained)]
    return ReportSection(
        "lattice",
        "The lattice",
        sentences,
        report_charts.lattice_charts(report),
        tables,
        report.left_out.get(Section.SEARCH),
    )


def _decided(known: Sequence[Member], plan: Plan) -> str:
    """Say how many nodes of a lattice are feasible, and minimal where all that are below them are known."""
    feasible = sum(bool(each.feasible) for each in known)
    minimal = sum(bool(each.minimal) for each in known)
    all_known = len(known) == plan.lattice_nodes
    of = "Of these," if all_known else f"Of the {len(known):,} that were decided in time,"
    text = f"{of} {feasible:,} are feasible: they satisfy the privacy models within the suppression limit"
    if all_known or minimal:
        text += f". {minimal:,} of the feasible nodes are {'' if all_known else 'known to be '}minimal: no node below is feasible"
    return f"{text}."


def _boxes(report: Report) -> ReportSection:
    tables, sentences = [], []
    if (pairs := report.pairs) is not None:
        one, other = pairs.columns
        listed = len(pairs.pairs)
        of = "all" if listed == pairs.all_pairs else f"the {listed:,} with most rows"
        sentences = [
            (
                f"The released rows by {one} and {other}, the two quasi-identifiers with most labels: {pairs.all_pairs:,} pairs "
                f"of labels, {of} shown."
            )
        ]
        if not report.plan.recoding.nodes:
            sentences.append("Boxes that overlap differ in other quasi-identifiers.")
        rows: list[list[object]] = [
            [
                each.one if each.one is not None else NULL,
                each.other if each.other is not None else NULL,
                each.rows,
            ]
            for each in pairs.pairs
        ]
        tables = [ShownTable([one, other, "rows"], rows)]
    return ReportSection(
        "boxes",
        "Two quasi-identifiers together",
        sentences,
        report_charts.box_charts(report),
        tables,
        report.left_out.get(Section.BOXES),
    )


def _trees(report: Report) -> ReportSection:
    tables = []
    for tree in report.trees:
        rows: list[list[object]] = [
            [each.level, each.label, each.above, each.rows]
            for each in sorted(tree.nodes, key=lambda each: (-each.level, -each.rows, each.label))
        ]
        if tree.hidden:
            rows.append([None, f"{tree.hidden:,} other nodes", None, None])
        tables.append(
            ShownTable([f"level of {tree.column}", "label", "under", "released rows"], rows)
        )
    return ReportSection(
        "trees",
        "Hierarchies",
        [
            (
                "The labels of the release, and the more general labels above them. What lies below the released level is not "
                "shown, nor is a label without a released row."
            )
        ],
        report_charts.tree_charts(report),
        tables,
        report.left_out.get(Section.TREES)
        or (
            None
            if report.trees
            else "no column is released at one level between its values and its root"
        ),
    )


def tables_of(section: ReportSection) -> Sequence[ShownTable]:
    """Give the tables of a section for who sees no chart: its own, or those of its charts."""
    return section.tables or [ShownTable(each.headings, each.rows) for each in section.charts]
