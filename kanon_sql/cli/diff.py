"""`kanon-sql diff`: what changed from one plan to another, for a pull request."""

from __future__ import annotations

import sys

import click

import kanon_sql
from kanon_sql.cli.options import reported
from kanon_sql.cli.plain import say_json
from kanon_sql.errors import Fault, InputError
from kanon_sql.plans.plan import Plan

STANDARD_INPUT = "-"


@click.command()
@click.argument("old")
@click.argument("new")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option(
    "--exit-code",
    is_flag=True,
    help="Exit with 1 where the plans differ, as git does, and with 2 for errors.",
)
@reported
def diff(old: str, new: str, *, as_json: bool, exit_code: bool) -> None:
    """Say what changed from one plan file to another, as Markdown for a pull request.

    One of them may be - for standard input: git show main:adult.plan.yml | kanon-sql diff - adult.plan.yml
    """
    if old == new == STANDARD_INPUT:
        raise InputError(
            STANDARD_INPUT, [Fault("", "is standard input; only one plan can be that")]
        )
    found = kanon_sql.diff(_plan(old), _plan(new))
    if as_json:
        say_json({"status": "ok", **found.document()})
    else:
        click.echo(found.markdown, nl=False)
    if exit_code and not found.same:
        sys.exit(1)


def _plan(given: str) -> str | Plan:
    """Read the plan that is piped; a path is read by who opens it."""
    if given != STANDARD_INPUT:
        return given
    try:
        text = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("standard input", [Fault("", "is no text of UTF-8")]) from error
    return Plan.from_yaml(text, "standard input")
