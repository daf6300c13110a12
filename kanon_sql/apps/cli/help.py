"""Help: options in groups, shared ones folded into one line, and all of them by `--help-all`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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


def help_all(text: str = "Show all options, and exit.") -> Option:
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
