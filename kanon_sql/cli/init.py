"""`kanon-sql init`: a first policy for a table."""

from __future__ import annotations

from pathlib import Path

import click

from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import print_line, show_progress
from kanon_sql.cli.print_trial import print_trial
from kanon_sql.cli.write import check_free, write
from kanon_sql.errors import InputError
from kanon_sql.getting_started.first_policy import first_policy
from kanon_sql.getting_started.trial import (
    SHOWN,
    policy_of_text,
    try_recodings,
    with_best_search,
)


@click.command("init", cls=Command)
@click.argument("source", metavar="TABLE_OR_FILE")
@options.option(
    "-o, --output FILE",
    "File to write; - prints the policy.",
    default="policy.yml",
    show_default=True,
)
@options.option("--database FILE", "DuckDB file of the table.")
@options.option("--replace", "Replace an existing policy.")
@options.option(
    "--try",
    "Try three kinds of recoding on a sample, within 20 seconds, and write the search of the best.",
    name="tries",
)
@options.option("--no-rows", "With --try: print no released rows.")
def command(
    source: str, output: str, database: str | None, *, replace: bool, tries: bool, no_rows: bool
) -> None:
    """Write a first policy for a table, with roles and hierarchies suggested from its data.

    Review every line: the suggestions come from names, types and counts of values alone.
    """
    if output != "-" and not replace:
        check_free(Path(output))
    text = first_policy(source, database=database, beside=None if output == "-" else output)
    if tries:
        text = _tried(text, output, no_rows=no_rows)
    if output == "-":
        click.echo(text, nl=False)
        return
    write(Path(output), text)
    print_line(f"wrote {output}: review every line, then run: kanon-sql lint {output}")


def _tried(text: str, output: str, *, no_rows: bool) -> str:
    """Try a policy before it is written; return it with the search of the best, or as it was where none is found."""
    printed = output != "-"
    try:
        with show_progress(quiet=not printed) as progress:
            trial = try_recodings(
                policy_of_text(text, output if printed else None),
                shown=SHOWN if printed and not no_rows else 0,
                progress=progress,
            )
    except InputError as error:
        print_line(f"not tried: {error}", error=True)
        return text
    if printed:
        print_trial(trial)
    return with_best_search(text, trial)
