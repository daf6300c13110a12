"""`kanon-sql demo`: the embedded sample, before and after."""

from __future__ import annotations

import click
from rich.console import Console

from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import LEAST_WIDTH, terminal_width
from kanon_sql.getting_started.demo_run import run_demo


@click.command("demo", cls=Command)
@options.option(
    "-o, --output FOLDER",
    "Keep the sample, the policy and the release in this folder.",
)
def command(output: str | None) -> None:
    """Anonymize an embedded sample, and show each step."""
    run_demo(Console(width=terminal_width() or LEAST_WIDTH), output)
