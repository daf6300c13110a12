"""`kanon-sql lint`: the faults of a policy, and warnings."""

from __future__ import annotations

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json, print_line, print_warnings, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.base.documents.text import counted


@click.command("lint", cls=Command)
@click.argument("policy")
@options.source
@options.json
@options.engine
def command(policy: str, *, as_json: bool, **values: options.Values) -> None:
    """Check a policy, its source and its hierarchies.

    Lists all problems at once. Reads only.
    """
    with show_progress("checking the policy, its source and its hierarchies"):
        warnings = kanon_sql.lint(policy, **values)
    if as_json:
        print_json({"status": "ok", "warnings": warnings})
        return
    print_warnings(warnings)
    print_line(
        f"{policy}: no faults, {counted(len(warnings), 'warning')}; next: kanon-sql plan {policy}"
    )
