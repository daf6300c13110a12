"""Printing a plan: its recoding, its cost, the effort of its search."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from kanon_sql.apps.cli.console import print_line, print_table, print_warnings
from kanon_sql.apps.cli.print_examples import print_columns
from kanon_sql.base.documents.text import counted, joined
from kanon_sql.counting.lattice.result import SearchStep, classes_text
from kanon_sql.policy.cut_steps import CutStep
from kanon_sql.policy.metrics.registry import GCP, LOWER_BOUND
from kanon_sql.policy.search_options import Algorithm

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kanon_sql.apps.cli.console import Side
    from kanon_sql.counting.lattice.result import SetFigures
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.policy.metrics.statistics import ReleasedNode

ENDS = {
    Algorithm.MONDRIAN: "no class can be split further",
    Algorithm.TOP_DOWN: "no further specialization has a gain",
    Algorithm.BOTTOM_UP: "generalized until every class was large enough",
    Algorithm.K_OPTIMIZE: "proven optimal",
}
"""The reason why a search without a lattice ended, as it is printed."""

MOST_LISTED = 12
"""The most nodes, steps or combinations that are listed; the rest is summed up in one line."""

LAST_LISTED = 2
"""How many of the listed nodes are the last ones; the others are the first."""


def print_plan(plan: Plan) -> None:
    """Print a plan for people: what can be released, the recoding of each column, risk, utility, and the search."""
    models = f"{joined(plan.privacy)} hold{'s' if len(plan.privacy) == 1 else ''}"
    rows = counted(plan.source_rows, "row")
    print_line(f"{plan.released_rows:,} of {rows} can be released, and {models}:")
    print_classes(plan)
    print_body(plan)


def print_classes(plan: Plan) -> None:
    """Print the classes of a plan over each set of quasi-identifiers, and its suppressed rows."""
    print_line(f"{'over all: ' if plan.over else ''}{_classes_text(plan, plan)}")
    for each in plan.over:
        print_line(f"over {', '.join(each.columns)}: {_classes_text(plan, each)}")
    print_suppressed(plan)


def print_suppressed(plan: Plan) -> None:
    """Print the suppressed rows of a plan and their limit."""
    share = plan.suppressed_rows / plan.source_rows
    print_line(
        f"suppressed rows: {plan.suppressed_rows:,} of {plan.source_rows:,} ({share:.2%}; limit "
        f"{plan.max_suppressed:,})"
    )


def print_body(plan: Plan) -> None:
    """Print what a plan does to each column, then risk and utility, then how it was found, then remarks."""
    print_recoding(plan)
    print_suppressed_cells(plan)
    if plan.types_text is not None:
        print_line(f"types of released values: {plan.types_text}")
    print_risk(plan)
    print_simple_counts(plan)
    for line in _search_lines(plan):
        print_line(line)
    path = [each for each in plan.steps if isinstance(each, SearchStep)]
    for line in _path_lines(plan.names, path):
        print_line(f"  {line}")
    print_cut_steps([each for each in plan.steps if isinstance(each, CutStep)])
    short = path[-1].short_rows if path else None
    for line in plan.recoding.lines_after_search(plan.suppressed_rows, short):
        print_line(f"  {line}")
    for remark in plan.remarks:
        print_line(remark)
    print_warnings(plan.warnings)


def print_risk(plan: Plan) -> None:
    """Print the prosecutor's risk in the released classes, if the plan states it."""
    if plan.risk is not None:
        print_line(f"re-identification risk: {plan.risk.text(plan.released_rows)}")


def print_simple_counts(plan: Plan) -> None:
    """Print the error of simple counts, if the plan states it."""
    if plan.simple_counts is not None:
        print_line(f"count error: {plan.simple_counts}")


def _classes_text(plan: Plan, of: Plan | SetFigures) -> str:
    return classes_text(of.classes, of.smallest_class, plan.counts_people)


def _search_lines(plan: Plan) -> Iterator[str]:
    """Describe the cost of the recoding, whether it is proven to be the least, and the effort of the search."""
    cost = ", ".join(f"{part:.6g}" for part in plan.cost)
    by_cells = plan.metric == GCP.key
    loss = f"information loss: {f'{cost} (NCP, mean over cells)' if by_cells else f'{plan.metric} {cost}'}"
    if plan.lattice_nodes is None:
        proof = "" if plan.recoding.in_runs else f", {ENDS[Algorithm(plan.algorithm)]}"
        if LOWER_BOUND.key in plan.figures and not plan.optimal:
            bound = plan.figures[LOWER_BOUND.key]
            proof = f", the best found in its time; none costs less than {bound:.6g}"
        elif plan.checks_in_time is not None:
            proof = ", cut as often as its time allowed"
        yield f"{loss}{proof}"
        yield f"searched by {plan.algorithm}"
        return
    if plan.optimal:
        proof = "proven optimal"
    elif plan.checks_in_time is not None:
        proof = "the best found in its time, not proven optimal"
    else:
        proof = "not proven optimal"
    yield f"{loss}, {proof}"
    checks = "" if plan.checks is None else f"{counted(plan.checks, 'check')} in "
    nodes = counted(plan.lattice_nodes, "node")
    yield f"searched by {plan.algorithm}: {checks}a lattice of {nodes}"
    if plan.within:
        allowed = "; ".join(f"{name} {bounds}" for name, bounds in plan.within.items())
        yield f"within the levels that the policy allows: {allowed}"
    if plan.minimal is not None:
        yield f"{counted(plan.minimal, 'minimal node')}, listed by plan --json"


def _path_lines(names: Sequence[str], steps: Sequence[SearchStep]) -> Iterator[str]:
    """Describe the steps of a search along one path: the column generalized, and the rows that fail."""
    small = "in classes that are too small"
    if steps:
        yield f"start: {counted(steps[0].short_rows, 'row')} {small}"
    for before, step in pairwise(steps):
        if step.column is not None:
            at = names.index(step.column)
            values = f"{counted(before.distinct[at], 'value')}, now {step.distinct[at]:,}"
            rows = counted(step.short_rows, "row")
            yield f"{step.column} to level {step.level} ({values}): {rows} {small}"


def print_cut_steps(steps: Sequence[CutStep]) -> None:
    """Print the steps of a single-dimensional search; if there are many, the first and the last."""
    half = MOST_LISTED // 2
    skipped = range(half, len(steps) - half) if len(steps) > MOST_LISTED else range(0)
    for at, step in enumerate(steps):
        if at not in skipped:
            print_line(f"  {at + 1}. {_cut_text(step)}")
        elif at == skipped.start:
            print_line(f"  and {counted(len(skipped), 'step')} more, in the plan file")


def _cut_text(step: CutStep) -> str:
    """Describe an interval or node that was specialized or generalized, without its values."""
    level = "" if step.level is None else f", level {step.level}"
    gain = (
        f"loss {step.loss:.4f}"
        if step.information is None
        else f"information {step.information:.4f}"
    )
    return (
        f"{step.column}, positions {step.low:,} to {step.high:,}{level}: {gain}, "
        f"anonymity {step.anonymity:,g}, score {step.score:.4g}; smallest "
        f"{', '.join(f'{size:,}' for size in step.smallest)}"
    )


def print_suppressed_cells(plan: Plan) -> None:
    """Print which combinations local suppression tested, which are rare, and the cells suppressed for them, if any."""
    if (suppressed := plan.recoding.local_suppression) is None:
        return
    names = plan.names
    print_line(f"  {suppressed.tested:,} combinations of 2 and 3 columns tested")
    most = sorted(suppressed.outliers, key=lambda each: -each.rows)[:MOST_LISTED]
    for each in most:
        columns = ", ".join(names[at] for at in each.columns)
        combinations = counted(each.values, "rare combination")
        print_line(f"  {columns}: {combinations}, in {counted(each.rows, 'row')}")
    if len(most) < len(suppressed.outliers):
        more = len(suppressed.outliers) - len(most)
        print_line(f"  and {more} more in fewer rows each; all are in the plan file")
    for name, rows, released in zip(names, suppressed.rows, suppressed.released, strict=True):
        if rows:
            print_line(
                f"  {name} suppressed in {counted(rows, 'row')}, {released:,} of them released"
            )


def print_recoding(plan: Plan) -> None:
    """Print what is done to each column, then the nodes of a plan, or how many regions it has."""
    print_columns(plan)
    if plan.recoding.layers:
        print_nodes(plan.recoding.layers)
    for line in plan.recoding.lines(plan.names):
        print_line(line)


def print_nodes(released_nodes: Sequence[ReleasedNode]) -> None:
    """Print the nodes of a recoding in order, each with the rows that are released at it."""
    columns: dict[str, Side] = {
        "node": "right", "levels": "left", "rows": "right", "classes": "right",
    }  # fmt: skip
    rows = [
        (f"{at + 1:,}", ",".join(map(str, each.node.levels)), each.rows, each.classes)
        for at, each in enumerate(released_nodes)
    ]
    if len(rows) > MOST_LISTED:
        first, last = MOST_LISTED - LAST_LISTED - 1, len(rows) - LAST_LISTED
        between = rows[first:last]
        sums = (sum(each[2] for each in between), sum(each[3] for each in between))
        rows[first:last] = [(f"{first + 1:,} to {last:,}", "..", *sums)]
    print_table(
        columns,
        ((*names, f"{of_rows:,}", f"{of_classes:,}") for *names, of_rows, of_classes in rows),
    )
