"""`kanon-sql anonymize`: plan and apply in one run."""

from __future__ import annotations

import click

import kanon_sql
from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import print_json, show_progress
from kanon_sql.cli.print_examples import print_examples
from kanon_sql.cli.print_plan import print_plan
from kanon_sql.cli.print_release import print_release


@click.command("anonymize", cls=Command)
@click.argument("policy")
@options.release
@options.replace_release
@options.purge
@options.json
@options.no_rows
@options.source
@options.search
@options.engine
def command(*, as_json: bool, no_rows: bool, **values: options.Values) -> None:
    """Plan and apply in one run.

    The plan is printed and not kept. To print its SQL instead of executing it, use
    kanon-sql plan --sql.
    """
    with show_progress(quiet=as_json, lines=True) as progress:
        published = kanon_sql.anonymize(
            **values, progress=progress, must_publish=True, examples=not (no_rows or as_json)
        )
    if as_json:
        print_json(published.summary())
        return
    print_plan(published.plan)
    print_release(published)
    print_examples(published.plan, published.verification.classes)
