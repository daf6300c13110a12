"""`kanon-sql frequency-query`: the query by which a warehouse counts what a plan needs."""

from __future__ import annotations

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json
from kanon_sql.apps.cli.options import Command
from kanon_sql.release.warehouse_dialects import COUNTING


@click.command("frequency-query", cls=Command)
@click.argument("policy")
@options.option(
    "--dialect DIALECT",
    f"Database of the query: {', '.join(COUNTING)}.",
    required=True,
)
@options.option("--table TABLE", "Table that the query reads, if it is not the policy's.")
@options.json
def command(policy: str, *, dialect: str, table: str | None, as_json: bool) -> None:
    """Print the query by which a warehouse counts for a plan.

    Export its result, and plan from it by plan --frequency-set. It has values of the source: keep it as the
    source is kept.
    """
    query = f"{kanon_sql.frequency_query(policy, dialect=dialect, table=table)};"
    if as_json:
        print_json({"status": "ok", "sql": query})
        return
    click.echo(query)
