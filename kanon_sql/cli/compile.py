"""`kanon-sql compile`: a plan as a SQL script."""

from __future__ import annotations

from pathlib import Path

import click

import kanon_sql
from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import print_line
from kanon_sql.cli.write import check_writable, write
from kanon_sql.integrations.sqlmesh.sqlmesh_model import MARK
from kanon_sql.release.script_target import Bring
from kanon_sql.release.warehouse_dialects import OWN, WAREHOUSES


@click.command("compile", cls=Command)
@click.argument("plan")
@options.source
@click.option(
    "--dialect",
    help=f"Write the script for this database instead of the policy's: {', '.join(OWN)}; or, not "
    f"executed by our tests, {', '.join(WAREHOUSES)}.",
)
@click.option(
    "--hierarchies",
    type=click.Choice([each.value for each in Bring]),
    help="Write the hierarchies' entries into the script, or read them from tables it names.",
)
@click.option("--table", help="Source table where the script runs, if not the policy's.")
@click.option("--release", help="Table that the script creates, if not the policy's.")
@click.option(
    "--sqlmesh",
    metavar="MODEL",
    help="Print the file of this SQLMesh model, with its audits, instead of a script.",
)
@click.option(
    "-o", "--output", help="With --sqlmesh: file to write; it may replace a model of kanon-sql."
)
@options.engine
def command(*, sqlmesh: str | None, output: str | None, **values: options.Values) -> None:
    """Print a plan as a SQL script, or as a model of SQLMesh.

    The script runs by itself in the shell of its database.
    """
    if output is not None:
        if sqlmesh is None:
            raise click.UsageError("-o goes with --sqlmesh; a script is printed.")
        check_writable(Path(output), starts=(MARK,))
    text = kanon_sql.compile_sql(sqlmesh=sqlmesh, **values)
    if output is None:
        click.echo(text, nl=False)
    else:
        write(Path(output), text, start=MARK)
        print_line(f"wrote {output}")
