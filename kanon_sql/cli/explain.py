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
from kanon_sql.cli.show import hold_free, write
from kanon_sql.errors import Fault, InputError
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

STARTS_ALIKE = 12
"""Characters that a lattice file must share with the new one to be replaced by it: no table does."""


@click.command()
@click.argument("plan_file", metavar="PLAN")
@click.option("--source", help=SOURCE)
@click.option(
    "--lattice",
    metavar="FILE",
    help=f"Write the lattice there, as its ending says: {', '.join(KINDS)}.",
)
@click.option(
    "--replace", is_flag=True, help="Replace a lattice file that is there, and nothing else."
)
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
    if lattice is not None and not replace:
        hold_free(Path(lattice), "is there already; --replace replaces it")
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
        text = kanon_sql.lattice_text(told, kind)
        write(Path(lattice), text, over=text[:STARTS_ALIKE])
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
    click.echo("\nIf a column were no quasi-identifier")
    for column in told.columns:
        click.echo(f"  without {column.name}: {without_words(told, column)}")
    click.echo("\nIf a column stayed as it is in the source")
    for column in told.columns:
        click.echo(f"  {column.name} at level 0: {raw_words(told, column)}")
    click.echo("\nBeside the node")
    console.print(_neighbours(told))
    click.echo(f"The least {told.metric} for each k and MaxSup")
    console.print(_frontier(told))
    click.echo("[ ] the policy's; * Pareto: nothing else here asks as much and costs as little")
    reached = sum(cell.optimum.known is not Known.NOT_REACHED for cell in told.frontier)
    if reached < len(told.frontier):
        click.echo(f"- not reached in time: {len(told.frontier) - reached} of {len(told.frontier)}")
    click.echo(f"{told.checks} checks in a lattice of {told.lattice_nodes} nodes")


def _neighbours(told: Explanation) -> Table:
    table = Table()
    table.add_column("column")
    table.add_column("level", justify="right")
    table.add_column("why it was not taken")
    at = {name: number for number, name in enumerate(told.levels)}
    for each in told.neighbours:
        level = each.levels[at[each.column]]
        table.add_row(Text(each.column), f"{level}, not {told.levels[each.column]}", Text(each.why))
    return table


def _frontier(told: Explanation) -> Table:
    table = Table()
    table.add_column("k", justify="right")
    limits = sorted({cell.max_suppressed for cell in told.frontier})
    for limit in limits:
        table.add_column(f"{limit:,}\n{limit / told.rows:.2%}", justify="right")
    rows: dict[int, list[str]] = {}
    for cell in told.frontier:
        rows.setdefault(cell.k, []).append(_cell(cell))
    for k, cells in rows.items():
        table.add_row(str(k), *map(Text, cells))
    return table


def _cell(cell: Cell) -> str:
    """Give a cost, its first part where it is ranked."""
    found = cell.optimum
    if not found.found:
        return "none" if found.known is Known.INFEASIBLE else "-"
    text = cost_text(found.cost[:1]) + (" .." if len(found.cost) > 1 else "")
    text = text if found.proven else f"<={text}"
    text = f"[{text}]" if cell.of_policy else text
    return f"{text}*" if cell.pareto else f"{text} "
