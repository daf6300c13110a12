"""`kanon-sql sqlmesh`: audits and an example project. `compile --sqlmesh` writes the models."""

from __future__ import annotations

from pathlib import Path

import click

from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import CommandGroup, print_json, print_line
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.write import write_example
from kanon_sql.apps.sqlmesh_model import audits_file, example


@click.group("sqlmesh", cls=CommandGroup)
def command() -> None:
    """Print audits for SQLMesh, or write an example project.

    The models themselves are written by `compile --sqlmesh`.
    """


@command.command("audits", cls=Command)
@options.json
def print_audits(*, as_json: bool) -> None:
    """Print the audits, for the file audits/kanon.sql of a project."""
    if as_json:
        print_json({"status": "ok", "sql": audits_file()})
        return
    click.echo(audits_file(), nl=False)


@command.command("example", cls=Command)
@click.argument("folder")
@options.json
def write_project(folder: str, *, as_json: bool) -> None:
    """Write a small SQLMesh project in DuckDB, to try."""
    write_example(Path(folder), example())
    if as_json:
        print_json({"status": "ok", "folder": folder})
        return
    print_line(f"wrote a SQLMesh project to {folder}; continue there with: sqlmesh plan")
