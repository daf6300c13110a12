"""`kanon-sql compare`: what every algorithm makes of a policy, as one table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

import kanon_sql
from kanon_sql.cli.options import SOURCE, engine_options, listed, overrides, reported, steps_shown
from kanon_sql.errors import Fault, InputError
from kanon_sql.flow.compare import KNOWN
from kanon_sql.model.metric import METRICS
from kanon_sql.model.search_file import A_DURATION, LONGEST, duration

if TYPE_CHECKING:
    from kanon_sql.model.comparison import Compared, Comparison

WIDEST = 1_000

FIGURES = {
    "loss": ("loss", ".4f"),
    "discernibility": ("C_DM", ",.0f"),
    "c_avg": ("C_AVG", ".2f"),
    "precision": ("Prec", ".4f"),
    "entropy": ("entropy", ",.0f"),
}
"""The figures of a plan that the table has, with their headings and formats."""


@click.command()
@click.argument("policy")
@click.option(
    "--algorithms",
    multiple=True,
    default=("all",),
    show_default=True,
    help=f"Names, separated by commas: {', '.join(KNOWN)}.",
)
@click.option("--time-limit", default="60s", show_default=True, help="For each of them.")
@click.option("--source", help=SOURCE)
@click.option("-k", type=int, help="k instead of the policy's.")
@click.option("--suppression", help="MaxSup instead of the policy's: rows, or 4%.")
@click.option("--metric", type=click.Choice(METRICS))
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
    seconds = duration(time_limit)
    if seconds is None or not 0 < seconds < LONGEST:
        raise InputError("--time-limit", [Fault("", f"must be {A_DURATION}")])
    names = listed(algorithms)
    with steps_shown(quiet=as_json) as progress:
        found = kanon_sql.compare(
            policy,
            source,
            algorithms=KNOWN if names == ["all"] else names,
            time_limit=seconds,
            settings=settings,
            overrides=overrides(k=k, suppression=suppression, metric=metric),
            progress=progress,
        )
    if as_json:
        click.echo(json.dumps(found.summary(), ensure_ascii=False))
        return
    show_comparison(found)


def show_comparison(found: Comparison) -> None:
    """Print one row a search, and below the table why any found nothing."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("searched by")
    table.add_column("released at")
    table.add_column("proven")
    headings = [heading for heading, _ in FIGURES.values()]
    for heading in ("checks", "statements", "seconds", "suppressed", *headings):
        table.add_column(heading, justify="right")
    for each in found.searches:
        table.add_row(*(Text(cell) for cell in _cells(each)))
    console = Console()
    needed = Console(width=WIDEST).measure(table).maximum  # a figure cut short would be none
    Console(width=max(console.width, needed)).print(table)
    asked = " and ".join(found.privacy)
    click.echo(
        f"{asked}, at most {found.max_suppressed} of {found.rows} rows suppressed; metric "
        f"{found.metric}; {found.classes} distinct tuples, a lattice of {found.lattice_nodes} nodes"
    )
    for each in found.searches:
        if each.plan is None:
            click.echo(f"{each.searched_by}: {each.why_none}")


def _cells(each: Compared) -> list[str]:
    took = [str(each.statements), f"{each.seconds:.2f}"]
    if each.plan is None:
        return [each.searched_by, "nothing", "", "", *took, "", *("" for _ in FIGURES)]
    plan = each.plan
    figures = [format(plan.figures[name], how) for name, (_, how) in FIGURES.items()]
    proven = "yes" if plan.optimal else "no"
    suppressed = str(plan.suppressed_rows)
    return [each.searched_by, each.recoded, proven, str(plan.checks), *took, suppressed, *figures]
