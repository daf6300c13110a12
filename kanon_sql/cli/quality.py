"""`kanon-sql quality`: the quality of a release, measured against its source."""

from __future__ import annotations

import click

import kanon_sql
from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import print_json
from kanon_sql.cli.print_release import print_quality


@click.command("quality", cls=Command)
@click.argument("release", metavar="TABLE_OR_FILE")
@options.option("--plan PLAN", "Plan of the release: it names the source, and has the hierarchies.")
@options.option(
    "--policy POLICY", "Policy of the release, if there is no plan, or if the plan names none."
)
@options.source
@options.quasi("Without plan and policy: quasi-identifiers, separated by commas; may be repeated.")
@options.option("-k K", "Without plan and policy: k, for C_AVG.", type=click.IntRange(1))
@options.option(
    "--class COLUMN",
    "Column of the release that readers predict, for the classification metric.",
    name="class_column",
)
@options.option(
    "--workload N",
    "Also draw so many COUNT queries, and measure how far the release is from their true counts.",
    type=click.IntRange(0),
    default=0,
)
@options.option("--seed N", "Seed of --workload.", type=int, default=0, show_default=True)
@options.option(
    "--queries FILE",
    "Your own COUNT queries in place of --workload: a YAML file with the list `queries`, "
    "each a mapping of quasi-identifiers to SQL conditions on them.",
)
@options.option(
    "--database DATABASE",
    "Without plan and policy: database of the tables, a DuckDB file or an address.",
)
@options.json
@options.engine
def command(*, quasi: tuple[str, ...], as_json: bool, **values: options.Values) -> None:
    """Measure a release against its source, and compare it with its plan. Reads only.

    All figures are counted from the rows of both tables. With a plan or policy labels are looked up
    in its hierarchies; without them give --source and --quasi, and what needs hierarchies is left out.
    """
    names = options.read_names(quasi) if quasi else None
    found = kanon_sql.quality(qi=names, **values)
    if as_json:
        print_json({"status": "ok", **found.summary()})
        return
    print_quality(found)
