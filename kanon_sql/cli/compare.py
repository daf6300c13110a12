"""`kanon-sql compare`: what several algorithms find for a policy, as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import (
    print_json,
    print_line,
    print_table,
    show_progress,
)
from kanon_sql.documents.text import counted
from kanon_sql.explanation.compare_searches import ALL, KNOWN
from kanon_sql.metrics.registry import SUMMARIZED

if TYPE_CHECKING:
    from kanon_sql.cli.console import Side
    from kanon_sql.explanation.compare_searches import Compared, Comparison

FEASIBLE = {
    "feasible": "yes",
    "infeasible": "no",
    "out_of_time": "none in time",
    "error": "refused",
}
NOTHING = ["-" for _ in ("suppressed", *SUMMARIZED)]


@click.command("compare", cls=Command)
@click.argument("policy")
@click.option(
    "--algorithms",
    multiple=True,
    default=(ALL,),
    show_default=True,
    help=f"Names, separated by commas: {ALL}, or some of {', '.join(KNOWN)}.",
)
@options.time_limit("Time limit of each search.")
@options.source
@options.limits
@options.json
@options.engine
def command(*, algorithms: tuple[str, ...], as_json: bool, **values: options.Values) -> None:
    """Search with several algorithms and compare what they find. Reads only."""
    names = options.read_names(algorithms, "--algorithms")
    with show_progress(quiet=as_json) as progress:
        comparison = kanon_sql.compare(algorithms=names, progress=progress, **values)
    if as_json:
        print_json(comparison.summary())
    else:
        _print(comparison)


def _print(comparison: Comparison) -> None:
    """Print one row a search, and below the table why some found nothing."""
    texts = ("searched by", "released at", "feasible", "proven")
    numbers = ("checks", "statements", "seconds", "suppressed", *(m.name for m in SUMMARIZED))
    columns: dict[str, Side] = {**dict.fromkeys(texts, "left"), **dict.fromkeys(numbers, "right")}
    print_table(columns, map(_cells, comparison.searches), borders=False)
    lattice = ""
    if comparison.classes is not None and comparison.lattice_nodes is not None:
        tuples = counted(comparison.classes, "distinct tuple")
        lattice = f"; {tuples}, a lattice of {counted(comparison.lattice_nodes, 'node')}"
    print_line(
        f"{' and '.join(comparison.privacy)}; suppression limit {comparison.max_suppressed:,} of "
        f"{counted(comparison.rows, 'row')}; metric {comparison.metric}{lattice}"
    )
    if comparison.names:
        print_line(f"a node lists the levels of {', '.join(comparison.names)}")
    for each in comparison.searches:
        if each.plan is None:
            print_line(f"{each.searched_by}: {each.error}")


def _cells(each: Compared) -> list[str]:
    took = [str(each.statements), f"{each.seconds:.2f}"]
    if each.plan is None:
        return [each.searched_by, "-", FEASIBLE[each.status], "-", "-", *took, *NOTHING]
    plan = each.plan
    quality = [
        metric.text(plan.figures[metric.key]) if metric.key in plan.figures else "-"
        for metric in SUMMARIZED
    ]
    return [
        each.searched_by,
        each.recoded,
        FEASIBLE[each.status],
        "yes" if plan.optimal else "no" if plan.checks_in_time is None else "time up",
        "-" if plan.checks is None else str(plan.checks),
        *took,
        str(plan.suppressed_rows),
        *quality,
    ]
