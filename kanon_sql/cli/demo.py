"""`kanon-sql demo`: the embedded sample, before and after."""

from __future__ import annotations

import click

from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import LEAST_WIDTH, new_console, show_progress, terminal_width
from kanon_sql.getting_started.demo_run import run_demo


@click.command("demo", cls=Command)
@options.option(
    "-o, --output FOLDER",
    "Keep the sample, the policy and the release in this folder.",
)
def command(output: str | None) -> None:
    """Anonymize an embedded sample, and show each step."""
    with show_progress("anonymizing the sample"):
        run_demo(new_console(width=terminal_width() or LEAST_WIDTH), output)
