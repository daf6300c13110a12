"""`kanon-sql clean`: what killed runs left behind."""

from __future__ import annotations

from dataclasses import asdict

import click

import kanon_sql
from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import print_json, print_line
from kanon_sql.documents.text import counted


@click.command("clean", cls=Command)
@click.option(
    "--path",
    help="Clean this folder, also one of an object store (s3://), instead of the folder of "
    "temporary files.",
)
@click.option("--database", help="Clean this database: tables of views that no longer exist.")
@click.option("--schema", help="Schema of the database, instead of the current one.")
@click.option(
    "--older-than",
    type=click.FloatRange(0),
    default=24,
    show_default=True,
    help="Hours since a run began after which its tables in a database may be removed.",
)
@click.option(
    "--force", is_flag=True, help="Also remove folders without a lock, of older versions."
)
@click.option("--dry-run", is_flag=True, help="Remove nothing, print what would be removed.")
@click.option("--purge", is_flag=True, help="Rewrite a database's files without dropped rows.")
@options.json
def command(*, older_than: float, dry_run: bool, as_json: bool, **values: options.Values) -> None:
    """Remove temporary files and tables left by runs that were killed.

    They may contain raw rows. Running jobs are not touched.
    """
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
