"""`kanon-sql demo`: the embedded sample, before and after."""

from __future__ import annotations

import click

from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import (
    LEAST_WIDTH,
    new_console,
    print_json,
    show_progress,
    terminal_width,
)
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.getting_started.demo_run import run_demo


@click.command("demo", cls=Command)
@options.option(
    "-o, --output FOLDER",
    "Keep the sample, the policy and the release in this folder.",
)
@options.json
def command(output: str | None, *, as_json: bool) -> None:
    """Anonymize an embedded sample, and show each step."""
    with show_progress("anonymizing the sample"):
        width = terminal_width() or LEAST_WIDTH
        summary = run_demo(new_console(width=width, quiet=as_json), output)
    if as_json:
        print_json({**summary, "folder": output})
