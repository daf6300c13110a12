"""Printing: lines, JSON, tables and progress, without characters that control a terminal."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from kanon_sql.documents.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

Side: TypeAlias = Literal["left", "right"]
STEPS = {
    "open": "reading the source",
    "hierarchies": "building hierarchies",
    "encode": "encoding the frequency set",
    "search": "searching the lattice",
    "explain": "searching under other limits",
    "fingerprint": "hashing the source",
    "boundaries": "keeping the boundaries of regions and intervals",
    "warn": "looking for columns that link the rows of one entity",
    "link": "counting unique rows, and the people of classes",
    "recode": "recoding into staging",
    "verify": "recounting the staged rows",
    "publish": "publishing",
    "purge": "removing dropped rows",
    "risk": "counting equivalence classes",
    "sample": "drawing samples",
    "columns": "counting sets of columns",
}
"""The steps of a run, in words."""


def print_line(line: str = "", *, error: bool = False) -> None:
    """Print one line, on standard error if `error`."""
    click.echo(printable(line), err=error)


def print_error(text: str) -> None:
    for line in f"error: {text}".split("\n"):
        print_line(line, error=True)


def print_warnings(warnings: Iterable[str], *, error: bool = False) -> None:
    for each in warnings:
        print_line(f"warning: {each}", error=error)


def print_json(value: object) -> None:
    """Print one value as JSON on one line."""
    text = json.dumps(value, ensure_ascii=False)
    click.echo("".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text))


def print_table(
    columns: Mapping[str, Side],
    rows: Iterable[Sequence[object]],
    *,
    borders: bool = True,
    wrap: bool = False,
) -> None:
    """Print a table of columns with their alignment.

    It is as wide as its cells, even if the terminal is not: a number that is cut short is wrong.
    With `wrap`, text that is left-aligned is wrapped to the terminal's width instead.
    """
    # Importing rich takes longer than most commands that print no table.
    from rich import box, console, table, text  # noqa: PLC0415

    shown = table.Table(box=box.HEAVY_HEAD if borders else box.SIMPLE_HEAD, pad_edge=borders)
    for heading, side in columns.items():
        shown.add_column(heading, justify=side, no_wrap=side == "right")
    for row in rows:
        shown.add_row(*(text.Text(printable(str(each))) for each in row))
    terminal = console.Console()
    width = 0 if wrap else console.Console(width=1_000).measure(shown).maximum
    console.Console(width=max(terminal.width, width)).print(shown)


@contextmanager
def show_progress(*, quiet: bool, lines: bool = False) -> Iterator[Callable[[str], None] | None]:
    """Show the current step on a terminal.

    If standard error is a file or a pipe nothing is printed or, with `lines`, one line for each
    improvement of a search.
    """
    if quiet:
        yield None
        return
    from rich.console import Console  # noqa: PLC0415  not for --json

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _print_improvement if lines else None
        return
    with console.status("starting") as status:
        yield lambda step: status.update(STEPS.get(step, step))


def _print_improvement(step: str) -> None:
    if step not in STEPS:
        print_line(step, error=True)
