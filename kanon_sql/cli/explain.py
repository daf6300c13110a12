"""`kanon-sql explain`: why a plan recodes so, told on a terminal, as JSON, and as a lattice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

import kanon_sql
from kanon_sql.cli.options import (
    SOURCE,
    engine_options,
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
from kanon_sql.cli.show import show_cells, show_recoding
from kanon_sql.cli.write import hold_free, hold_writable, write
from kanon_sql.explanation.explanation import Certainty
from kanon_sql.explanation.explanation_text import (
    base_words,
    bound_words,
    cost_text,
    figures_words,
    headline,
    number,
    raw_words,
    without_words,
)
from kanon_sql.explanation.lattice_file import (
    KINDS,
    STARTS,
    kind_of,
    lattice_told,
)
from kanon_sql.plans.recodings import Blanked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.explanation.explanation import Cell, Explanation

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
    """Say why a plan recodes so: what binds, what each column costs, what else could be had."""
    seconds = seconds_of("--time-limit", time_limit)
    kind = None if lattice is None else kind_of(lattice)
    if lattice is not None and kind is not None:
        if not replace:
            hold_free(Path(lattice), "is there already; --replace replaces it")
        hold_writable(Path(lattice), over=STARTS[kind])
    with steps_shown(quiet=as_json) as progress:
        told = kanon_sql.explain(
            plan_file,
            source,
            settings=settings,
            time_limit=seconds,
            lattice=kind,
            progress=progress,
        )
    if lattice is not None and kind is not None:
        text = kanon_sql.lattice_text(told, kind)
        write(Path(lattice), text, over=text[:STARTS_ALIKE])
    if as_json:
        say_json({**told.document(), "lattice": lattice})
        return
    _show(told)
    if lattice is not None and kind is not None:
        say()
        say(f"wrote {lattice}: {lattice_told(told, kind)}")


def _show(told: Explanation) -> None:
    say(headline(told))
    _heading("The plan")
    show_recoding(told.plan)
    say(figures_words(told.plan))
    if not told.at_one_node:
        say("these figures are the plan's own; apply recounts what it releases")
    if isinstance(told.plan.recoding, Blanked):
        show_cells(told.plan.recoding.blanks, told.plan.names)
    if (against := base_words(told)) is not None:
        say()
        say(against)
    _heading("What is asked")
    for bound in told.bounds:
        say(f"  {bound_words(told, bound)}")
    _heading("If a column were no quasi-identifier")
    for column in told.columns:
        say(f"  {without_words(told, column)}")
    _heading("If a column stayed as it is in the source")
    for column in told.columns:
        say(f"  {raw_words(told, column)}")
    if told.neighbours:
        _heading("Beside the node")
        Console().print(_neighbours(told))
    _heading(f"The least {told.plan.metric} of one node, for each k and MaxSup")
    show_table(_frontier(told))
    for line in _legend(told):
        say(line)
    checks = number(told.checks, "check")
    say(
        f"{checks} of {number(told.nodes_checked, 'node')}, some under several bounds; the lattice "
        f"has {told.plan.lattice_nodes:,}"
    )


def _heading(words: str) -> None:
    say()
    say(words)


def _neighbours(told: Explanation) -> Table:
    table = Table()
    table.add_column("column")
    table.add_column("level", justify="right", no_wrap=True)
    table.add_column("why it was not taken")
    at = {name: place for place, name in enumerate(told.plan.levels)}
    for each in told.neighbours:
        level = each.levels[at[each.column]]
        table.add_row(
            cell(each.column), f"{level}, not {told.plan.levels[each.column]}", cell(each.why)
        )
    return table


def _frontier(told: Explanation) -> Table:
    table = Table()
    table.add_column("k", justify="right", no_wrap=True)
    limits = sorted({each.max_suppressed for each in told.frontier})
    for limit in limits:
        share = limit / told.plan.source_rows
        table.add_column(f"{limit:,}\n{share:.2%}", justify="right", no_wrap=True)
    rows: dict[int, list[str]] = {}
    for each in told.frontier:
        rows.setdefault(each.k, []).append(_cell(each))
    for k, cells_ in rows.items():
        table.add_row(str(k), *map(cell, cells_))
    return table


def _cell(found: Cell) -> str:
    """Give a cost, its first part where it is ranked."""
    best = found.optimum
    if not best.found:
        text = "none" if best.known is Certainty.INFEASIBLE else "-"
    else:
        text = cost_text(best.cost[:1]) + (" .." if len(best.cost) > 1 else "")
        text = text if best.proven else f"<={text}"
    text = f"[{text}]" if found.of_policy else text
    return f"{text}*" if found.pareto else f"{text} "


def _legend(told: Explanation) -> Iterator[str]:
    """Say what the marks of the frontier mean, of those that are there."""
    known = [each.optimum.known for each in told.frontier]
    marks = ["[ ] the policy's; * Pareto: nothing else here asks as much and costs as little"]
    if Certainty.BEST_FOUND in known:
        marks.append("<= the best that was found, not proven to be the least")
    if Certainty.INFEASIBLE in known:
        marks.append("none: no node is feasible")
    yield from marks
    if open_ := known.count(Certainty.NOT_REACHED):
        yield f"- not reached in time: {open_} of {len(known)}"
