"""`kanon-sql compare`: the recodings that several algorithms find for a policy, as one table."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json, print_line, print_table, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.python.compare_searches import ALL, DEFAULT
from kanon_sql.base.documents.text import counted, printable
from kanon_sql.evidence.release_quality.measures import OF_TWO_COLUMNS
from kanon_sql.policy.metrics.registry import SUMMARIZED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from kanon_sql.apps.cli.console import Side
    from kanon_sql.apps.python.compare_searches import Compared, Comparison

FEASIBLE = {
    "feasible": "yes",
    "infeasible": "no",
    "out_of_time": "none in time",
    "error": "refused",
}
NOTHING = ["-" for _ in (*OF_TWO_COLUMNS, "suppressed", *SUMMARIZED)]
NARROW = ("searched by", "NCP", "counts", "suppressed", "classes", "seconds", "proven", "recoding")
WIDTHS = (13, 6, 6, 10, 7, 7, 7)
"""The widths of all columns but the last; a longer number shifts the columns after it."""
WIDTH = 80
INTERRUPTED = 130


@click.command("compare", cls=Command)
@click.argument("policy")
@options.option(
    "--algorithms NAMES",
    f"Names separated by commas, or {ALL}: see kanon-sql algorithms.",
    multiple=True,
    default=(",".join(DEFAULT),),
    show_default=True,
)
@options.option(
    "--sample N",
    "Search on a sample of N rows; of people, on all rows of some.",
    type=click.IntRange(1),
)
@options.time_limit("Time limit of each search.")
@options.source
@options.limits
@options.option("--wide", "Print all measures at the end, in more than 80 characters.")
@options.json
@options.engine
def command(
    *, algorithms: tuple[str, ...], wide: bool, as_json: bool, **values: options.Values
) -> None:
    """Search with several algorithms and compare what they find.

    NCP is the mean loss of all cells, from 0 to 1. COUNT is the error of simple counts. Reads only.
    """
    names = options.read_names(algorithms, "--algorithms")
    found: list[Compared] = []
    printer = None if wide or as_json else _Rows()
    try:
        with show_progress() as progress:

            def on_found(each: Compared) -> None:
                found.append(each)
                if printer is not None:
                    printer.add(each)

            comparison = kanon_sql.compare(
                algorithms=names, progress=progress, on_found=on_found, **values
            )
    except KeyboardInterrupt:
        _print_interrupted(found, wide=wide, as_json=as_json)
        sys.exit(INTERRUPTED)
    if as_json:
        print_json(comparison.summary())
        return
    if wide:
        _print_table(comparison.searches)
    _print_below(comparison)


class _Rows:
    """Prints a row when a search ends: on a terminal above the progress, otherwise to the original output."""

    def __init__(self) -> None:
        self._out: TextIO | None = None if sys.stdout.isatty() else sys.stdout
        self._begun = False

    def add(self, each: Compared) -> None:
        if not self._begun:
            self._begun = True
            self._print(_row(NARROW))
        self._print(_row(_narrow(each)))

    def _print(self, text: str) -> None:
        # While rich shows progress on a terminal, it replaces sys.stdout to print above the progress.
        print(text, file=self._out or sys.stdout, flush=True)


def _row(cells: Sequence[str]) -> str:
    """Format a row of at most 80 characters; the last cell is wrapped below itself."""
    aligned = [
        cell.ljust(width) if at in {0, 6} else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells[:-1], WIDTHS, strict=True))
    ]
    before = "  ".join(aligned) + "  "
    left = max(WIDTH - len(before), 7)
    last = printable(cells[-1])
    counts = " " in last and last[0].isdigit()
    between = " " if counts else ","  # a number and its noun, or the levels of a node
    spaced = last.replace(between, f"{between}\0")
    lines = [""]
    for part in spaced.split("\0"):
        if lines[-1] and len(lines[-1]) + len(part) > left:
            lines.append("")
        lines[-1] += part
    return f"\n{' ' * len(before)}".join([before + lines[0], *lines[1:]]).rstrip()


def _narrow(each: Compared) -> tuple[str, ...]:
    seconds = f"{each.seconds:.2f}"
    if each.plan is None:
        return (each.searched_by, "-", "-", "-", "-", seconds, "-", FEASIBLE[each.status])
    return (
        each.searched_by,
        "-" if each.ncp is None else f"{each.ncp:.4f}",
        _percent(None if each.two_columns is None else each.two_columns.count_error),
        f"{each.plan.suppressed_rows:,}",
        f"{each.plan.classes:,}",
        seconds,
        _proven(each),
        each.recoded,
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _proven(each: Compared) -> str:
    if each.plan is None:
        return "-"
    return "yes" if each.plan.optimal else "no" if each.plan.checks_in_time is None else "time up"


def _print_below(comparison: Comparison) -> None:
    """Print the limits that all searches share, and why some searches found nothing."""
    lattice = ""
    if comparison.classes is not None and comparison.lattice_nodes is not None:
        tuples = counted(comparison.classes, "distinct tuple")
        lattice = f"; {tuples}, a lattice of {counted(comparison.lattice_nodes, 'node')}"
    sampled = ""
    if comparison.sampled_from is not None:
        sampled = f" (a sample of {comparison.sampled_from:,})"
    _print_wrapped(
        f"{' and '.join(comparison.privacy)}; suppression limit {comparison.max_suppressed:,} of "
        f"{counted(comparison.rows, 'row')}{sampled}; metric {comparison.metric}{lattice}"
    )
    if comparison.names:
        _print_wrapped(f"a node lists the levels of {', '.join(comparison.names)}")
    _print_wrapped(
        "NCP: information loss, mean over cells; counts: median error of counts by two columns; seconds: of the search"
    )
    _print_reasons(comparison.searches)
    _print_wrapped("to use one, write its search: in the policy, then run: kanon-sql plan POLICY")


def _print_reasons(searches: Sequence[Compared]) -> None:
    for each in searches:
        if each.plan is None:
            _print_wrapped(f"{each.searched_by}: {each.error}")


def _print_wrapped(text: str) -> None:
    for line in textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False):
        print_line(line)


def _print_interrupted(found: Sequence[Compared], *, wide: bool, as_json: bool) -> None:
    """Print the searches that had ended before the interrupt, unless they were printed already."""
    text = f"interrupted; searches that had ended: {len(found)}"
    if as_json:
        searches = [each.summary() for each in found]
        print_json({"status": "interrupted", "error": text, "searches": searches})
    elif wide and found:
        _print_table(found)
    if not as_json:
        _print_reasons(found)
    print_line(f"error: {text}", error=True)


def _print_table(searches: Sequence[Compared]) -> None:
    texts = ("searched by", "released at", "feasible", "proven")
    numbers = (
        "checks",
        "statements",
        "seconds",
        "loss (NCP)",
        *(m.name for m in OF_TWO_COLUMNS),
        "suppressed",
    )
    columns: dict[str, Side] = {
        **dict.fromkeys(texts, "left"),
        **dict.fromkeys((*numbers, *(m.name for m in SUMMARIZED)), "right"),
    }
    print_table(columns, map(_cells, searches), borders=False)


def _cells(each: Compared) -> list[str]:
    took = [str(each.statements), f"{each.seconds:.2f}"]
    if each.plan is None:
        return [each.searched_by, "-", FEASIBLE[each.status], "-", "-", *took, "-", *NOTHING]
    plan = each.plan
    quality = [
        metric.text(plan.figures[metric.key]) if metric.key in plan.figures else "-"
        for metric in SUMMARIZED
    ]
    return [
        each.searched_by,
        each.recoded,
        FEASIBLE[each.status],
        _proven(each),
        "-" if plan.checks is None else f"{plan.checks:,}",
        *took,
        "-" if each.ncp is None else f"{each.ncp:.4f}",
        *_of_two_columns(each),
        f"{plan.suppressed_rows:,}",
        *quality,
    ]


def _of_two_columns(each: Compared) -> list[str]:
    if each.two_columns is None:
        return ["-" for _ in OF_TWO_COLUMNS]
    found = each.two_columns.summary()
    values = [found[measure.key] for measure in OF_TWO_COLUMNS]
    return ["-" if value is None else f"{value:.4f}" for value in values]
