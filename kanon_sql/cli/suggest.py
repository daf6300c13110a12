"""`kanon-sql suggest`: try recodings for a policy, and name the best."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import print_json, print_line, show_progress
from kanon_sql.cli.print_trial import best_text, print_trial, print_tried
from kanon_sql.documents.text import printable
from kanon_sql.errors import InfeasibleError, OutOfTimeError
from kanon_sql.getting_started.first_policy import first_policy
from kanon_sql.getting_started.trial import MOST_ROWS, SHOWN, policy_of_text, try_recodings

if TYPE_CHECKING:
    from kanon_sql.getting_started.trial import Tried
    from kanon_sql.policy.model import Policy

INFEASIBLE = 3
POLICIES = {".yml", ".yaml"}


@click.command("suggest", cls=Command)
@click.argument("policy", metavar="POLICY_OR_TABLE")
@options.option("--database FILE", "DuckDB file of the table, where a table is named.")
@options.option(
    "--sample N",
    "Most rows to try on; where the policy counts people, all rows of some people.",
    type=click.IntRange(1),
    default=MOST_ROWS,
    show_default=True,
)
@options.time_limit("Time limit of all searches together.", default="20s")
@options.option("--no-rows", "Print no released rows.")
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
    """Try four kinds of recoding on a sample and compare them. Reads only.

    One level a column (optimal), local recoding (cells) and multidimensional recoding (mondrian) release
    labels, each true of its row; a fourth releases values for counts (output: apportioned). They are
    compared by NCP, suppressed rows, classes and the error of simple counts, and the same five rows are
    shown as each releases them. For a table or file in place of a policy, the policy that init suggests is tried.
    """
    given = policy if Path(policy).suffix in POLICIES else _proposed(policy, database)
    tried: list[Tried] = []
    try:
        with show_progress(quiet=as_json) as progress:
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
