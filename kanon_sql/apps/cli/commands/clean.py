"""`kanon-sql clean`: the removal of leftovers of killed runs."""

from __future__ import annotations

from dataclasses import asdict

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json, print_line, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.base.documents.text import counted


@click.command("clean", cls=Command)
@options.option(
    "--path FOLDER",
    "Clean this folder, on disk or in an object store.",
)
@options.option(
    "--database DATABASE",
    "Clean this database instead: tables of views that no longer exist.",
)
@options.option("--schema SCHEMA", "With --database: schema, instead of the current one.")
@options.option(
    "--older-than HOURS",
    "In a database or object store: least age of what is removed.",
    type=click.FloatRange(0),
    default=24,
    show_default=True,
)
@options.option("--force", "Remove folders of older versions, too: they have no locks.")
@options.option("--dry-run", "Remove nothing; print what would be removed.")
@options.option("--purge", "With --database: rewrite its files without dropped rows.")
@options.json
def command(*, older_than: float, dry_run: bool, as_json: bool, **values: options.Values) -> None:
    """Remove temporary files and tables of killed runs.

    They may contain raw rows. Running jobs are not touched.
    """
    with show_progress("looking for what killed runs left"):
        leftovers = kanon_sql.clean(older_than=older_than * 3600, dry_run=dry_run, **values)
    if as_json:
        listed = [asdict(each) for each in leftovers]
        print_json({"status": "ok", "dry_run": dry_run, "leftovers": listed})
        return
    removed = "would remove" if dry_run else "removed"
    for each in leftovers:
        print_line(f"{removed if each.removed else 'kept'} {each.place}: {each.why}")
    number = sum(each.removed for each in leftovers)
    print_line(f"{removed} {counted(number, 'leftover')} of killed runs")
