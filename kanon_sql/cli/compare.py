"""`kanon-sql compare`: what every algorithm makes of a policy, as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table

import kanon_sql
from kanon_sql.cli.options import (
    SOURCE,
    engine_options,
    listed,
    overrides,
    reported,
    seconds_of,
    steps_shown,
)
from kanon_sql.cli.plain import (
    cell,
    say,
    say_json,
    show_table,
)
from kanon_sql.explanation.compare_searches import ALL, KNOWN
from kanon_sql.explanation.explanation_text import FIGURES, number
from kanon_sql.metrics.registry import SAID

if TYPE_CHECKING:
    from kanon_sql.explanation.comparison import Compared, Comparison

ORDER = ("loss", "discernibility", "c_avg", "precision", "entropy")
FEASIBLE = {
    "feasible": "yes",
    "infeasible": "no",
    "out_of_time": "none in time",
    "error": "refused",
}
NOTHING = ["-" for _ in ("suppressed", *ORDER)]


@click.command()
@click.argument("policy")
@click.option(
    "--algorithms",
    multiple=True,
    default=(ALL,),
    show_default=True,
    help=f"Names, separated by commas: {ALL}, or some of {', '.join(KNOWN)}.",
)
@click.option("--time-limit", default="60s", show_default=True, help="For each of them.")
@click.option("--source", help=SOURCE)
@click.option("-k", type=int, help="k instead of the policy's.")
@click.option("--suppression", help="MaxSup instead of the policy's: rows, or 4%.")
@click.option("--metric", type=click.Choice(SAID))
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@engine_options
@reported
def compare(
    policy: str,
    *,
    algorithms: tuple[str, ...],
    time_limit: str,
    source: str | None,
    k: int | None,
    suppression: str | None,
    metric: str | None,
    as_json: bool,
    settings: kanon_sql.Settings,
) -> None:
    """Search by every algorithm, or by those named, and show what each found; reads only."""
    seconds = seconds_of("--time-limit", time_limit)
    with steps_shown(quiet=as_json) as progress:
        found = kanon_sql.compare(
            policy,
            source,
            algorithms=listed(algorithms, "--algorithms"),
            time_limit=seconds,
            settings=settings,
            overrides=overrides(k=k, suppression=suppression, metric=metric),
            progress=progress,
        )
    if as_json:
        say_json(found.summary())
        return
    show_comparison(found)


def show_comparison(found: Comparison) -> None:
    """Print one row a search, and below the table why any found nothing."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("searched by", "released at", "feasible", "proven"):
        table.add_column(heading, no_wrap=True)
    headings = [FIGURES[name][0] for name in ORDER]
    for heading in ("checks", "statements", "seconds", "suppressed", *headings):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in found.searches:
        table.add_row(*map(cell, _cells(each)))
    show_table(table)
    asked = " and ".join(found.privacy)
    lattice = ""
    if found.classes is not None and found.lattice_nodes is not None:
        tuples, nodes = number(found.classes, "distinct tuple"), number(found.lattice_nodes, "node")
        lattice = f"; {tuples}, a lattice of {nodes}"
    say(
        f"{asked}, at most {found.max_suppressed} of {found.rows} rows suppressed; metric "
        f"{found.metric}{lattice}"
    )
    if found.names:
        say(f"a node is the levels of {', '.join(found.names)}")
    for each in found.searches:
        if each.plan is None:
            say(f"{each.searched_by}: {each.error}")


def _cells(each: Compared) -> list[str]:
    took = [str(each.statements), f"{each.seconds:.2f}"]
    if each.plan is None:
        return [each.searched_by, "-", FEASIBLE[each.status], "-", "-", *took, *NOTHING]
    plan = each.plan
    figures = [
        format(plan.figures[name], FIGURES[name][1]) if name in plan.figures else "-"
        for name in ORDER
    ]
    return [
        each.searched_by,
        each.recoded,
        FEASIBLE[each.status],
        "yes" if plan.optimal else "no" if plan.checks_in_time is None else "time up",
        "-" if plan.checks is None else str(plan.checks),
        *took,
        str(plan.suppressed_rows),
        *figures,
    ]
