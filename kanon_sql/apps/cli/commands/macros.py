"""`kanon-sql macros`: checks and a plan as macros of DuckDB, or functions of PostgreSQL."""

from __future__ import annotations

import click

from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.scripts import DIALECTS, macros


@click.command("macros", cls=Command)
@click.argument("plan", required=False)
@options.option(
    "--dialect",
    "Database that loads them.",
    type=click.Choice(DIALECTS),
    default=DIALECTS[0],
    show_default=True,
)
@options.json
@options.engine
def command(plan: str | None, *, dialect: str, as_json: bool, settings: options.Values) -> None:
    """Print SQL macros that check a table, and apply a plan.

    For a database's own shell: kanon_k, kanon_check, kanon_risk; of a plan, kanon_apply.
    """
    with show_progress("reading the plan and its hierarchies"):
        text = macros(dialect, plan, settings)
    if as_json:
        print_json({"status": "ok", "sql": text})
        return
    click.echo(text, nl=False)
