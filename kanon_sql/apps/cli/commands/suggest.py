"""`kanon-sql suggest`: tries recodings for a policy, prints figures and rows of each, and names the best."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json, print_line, seconds_so_far, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.getting_started.first_policy import first_policy
from kanon_sql.apps.getting_started.trial import MOST_ROWS, SHOWN, policy_of_text, try_recodings
from kanon_sql.base.documents.text import joined, printable
from kanon_sql.errors import InfeasibleError, OutOfTimeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.apps.getting_started.trial import Trial, Tried
    from kanon_sql.evidence.release_quality.small_tables import BandTable
    from kanon_sql.policy.model import Policy


INFEASIBLE = 3
KINDS = {
    "optimal": "one level a column",
    "cells": "several nodes, each class at the first that fits",
    "local": "several nodes, each class at the first that fits",
    "mondrian": "regions with labels of their own",
}
"""What the labels of each kind of recoding follow, in words."""
CLASS_VALUES = "class values"
POLICIES = {".yml", ".yaml"}
WIDTH = 80
WIDEST = 24
GAP = "  "
CUT = "…"


@click.command("suggest", cls=Command)
@click.argument("policy", metavar="POLICY_OR_TABLE")
@options.database
@options.option(
    "--sample N",
    "Most rows to try on; of people, all rows of some.",
    type=click.IntRange(1),
    default=MOST_ROWS,
    show_default=True,
)
@options.time_limit("Time limit of all searches together.", default="20s")
@options.option("--no-rows", "Print no released rows and no small tables.")
@options.source
@options.limits
@options.json
@options.engine
def command(
    policy: str,
    *,
    database: str | None,
    no_rows: bool,
    as_json: bool,
    **values: options.Values,
) -> None:
    """Try four kinds of recoding on a sample and compare them.

    One level a column (optimal), cells, regions (mondrian), and values for counts (output: apportioned). Of a
    table the policy is tried that init suggests. Reads only.
    """
    given = policy if Path(policy).suffix in POLICIES else _proposed(policy, database)
    tried: list[Tried] = []
    try:
        with show_progress() as progress:
            trial = try_recodings(
                given,
                shown=0 if no_rows else SHOWN,
                progress=progress,
                on_tried=tried.append,
                **values,
            )
    except KeyboardInterrupt:
        if not as_json:
            print_tried(tried)
        raise
    if as_json:
        print_json(trial.summary())
    else:
        print_trial(trial)
    if trial.best is None:
        if as_json:
            sys.exit(INFEASIBLE)
        if trial.advice:
            raise OutOfTimeError(trial.advice)
        raise InfeasibleError("none of these recodings satisfies the policy")
    if not as_json:
        where = f"in {policy}" if isinstance(given, str) else "in the policy that init writes"
        print_line(f"To use the {best_text(trial)}, write {where}:")
        print_line(f"search: {trial.best.search}")
        for_counts = trial.for_counts
        if for_counts is not None and for_counts.ended and for_counts.more:
            print_line("To release values for counts, write:")
            for each in (f"search: {for_counts.search}", *for_counts.more):
                print_line(f"  {printable(each)}")


def _proposed(table: str, database: str | None) -> Policy:
    return policy_of_text(first_policy(table, database=database, beside=None), None)


def print_trial(trial: Trial) -> None:
    """Print a trial within 80 columns; a label that is too long for them is cut."""
    lines = [joined(trial.privacy), f"{trial.sample}; tried in {seconds_so_far():.2f} s"]
    if trial.best is not None:
        lines.insert(0, f"{best_text(trial)}: {_kind(trial.best)}")
        lines.append(
            "loss is the information loss (NCP, mean over cells): 0 for original values, 1 for suppressed ones."
        )
    for line in lines:
        _print_wrapped(line)
    for each in trial.tried:
        best = f" ({best_text(trial)})" if each is trial.best else ""
        _print_tried(trial, each, best)
    if trial.for_counts is not None:
        best = "best; " if trial.for_counts is trial.best else ""
        _print_tried(
            trial,
            trial.for_counts,
            f" ({best}output: apportioned; a row does not show what is true of it)",
        )
    if any(each.rows for each in trial.tried):
        print_line()
        _print_wrapped("All recodings show the same rows of the source, chosen at random.")
    for table in trial.small:
        _print_small(table, trial.small_of)
    if trial.one_level_serves:
        print_line()
        _print_wrapped(
            f"{_kind(trial.tried[0])}, has about the least count error too, and each value of a column has one label."
        )
    if trial.best is not None and trial.advice:
        print_line()
        _print_wrapped(trial.advice)


def _print_tried(trial: Trial, each: Tried, beside: str) -> None:
    print_line()
    _print_wrapped(f"{_kind(each)}{beside}: {each.figures}")
    if each.rows:
        _print_rows(trial.columns, each.rows)


def _kind(tried: Tried) -> str:
    """Name a recoding by its search and by what it releases."""
    name = tried.found.searched_by
    return f"{name}, {CLASS_VALUES if tried.for_counts else KINDS[name]}"


def _print_small(table: BandTable, names: Sequence[str]) -> None:
    """Print counts or rates by bands, of the table and of each recoding."""
    print_line()
    by = " and ".join(map(printable, table.columns))
    if table.rate is None:
        _print_wrapped(
            f"Rows by {by}, of the table and of each recoding, each label spread over the values that it covers:"
        )
    else:
        _print_wrapped(f"Share of rows with {printable(table.rate.text)}, by {by}:")

    def text(figure: float | None) -> str:
        if figure is None:
            return "-"
        return f"{figure:,.0f}" if table.rate is None else f"{figure:.1%}"

    rows = [[*row.bands, text(row.before), *map(text, row.after)] for row in table.rows]
    _print_rows([*table.columns, "table", *names], rows)


def best_text(trial: Trial) -> str:
    """Describe the recommended search: the best of all, or of those that ended in time."""
    return "best of those that ended" if any(each.out_of_time for each in trial.tried) else "best"


def print_tried(tried: Sequence[Tried]) -> None:
    """Print the searches that ended before a trial was interrupted, with their figures."""
    for each in tried:
        _print_wrapped(f"search: {each.search}  # {each.figures}")


def _print_rows(columns: Sequence[str], rows: Sequence[Sequence[str | None]]) -> None:
    """Print rows under the names of their columns; the columns that do not fit beside others follow below."""
    lines = [columns, *(["NULL" if cell is None else cell for cell in row] for row in rows)]
    cells = [[_cut(printable(text)) for text in line] for line in lines]
    blocks: list[list[str]] = []
    for column in zip(*cells, strict=True):
        width = max(map(len, column))
        aligned = [GAP + cell.ljust(width) for cell in column]
        if blocks and len(blocks[-1][0]) + len(aligned[0]) <= WIDTH:
            blocks[-1] = [line + cell for line, cell in zip(blocks[-1], aligned, strict=True)]
        else:
            blocks.append(aligned)
    for block in blocks:
        for line in block:
            print_line(line.rstrip())


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + CUT


def _print_wrapped(text: str) -> None:
    for line in textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False):
        print_line(line)
