"""`kanon-sql compile`: a plan as a SQL script."""

from __future__ import annotations

import click

import kanon_sql
from kanon_sql.cli.options import SOURCE, engine_options, reported
from kanon_sql.flow.script_target import Bring
from kanon_sql.sql.dialects import OWN, WAREHOUSES


@click.command("compile")
@click.argument("plan_file", metavar="PLAN")
@click.option("--source", help=SOURCE)
@click.option(
    "--dialect",
    help="Write it for this database instead of the policy's: "
    f"{', '.join(OWN)}, or {', '.join(WAREHOUSES)}, which say that no test ran them.",
)
@click.option(
    "--hierarchies",
    type=click.Choice([each.value for each in Bring]),
    help="Write the entries of hierarchies into the script, or read them from tables that it names.",
)
@click.option("--table", help="The source's table where the script runs, if not the policy's.")
@click.option("--release", help="The table that the script makes, if not the policy's.")
@engine_options
@reported
def compile_(
    plan_file: str,
    *,
    source: str | None,
    dialect: str | None,
    hierarchies: str | None,
    table: str | None,
    release: str | None,
    settings: kanon_sql.Settings,
) -> None:
    """Print the release as a SQL script that runs by itself in the shell of its database."""
    text = kanon_sql.compile_sql(
        plan_file,
        source=source,
        dialect=dialect,
        hierarchies=hierarchies,
        table=table,
        release=release,
        settings=settings,
    )
    click.echo(text, nl=False)
