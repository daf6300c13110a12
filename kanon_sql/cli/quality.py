"""`kanon-sql quality`: what a release is worth, measured against its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import print_json, print_line, print_table, print_warnings
from kanon_sql.documents.text import counted, decimal_text
from kanon_sql.release_quality.measures import MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.cli.console import Side


@click.command("quality", cls=Command)
@click.argument("release", metavar="TABLE_OR_FILE")
@options.option("--plan PLAN", "Plan of the release: it names the source, and has the hierarchies.")
@options.option(
    "--policy POLICY", "Policy of the release, if there is no plan, or if the plan names none."
)
@options.source
@options.option(
    "--qi COLUMNS",
    "Without plan and policy: quasi-identifiers, separated by commas; may be repeated.",
    multiple=True,
)
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
def command(*, qi: tuple[str, ...], as_json: bool, **values: options.Values) -> None:
    """Measure a release against its source, and compare it with its plan. Reads only.

    All figures are counted from the rows of both tables. With a plan or policy labels are looked up
    in its hierarchies; without them give --source and --qi, and what needs hierarchies is left out.
    """
    names = options.read_names(qi) if qi else None
    found = kanon_sql.quality(qi=names, **values)
    if as_json:
        print_json({"status": "ok", **found.summary()})
        return
    print_line(
        f"{counted(found.rows, 'row')}, {found.released_rows:,} released in "
        f"{counted(found.classes, 'class')}, smallest {found.smallest_class:,}"
    )
    print_table({"figure": "left", "value": "right", "what it is": "left"}, _rows(found))
    for reason in dict.fromkeys(found.reasons.values()):
        missing = [MEASURES[key].name for key, why in found.reasons.items() if why == reason]
        print_line(f"not measured: {', '.join(missing)}: {reason}")
    numbers = ("values", "released", "lost", "bits", "bits released", "LM", "NCP", "MSE")
    headings: dict[str, Side] = {
        **dict.fromkeys(("column",), "left"),
        **dict.fromkeys(numbers, "right"),
    }
    print_table(headings, map(_cells, found.columns))
    if found.queries is not None:
        print_line(_queries_text(found.queries))
    print_warnings(list(found.warnings))


def _queries_text(found: kanon_sql.QueryErrors) -> str:
    errors = {"mean": found.mean, "median": found.median, "highest": found.highest}
    values = [f"{what} {decimal_text(error)}" for what, error in errors.items()]
    return (
        f"COUNT queries: {len(found.counts):,}, of which {found.empty:,} are met by no row; relative "
        f"error of the others: {', '.join(values)}"
    )


def _rows(found: kanon_sql.Quality) -> Iterator[tuple[str, str, str]]:
    for key, measure in MEASURES.items():
        value = found.figures[key]
        if value is not None:
            yield measure.name, decimal_text(value), measure.title


def _cells(each: kanon_sql.ColumnQuality) -> tuple[str, ...]:
    return (
        each.name,
        f"{each.distinct_before:,}",
        f"{each.distinct_after:,}",
        f"{each.precision_loss:.1%}",
        decimal_text(each.entropy_before),
        decimal_text(each.entropy_after),
        decimal_text(each.loss),
        decimal_text(each.certainty),
        decimal_text(each.mean_squared_error),
    )
