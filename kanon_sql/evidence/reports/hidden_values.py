"""Removes from a report the labels that are values of the source, which the release itself contains.

A report reaches more people than its release: it is attached to files, mailed, and kept. For a label that is a value
of the source it shows the number of rows, and a number in place of the value.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.counting.plans.recodings import levels_used
from kanon_sql.evidence.release_quality.small_tables import OTHER, with_numbers
from kanon_sql.evidence.reports.report_values import node_text

if TYPE_CHECKING:
    from kanon_sql.evidence.reports.report import Report
    from kanon_sql.evidence.reports.report_values import LabelRows, LabelTree

RANGE = re.compile(r"[\[(](.+), (.+)[\])]", re.DOTALL)
BOUNDS = re.compile(r"(.+) to (.+)", re.DOTALL)
"""The patterns of an interval's label: one column, and two columns of bounds joined by `to`."""


def without_values(report: Report) -> Report:
    """Replace labels that are values of the source by "value 1", "value 2", ..., most frequent first.

    If the source was not read, a label is taken for a value if its column has rows at level 0, or in a recoding without
    levels if it has not two different ends.
    """
    hidden: dict[str, dict[str | None, str]] = {}
    for at, column in enumerate(report.columns):
        own = [
            _may_be_own(report, at, each.text) if each.own is None else each.own
            for each in column.labels
        ]
        if any(own):
            hidden[column.name] = {
                each.text: f"value {n}" if is_own else each.text
                for n, (each, is_own) in enumerate(zip(column.labels, own, strict=True), start=1)
                if each.text is not None
            }

    listed = {each.name: {node_text(of.text) for of in each.labels} for each in report.columns}
    numbers = {each.name: at for at, each in enumerate(report.columns)}

    def numbered(column: str, text: str | None) -> str | None:
        """Return a label, or the text in place of a value. A label that is not listed is judged by the plan."""
        if text is None:
            return None
        if column in hidden:
            return hidden[column].get(text, OTHER)
        unlisted = text not in listed[column]
        return OTHER if unlisted and _may_be_own(report, numbers[column], text) else text

    def renamed(column: str, label: LabelRows) -> LabelRows:
        text = numbered(column, label.text)
        return replace(label, text=text, own=text != label.text)

    pairs = report.pairs
    if pairs is not None:
        one, other = pairs.columns
        of_pairs = (
            replace(each, one=numbered(one, each.one), other=numbered(other, each.other))
            for each in pairs.pairs
        )
        pairs = replace(pairs, pairs=tuple(of_pairs))
    columns = (
        replace(each, labels=tuple(renamed(each.name, label) for label in each.labels))
        for each in report.columns
    )
    small = with_numbers(report.small, hidden)
    trees = (
        _without_values_of_a_tree(each, listed[each.column], hidden.get(each.column, {}))
        for each in report.trees
    )
    return replace(report, columns=tuple(columns), pairs=pairs, trees=tuple(trees), small=small)


def _without_values_of_a_tree(
    tree: LabelTree, listed: set[str], hidden: dict[str | None, str]
) -> LabelTree:
    """Replace the labels of a tree that are values of the source, at all levels at which they are alone.

    A label at the released level that is not `listed` may be a value, and is left out.
    """
    nodes = [
        replace(
            each,
            label=hidden.get(each.label, each.label),
            above=hidden.get(each.above, each.above),
        )
        for each in tree.nodes
        if each.level > tree.level or each.label in listed
    ]
    return replace(tree, nodes=tuple(nodes), hidden=tree.hidden + len(tree.nodes) - len(nodes))


def _may_be_own(report: Report, at: int, text: str | None) -> bool:
    """Return True if a label may be a value of the source, as far as plan and policy show it."""
    recoding = report.plan.recoding
    if recoding.nodes:
        return 0 in levels_used(recoding, at)
    form = BOUNDS if len(report.policy.quasi[at].released_as) > 1 else RANGE
    ends = form.fullmatch(text or "")
    return ends is None or ends[1] == ends[2]
