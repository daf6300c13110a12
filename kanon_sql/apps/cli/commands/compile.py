"""`kanon-sql compile`: a plan as a SQL script."""

from __future__ import annotations

from pathlib import Path

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json, print_line, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.write import check_writable, write
from kanon_sql.apps.sqlmesh_model import MARK
from kanon_sql.release.script_entries import Bring
from kanon_sql.release.warehouse_dialects import OWN, WAREHOUSES


@click.command("compile", cls=Command)
@click.argument("plan")
@options.source
@options.option(
    "--dialect DIALECT",
    f"Database of the script, if not the policy's: {', '.join(OWN)}; or, not tested on these databases, "
    f"{', '.join(WAREHOUSES)}.",
)
@options.option(
    "--hierarchies",
    "Entries of hierarchies inline, or read from tables; in DuckDB by default from files.",
    type=click.Choice([each.value for each in Bring]),
)
@options.option("--table TABLE", "Source table in the script, if it is not the policy's.")
@options.option("--release TABLE", "Table that the script creates, if it is not the policy's.")
@options.option(
    "--sqlmesh MODEL", "Print this SQLMesh model, with its audits, instead of a script."
)
@options.option(
    "-o, --output FILE",
    "With --sqlmesh: file to write; an existing model of kanon-sql is replaced.",
)
@options.json
@options.engine
def command(
    *, sqlmesh: str | None, output: str | None, as_json: bool, **values: options.Values
) -> None:
    """Print a plan as a SQL script, or as a model of SQLMesh.

    The script needs only its database's shell: it recodes, recounts and publishes.
    """
    if output is not None:
        if sqlmesh is None:
            raise click.UsageError("-o goes with --sqlmesh; a script is printed.")
        check_writable(Path(output), starts=(MARK,))
    with show_progress("reading the plan and its hierarchies"):
        text = kanon_sql.compile_sql(sqlmesh=sqlmesh, **values)
    if output is not None:
        write(Path(output), text, start=MARK)
    if as_json:
        print_json({"status": "ok", "sql": text, "file": output})
    elif output is None:
        click.echo(text, nl=False)
    else:
        print_line(f"wrote {output}")
