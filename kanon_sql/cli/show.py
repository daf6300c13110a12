"""How results are shown: tables on a terminal, one JSON object where that was asked for."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from kanon_sql.cli.plain import cell, printable, say
from kanon_sql.engine.facts import ENGINES, TOLD
from kanon_sql.model.recoding import Blanked, Enforced, Layers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kanon_sql.flow.anonymize import Release
    from kanon_sql.flow.clean import Leftover
    from kanon_sql.flow.stage import Verification
    from kanon_sql.model.plan import Plan
    from kanon_sql.model.recoding import Blanks, Layer
    from kanon_sql.model.set_figures import SetFigures


MOST_LISTED = 12
"""Nodes of a plan, or combinations of columns, that are listed each."""

NARROWEST = 4
"""Letters of a heading on one line."""


def installed(library: str) -> str | None:
    """Give the version of an engine's library, without importing it."""
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return None


def _fact(value: object) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case None:
            return "any"
        case _:
            return str(value)


def told(found: Verification) -> str:
    whole = f"{found.rows} rows in {found.classes} classes, the smallest has {found.smallest_class}"
    return "; ".join([whole, *(over(columns, each) for columns, each in found.over.items())])


def over(columns: Iterable[str], found: Verification | SetFigures) -> str:
    """Tell the classes over one set of quasi-identifiers of several."""
    classes = f"{found.classes} classes, the smallest has {found.smallest_class}"
    return f"over {', '.join(columns)}: {classes}"


def bounds(found: Verification, k: int, least: dict[str, int]) -> str:
    """Say what each bound asked, what was found, and how many classes fall short of any."""
    if found.rows == 0:
        return "a table without rows passes nothing"
    spread = [
        f"the least diverse has {count} distinct {name}, l is {least[name]}"
        for name, count in found.distinct.items()
    ]
    short = f"{found.short_classes} classes fall short"
    return "; ".join([f"k is {k}", *spread, short])


def show_plan(made: Plan) -> None:
    say("Recoding")
    show_recoding(made)
    proven = "proven to be the least" if made.optimal else "not proven to be the least"
    if made.checks_in_time is not None:
        proven = "the best found in the time limit, not proven to be the least"
    cost = ", ".join(f"{part:.6g}" for part in made.cost)
    share = made.suppressed_rows / made.source_rows
    asked = " and ".join(made.privacy)
    classes = f"{made.classes} classes, the smallest has {made.smallest_class}"
    if made.over:
        say(asked)
    say(f"over all: {classes}" if made.over else f"{asked}: {classes}")
    for each in made.over:
        say(over(each.columns, each))
    say(
        f"{made.suppressed_rows} of {made.source_rows} rows suppressed ({share:.2%}; "
        f"{made.max_suppressed} allowed)"
    )
    checks = "1 check" if made.checks == 1 else f"{made.checks} checks"
    nodes = "1 node" if made.lattice_nodes == 1 else f"{made.lattice_nodes} nodes"
    say(f"{made.metric} {cost}, {proven}: {made.algorithm} took {checks} in a lattice of {nodes}")
    for step in made.steps:
        say(f"  {step}")
    match made.recoding:
        case Enforced(least=least):
            more = made.suppressed_rows - made.steps[-1].short_rows if made.steps else 0
            say(f"  and a class of {more} rows, so that {least} are suppressed")
        case Blanked(blanks=blanks):
            show_cells(blanks, made.names)
        case _:
            pass
    show_warnings(made)


def show_cells(blanks: Blanks, names: Sequence[str]) -> None:
    """Tell which combinations were tested, which had outliers, and which cells these cost."""
    told = [f"  {blanks.tested} combinations of 2 and 3 columns tested"]
    most = sorted(blanks.outliers, key=lambda each: -each.rows)[:MOST_LISTED]
    for each in most:
        columns = ", ".join(names[at] for at in each.columns)
        told.append(f"  {columns}: {each.values} values are too rare, in {each.rows} rows")
    if len(most) < len(blanks.outliers):
        more = len(blanks.outliers) - len(most)
        told.append(f"  and {more} more in fewer rows each; the plan file has them all")
    lost = zip(names, blanks.rows, blanks.released, strict=True)
    told += [
        f"  {name} blanked in {rows} rows, of which {released} are released"
        for name, rows, released in lost
        if rows
    ]
    for line in told:
        say(line)


def show_recoding(made: Plan) -> None:
    """Show the levels of a plan, or its nodes, on as many columns as they take."""
    match made.recoding:
        case Layers(layers=layers):
            _show_layers(made.names, layers)
        case _:
            Console().print(_levels(made))


def _levels(made: Plan) -> Table:
    table = Table()
    table.add_column("quasi-identifier")
    table.add_column("level", justify="right")
    for name, level in made.levels.items():
        table.add_row(cell(name), f"{level} of {made.heights[name]}")
    return table


def _show_layers(names: Sequence[str], layers: Sequence[Layer]) -> None:
    """Show the nodes of a recoding in order, each with what fits at none before it.

    Of many those in the middle are one line, in which a column has the levels that it has there.
    """
    alone, last = MOST_LISTED - 2, len(layers)
    groups = [(at, at) for at in range(last)]
    if last > MOST_LISTED:
        groups[alone:-1] = [(alone, last - 2)]
    lines = [_line(layers[low : high + 1], low + 1) for low, high in groups]
    headings = ["node", *map(printable, names), "rows", "classes"]
    table = Table()
    widths = _widths(headings, [max(map(len, column)) for column in zip(*lines, strict=True)])
    for heading, width in zip(headings, widths, strict=True):
        table.add_column(cell(heading), justify="right", overflow="fold", width=width)
    for line in lines:
        table.add_row(*line)
    Console(width=max(Console().width, _whole(widths))).print(table)
    if last > MOST_LISTED:
        say("all nodes are in the plan file")


def _widths(headings: Sequence[str], least: Sequence[int]) -> list[int]:
    """Give columns as much room as they need for figures, and their headings what is left of it.

    A heading that is too long takes several lines.
    """
    room = Console().width
    widest = max(map(len, headings))
    while True:
        widths = [max(at, min(len(each), widest)) for each, at in zip(headings, least, strict=True)]
        if widest <= NARROWEST or _whole(widths) <= room:
            return widths
        widest -= 1


def _whole(widths: Sequence[int]) -> int:
    """Give the width of a table whose columns are so wide."""
    return sum(widths) + 3 * len(widths) + 1


def _line(layers: Sequence[Layer], number: int) -> list[str]:
    """Tell nodes that follow each other in one line."""
    columns = zip(*(layer.node.levels for layer in layers), strict=True)
    return [
        _span(number, number + len(layers) - 1),
        *(_span(min(levels), max(levels)) for levels in columns),
        str(sum(layer.rows for layer in layers)),
        str(sum(layer.classes for layer in layers)),
    ]


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def show_warnings(made: Plan) -> None:
    for warning in made.warnings:
        say(f"warning: {warning}")


def show_release(made: Release, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(made.summary(), ensure_ascii=False))
        return
    found = made.verification
    place = "" if made.place is None else _shown(made.place)
    seconds = sum(made.seconds.values())
    click.echo(f"verified: {told(found)}\nreleased to {place} in {seconds:.2f} s")


def _shown(place: str) -> str:
    """Give a path below the current folder as it would be typed there."""
    path = Path(place)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else place


def show_leftovers(found: list[Leftover], *, dry_run: bool, as_json: bool) -> None:
    """Say of each leftover whether it was removed, and why it was not."""
    if as_json:
        listed = [asdict(each) for each in found]
        told = {"status": "ok", "dry_run": dry_run, "leftovers": listed}
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    removed = "would remove" if dry_run else "removed"
    for each in found:
        click.echo(f"{removed if each.removed else 'kept'} {each.place}: {each.why}")
    many = sum(each.removed for each in found)
    click.echo(f"{removed} {many} {'leftover' if many == 1 else 'leftovers'} of killed runs")


def show_engines() -> None:
    """Print the facts of every engine, and whether its library is here."""
    table = Table()
    table.add_column("engine")
    for facts in ENGINES:
        table.add_column(facts.name)
    table.add_row(
        "installed",
        *(installed(each.library) or "no" for each in ENGINES),
    )
    for field, words in TOLD.items():
        table.add_row(words, *(_fact(getattr(each, field)) for each in ENGINES))
    Console().print(table)
    for each in ENGINES:
        if each.extra is not None and installed(each.library) is None:
            click.echo(f"{each.name}: pip install 'kanon-sql[{each.extra}]'")
