"""The options that several commands have, each declared once, and how their values are read.

An option is named as the parameter of the function of `kanon_sql` that it is for. A command takes
by name what it reads itself, and hands on the rest, its `Values`, as they are.
"""

from __future__ import annotations

import csv
import functools
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

import kanon_sql
from kanon_sql.documents.shapes import Wrong
from kanon_sql.errors import Fault, InputError
from kanon_sql.metrics.registry import NAMES
from kanon_sql.policy.search import Recode, seconds_from
from kanon_sql.policy.search_options import Algorithm

if TYPE_CHECKING:
    from collections.abc import Callable

Function = TypeVar("Function", bound="Callable[..., object]")
Values: TypeAlias = Any
"""The values of options, which the function that they are handed on to checks."""

json = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object on standard output."
)
source = click.option(
    "--source",
    help="Read this path, glob or table instead of the policy's source. A relative path starts "
    "from the current folder.",
)
release = click.option(
    "--release",
    help="Write to this table, file or folder instead of the policy's release, as the same kind. "
    "A relative path starts from the current folder.",
)
replace_release = click.option("--replace", is_flag=True, help="Replace an existing release.")
purge = click.option(
    "--purge",
    is_flag=True,
    help="In place: also remove the dropped rows from the database's files.",
)


def gather(
    argument: str, build: Callable[..., object], **options: Callable[[Function], Function]
) -> Callable[[Function], Function]:
    """Declare options that reach the command as one argument: what `build` makes of their values.

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


def _given(**values: str | int | None) -> dict[str, str | int]:
    return {name: value for name, value in values.items() if value is not None}


def _seconds(time_limit: str) -> float:
    try:
        return seconds_from(time_limit)
    except Wrong as wrong:
        raise InputError("--time-limit", [Fault("", str(wrong))]) from wrong


engine = gather(
    "settings",
    lambda **values: kanon_sql.Settings(**values),  # noqa: PLW0108  which is imported late
    threads=click.option("--threads", type=click.IntRange(1), help="Number of DuckDB's threads."),
    memory_limit=click.option("--memory-limit", help="Memory limit of DuckDB, such as 4GB."),
    scratch_schema=click.option("--scratch-schema", help="PostgreSQL's schema for scratch tables."),
)
_limits = {
    "k": click.option("-k", type=int, help="k instead of the policy's."),
    "suppression": click.option(
        "--suppression",
        help="Suppression limit instead of the policy's: a number of rows, or a share such as 4%.",
    ),
}
_metric = click.option(
    "--metric", type=click.Choice(NAMES), help="Quality metric that the search minimizes."
)
limits = gather("overrides", _given, **_limits, metric=_metric)
search = gather(
    "overrides",
    _given,
    **_limits,
    algorithm=click.option(
        "--algorithm",
        type=click.Choice([each.value for each in Algorithm]),
        help="Search algorithm; `kanon-sql algorithms` lists what each guarantees and costs.",
    ),
    metric=_metric,
    recoding=click.option(
        "--recoding",
        type=click.Choice([each.value for each in Recode]),
        help="What happens to rows whose class fails: they are suppressed (full_domain), "
        "searched again by themselves (local), or each class is generalized as far as it needs "
        "(cells).",
    ),
    layers=click.option(
        "--layers",
        type=int,
        help="Most nodes of recoding local or cells; by default the policy's, or 64.",
    ),
    time_limit=click.option("--time-limit", help="End the search after 60s, 5m, 500ms."),
)


def dbt_target(command: Function) -> Function:
    """Declare the options that choose the models and the warehouse of a dbt project."""
    for option in (
        click.option("--profiles-dir", help="Folder of profiles.yml."),
        click.option("--target", help="Target of the profile."),
        click.option("--select", metavar="MODEL", help="Only this model."),
    ):
        command = option(command)
    return command


def time_limit(text: str) -> Callable[[Function], Function]:
    """Declare `--time-limit` with a default; its value is in seconds."""
    option = click.option("--time-limit", default="60s", show_default=True, help=text)
    return gather("time_limit", _seconds, time_limit=option)


def read_names(given: tuple[str, ...], option: str = "--qi") -> list[str]:
    """Read comma-separated names, each once; double quotes keep a comma in a name."""
    try:
        rows = [row for text in given for row in csv.reader([text], skipinitialspace=True)]
    except csv.Error as error:
        what = "is not a list of names separated by commas"
        raise InputError(option, [Fault("", what)]) from error
    return list(dict.fromkeys(name for row in rows for name in row))
