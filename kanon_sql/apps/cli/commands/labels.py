"""`kanon-sql labels`: the key of a release's labels, by which a join counts rows at any level of a hierarchy."""

from __future__ import annotations

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json, print_line, print_warnings, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.base.documents.text import counted


@click.command("labels", cls=Command)
@click.argument("release", metavar="TABLE_OR_FILE")
@options.option("--plan PLAN", "Plan of the release.", required=True)
@options.option("--policy POLICY", "Policy of the release, if no plan names it.")
@options.source
@options.option(
    "-o, --output TABLE_OR_FILE",
    "Key of the labels: a Parquet or CSV file, or a table.",
    name="out",
    required=True,
)
@options.option("--replace", "Replace an existing key.")
@options.json
@options.engine
def command(*, as_json: bool, **values: options.Values) -> None:
    """Write a table by which a join counts a release's labels.

    A row for each label and level has the label that covers it, with its least and greatest value.
    """
    with show_progress("reading the labels of the release"):
        found = kanon_sql.labels(**values)
    if as_json:
        print_json({"status": "ok", **found.summary()})
        return
    for name, labels in found.labels.items():
        print_line(f"{name}: {counted(labels, 'label')}")
    unknown = [name for name, count in found.unknown.items() if count]
    what = "shows labels that its hierarchy lacks; the key leaves them out"
    print_warnings([f"{name}: {what}" for name in unknown])
    print_line(f"key of the labels: {found.place}")
