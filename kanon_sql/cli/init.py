"""`kanon-sql init`: a first policy for a table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import print_line
from kanon_sql.cli.write import check_free, write
from kanon_sql.documents.text import printable
from kanon_sql.getting_started.first_policy import Findings, inspect_source
from kanon_sql.getting_started.first_questions import Question, answered, questions_of
from kanon_sql.getting_started.propose_columns import Answers

if TYPE_CHECKING:
    from collections.abc import Sequence

KEYS = ("drop", "signature")


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
@options.gather(
    "said",
    dict,
    known=options.option(
        "--known COLUMN,COLUMN",
        "Columns that somebody could know about a person, of those that neither name nor values decide about; "
        "none for none of them.",
    ),
    sensitive=options.option(
        "--sensitive COLUMN,COLUMN", "Columns that nobody may learn about a person; none for none."
    ),
    key=options.option(
        "--key",
        "Whether the key of the person is dropped, or released as a pseudonym by which all rows of a person are "
        "joined.",
        type=click.Choice(KEYS),
    ),
)
def command(
    source: str,
    output: str,
    database: str | None,
    said: dict[str, str | None],
    *,
    replace: bool,
) -> None:
    """Write a first policy for a table: what is counted, roles, hierarchies, k, and a query that cleans the source.

    It counts values, shapes and people in the table. What it cannot count it asks on a terminal; elsewhere
    --known, --sensitive and --key answer, and it prints what it took without an answer. Review every line.
    """
    if output != "-" and not replace:
        check_free(Path(output))
    found = inspect_source(source, database=database, beside=None if output == "-" else output)
    given = Answers()
    for option, text in said.items():
        given = answered(given, option, text, found)
    found.propose(given)  # refuses a name of no column before it asks
    questions = questions_of(found, given)
    answers = _asked(found, given, questions) if is_terminal() and output != "-" else given
    text = found.policy(answers)
    if output == "-":
        click.echo(text, nl=False)
    else:
        write(Path(output), text)
        print_line(f"wrote {output}: review every line, then run: kanon-sql lint {output}")
    if answers is given:
        _print_defaults(questions, error=output == "-")


def is_terminal() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _asked(found: Findings, given: Answers, questions: Sequence[Question]) -> Answers:
    """Ask what is open; an empty answer takes the default."""
    answers = given
    for each in questions:
        listed = f" {printable(', '.join(each.columns))}" if each.columns else ""
        kind = click.Choice(KEYS) if each.option == "key" else click.STRING
        said = click.prompt(f"{printable(each.text)}{listed}\n ", default=each.default, type=kind)
        answers = answered(answers, each.option, said, found)
        found.propose(answers)
    return answers


def _print_defaults(questions: Sequence[Question], *, error: bool) -> None:
    """Print the questions that nobody answered, with what was taken."""
    if not questions:
        return
    print_line("The data cannot answer these questions; the policy has the default:", error=error)
    for each in questions:
        listed = f" {', '.join(each.columns)}" if each.columns else ""
        print_line(f"  {each.text}{listed}", error=error)
        print_line(f"    taken: --{each.option} {each.default}", error=error)
