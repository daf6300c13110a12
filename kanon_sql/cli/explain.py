"""`kanon-sql explain`: why a plan has its node, told on a terminal, as JSON, and as a lattice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

import kanon_sql
from kanon_sql.cli.options import SOURCE, engine_options, reported, steps_shown
from kanon_sql.cli.show import write
from kanon_sql.errors import Fault, InputError
from kanon_sql.flow.explain import PER_THOUSAND
from kanon_sql.flow.lattice_file import KINDS, kind_of
from kanon_sql.model.explained import (
    bound_words,
    cost_text,
    headline,
    raw_words,
    without_words,
)
from kanon_sql.model.explanation import Known
from kanon_sql.model.search_file import A_DURATION, LONGEST, duration

if TYPE_CHECKING:
    from kanon_sql.model.explanation import Cell, Explanation


@click.command()
@click.argument("plan_file", metavar="PLAN")
@click.option("--source", help=SOURCE)
@click.option(
    "--lattice",
    metavar="FILE",
    help=f"Write the lattice there, as its ending says: {', '.join(KINDS)}.",
)
@click.option("--replace", is_flag=True, help="Replace a lattice file that is there.")
@click.option(
    "--time-limit",
    default="60s",
    show_default=True,
    help="How long to search; what was not reached is said.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@engine_options
@reported
def explain(
    plan_file: str,
    *,
    source: str | None,
    lattice: str | None,
    replace: bool,
    time_limit: str,
    as_json: bool,
    settings: kanon_sql.Settings,
) -> None:
    """Say why a plan has its node: what binds, what each column costs, what else could be had."""
    seconds = duration(time_limit)
    if seconds is None or not 0 < seconds < LONGEST:
        raise InputError("--time-limit", [Fault("", f"must be {A_DURATION}")])
    kind = None if lattice is None else kind_of(lattice)
    if lattice is not None and Path(lattice).exists() and not replace:
        raise InputError(lattice, [Fault("", "is there already; --replace replaces it")])
    with steps_shown(quiet=as_json) as progress:
        told = kanon_sql.explain(
            plan_file,
            source,
            settings=settings,
            time_limit=seconds,
            lattice=lattice is not None,
            progress=progress,
        )
    if lattice is not None and kind is not None:
        write(Path(lattice), kanon_sql.lattice_text(told, kind))
    if as_json:
        click.echo(json.dumps({**told.document(), "lattice": lattice}, ensure_ascii=False))
        return
    _show(told)
    if lattice is not None:
        click.echo(f"\nwrote {lattice}: {_told_nodes(told)}")


def _told_nodes(told: Explanation) -> str:
    nodes = told.nodes or ()
    open_ = sum(each.feasible is None for each in nodes)
    which = (
        "all nodes of the lattice"
        if len(nodes) == told.lattice_nodes
        else f"{len(nodes):,} of {told.lattice_nodes:,} nodes: around the chosen one, and all "
        "that were looked at"
    )
    return f"{which}, {open_:,} of them not reached in time" if open_ else which


def _show(told: Explanation) -> None:
    console = Console()
    click.echo(headline(told))
    click.echo("\nWhat is asked")
    for bound in told.bounds:
        click.echo(f"  {bound_words(told, bound)}")
    console.print()
    console.print(_columns(told))
    console.print()
    console.print(_neighbours(told))
    console.print()
    console.print(_frontier(told))
    click.echo(f"{len(told.frontier)} searches and those above: {told.checks} checks in a lattice of ")


def _columns(told: Explanation) -> Table:
    table = Table(title="What each quasi-identifier costs", title_justify="left")
    table.add_column("column")
    table.add_column("level", justify="right")
    table.add_column("were it no quasi-identifier")
    table.add_column("if it stayed at level 0")
    for each in told.columns:
        table.add_row(
            Text(each.name),
            f"{each.level} of {told.heights[each.name]}",
            Text(without_words(told, each)),
            Text(raw_words(told, each)),
        )
    return table
