"""The options that several commands share, how their values are read, and the class of all commands.

An option has the name of the parameter of the `kanon_sql` function that gets its value. A command names the parameters
that it uses itself, and passes all others, its `Values`, on unchanged. An error of a command is one message and an exit
code, never a traceback.
"""

from __future__ import annotations

import csv
import functools
import os
import signal
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

import kanon_sql
from kanon_sql.apps.cli.command_line import examples_of, with_completion
from kanon_sql.apps.cli.console import (
    ALL,
    ENGINE,
    EVERY,
    OWN,
    STATED,
    Option,
    on_every_command,
    print_error,
    print_json,
    print_line,
    write_examples,
    write_exit_codes,
    write_keys,
    write_options,
)
from kanon_sql.apps.cli.json_keys import ERROR, JSON_KEYS
from kanon_sql.base.documents.shapes import Wrong
from kanon_sql.base.documents.text import split_list
from kanon_sql.counting.run.session import end_search, forget_interrupt, was_interrupted
from kanon_sql.errors import (
    DEBUG,
    Fault,
    InfeasibleError,
    InputError,
    KanonError,
    StatementError,
    VerificationError,
)
from kanon_sql.policy.metrics.registry import METRICS, NAMES, OLDER
from kanon_sql.policy.search import Recode, seconds_from
from kanon_sql.policy.search_options import Algorithm

if TYPE_CHECKING:
    from collections.abc import Callable


Function = TypeVar("Function", bound="Callable[..., object]")
Values: TypeAlias = Any
"""Values of options; the function that they are passed to checks them."""


def option(
    spec: str, text: str, *, name: str | None = None, group: str = OWN, **more: Values
) -> Callable[[Function], Function]:
    """Declare an option as help shows it, such as `-o, --output FILE`; without a value it is a flag.

    `name` is the name of the command's parameter, if it differs from the option's; `group` is its heading in help.
    """
    *flags, last = spec.split(", ")
    flag, _, unit = last.partition(" ")
    names = (*flags, flag) if name is None else (*flags, flag, name)
    # Given is_flag=False, Click would not take a value that begins with a dash, such as -5.
    is_flag = True if not unit and "type" not in more else None
    shape = {"metavar": unit or None, "is_flag": is_flag, "help": text, **more}
    return click.option(*names, cls=Option, group=group, **shape)


json = option("--json", "Print one JSON object on standard output.", name="as_json", group=EVERY)
source = option(
    "--source TABLE_OR_FILE",
    "Read this table, file or glob instead of the policy's source.",
)
release = option(
    "--release TABLE_OR_FILE",
    "Write to this table, file or folder, of the same kind as the policy's release.",
)


def quasi(*, required: bool = False, group: str = OWN) -> Callable[[Function], Function]:
    """Declare `--quasi`, the columns that a command counts equivalence classes over."""
    text = "Quasi-identifiers, separated by commas; may be repeated."
    return option("--quasi COLUMNS", text, multiple=True, required=required, group=group)


suppressed_label = option(
    "--suppressed-label LABEL",
    "Label of suppressed rows, such as *: rows of it alone count as suppressed.",
)
database = option("--database DATABASE", "Database of the tables: a DuckDB file or an address.")
replace_release = option("--replace", "Replace an existing release.")
no_rows = option(
    "--no-rows",
    "Show no labels and no classes of the release.",
)
purge = option(
    "--purge",
    "After a release in place: remove dropped rows from the database's files, not from backups.",
)


def gather(
    argument: str, build: Callable[..., object], **options: Callable[[Function], Function]
) -> Callable[[Function], Function]:
    """Declare options whose values `build` combines into one argument of the command.

    An option's keyword is the name of its parameter.
    """

    def decorate(command: Function) -> Function:
        @functools.wraps(command)
        def run(*args: object, **kwargs: object) -> None:
            values = {name: kwargs.pop(name) for name in options}
            command(*args, **{argument: build(**values)}, **kwargs)

        for option in reversed(options.values()):
            run = option(run)  # type: ignore[arg-type, assignment]
        return run  # type: ignore[return-value]

    return decorate


def _set_options(**values: str | int | None) -> dict[str, str | int]:
    return {name: value for name, value in values.items() if value is not None}


def _seconds(time_limit: str) -> float:
    try:
        return seconds_from(time_limit)
    except Wrong as wrong:
        raise InputError("--time-limit", [Fault("", str(wrong))]) from wrong


engine = gather(
    "settings",
    lambda **values: kanon_sql.Settings(**values),  # noqa: PLW0108  which is imported late
    threads=option(
        "--threads N",
        "Threads of DuckDB; by default one for each core.",
        type=click.IntRange(1),
        group=ENGINE,
    ),
    memory_limit=option(
        "--memory-limit SIZE",
        "Memory limit of DuckDB, such as 4GB; by default 80% of the memory.",
        group=ENGINE,
    ),
    scratch_schema=option(
        "--scratch-schema SCHEMA",
        "PostgreSQL: schema for scratch tables; temporary by default.",
        group=ENGINE,
    ),
)


def _with_older(metric: str) -> str:
    """Name a metric, with its earlier name in brackets, which the option takes too."""
    older = [f" ({old})" for old, new in OLDER.items() if new == metric]
    return f"{metric}{''.join(older)}"


_limits = {
    "k": option("-k K", "k of k-anonymity.", type=int, group=STATED),
    "suppression": option(
        "--suppression LIMIT",
        "Suppression limit: a number of rows, or a share such as 4%.",
        group=STATED,
    ),
}
_metric = option(
    "--metric METRIC",
    f"Quality metric to minimize: {', '.join(map(_with_older, METRICS))}.",
    type=click.Choice(NAMES),
    group=STATED,
)
limits = gather("overrides", _set_options, **_limits, metric=_metric)
search = gather(
    "overrides",
    _set_options,
    **_limits,
    algorithm=option(
        "--algorithm NAME",
        "Search algorithm: see kanon-sql algorithms.",
        type=click.Choice([each.value for each in Algorithm]),
        group=STATED,
    ),
    metric=_metric,
    recoding=option(
        "--recoding",
        "What becomes of classes that fail: suppressed (full_domain), at further nodes (local), each class at its own (cells).",
        type=click.Choice([each.value for each in Recode]),
        group=STATED,
    ),
    max_nodes=option(
        "--max-nodes N",
        "Most nodes of --recoding local or cells.",
        type=int,
        group=STATED,
    ),
    time_limit=option(
        "--time-limit DURATION",
        "End the search after this time, such as 60s, 5m or 500ms, with the best recoding found.",
        group=STATED,
    ),
)


def dbt_target(command: Function) -> Function:
    """Declare the options that select the models and the warehouse of a dbt project."""
    for declare in (
        option("--profiles-dir FOLDER", "Folder of profiles.yml; by default as dbt finds it."),
        option("--target NAME", "Target of the profile; by default the profile's."),
        option("--select MODEL", "Only this model; by default all."),
    ):
        command = declare(command)
    return command


def time_limit(text: str, *, default: str = "60s") -> Callable[[Function], Function]:
    """Declare `--time-limit` with a default; its value is in seconds."""
    declared = option("--time-limit DURATION", text, default=default, show_default=True)
    return gather("time_limit", _seconds, time_limit=declared)


def read_names(texts: tuple[str, ...], option: str = "--quasi") -> list[str]:
    """Parse comma-separated names, each once; double quotes keep a comma in a name. Raises InputError."""
    try:
        return list(dict.fromkeys(name for text in texts for name in split_list(text)))
    except csv.Error as error:
        what = "is not a list of names separated by commas"
        raise InputError(option, [Fault("", what)]) from error


EXIT_CODES: tuple[tuple[type[KanonError], int], ...] = (
    (InfeasibleError, 3),
    (VerificationError, 4),
    (KanonError, 1),
)

INTERRUPTED = 130
"""The exit code of a run that was interrupted, also if it ended with the best result so far."""

EARLIER = {"--qi": "--quasi", "--out": "--output", "--layers": "--max-nodes"}
"""Options by the names that they had in earlier versions, with their names now."""

ENDING = "ending the search with the best found so far; interrupt again to end at once"


class Command(click.Command):
    """A command that reports errors in one way, as JSON too where `--json` was given.

    Its help ends with examples, and a shell completes its files and names.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  click's own
        super().__init__(*args, **kwargs)
        self.params += on_every_command()
        for parameter in self.params:
            with_completion(parameter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an option by an earlier name is taken with a warning, and no help shows that name."""
        known = {flag for each in self.params for flag in each.opts}
        return super().parse_args(ctx, [_present(each, known) for each in args])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups; those of all commands only by `--help-all`."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        write_options(ctx, options, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's examples at the end of its help."""
        words: list[str] = []
        above = ctx
        while above.parent is not None:
            words.insert(0, above.info_name or "")
            above = above.parent
        name = " ".join(words)
        if ctx.meta.get(ALL):
            write_keys({**JSON_KEYS[name], **ERROR}, formatter)
            write_exit_codes(formatter)
        if examples := examples_of(name):
            write_examples(examples, formatter)

    def invoke(self, ctx: click.Context) -> None:
        """Run the command, and turn errors and interrupts into a message and an exit code."""
        as_json = bool(ctx.params.get("as_json"))
        try:
            # SIGTERM ends a run as Ctrl-C does, so that staging tables and spill folders are removed.
            for ending in (signal.SIGTERM, signal.SIGINT):
                signal.signal(ending, _interrupt)
            forget_interrupt()
            super().invoke(ctx)
            if was_interrupted():
                sys.exit(INTERRUPTED)
        except KeyboardInterrupt as error:
            text = str(error) or "interrupted; nothing was published"
            if as_json:
                print_json({"status": "error", "error": text})
            print_error(text)
            sys.exit(INTERRUPTED)
        except KanonError as error:
            _report(error, as_json=as_json)
            if was_interrupted():
                sys.exit(INTERRUPTED)
            code = next(code for kind, code in EXIT_CODES if isinstance(error, kind))
            # With --exit-code, 1 means that plans differ, as for git and diff; so an error is 2.
            sys.exit(2 if ctx.params.get("exit_code") else code)


def _present(word: str, known: set[str]) -> str:
    """Return an argument with the present name of its option, if the command has that option."""
    flag, equals, value = word.partition("=")
    now = EARLIER.get(flag)
    if now not in known or flag in known:
        return word
    click.echo(f"warning: {flag} is now {now}", err=True)
    return f"{now}{equals}{value}"


def _interrupt(*_: object) -> None:
    """End a search with its best result so far, or else the run; its cleanup ignores further signals."""
    if end_search():
        print_line(ENDING, error=True)
        return
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, signal.SIG_IGN)
    raise KeyboardInterrupt


def _told(error: KanonError) -> str:
    """Return the text of an error; wrong entries that options gave bear the options' names."""
    if not isinstance(error, InputError) or error.subject != "overrides":
        return str(error)
    dashes = {each.where: "-" if len(each.where) == 1 else "--" for each in error.faults}
    named = [
        replace(each, where=f"{dashes[each.where]}{each.where.replace('_', '-')}")
        for each in error.faults
    ]
    return str(InputError("options", named))


def _report(error: KanonError, *, as_json: bool) -> None:
    if as_json:
        report: dict[str, object] = {"status": error.status, "error": str(error)}
        if isinstance(error, InputError):
            report["faults"] = [
                {"where": f.where, "what": f.what, "line": f.line} for f in error.faults
            ]
        print_json(report)
    print_error(_told(error))
    refused: BaseException | None = error
    while refused is not None and not isinstance(refused, StatementError):
        refused = refused.__cause__
    if refused is not None and os.environ.get(DEBUG):
        click.echo(f"{refused.sql}\n{refused.cause}", err=True)
