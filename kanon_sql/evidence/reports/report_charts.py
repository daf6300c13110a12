"""Draws the charts of a report with package `charts`, from numbers and labels of its tables."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from kanon_sql.base.charts.areas import BoxAxis, ClassBox, boxes, class_distances, year_of
from kanon_sql.base.charts.bars import (
    ColumnLoss,
    SizesOf,
    class_sizes,
    column_loss,
    distinct_values,
    distribution,
)
from kanon_sql.base.charts.points import (
    BeforeAfter,
    FrontierPoint,
    TradeoffPoint,
    correlations,
    frontier,
    risk_before_after,
    tradeoff,
)
from kanon_sql.base.charts.trees import TreeNode, hierarchy_tree
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.evidence.explanation.lattice_picture import lattice_chart
from kanon_sql.evidence.reports.report_values import NULL, STEP
from kanon_sql.policy.hierarchies.entries import ROOT
from kanon_sql.policy.policy_rules import column_roles
from kanon_sql.policy.privacy.closeness import Distance
from kanon_sql.policy.privacy.demands import demands, requirements_unsuppressed
from kanon_sql.policy.privacy.risks import BOUNDS, CountedBy, risk_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kanon_sql.base.charts.chart import Chart
    from kanon_sql.evidence.explanation.explanation import BestOfK
    from kanon_sql.evidence.reports.report import Report
    from kanon_sql.evidence.reports.report_values import LabelRows, LabelTree
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.risks import SizeCount

MOST_TABLES = 5
"""The most tables, or values of k, that are drawn beside each other."""
MOST_DRAWN = 12
"""The most columns whose distributions and hierarchies are drawn."""
NUMBER = r"-?\d+(?:\.\d+)?"
RANGE = re.compile(rf"[\[(]?\s*({NUMBER})\s*(?:,|-| to )\s*({NUMBER})\s*[\])]?")
"""A label that is a range of numbers: [20, 40), 20-39, 20 to 39."""
DAY = r"\d{4}-\d{2}-\d{2}"
DAYS = re.compile(rf"[\[(]?\s*({DAY})\s*(?:,| to )\s*({DAY})\s*[\])]?")
"""A label that is a range of days: [2021-02-01, 2021-05-31]."""
MOST_SIDES = 60
"""The most labels on an axis of boxes."""


def k_of(report: Report) -> int:
    """Return the policy's k: the least number of members of a class."""
    return demands(report.policy.privacy)[0].class_size


def member(report: Report) -> str:
    """Return the unit of class sizes in the singular: "person" or "row"."""
    return "person" if report.counted is CountedBy.PERSONS else "row"


def people_hidden(report: Report) -> bool:
    """Return True if the policy counts people, and the release has no column of them."""
    return report.plan.counts_people is not None and report.counted is CountedBy.ROWS


@dataclass(frozen=True, slots=True)
class ClassRisk:
    """The smallest class, and the risks that a policy is judged by, counted as the policy counts.

    `of_plan` is true where the plan, or the ledger of a series, counted people whom the release does not show.
    """

    smallest: int
    highest: float
    average: float
    of_plan: bool


def class_risk(report: Report) -> ClassRisk:
    """Return the smallest class and the prosecutor's risks: of people if the policy counts them, else of rows."""
    risk, plan = report.risk.prosecutor, report.plan
    if people_hidden(report) and plan.risk is not None:
        return ClassRisk(plan.smallest_class, plan.risk.highest, plan.risk.average, of_plan=True)
    smallest = min((each.size for each in report.sizes), default=0)
    return ClassRisk(smallest, risk.highest, risk.average, of_plan=False)


def shares_of_people(report: Report) -> list[tuple[str, float]]:
    """Return the shares of rows with a risk above bounds, as the plan counted by people whom the release does not show."""
    risk, rows = report.plan.risk, report.plan.released_rows
    if risk is None or not people_hidden(report) or not rows:
        return []
    return [(bound, many / rows) for bound, many in risk.rows_above.items() if many]


def without_reason(policy: Policy) -> list[str]:
    """List the columns that are released with their values, and for which nobody has given a reason why they could not be known."""
    return [
        each.column
        for each, column in zip(column_roles(policy), policy.columns, strict=True)
        if each.is_open and column.shows_values
    ]


def risk_charts(report: Report) -> list[Chart]:
    """Draw the risks before and after, with the threshold 1/k."""
    now, was = report.risk, report.risk_before
    rows = [
        BeforeAfter(
            name,
            None if was is None else getattr(getattr(was, attacker), of),
            getattr(getattr(now, attacker), of),
        )
        for name, attacker, of in (
            ("prosecutor, highest", "prosecutor", "highest"),
            ("prosecutor, average", "prosecutor", "average"),
            ("journalist, highest", "journalist", "highest"),
            ("journalist, average", "journalist", "average"),
            ("marketer, rows matched rightly", "marketer", "average"),
        )
    ]
    unique = None if was is None else was.unique_rows / max(was.rows, 1)
    rows.append(BeforeAfter("unique rows", unique, now.unique_rows / max(now.rows, 1)))
    return [risk_before_after(rows, threshold=1 / k_of(report))]


def size_charts(report: Report) -> list[Chart]:
    """Draw the class sizes of the source, of the release, and of the best nodes for other k."""
    k = k_of(report)
    tables = [SizesOf(f"release, k = {k:,}", _sizes(report.sizes), k)]
    if report.search is not None:
        tables += [SizesOf(f"k = {of.k:,}", _sizes(of.sizes), of.k) for of in _near(report)]
    tables.sort(key=lambda each: each.k or 0)
    if report.sizes_before is not None:
        tables = [SizesOf("source", _sizes(report.sizes_before)), *tables]
    return [class_sizes(tables, counted_by=member(report))]


def _sizes(sizes: Sequence[SizeCount]) -> list[tuple[int, int]]:
    return [(each.size, each.classes) for each in sizes]


def _near(report: Report) -> list[BestOfK]:
    """Return the best nodes for the three k nearest to the policy's, by k; none if classes count persons."""
    if report.search is None or report.counted is CountedBy.PERSONS:
        return []
    k = k_of(report)
    near = sorted(report.search.of_k, key=lambda of: abs(of.k - k) / max(of.k, k))
    return sorted(near[: MOST_TABLES - 2], key=lambda of: of.k)


def sensitive_charts(report: Report) -> list[Chart]:
    """Draw the number of classes by their distance from the release, with the policy's t if it has one."""
    bounds = {
        each.measure.sensitive.column: each.measure.as_written(each.bound)
        for each in requirements_unsuppressed(report.policy.privacy)
        if each.measure.sensitive is not None and each.measure.reported == Distance.reported
    }
    return [
        class_distances(
            each.column,
            [(of.least, of.least + STEP, of.classes) for of in each.distances],
            t=bounds.get(each.column),
        )
        for each in report.sensitive[:MOST_DRAWN]
    ]


def utility_charts(report: Report) -> list[Chart]:
    """Draw the number of distinct values of each column, and its loss unless the first screen draws that by NCP."""
    drawn = [distinct_chart(report)]
    quality = report.quality
    by_cells = quality is not None and all(of.certainty is not None for of in quality.columns)
    if quality and not by_cells and any(each.loss is not None for each in quality.columns):
        losses = [
            ColumnLoss(each.name, of.loss, each.recoded)
            for each, of in zip(report.columns, quality.columns, strict=True)
        ]
        drawn = [column_loss(losses), *drawn]
    return drawn


def distinct_chart(report: Report) -> Chart:
    """Draw the columns' numbers of values in the source, and of labels in the release and for other k."""
    names = [each.name for each in report.columns]
    k = k_of(report)
    after = [(k, f"release, k = {k:,}", [each.distinct for each in report.columns])]
    after += [(of.k, f"k = {of.k:,}", list(of.labels)) for of in _near(report)]
    series = [(name, counts) for _, name, counts in sorted(after)]
    if all(each.distinct_before is not None for each in report.columns):
        series = [("source", [each.distinct_before or 0 for each in report.columns]), *series]
    return distinct_values(names, series)


def distribution_charts(report: Report) -> list[Chart]:
    """Draw the rows of each column's labels, for columns whose source rows under each label are known."""
    drawn = []
    for each in report.columns[:MOST_DRAWN]:
        labels = in_order(each.labels)
        if len(labels) < 2 or any(of.before is None for of in labels):
            continue
        names = [of.text if of.text is not None else NULL for of in labels]
        before, after = ([of.before or 0 for of in labels], [of.rows for of in labels])
        drawn.append(distribution(each.name, names, before, after))
    return drawn


def in_order(labels: Iterable[LabelRows]) -> list[LabelRows]:
    """Sort labels by the first number in them, then by their texts; NULL is last."""
    return sorted(labels, key=lambda each: _label_rank(each.text))


def correlation_charts(report: Report) -> list[Chart]:
    """Draw the mutual information of pairs of columns."""
    if not report.correlations:
        return []
    pairs = [
        BeforeAfter(f"{each.one} and {each.other}", each.before, each.after)
        for each in report.correlations
    ]
    return [correlations(pairs, measure="mutual information, bits a row")]


def frontier_charts(report: Report) -> list[Chart]:
    """Draw the trade-off by k, and the frontier over k and the suppression limit."""
    drawn: list[Chart] = []
    if report.search is not None:
        explained = report.search.explanation
        rows = max(explained.plan.source_rows, 1)
        drawn.append(tradeoff_chart(report))
        points = [
            FrontierPoint(
                each.k,
                each.max_suppressed / rows,
                each.optimum.cost[0] if each.optimum.found else None,
                each.of_policy,
                each.pareto,
            )
            for each in explained.frontier
        ]
        drawn.append(frontier(points, metric=explained.plan.metric))
    elif len(report.cuts) > 1:
        rows = max(report.plan.source_rows, 1)
        limit = report.plan.max_suppressed / rows
        cuts = [FrontierPoint(each.k, limit, each.loss, each.of_policy) for each in report.cuts]
        drawn.append(frontier(cuts, metric=report.plan.metric))
    return drawn


def tradeoff_chart(report: Report) -> Chart:
    """Draw risks, loss and suppressed rows for each k that was searched, or for the policy's k alone."""
    plan, now = report.plan, report.risk.prosecutor
    points = [
        TradeoffPoint(
            k_of(report),
            now.highest,
            now.average,
            plan.cost[0],
            plan.suppressed_share or 0.0,
            chosen=True,
        )
    ]
    if report.search is not None and report.counted is CountedBy.ROWS:
        for each in report.search.of_k:
            risk = risk_figures(each.sizes, BOUNDS).prosecutor
            share = each.optimum.suppressed_rows / max(plan.source_rows, 1)
            points.append(
                TradeoffPoint(each.k, risk.highest, risk.average, each.optimum.cost[0], share)
            )
    if any(each.loss is not None and not 0 <= each.loss <= 1 for each in points):
        most = max(each.loss or 0.0 for each in points) or 1.0
        points = [
            TradeoffPoint(
                each.k,
                each.highest_risk,
                each.average_risk,
                (each.loss or 0.0) / most,
                each.suppressed,
                each.chosen,
            )
            for each in points
        ]
        return tradeoff(points, metric=f"{plan.metric}, as a share of the highest")
    return tradeoff(points, metric=plan.metric)


def lattice_charts(report: Report) -> list[Chart]:
    """Draw the nodes of the lattice, or the number of nodes of each height."""
    return [] if report.search is None else [lattice_chart(report.search.explanation)]


def box_charts(report: Report) -> list[Chart]:
    """Draw the rows of two columns' labels: as ranges of numbers or days, else in the order of labels.

    The root's label is the whole range. There is no chart if an axis would have more labels than `MOST_SIDES`.
    """
    if report.pairs is None:
        return []
    pairs = report.pairs.pairs
    sides = [[each.one for each in pairs], [each.other for each in pairs]]
    axes, placed = [], []
    for name, labels in zip(report.pairs.columns, sides, strict=True):
        if (ranges := _ranges(labels, _days)) is not None:
            axes.append(BoxAxis(name, days=True))
            placed.append(ranges)
            continue
        if (ranges := _ranges(labels, _range)) is not None:
            axes.append(BoxAxis(name))
            placed.append(ranges)
            continue
        known = dict.fromkeys(labels)
        ordered = sorted(known, key=_label_rank)
        if len(ordered) > MOST_SIDES:
            return []
        at = {each: n for n, each in enumerate(ordered)}
        axes.append(BoxAxis(name, [NULL if each is None else each for each in ordered]))
        placed.append([(float(at[each]), at[each] + 1.0) for each in labels])
    found = [
        ClassBox(*x, *y, each.rows) for x, y, each in zip(placed[0], placed[1], pairs, strict=True)
    ]
    return [boxes(axes[0], axes[1], found)]


def _ranges(
    labels: Sequence[str | None], read: Callable[[str | None], tuple[float, float] | None]
) -> list[tuple[float, float]] | None:
    """Parse labels as ranges, the root's label as the range of all others; None if a label is no range."""
    found = [None if label == ROOT else read(label) for label in labels]
    known = [each for each in found if each is not None]
    if not known or any(
        each is None and label != ROOT for each, label in zip(found, labels, strict=True)
    ):
        return None
    whole = min(low for low, _ in known), max(high for _, high in known)
    return [whole if each is None else each for each in found]


def _days(label: str | None) -> tuple[float, float] | None:
    """Parse a label that is a range of days, as numbers of `year_of`; None if it is not one."""
    if label is None or (found := DAYS.fullmatch(label)) is None:
        return None
    try:
        low, high = year_of(date.fromisoformat(found[1])), year_of(date.fromisoformat(found[2]))
    except ValueError:
        return None
    return (low, high) if low <= high else None


def _range(label: str | None) -> tuple[float, float] | None:
    """Parse a label that is a range of numbers, or one number; None if it is neither."""
    if label is None:
        return None
    if (found := RANGE.fullmatch(label)) is not None:
        low, high = float(found[1]), float(found[2])
        return (low, high) if low <= high else None
    return (float(label), float(label)) if re.fullmatch(NUMBER, label) else None


def _label_rank(label: str | None) -> tuple[bool, bool, float, str]:
    found = re.search(NUMBER, label or "")
    return (
        label is None,
        found is None,
        0.0 if found is None else float(found[0]),
        label or "",
    )


def tree_charts(report: Report) -> list[Chart]:
    """Draw the columns' hierarchies from the released level up to the root."""
    return [hierarchy_tree(each.column, _tree_nodes(each)) for each in report.trees[:MOST_DRAWN]]


def _tree_nodes(tree: LabelTree) -> list[TreeNode]:
    """Return the nodes from the root down, each with the position of its parent."""
    ordered = sorted(tree.nodes, key=lambda each: (-each.level, _label_rank(each.label)))
    at = {(each.level, each.label): n for n, each in enumerate(ordered)}
    return [
        TreeNode(
            each.label,
            None if each.above is None else at.get((each.level + 1, each.above)),
            each.rows,
            each.level == tree.level,
        )
        for each in ordered
    ]


def figure_charts(report: Report) -> list[Chart]:
    """Draw the three figures that are written to files: class sizes, trade-off, distinct values."""
    return [*size_charts(report), tradeoff_chart(report), distinct_chart(report)]
