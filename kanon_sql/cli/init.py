"""`kanon-sql init`: a first policy for a table."""

from __future__ import annotations

from pathlib import Path

import click

from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import print_line
from kanon_sql.cli.write import check_free, write
from kanon_sql.errors import Fault, InputError
from kanon_sql.getting_started.first_policy import first_policy
from kanon_sql.getting_started.import_arx import imported_project, is_project


@click.command("init", cls=Command)
@click.argument("source", metavar="TABLE_OR_FILE")
@options.option(
    "-o, --output FILE",
    "File to write; - prints the policy.",
    default="policy.yml",
    show_default=True,
)
@options.option("--database DATABASE", "Database of the table: a DuckDB file or an address.")
@options.option("--replace", "Replace an existing policy.")
def command(source: str, output: str, database: str | None, *, replace: bool) -> None:
    """Write a first policy for a table, with roles and hierarchies suggested from its data.

    Review every line: the suggestions come from names, types and counts of values alone.
    """
    if is_project(source):
        _import_project(source, output, database, replace=replace)
        return
    text = first_policy(source, database=database, beside=None if output == "-" else output)
    if output == "-":
        click.echo(text, nl=False)
        return
    if not replace:
        check_free(Path(output))
    write(Path(output), text)
    print_line(f"wrote {output}: review every line, then run: kanon-sql lint {output}")


def _import_project(project: str, output: str, database: str | None, *, replace: bool) -> None:
    """Write the policy of an ARX project, and its input and hierarchies into a folder beside it."""
    if output == "-" or database is not None:
        what = (
            "is a project of ARX, which holds its rows: name the policy by -o FILE, and no database"
        )
        raise InputError(project, [Fault("", what)])
    if not replace:
        check_free(Path(output))
    with imported_project(Path(project), Path(output)) as (text, folder):
        write(Path(output), text)
    print_line(f"wrote {folder.name}/, with the raw rows of the project and its hierarchies")
    print_line(f"wrote {output}: review every line, then run: kanon-sql lint {output}")
