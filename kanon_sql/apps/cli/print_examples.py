"""Printing examples of a release: a label of each column, and a few classes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.apps.cli.console import fits, fits_wrapped, print_line, print_table
from kanon_sql.base.documents.text import counted, printable
from kanon_sql.counting.plans.recodings import column_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.apps.cli.console import Side
    from kanon_sql.counting.plans.plan import ColumnChange, Plan

NO_BOUNDS = "NULL"
"""The text in place of bounds at the root, which are released as NULL."""


def without_rows(plan: Plan) -> Plan:
    """Return a plan to print without labels and classes of its release; what is counted of columns stays."""
    if plan.examples is None:
        return plan
    return replace(plan, examples=replace(plan.examples, classes=(), labels={}))


def print_columns(plan: Plan) -> None:
    """Print a line for each column: before, after, the rows that keep something of it, and a label as an example.

    Without examples of the release, only the quasi-identifiers are printed, with their levels.
    """
    recoded = dict(zip(plan.names, column_texts(plan.recoding, plan.heights), strict=True))
    if plan.examples is None and (plan.recoding.in_regions or plan.recoding.layers):
        return  # what is printed of its regions or nodes says all
    if plan.examples is None:
        print_table({"column": "left", "how": "left"}, recoded.items())
        return
    found = plan.examples
    numbers = ("values\nbefore", "values\nafter", "rows\nkept")
    columns: dict[str, Side] = {"column": "left", **dict.fromkeys(numbers, "right"), "how": "left"}
    changes = {each.name: each for each in found.changes}
    rows = [_change_cells(name, changes.get(name), text) for name, text in recoded.items()]
    for text in dict.fromkeys(found.others.values()):
        names = ", ".join(name for name, each in found.others.items() if each == text)
        rows.append((names, "", "", "", text))
    shown = dict(found.labels)
    for name, level in plan.levels.items() if found.classes else ():
        if 0 < level == plan.heights[name] and name not in found.columns:
            shown[name] = NO_BOUNDS
    if shown:
        columns["for example"] = "left"
        rows = [(*cells, shown.get(cells[0], "")) for cells in rows]
    print_table(columns, rows, wrap=True)


def _change_cells(name: str, change: ColumnChange | None, recoded: str) -> tuple[str, ...]:
    """Format a quasi-identifier before and after; the counts are left out where they were not made."""
    if change is None:
        return (name, "", "", "", recoded)
    kept = f"{min(change.kept / change.rows, 1):.0%}" if change.rows else "-"
    how = "class value" if change.values_shown else recoded
    return (name, f"{change.values:,}", f"{change.labels:,}", kept, how)


def print_examples(plan: Plan, classes: int | None = None) -> None:
    """Print a few classes of the release: the labels of the quasi-identifiers, with their rows and people.

    `classes` is the count of released classes, by default the plan's. If the table would be wider than the terminal,
    each class becomes a column, and only as many are printed as fit without breaking a word.
    """
    if plan.examples is None or not plan.examples.classes:
        return
    found = plan.examples
    by_people = any(each.people is not None for each in found.classes)
    rows = [
        (
            *("NULL" if label is None else label for label in each.labels),
            f"{each.rows:,}",
            *([f"{each.people:,}"] if each.people is not None else []),
        )
        for each in found.classes
    ]
    of = plan.classes if classes is None else classes
    headings: dict[str, Side] = {printable(name): "left" for name in found.columns}
    for size in ("rows", "people")[: 1 + by_people]:
        while size in headings:  # a quasi-identifier may have this name
            size += " "  # noqa: PLW2901
        headings[size] = "right"
    if fits(headings, rows):
        print_line(_heading(len(rows), of))
        print_table(headings, rows)
        return
    across = [_across(headings, rows[:n]) for n in range(len(rows), 0, -1)]
    columns, lines = next((each for each in across if fits_wrapped(*each)), across[0])
    print_line(_heading(len(columns) - 1, of))
    print_table(columns, lines, wrap=True)


def _heading(shown: int, of: int) -> str:
    return f"{shown} of {counted(of, 'released equivalence class')}:"


def _across(
    headings: Iterable[str], rows: Sequence[Sequence[str]]
) -> tuple[dict[str, Side], list[tuple[str, ...]]]:
    """Transpose a table of classes, so that each class is a column."""
    columns: dict[str, Side] = dict.fromkeys(
        ["class", *(str(n + 1) for n in range(len(rows)))], "left"
    )
    return columns, list(zip(headings, *rows, strict=True))
