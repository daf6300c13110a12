"""`kanon-sql diff`: what changed between two plans."""

from __future__ import annotations

import sys

import click

import kanon_sql
from kanon_sql.apps.cli import options, schema_of_tables
from kanon_sql.apps.cli.console import print_json
from kanon_sql.apps.cli.options import Command
from kanon_sql.errors import Fault, InputError

STANDARD_INPUT = "-"
WEAKER = 5
"""The exit code of `--fail-if-weaker`, which no error has."""


@click.command("diff", cls=Command)
@click.argument("old")
@click.argument("new")
@options.json
@options.option(
    "--exit-code", "Exit with 1 if the plans differ, as git diff does, and with 2 on errors."
)
@options.option(
    "--fail-if-weaker",
    "Exit with 5 if privacy is weaker, or may be.",
)
def command(old: str, new: str, *, as_json: bool, exit_code: bool, fail_if_weaker: bool) -> None:
    """Print what changed between two plans, for a pull request.

    Of two plan files one may be - for standard input. Policies beside them are compared, too.
    """
    if old == new == STANDARD_INPUT:
        what = "is standard input, which can be only one of the two plans"
        raise InputError(STANDARD_INPUT, [Fault("", what)])
    if schema_of_tables.is_schema_plan(old) and schema_of_tables.is_schema_plan(new):
        schema_of_tables.diff(old, new, as_json=as_json, exit_code=exit_code)
        return
    difference = kanon_sql.diff(_read(old), _read(new))
    if as_json:
        print_json({"status": "ok", **difference.document()})
    else:
        click.echo(difference.markdown, nl=False)
    if fail_if_weaker and difference.may_weaken:
        sys.exit(WEAKER)
    if exit_code and not difference.same:
        sys.exit(1)


def _read(plan: str) -> str | kanon_sql.Plan:
    """Read a plan from standard input; return a path unchanged, as `kanon_sql.diff` opens it."""
    if plan != STANDARD_INPUT:
        return plan
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("standard input", [Fault("", "is not UTF-8 text")]) from error
    return kanon_sql.Plan.from_yaml(text, "standard input")
