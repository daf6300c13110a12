"""The class of all commands: an error is one message and an exit code, never a traceback."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import click

from kanon_sql.apps.cli.completion import with_completion
from kanon_sql.apps.cli.console import print_error, print_json, print_line
from kanon_sql.apps.cli.examples import examples_of
from kanon_sql.apps.cli.help import (
    ALL,
    on_every_command,
    write_examples,
    write_exit_codes,
    write_keys,
    write_options,
)
from kanon_sql.apps.cli.json_keys import ERROR, JSON_KEYS
from kanon_sql.counting.run.interrupts import end_search, forget_interrupt, was_interrupted
from kanon_sql.errors import (
    DEBUG,
    InfeasibleError,
    InputError,
    KanonError,
    StatementError,
    VerificationError,
)

EXIT_CODES: tuple[tuple[type[KanonError], int], ...] = (
    (InfeasibleError, 3),
    (VerificationError, 4),
    (KanonError, 1),
)

INTERRUPTED = 130
"""The exit code of a run that was interrupted, also if it ended with the best result so far."""

EARLIER = {"--qi": "--quasi", "--out": "--output"}
"""Options by the names that they had up to 0.1, with their names now."""

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


def _report(error: KanonError, *, as_json: bool) -> None:
    if as_json:
        report: dict[str, object] = {"status": error.status, "error": str(error)}
        if isinstance(error, InputError):
            report["faults"] = [
                {"where": f.where, "what": f.what, "line": f.line} for f in error.faults
            ]
        print_json(report)
    print_error(str(error))
    refused: BaseException | None = error
    while refused is not None and not isinstance(refused, StatementError):
        refused = refused.__cause__
    if refused is not None and os.environ.get(DEBUG):
        click.echo(f"{refused.sql}\n{refused.cause}", err=True)
