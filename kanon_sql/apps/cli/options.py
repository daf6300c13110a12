"""The options that several commands have, each declared once, and how their values are read.

An option has the name of the parameter of the `kanon_sql` function that gets its value. A command
names the parameters that it uses itself, and passes all others, its `Values`, on unchanged.
"""

from __future__ import annotations

import csv
import functools
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

import kanon_sql
from kanon_sql.apps.cli.help import ENGINE, EVERY, OWN, STATED, Option
from kanon_sql.base.documents.shapes import Wrong
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.metrics.registry import NAMES
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
    "After a release in place: remove dropped rows from the database's files, not from backups, logs and snapshots.",
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
        "PostgreSQL: schema for scratch tables; by default they are temporary tables.",
        group=ENGINE,
    ),
)
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
    f"Quality metric that the search minimizes: {', '.join(NAMES)}.",
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
        "What happens to rows whose class fails at the chosen node: suppressed (full_domain), at further nodes (local), "
        "each class at its own node (cells).",
        type=click.Choice([each.value for each in Recode]),
        group=STATED,
    ),
    layers=option(
        "--layers N",
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
        rows = [row for text in texts for row in csv.reader([text], skipinitialspace=True)]
    except csv.Error as error:
        what = "is not a list of names separated by commas"
        raise InputError(option, [Fault("", what)]) from error
    return list(dict.fromkeys(name for row in rows for name in row))
