"""What a report says on utility: sections on losses, distributions, correlations, other limits; and the codebook."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kanon_sql.base.charts.chart import loss_text, share_text
from kanon_sql.base.documents.shown import ShownTable
from kanon_sql.base.documents.text import counted, decimal_text, joined, printable
from kanon_sql.counting.plans.shown_plan import bounds_text, lattice_text, proof_text
from kanon_sql.evidence.explanation.explanation import Certainty
from kanon_sql.evidence.release_quality.measures import CLASSIFICATION, DM_STAR, MEASURES, PERSONS
from kanon_sql.evidence.release_quality.small_tables import has_numbers
from kanon_sql.evidence.reports import report_charts
from kanon_sql.evidence.reports.dossier import (
    dossier_of,
    models_section,
    risk_section,
    sensitive_section,
    series_section,
    sizes_section,
)
from kanon_sql.evidence.reports.first_screen import OF_EVERY_PAGE
from kanon_sql.evidence.reports.report_charts import class_risk
from kanon_sql.evidence.reports.report_values import NULL, ReportSection, Section, percent
from kanon_sql.policy.hierarchies.entries import ROOT
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.evidence.explanation.explanation import Cell, Explanation, Member
    from kanon_sql.evidence.release_quality.small_tables import BandRow, BandTable
    from kanon_sql.evidence.reports.report import Report
    from kanon_sql.evidence.reports.report_values import Correlation, ReportedColumn


def frontier_table(explained: Explanation) -> ShownTable:
    """Return the table of the least cost by k and suppression limit."""
    limits = sorted({each.max_suppressed for each in explained.frontier})
    rows: dict[int, list[object]] = {}
    for each in explained.frontier:
        rows.setdefault(each.k, [f"{each.k:,}"]).append(_cell_text(each))
    source = max(explained.plan.source_rows, 1)
    headings = [f"{share_text(each / source)} suppressed" for each in limits]
    return ShownTable(["k", *headings], list(rows.values()))


def _cell_text(cell: Cell) -> str:
    best = cell.optimum
    if not best.found:
        text = "none" if best.known is Certainty.INFEASIBLE else "-"
    else:
        text = decimal_text(best.cost[0])
        text = text if best.proven else f"<={text}"
    text = f"[{text}]" if cell.of_policy else text
    return f"{text}*" if cell.pareto else text


def neighbour_table(explained: Explanation) -> ShownTable:
    """Return the table of the nodes one level from the chosen one, and why they were not taken."""
    plan = explained.plan
    at = {name: n for n, name in enumerate(plan.heights)}
    chosen = plan.recoding.nodes[0].levels
    also = ", the first of several" if plan.recoding.layers else ""
    rows: list[list[object]] = [
        [
            ", ".join(map(str, chosen)),
            "chosen" + also,
            plan.suppressed_rows,
            decimal_text(plan.cost[0]),
        ]
    ]
    rows += [
        [
            ", ".join(map(str, each.levels)),
            f"{each.column} at level {each.levels[at[each.column]]}: {each.why}",
            each.suppressed_rows,
            decimal_text(each.cost[0]) if each.cost else None,
        ]
        for each in explained.neighbours
    ]
    return ShownTable(["levels", "why", "suppressed rows", plan.metric], rows)


NOT_ASKED = {CLASSIFICATION.key, DM_STAR.key}
"""The quality metrics whose absence a report does not explain, because it does not ask for them."""


def utility_section(report: Report) -> ReportSection:
    """Build the section on the loss of each column, and the metrics of the release."""
    quality = report.quality
    if quality is None:
        rows: list[list[object]] = [
            [each.name, each.recoded, None, each.distinct, None] for each in report.columns
        ]
    else:
        rows = [
            [
                each.name,
                each.recoded,
                each.distinct_before,
                each.distinct,
                None if lost is None else percent(lost),
            ]
            for each, of in zip(report.columns, quality.columns, strict=True)
            for lost in (of.certainty if of.certainty is not None else of.loss,)
        ]
    headings = ["quasi-identifier", "recoded to", "values before", "labels after", "information loss"]  # fmt: skip
    by_labels = quality is None or all(of.loss is None for of in quality.columns)  # of an order
    if all(row[-1] is None for row in rows):  # without the source, or of a large one
        headings, rows = headings[:-1], [row[:-1] for row in rows]
    tables = [ShownTable(headings, rows)]
    if quality is not None:
        figures: list[list[object]] = [
            [measure.name, decimal_text(value), measure.title]
            for key, measure in MEASURES.items()
            if (value := quality.figures.get(key)) is not None
        ]
        tables.append(ShownTable(["figure", "value", "what it is"], figures))
    why = report.left_out.get(Section.UTILITY)
    if quality is not None and quality.reasons:
        left: dict[str, list[str]] = {}
        for key, text in quality.reasons.items():
            if key not in NOT_ASKED and text != PERSONS:  # the section on risk has these of people
                left.setdefault(text, []).append(MEASURES[key].name)
        why = "; ".join(f"{joined(names)} ({text})" for text, names in left.items()) or None
    cost = ", ".join(map(decimal_text, report.plan.cost))
    chosen = (
        f"The plan states that the algorithm {report.plan.algorithm} chose the recoding by {loss_text(report.plan.metric)}: {cost}, "
        f"{proof_text(report.plan)}{_allowed(report.plan)}."
    )
    scale = (
        "The loss of a column is read off the released labels: the width of an interval as a share of the column's range, "
        "or the share of the column's values that a label covers, as a mean over all rows. 0% keeps all, 100% keeps nothing; "
        "suppressed rows lose all."
        if by_labels
        else "A column with a loss of 0% keeps all of its information, one with 100% keeps none; suppressed rows lose all."
    )
    return ReportSection(
        "utility",
        "Utility: what is lost, column by column",
        [*_of_counts(report), f"{chosen} {scale}", *_of_tables(report)],
        report_charts.utility_charts(report),
        tables,
        why,
    )


def _of_tables(report: Report) -> Iterator[str]:
    """Yield sentences that explain the tables: NULL, regions, and the figures for analysts."""
    if any(label.text is None for each in report.columns for label in each.labels):
        yield "NULL is counted as one more value of its column."
    if any(each.recoded == "by region" for each in report.columns):
        yield "By region: rows are recoded group by group, and a group has one label in each column, which covers its values."
    if report.quality is not None:
        yield (
            "The table of figures is for analysts. A few COUNT queries that hardly any row meets can make their mean error "
            "far larger than their median, and than the error of simple counts."
        )


def _of_counts(report: Report) -> Iterator[str]:
    """Yield sentences on the error of simple counts, if it was measured."""
    quality = report.quality
    if quality is not None and quality.simple_counts is not None:
        yield (
            f"In the release, {quality.simple_counts}. It is measured for each pair of values of two columns, or of bands "
            "of numbers and dates, that a hundred rows have, or a hundredth of all rows if these are fewer."
        )
        if sensitive := [each.name for each in report.policy.with_role(Role.SENSITIVE)]:
            yield (
                f"These are counts of quasi-identifiers: no count by {joined(sensitive, 'or')} is among them, and what such a "
                "count loses is under “Three small tables” alone."
            )


def small_tables_section(report: Report) -> ReportSection:
    """Build the section on three small tables that a researcher would run, before and after."""
    tables = []
    for each in report.small:
        if len(each.columns) > 1 and (crossed := _crossed(each)) is not None:
            tables.append(crossed)
            continue
        rows: list[list[object]] = [
            [*row.bands, *_figures(row, rate=each.rate is not None)] for row in each.rows
        ]
        if each.others:
            others = [f"{counted(each.others, 'other line')}", *[None] * (len(each.columns) - 1)]
            rows.append([*others, None, None])
        what = "rows" if each.rate is None else f"rate of {each.rate.name}"
        tables.append(ShownTable([*each.columns, f"{what} before", f"{what} after"], rows))
    rates = [each.rate for each in report.small if each.rate is not None]
    sentences = [
        (
            "Rows by bands of one column and of two, in the source and in the release, whose labels are spread evenly over the "
            "values that they cover. Lines of fewer rows or people than a class needs are left out, and with them others by "
            "which they could be found. In the table of two columns a cell has the rows before and after: 340 → 355."
        )
    ]
    if has_numbers(report.small):
        sentences.append("A number stands for a value: see “Distributions before and after”.")
    if rates:
        sentences.append(
            f"A rate is the share of rows with {joined([each.text for each in rates])}."
        )
    return ReportSection(
        "small-tables",
        "Three small tables, before and after",
        sentences if tables else [],
        tables=tables,
        missing=report.left_out.get(Section.SMALL_TABLES),
    )


MOST_ACROSS = 6
"""The most values of the second column for which a table of two columns has a column each."""


def _crossed(table: BandTable) -> ShownTable | None:
    """Return a table of two columns with the first one's bands as lines and the other's as columns; None of many."""
    across = list(dict.fromkeys(row.bands[1] for row in table.rows))
    if len(across) > MOST_ACROSS:
        return None
    one, other = table.columns
    cells = {row.bands: row for row in table.rows}
    rows: list[list[object]] = []
    for band in dict.fromkeys(row.bands[0] for row in table.rows):
        found = [cells.get((band, each)) for each in across]
        shown = [f"{of.before:,.0f} → {of.after[0] or 0:,.0f}" if of else None for of in found]
        rows.append([band, *shown])
    if table.others:
        rows.append([counted(table.others, "cell") + " left out", *[None] * len(across)])
    return ShownTable([one, *(f"{other}: {each}" for each in across)], rows)


def _figures(row: BandRow, *, rate: bool) -> list[object]:
    figures = (row.before, *row.after)
    if rate:
        return [None if each is None else percent(round(each, 4)) for each in figures]
    return [None if each is None else round(each) for each in figures]


def distributions_section(report: Report) -> ReportSection:
    """Build the section on the rows under each released label, before and after."""
    tables = [_label_table(each) for each in report.columns]
    return ReportSection(
        "distributions",
        "Distributions before and after",
        [
            (
                "The rows under each released label: those of the source, before any row was suppressed, and those of the release. "
                "A label that is itself a value of the source is shown in the release and numbered here, the most frequent first: "
                "hidden #1, hidden #2. To know them, count the release by its column. This page may reach more people than the release."
            )
        ],
        report_charts.distribution_charts(report),
        tables,
        report.left_out.get(Section.DISTRIBUTIONS),
    )


def _label_table(column: ReportedColumn) -> ShownTable:
    """Return the table of a column's labels; without the source's rows where these are not known by label."""
    both = any(each.before is not None for each in column.labels)
    rows: list[list[object]] = [
        [NULL if each.text is None else each.text, *([each.before] if both else []), each.rows]
        for each in column.labels
    ]
    if column.other_labels:
        rows.append([f"{column.other_labels:,} other labels", *[None] * (1 + both)])
    return ShownTable([column.name, *(["rows before"] if both else []), "rows after"], rows)


def correlations_section(report: Report) -> ReportSection:
    """Build the section on the mutual information of pairs of columns, and on correlations of numbers, before and after."""
    rows: list[list[object]] = [
        [
            f"{each.one} and {each.other}",
            decimal_text(each.before),
            decimal_text(each.after),
            _change_of(each),
        ]
        for each in report.correlations
    ]
    sentences = [
        (
            "How much two columns say about each other, as mutual information in bits per row: of the values of the source, "
            "and of the cells of the release, where each row counts once. The figure can fall and it can rise. In a small "
            "source, pairs of columns with many values have a high figure by chance alone."
        )
    ]
    rising = [each for each in report.correlations if each.rises]
    invented = sum(not each.of_class for each in rising)
    if invented:
        most = max(each.after - each.before for each in rising if not each.of_class)
        of = f"In {invented:,} of {counted(len(rows), 'pair')}"
        sentences.append(
            f"{of} the figure rises, by at most {decimal_text(most)} bits a row: labels of one column follow those of another where "
            f"they overlap, or where values are removed (*). The recoding invents such an association, and the source has none."
        )
    if len(rising) > invented:
        of = f"In {len(rising) - invented:,} of {counted(len(rows), 'pair')}"
        sentences.append(
            f"{of} the figure rises because all rows of a class show the same values, so that fewer pairs of values occur. That "
            f"is no trend of one column with the other: of numbers, compare Pearson's correlation."
        )
    if rows and not rising:
        sentences.append(
            "No figure rises: the recoding invents no association between two columns."
        )
    headings = ["pair of quasi-identifiers", "bits before", "bits after", "in the release"]
    numbers = None if report.quality is None else report.quality.numbers
    return ReportSection(
        "correlations",
        "Correlations before and after",
        sentences,
        report_charts.correlation_charts(report),
        [
            *([ShownTable(headings, rows)] if rows else []),
            *([] if numbers is None else numbers.tables()),
        ],
        report.left_out.get(Section.CORRELATIONS),
    )


def _change_of(each: Correlation) -> str:
    if not each.rises:
        return "kept or lowered"
    return "rises: fewer pairs occur" if each.of_class else "rises: invented by the recoding"


def frontier_section(report: Report) -> ReportSection:
    """Build the section on the least loss under other k and suppression limits."""
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
    elif len(report.cuts) > 1:
        metric = loss_text(report.plan.metric)
        tables = [
            ShownTable(
                ["k", metric, "suppressed rows", ""],
                [
                    [
                        each.k,
                        decimal_text(each.loss),
                        each.suppressed_rows,
                        "chosen" if each.of_policy else "",
                    ]
                    for each in report.cuts
                ],
            )
        ]
        sentences = [
            f"The {metric} by {report.plan.algorithm} under other k, with all else as in the policy; the policy's k is marked."
        ]
    return ReportSection(
        "frontier",
        "Privacy against utility",
        sentences,
        report_charts.frontier_charts(report),
        tables,
        report.left_out.get(Section.SEARCH),
    )


def lattice_section(report: Report) -> ReportSection:
    """Build the section on the lattice: its feasible nodes, and the chosen node with its neighbors."""
    tables, sentences = [], []
    if report.search is not None:
        explained = report.search.explanation
        nodes = explained.nodes or ()
        known = [each for each in nodes if each.feasible is not None]
        names = joined([str(name) for name in explained.plan.heights])
        sentences = [
            (
                f"A node gives each quasi-identifier a generalization level, in the order {names}; "
                f"{lattice_text(explained.plan)}{_allowed(explained.plan)}. {_decided(known, explained.plan)}"
            ),
        ]
        tables = [neighbour_table(explained)]
    return ReportSection(
        "lattice",
        "The lattice",
        sentences,
        report_charts.lattice_charts(report),
        tables,
        report.left_out.get(Section.LATTICE),
    )


def _allowed(plan: Plan) -> str:
    return f" ({bounds_text(plan)})" if plan.within else ""


def _decided(known: Sequence[Member], plan: Plan) -> str:
    """Return a sentence on the numbers of feasible and minimal nodes, among those that are known."""
    feasible = sum(bool(each.feasible) for each in known)
    minimal = sum(bool(each.minimal) for each in known)
    all_known = len(known) == plan.lattice_nodes
    of = "Of these," if all_known else f"Of the {len(known):,} that were decided in time,"
    text = f"{of} {feasible:,} are feasible: they satisfy the privacy models within the suppression limit"
    if all_known or minimal:
        text += f". {minimal:,} of the feasible nodes are {'' if all_known else 'known to be '}minimal: no node below is feasible"
    return f"{text}."


def boxes_section(report: Report) -> ReportSection:
    """Build the section on the released rows by two quasi-identifiers."""
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
            sentences.append("Rectangles that overlap differ in other quasi-identifiers.")
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


def trees_section(report: Report) -> ReportSection:
    """Build the section on the released labels in their hierarchies."""
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


def sections(report: Report) -> list[ReportSection]:
    """Return all measured sections in the order of a dossier."""
    return [
        risk_section(report),
        sizes_section(report),
        models_section(report),
        *series_section(report),
        sensitive_section(report),
        utility_section(report),
        small_tables_section(report),
        distributions_section(report),
        correlations_section(report),
        frontier_section(report),
        lattice_section(report),
        boxes_section(report),
        trees_section(report),
    ]


OWN = "the row's own value"


def codebook_of(report: Report) -> str:
    """Return the codebook as Markdown. It holds names, counts and the policy's words, and no value of the source."""
    return "\n".join(_codebook_lines(report)) + "\n"


def _codebook_lines(report: Report) -> Iterator[str]:
    dossier, about, plan = dossier_of(report), report.policy.about, report.plan
    yield f"# {in_one_cell(about.title or f'Codebook of a {report.of}')}"
    yield ""
    whose = "people" if plan.counts_people is not None else "rows"
    yield (
        f"{counted(report.risk.rows, 'row')} in {counted(report.risk.classes, 'class')}. A class has the same cells in all columns "
        f"marked *class* below, and at least {class_risk(report).smallest:,} {whose}."
    )
    yield ""
    yield "| column | a cell shows | what may be done with it |"
    yield "|---|---|---|"
    treated = {each.column: each.treatment for each in dossier.roles}
    recoded = {each.column: each for each in dossier.transformations}
    labels = {each.name: each.distinct for each in report.columns}
    for each in report.policy.columns:
        if each.is_dropped:
            continue
        name = in_one_cell(each.name)
        if each.role is not Role.QUASI:
            own = each.mask is None
            shown = OWN if own else treated[each.name]
            may = "read it as it is" if own else "join or count it; it is not " + OWN
            yield f"| {name} | {in_one_cell(shown)} | {may} |"
            continue
        of = recoded[each.name]
        shown = f"*class*: {of.becomes or of.recoded}; {counted(labels.get(each.name, 0), 'different cell')}"
        may = "read it as it is" if of.unchanged else each.output.reading
        yield f"| {', '.join(map(in_one_cell, of.released_as))} | {in_one_cell(shown)} | {may} |"
    yield ""
    if dossier.half_open:
        yield f"A label such as {in_one_cell(dossier.half_open)} includes its first number and excludes its last."
        yield ""
    if report.removed or any(of.text == ROOT for each in report.columns for of in each.labels):
        yield (
            f"`{ROOT}` stands for any value: leave rows with it out of a model and of counts by that column. "
            f"{counted(report.removed, 'row')} of {report.risk.rows:,} have at least one."
        )
        yield ""
    yield dossier.unreleased
    yield ""
    for key, text in (("Terms of use", about.terms), ("Contact", about.contact)):
        yield f"{key}: {in_one_cell(text or 'not stated')}"
        yield ""
    titles = [each.title for each in dossier.limits if each.title not in OF_EVERY_PAGE]
    limits = "; ".join(titles).lower()
    yield f"The release does not protect from: {limits}."


def in_one_cell(text: str) -> str:
    """Return a text in one line, in which a bar ends no cell of a table, and nothing is a tag of HTML."""
    return re.sub(r"[|<&]", r"\\\g<0>", " ".join(printable(text).split()))
