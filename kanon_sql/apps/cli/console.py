"""Printing: lines, JSON, tables and progress, without characters that control a terminal."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from contextlib import contextmanager
from textwrap import wrap as folded
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from kanon_sql.apps.cli.help import BEGAN, NO_COLOR, QUIET, asked
from kanon_sql.base.documents.text import counted, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

Side: TypeAlias = Literal["left", "right"]
STEPS = {
    "open": "reading the source",
    "hierarchies": "building hierarchies",
    "encode": "encoding the frequency set",
    "search": "searching the lattice",
    "order": "grouping rows by their order",
    "explain": "searching under other limits",
    "fingerprint": "hashing the source",
    "types": "finding the types of released values",
    "classes": "counting classes that look alike",
    "measure": "measuring what is lost",
    "report": "counting the figures of the report",
    "boundaries": "keeping the boundaries of regions and intervals",
    "warn": "looking for columns that link the rows of one entity",
    "examples": "reading examples of released classes",
    "link": "counting unique rows, and the people of classes",
    "recode": "recoding into staging",
    "series": "comparing the rows with those of earlier releases",
    "verify": "recounting the staged rows",
    "publish": "publishing",
    "purge": "removing dropped rows",
    "risk": "counting equivalence classes",
    "sample": "drawing samples",
    "columns": "counting sets of columns",
}
"""The steps of a run, in words."""


LEAST_WIDTH = 80
"""The least width, in columns, for text and tables; a narrower terminal folds them itself."""

INDENT = "  "
DUMB = ("dumb", "unknown")
"""Kinds of terminal (TERM) whose lines cannot be rewritten."""

BETWEEN_LINES, MOST_WAITED = 1.0, 60
"""Seconds between two lines of progress in a log, and before the first; and how often none is printed in a long step."""


def print_line(line: str = "", *, error: bool = False) -> None:
    """Print one line, on standard error if `error`. On a terminal, a line that is too wide is wrapped."""
    text = printable(line)
    width = terminal_width(error=error)
    if width is not None and len(text) > width:
        inner = text[: len(text) - len(text.lstrip())] + INDENT
        # A path or a list of levels is never broken: it could not be copied then.
        text = "\n".join(
            folded(
                text, width, subsequent_indent=inner, break_long_words=False, break_on_hyphens=False
            )
        )
    click.echo(text, err=error)


def terminal_width(*, error: bool = False) -> int | None:
    """Return the width for text in columns: COLUMNS, or the terminal's, at least 80; None for a file."""
    stated = os.environ.get("COLUMNS", "")
    if stated.isdecimal():
        return max(int(stated), LEAST_WIDTH)
    if not (sys.stderr if error else sys.stdout).isatty():
        return None
    return max(shutil.get_terminal_size().columns, LEAST_WIDTH)


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

    If it is wider than the terminal, left-aligned text is wrapped between words; if that does not suffice, each row
    becomes a block of lines. A number is never cut short. In a file a table is as wide as its cells. With `wrap` it has
    the width of a terminal there too, and words are broken if they must be.
    """
    cells = [[printable(str(each)) for each in row] for row in rows]
    shown = _table(columns, cells, borders=borders)
    least, natural = _widths(shown)
    at_hand = terminal_width()
    width = (at_hand or LEAST_WIDTH) if wrap else (at_hand or natural)
    if not wrap and least > width:
        _print_blocks(list(columns), cells)
        return
    if least <= width < natural:
        _keep_words(shown, width)
    new_console(width=width).print(shown)


def _keep_words(shown: Table, width: int) -> None:
    """Set each column's width to its longest word and a share of the rest; rich alone would break words."""
    from rich import measure  # noqa: PLC0415

    wide = new_console(width=10_000)
    asked = [
        measure.measure_renderables(wide, wide.options, [column.header, *column.cells])
        for column in shown.columns
    ]
    widths = [
        each.maximum if column.no_wrap else each.minimum
        for each, column in zip(asked, shown.columns, strict=True)
    ]
    spare = width - _widths(shown)[0]
    while spare > 0 and any(n < each.maximum for n, each in zip(widths, asked, strict=True)):
        for at, each in enumerate(asked):
            if spare > 0 and widths[at] < each.maximum:
                widths[at] += 1
                spare -= 1
    for column, found in zip(shown.columns, widths, strict=True):
        column.width = found


def _print_blocks(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print each row as a block: a line for its first cell, and below it a line for each other cell."""
    for first, *others in rows:
        print_line(f"{headings[0]}: {first}" if headings[0] else first)
        for heading, cell in zip(headings[1:], others, strict=True):
            print_line(f"{INDENT}{' '.join(heading.split())}: {cell}")


def fits(columns: Mapping[str, Side], rows: Iterable[Sequence[object]]) -> bool:
    """Whether a table of columns is no wider than the terminal, or than 80 columns where there is none."""
    return _widths(_table(columns, rows, borders=True))[1] <= (terminal_width() or LEAST_WIDTH)


def fits_wrapped(columns: Mapping[str, Side], rows: Iterable[Sequence[object]]) -> bool:
    """Whether a table fits in the sense of `fits` once its cells are wrapped between words."""
    return _widths(_table(columns, rows, borders=True))[0] <= (terminal_width() or LEAST_WIDTH)


def _widths(shown: Table) -> tuple[int, int]:
    """Return the least width of a table without broken words, and its width without wrapped cells."""
    found = new_console(width=10_000).measure(shown)
    return found.minimum, found.maximum


def _table(
    columns: Mapping[str, Side], rows: Iterable[Sequence[object]], *, borders: bool
) -> Table:
    # Importing rich takes longer than most commands that print no table.
    from rich import box, table, text  # noqa: PLC0415

    shown = table.Table(box=box.HEAVY_HEAD if borders else box.SIMPLE_HEAD, pad_edge=borders)
    for heading, side in columns.items():
        # A heading may have two lines; a name of a column in it is no markup, and commands no terminal.
        lines = text.Text("\n".join(map(printable, heading.split("\n"))))
        shown.add_column(lines, justify=side, no_wrap=side == "right", overflow="fold")
    for row in rows:
        shown.add_row(*(text.Text(printable(str(each))) for each in row))
    return shown


def seconds_so_far() -> float:
    """Return the wall time of the command until now: since the command line began."""
    began: float | None = asked(BEGAN)
    return 0.0 if began is None else time.monotonic() - began


def new_console(**options: Any) -> Console:  # noqa: ANN401  rich's own
    """Return a console of rich's, without colors if the command was given `--no-color`."""
    from rich.console import Console  # noqa: PLC0415  takes longer to import than most commands need

    return Console(no_color=asked(NO_COLOR) or None, **options)


@contextmanager
def show_progress(
    step: str = "starting", *, improvements: bool = False
) -> Iterator[Callable[[str], None] | None]:
    """Show the current step on standard error, unless the command was given `--quiet`.

    A terminal has one line that is rewritten. A log has lines: see `StepLines`; with `improvements`, also one for each
    improvement of a search. `step` is shown until the first other step.
    """
    if asked(QUIET):
        yield None
        return
    if sys.stderr.isatty() and os.environ.get("TERM") not in DUMB:
        shown = StepShown(step)
        with new_console(stderr=True).status(shown):
            yield shown
        return
    lines = StepLines(step, improvements=improvements)
    printer = Thread(target=lines.repeat, daemon=True)
    printer.start()
    try:
        yield lines
    finally:
        lines.end()
        printer.join()


class StepShown:
    """The current step of a run, with the time since the command began and, if known, the step's progress."""

    def __init__(self, step: str = "starting") -> None:
        self._start = time.monotonic() - seconds_so_far()
        self._step = step
        self._done = ""

    def __call__(self, step: str) -> None:
        """Show the next step, or the latest improvement of a search."""
        self._step, self._done = STEPS.get(step, step), ""

    def count(self, done: int, of: int, what: str) -> None:
        """Show that `done` of at most `of` units (`what`) of a step are done; `of` is 0 if no bound is known."""
        if done > of:
            self._done = f", {counted(done, what)}"
        else:
            self._done = f", {done:,} of at most {counted(of, what)} ({done / of:.0%})"

    def __str__(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._start), 60)
        return printable(f"{self._step}{self._done}, {minutes}:{seconds:02}")

    def __rich__(self) -> Text:
        """Return the text. Rich calls this at every refresh, so that the time advances within a step."""
        from rich.text import Text  # noqa: PLC0415

        return Text(str(self))


class StepLines(StepShown):
    """The steps as lines of a log, from the first second of a run on and at most one a second.

    A new step is a line; a long one is repeated with its time and progress, ever less often.
    """

    def __init__(self, step: str, *, improvements: bool) -> None:
        super().__init__(step)
        self._improvements = improvements
        self._ended = Event()

    def __call__(self, step: str) -> None:
        """Take the next step, or print the latest improvement of a search if these are asked for."""
        if step in STEPS:
            super().__call__(step)
        elif self._improvements:
            print_line(step, error=True)

    def repeat(self) -> None:
        """Print steps until the end."""
        printed, waited, wait = "", 0, 1
        while not self._ended.wait(BETWEEN_LINES):
            waited += 1
            if self._step != printed:
                printed, waited, wait = self._step, 0, 1
            elif waited < wait:
                continue
            else:
                waited, wait = 0, min(2 * wait, MOST_WAITED)
            print_line(str(self), error=True)

    def end(self) -> None:
        """Let `repeat` print no further line."""
        self._ended.set()
