"""Printing: lines, JSON, tables, progress and help, without characters that control a terminal.

Help shows options in groups, with shared ones folded into one line; `--help-all` shows all of them.
"""

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

from kanon_sql.base.documents.text import counted, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text


OWN = "Options"
STATED = "Instead of what the policy states"
EVERY = "On every command"
ENGINE = "Of the database engine"
FOLDED = (EVERY, ENGINE)
"""The groups whose options `--help` only names."""

EXIT_CODES = {
    0: "done",
    1: "an error in the input; diff --exit-code: the plans differ",
    2: "wrong usage; diff --exit-code: any error",
    3: "no recoding satisfies the policy, or none was found in time",
    4: "verification failed, or a plan does not fit the data (dbt check)",
    5: "diff --fail-if-weaker: privacy is weaker, or may be",
    130: "interrupted (Ctrl-C, or SIGTERM of a batch system)",
}
"""The meaning of each exit code of a command."""

HELP = ("--help", "--help-all")
ALL, QUIET, NO_COLOR, BEGAN = (
    f"kanon_sql.{name}" for name in ("help_all", "quiet", "no_color", "began")
)
"""Keys of `Context.meta`: what was asked of every command, and when the command line began, by the monotonic clock."""


class Option(click.Option):
    """An option that help lists under the heading of its group; without one, under "Options"."""

    def __init__(self, *args: Any, group: str = OWN, **more: Any) -> None:  # noqa: ANN401  click's own
        super().__init__(*args, **more)
        self.group = group


def on_every_command() -> list[Option]:
    """Return the options that each command has."""
    return [
        _kept("--quiet", QUIET, "Show no progress."),
        _kept("--no-color", NO_COLOR, "Use no colors, as with NO_COLOR set."),
        help_all(),
    ]


def _kept(flag: str, key: str, text: str) -> Option:
    """Return a flag that is kept in the context for the code that prints."""

    def keep(ctx: click.Context, _: click.Parameter, asked: bool) -> None:  # noqa: FBT001  click's own
        ctx.meta[key] = asked

    return Option([flag], group=EVERY, is_flag=True, expose_value=False, help=text, callback=keep)


def asked(key: str) -> Any:  # noqa: ANN401  as `Context.meta`
    """Return what the context of the running command keeps under a key; None outside of a command."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(key)


def help_all(text: str = "Show all options.") -> Option:
    """Return `--help-all`, which prints the whole help, and ends."""
    return Option(
        ["--help-all"],
        group=EVERY,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        help=text,
        callback=_print_all,
    )


def _print_all(ctx: click.Context, _: click.Parameter, asked: bool) -> None:  # noqa: FBT001  click's own
    if asked and not ctx.resilient_parsing:
        ctx.meta[ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


def group_of(option: click.Option) -> str:
    """Return the heading that an option is listed under; that of an option of click's own is on every command."""
    return option.group if isinstance(option, Option) else EVERY


def by_group(options: Iterable[click.Option]) -> dict[str, list[click.Option]]:
    """Sort options by their groups: "Options" first, folded groups last, others as they are declared."""
    found: dict[str, list[click.Option]] = {OWN: []}
    last: dict[str, list[click.Option]] = {name: [] for name in FOLDED}
    for each in options:
        name = group_of(each)
        (last if name in FOLDED else found).setdefault(name, []).append(each)
    return {name: each for name, each in {**found, **last}.items() if each}


def write_options(
    ctx: click.Context, options: Iterable[click.Option], formatter: click.HelpFormatter
) -> None:
    """Write the options of a command in groups; the folded ones in one line, unless `--help-all` was given."""
    folded: list[str] = []
    for name, listed in by_group(options).items():
        if name in FOLDED and not ctx.meta.get(ALL):
            folded += [each.opts[-1] for each in listed if each.opts[-1] not in HELP]
            continue
        records = [record for each in listed if (record := each.get_help_record(ctx)) is not None]
        with formatter.section(name):
            formatter.write_dl(records)
    if folded:
        formatter.write_paragraph()
        formatter.write_text(f"Also {', '.join(folded)}: --help-all explains them.")


def write_exit_codes(formatter: click.HelpFormatter) -> None:
    """Write the table of exit codes."""
    with formatter.section("Exit codes"):
        formatter.write_dl([(str(code), meaning) for code, meaning in EXIT_CODES.items()])


class CommandGroup(click.Group):
    """A group of commands whose help lists them, and prints the exit codes by `--help-all`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  click's own
        super().__init__(*args, **kwargs)
        self.params.append(help_all("Show this message with the exit codes, and exit."))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with its first sentence; click would cut it."""
        rows = []
        for name in self.list_commands(ctx):
            text = (self.commands[name].help or "").partition("\n\n")[0]
            rows.append((name, " ".join(text.split())))
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        records = [each.get_help_record(ctx) for each in self.get_params(ctx)]
        with formatter.section("Options"):
            formatter.write_dl([each for each in records if each is not None])
        if ctx.meta.get(ALL):
            write_exit_codes(formatter)


def write_keys(keys: Mapping[str, str], formatter: click.HelpFormatter) -> None:
    """Write the keys of the object that `--json` prints."""
    with formatter.section("Keys of --json"):
        formatter.write_dl(list(keys.items()))


def write_examples(examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    """Write lines to type, unchanged."""
    with formatter.section("Examples"):
        for each in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{each}\n")


Side: TypeAlias = Literal["left", "right"]
STEPS = {
    "open": "reading the source",
    "hierarchies": "building hierarchies",
    "encode": "encoding the frequency set",
    "search": "searching for a recoding",
    "order": "grouping neighbouring rows",
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


def print_wrapped(text: str) -> None:
    """Print a paragraph in lines of at most 80 characters, which break at blanks alone."""
    for line in folded(text, LEAST_WIDTH, break_long_words=False, break_on_hyphens=False):
        print_line(line)


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
    asked = _column_widths(shown)
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
    """Return the least width of a table without broken words and numbers, and its width without wrapped cells."""
    wide = new_console(width=10_000)
    found, each = wide.measure(shown), _column_widths(shown)
    unbroken = zip(each, shown.columns, strict=True)
    least = sum(of.maximum - of.minimum for of, column in unbroken if column.no_wrap)
    return found.minimum + least, found.maximum


def _column_widths(shown: Table) -> list[Measurement]:
    from rich import measure  # noqa: PLC0415

    wide = new_console(width=10_000)
    return [
        measure.measure_renderables(wide, wide.options, [column.header, *column.cells])
        for column in shown.columns
    ]


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
