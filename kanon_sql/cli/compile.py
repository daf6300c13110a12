"""`kanon-sql compile`: a plan as a SQL script."""

from __future__ import annotations

from pathlib import Path

import click

import kanon_sql
from kanon_sql.cli.options import SOURCE, engine_options, reported
from kanon_sql.cli.plain import say
from kanon_sql.cli.write import hold_writable, write
from kanon_sql.integrations.sqlmesh.sqlmesh_model import MARK
from kanon_sql.release.script_target import Bring
from kanon_sql.release.warehouse_dialects import OWN, WAREHOUSES


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
@click.option(
    "--sqlmesh",
    metavar="MODEL",
    help="Print the file of this model of SQLMesh instead, with its audits.",
)
@click.option("-o", "--output", help="With --sqlmesh: write it there; a model of ours is replaced.")
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
    sqlmesh: str | None,
    output: str | None,
    settings: kanon_sql.Settings,
) -> None:
    """Print the release as a SQL script that runs by itself in the shell of its database."""
    if output is not None:
        if sqlmesh is None:
            raise click.UsageError("-o goes with --sqlmesh; a script is printed.")
        hold_writable(Path(output), over=(MARK,))
    text = kanon_sql.compile_sql(
        plan_file,
        source=source,
        dialect=dialect,
        hierarchies=hierarchies,
        table=table,
        release=release,
        sqlmesh=sqlmesh,
        settings=settings,
    )
    if output is None:
        click.echo(text, nl=False)
    else:
        write(Path(output), text, over=MARK)
        say(f"wrote {output}")
