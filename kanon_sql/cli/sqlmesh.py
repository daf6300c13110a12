"""The commands of SQLMesh projects; the models themselves are written by `compile --sqlmesh`."""

from __future__ import annotations

from pathlib import Path

import click

from kanon_sql.cli.options import reported
from kanon_sql.cli.plain import say
from kanon_sql.cli.write import write_folder
from kanon_sql.integrations.sqlmesh.sqlmesh_model import audits_file, example


@click.group()
def sqlmesh() -> None:
    """Audits and an example for SQLMesh projects; models are written by compile --sqlmesh."""


@sqlmesh.command()
@reported
def audits() -> None:
    """Print the audits, for the file audits/kanon.sql of a project."""
    click.echo(audits_file(), nl=False)


@sqlmesh.command("example")
@click.argument("folder")
@reported
def example_(folder: str) -> None:
    """Write a small SQLMesh project to try, with raw patients in DuckDB."""
    write_folder(Path(folder), example())
    say(f"wrote a SQLMesh project to {folder}; go on there with: sqlmesh plan")
