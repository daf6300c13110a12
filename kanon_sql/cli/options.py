"""How every command is told what to do, and how it ends: its options, its errors, its exit code."""

from __future__ import annotations

import csv
import functools
import os
import signal
import sys
from contextlib import contextmanager
from io import UnsupportedOperation
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console

import kanon_sql
from kanon_sql.cli.plain import say, say_json
from kanon_sql.documents.shapes import Wrong
from kanon_sql.errors import (
    Fault,
    InfeasibleError,
    InputError,
    KanonError,
    StatementError,
    VerificationError,
)
from kanon_sql.metrics.registry import SAID
from kanon_sql.policy.search import Recode, seconds_from
from kanon_sql.policy.search_options import Algorithm
from kanon_sql.run.session import DEBUG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Command = TypeVar("Command", bound="Callable[..., None]")
SOURCE = "Read this path, glob or table instead. A relative path starts from the current folder."
EXIT_CODES: tuple[tuple[type[KanonError], int], ...] = (
    (InfeasibleError, 3),
    (VerificationError, 4),
    (KanonError, 1),
)


class Commands(click.Group):
    """The commands, of which none ends in a traceback because nobody can be told its result."""

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  click's own
        """Run one command; click itself ends quietly where a pipe was closed."""
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            if not _output_fails():
                raise
            why = os.strerror(error.errno or 0)
            what = "what the command writes, or releases, may be there all the same"
            _say_error(f"standard output cannot be written ({why}); {what}", as_json=False)
            sys.exit(1)


def _output_fails() -> bool:
    """Whether standard output can no longer be written; what it holds back is then let go."""
    try:
        sys.stdout.flush()
        os.write(sys.stdout.fileno(), b"\n")
    except UnsupportedOperation:
        return False
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


def reported(command: Command) -> Command:
    """Turn every error into one message and its exit code, as JSON where JSON was asked for."""

    @functools.wraps(command)
    def run(*args: object, **kwargs: object) -> None:
        try:
            # Ended from outside is ended as by Ctrl-C: staging and spill folders are taken away.
            for ending in (signal.SIGTERM, signal.SIGINT):
                signal.signal(ending, _interrupted)
            command(*args, **kwargs)
        except KeyboardInterrupt as error:
            told = str(error) or "interrupted; nothing was published"
            _say_error(told, as_json=bool(kwargs.get("as_json")))
            sys.exit(130)
        except KanonError as error:
            code = next(code for kind, code in EXIT_CODES if isinstance(error, kind))
            _report(error, as_json=bool(kwargs.get("as_json")))
            # Where 1 says that there are differences, as of git and diff, an error is 2.
            sys.exit(2 if kwargs.get("exit_code") else code)

    return run  # type: ignore[return-value]


def _interrupted(*_: object) -> None:
    """End the run; whoever asks again does not interrupt the cleaning up."""
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, signal.SIG_IGN)
    raise KeyboardInterrupt


def _report(error: KanonError, *, as_json: bool) -> None:
    if as_json:
        told: dict[str, object] = {"status": error.status, "error": str(error)}
        if isinstance(error, InputError):
            told["faults"] = [
                {"where": f.where, "what": f.what, "line": f.line} for f in error.faults
            ]
        say_json(told)
    _say_error(str(error), as_json=False)
    refused: BaseException | None = error
    while refused is not None and not isinstance(refused, StatementError):
        refused = refused.__cause__
    if refused is not None and os.environ.get(DEBUG):
        click.echo(f"{refused.sql}\n{refused.cause}", err=True)


def _say_error(text: str, *, as_json: bool) -> None:
    if as_json:
        say_json({"status": "error", "error": text})
    for line in f"error: {text}".split("\n"):
        say(line, error=True)


STEPS = {
    "open": "reading the source",
    "hierarchies": "building hierarchies",
    "encode": "encoding the frequency set",
    "search": "searching the lattice",
    "explain": "searching what else could be had",
    "fingerprint": "hashing the source",
    "sides": "keeping the sides of boxes and parts",
    "warn": "looking for what tells people apart",
    "recode": "recoding into staging",
    "verify": "recounting what was staged",
    "publish": "publishing",
    "purge": "removing what was dropped",
}


@contextmanager
def steps_shown(*, quiet: bool, lines: bool = False) -> Iterator[Callable[[str], None] | None]:
    """Show the running step on a terminal; when piped, nothing, or on `lines` how a search improves."""
    console = Console(stderr=True)
    if quiet or not (lines or console.is_terminal):
        yield None
        return
    if not console.is_terminal:
        yield lambda step: None if step in STEPS else say(step, error=True)
        return
    with console.status("starting") as status:
        yield lambda step: status.update(STEPS.get(step, step))


def engine_options(command: Command) -> Command:
    """Gather the options of the engine into one argument, `settings`."""

    @functools.wraps(command)
    def run(
        *args: object,
        threads: int | None,
        memory_limit: str | None,
        scratch_schema: str | None,
        **kwargs: object,
    ) -> None:
        settings = kanon_sql.Settings(
            threads=threads, memory_limit=memory_limit, scratch_schema=scratch_schema
        )
        command(*args, settings=settings, **kwargs)

    wrapped: Callable[..., None] = run
    for option in (
        click.option("--threads", type=click.IntRange(1), help="Threads of DuckDB."),
        click.option("--memory-limit", help="Memory limit of DuckDB, such as 4GB."),
        click.option("--scratch-schema", help="Schema of PostgreSQL for scratch tables."),
    ):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[return-value]


def search_options(command: Command) -> Command:
    """Gather what is said instead of the policy into one argument, `said`."""

    @functools.wraps(command)
    def run(*args: object, **kwargs: object) -> None:
        said = overrides(**{name: kwargs.pop(name) for name in OVERRIDES})
        command(*args, said=said, **kwargs)

    wrapped: Callable[..., None] = run
    for option in (
        click.option("--time-limit", help="End the search after so long: 60s, 5m, 500ms."),
        click.option(
            "--layers", type=int, help="The most nodes of recoding local or cells (policy, or 64)."
        ),
        click.option(
            "--recoding",
            type=click.Choice([each.value for each in Recode]),
            help="What becomes of rows that do not fit: suppressed (full_domain), anonymized by "
            "themselves (local), or each class raised as far as it must be (cells).",
        ),
        click.option("--metric", type=click.Choice(SAID), help="What the search makes least."),
        click.option(
            "--algorithm",
            type=click.Choice([each.value for each in Algorithm]),
            help="How a node is found; `kanon-sql algorithms` says what each gives, and costs.",
        ),
        click.option("--suppression", help="MaxSup instead of the policy's: rows, or 4%."),
        click.option("-k", type=int, help="k instead of the policy's."),
        click.option("--source", help=SOURCE),
    ):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[return-value]


OVERRIDES = ("k", "suppression", "algorithm", "metric", "recoding", "layers", "time_limit")


def overrides(**given: Any) -> dict[str, str | int]:  # noqa: ANN401  as click gives them
    return {name: value for name, value in given.items() if value is not None}


def listed(given: tuple[str, ...], option: str = "--qi") -> list[str]:
    """Read comma-separated names, of each once; double quotes keep a comma in a name."""
    try:
        rows = [row for text in given for row in csv.reader([text], skipinitialspace=True)]
    except csv.Error as error:
        what = "is no list of names separated by commas"
        raise InputError(option, [Fault("", what)]) from error
    return list(dict.fromkeys(name for row in rows for name in row))


def seconds_of(option: str, given: str) -> float:
    """Read a time limit, of an option that has one always."""
    try:
        return seconds_from(given)
    except Wrong as wrong:
        raise InputError(option, [Fault("", str(wrong))]) from wrong


def diversities(given: tuple[str, ...]) -> dict[str, int]:
    found = {}
    for each in given:
        column, _, least = each.rpartition("=")
        if not column or not least.isdecimal():
            raise click.UsageError("--distinct-l takes COLUMN=L, such as disease=3")
        found[column] = int(least)
    return found
