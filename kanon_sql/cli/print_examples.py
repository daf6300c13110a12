"""Printing examples of a release: a label of each column, and a few classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.cli.console import fits, fits_wrapped, print_line, print_table
from kanon_sql.documents.text import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kanon_sql.cli.console import Side
    from kanon_sql.plans.plan import Plan

AS_IT_IS = "as it is"
"""The text in place of an example if a column is released at level 0."""
NO_BOUNDS = "NULL"
"""The text in place of bounds at the root, which are released as NULL."""


def print_columns(plan: Plan, heading: str, cells: Mapping[str, str]) -> None:
    """Print a line for each quasi-identifier: its cell, and a released label if the plan has examples."""
    columns: dict[str, Side] = {"quasi-identifier": "left", heading: "right"}
    if plan.examples is None:
        print_table(columns, cells.items())
        return
    shown = dict(plan.examples.labels)
    for name, level in plan.levels.items():
        if level == 0:
            shown[name] = AS_IT_IS
        elif level == plan.heights[name] and name not in plan.examples.columns:
            shown[name] = NO_BOUNDS
    rows = [(name, cell, shown.get(name, "")) for name, cell in cells.items()]
    print_table({**columns, "for example": "left"}, rows, wrap=True)


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
