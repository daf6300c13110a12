"""`kanon-sql quality`: the quality of a release, measured against its source."""

from __future__ import annotations

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_results import print_quality

WITHOUT, QUERIES = "Without a plan or policy", "COUNT queries"


@click.command("quality", cls=Command)
@click.argument("release", metavar="TABLE_OR_FILE")
@options.option("--plan PLAN", "Plan of the release.")
@options.option("--policy POLICY", "Policy of the release, if no plan names it.")
@options.source
@options.quasi(group=WITHOUT)
@options.option("-k K", "k, for C_AVG.", type=click.IntRange(1), group=WITHOUT)
@options.option(
    "--class COLUMN",
    "Column to predict, for the classification metric.",
    name="class_column",
)
@options.option(
    "--workload N",
    "Draw so many COUNT queries, and measure their errors.",
    type=click.IntRange(0),
    default=0,
    group=QUERIES,
)
@options.option(
    "--seed N", "Seed of --workload.", type=int, default=0, show_default=True, group=QUERIES
)
@options.option(
    "--queries FILE",
    "COUNT queries: a YAML file with a list `queries` of mappings of columns to conditions.",
    group=QUERIES,
)
@options.option(
    "--database DATABASE",
    "Database of the tables: a DuckDB file or an address.",
    group=WITHOUT,
)
@options.json
@options.engine
def command(*, quasi: tuple[str, ...], as_json: bool, **values: options.Values) -> None:
    """Measure a release against its source.

    Without a plan or policy, give --source and --quasi.
    """
    names = options.read_names(quasi) if quasi else None
    with show_progress("measuring the release"):
        found = kanon_sql.quality(quasi=names, **values)
    if as_json:
        print_json({"status": "ok", **found.summary()})
        return
    print_quality(found)
