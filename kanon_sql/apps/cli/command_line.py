"""The list of commands: each name with the module of its group, which is imported when the command is looked up.

Importing all of them, and with them the database and the SQL parser, takes ten times as long as to print a version.
What help and shell completion need of a command without importing it is here too: examples, files, algorithms.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from importlib import import_module
from io import UnsupportedOperation
from typing import TYPE_CHECKING, Any

import click
from click.types import StringParamType

from kanon_sql.apps.cli.console import BEGAN, CommandGroup, print_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.shell_completion import CompletionItem


SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 120}
GROUPS = {
    "Start": {
        "init": "Write a first policy for a table, a file or an ARX project.",
        "suggest": "Try kinds of recoding on a sample and compare them.",
        "demo": "Anonymize an embedded sample, and show each step.",
    },
    "Release": {
        "plan": "Choose a recoding and write it to a plan file for review.",
        "apply": "Write the release of a plan, if a recount confirms it.",
        "anonymize": "Plan and apply in one run.",
        "compile": "Print a plan as a SQL script, or as a model of SQLMesh.",
        "labels": "Write a table by which a join counts a release's labels.",
    },
    "Check": {
        "verify": "Recount a table by given bounds, or check a certificate.",
        "certify": "Recount a release, and write a certificate to check it by.",
        "risk": "Measure re-identification risks, or find quasi-identifiers.",
        "attack": "Count what an intruder could expose in a table or release.",
        "quality": "Measure a release against its source.",
    },
    "Understand": {
        "explain": "Explain a plan, and what other limits would cost.",
        "compare": "Search with several algorithms and compare what they find.",
        "diff": "Print what changed between two plans, for a pull request.",
        "report": "Report risk and utility of a plan or a release, as a page.",
        "explore": "Try k, suppression and levels on a page, in a browser.",
        "algorithms": "List the search algorithms: guarantees, costs, options.",
    },
    "Pipelines": {
        "dbt": "Plan and check the releases of a dbt project.",
        "series": "Show, simulate, recount and end a series of releases.",
        "sqlmesh": "Print audits for SQLMesh, or write an example project.",
        "macros": "Print SQL macros that check a table, and apply a plan.",
        "frequency-query": "Print the query by which a warehouse counts for a plan.",
        "lint": "Check a policy, its source and its hierarchies.",
        "mcp": "Serve init, lint, plan and more to agents, by MCP.",
        "clean": "Remove temporary files and tables of killed runs.",
        "schema": "Print the JSON Schema of policies, for editors.",
        "engines": "List the supported databases, and what each can do.",
    },
}
"""Every command with its one-line help, by what it is for; a test compares it with the command's own."""

MODULES = {
    "start": "init suggest demo",
    "release": "plan apply anonymize labels",
    "check": "verify certify report",
    "risk": "risk attack",
    "understand": "explain quality compare algorithms diff explore",
    "pipelines": "compile dbt series sqlmesh macros frequency-query",
    "upkeep": "lint schema engines clean mcp",
}
"""The commands of each module of `commands`; a command that is asked for imports its module alone."""

COMMANDS = {name: text for listed in GROUPS.values() for name, text in listed.items()}
FIRST = {
    "kanon-sql init people.csv": "writes policy.yml: review it",
    "kanon-sql plan policy.yml": "writes policy.plan.yml: review it",
    "kanon-sql apply policy.plan.yml": "writes the release",
}
"""The first commands to type, with what each does."""


class CommandModules(Mapping[str, click.Command]):
    """The commands, each imported from the module of its group when it is looked up."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in COMMANDS:
            raise KeyError(name)
        module = next(module for module, names in MODULES.items() if name in names.split())
        group = import_module(f"kanon_sql.apps.cli.commands.{module}")
        command: click.Command = getattr(group, f"{name.replace('-', '_')}_command")
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Commands(CommandGroup):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Name the commands by their groups."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands by what they are for, without importing them."""
        width = max(map(len, COMMANDS))
        for name, listed in GROUPS.items():
            with formatter.section(name):
                formatter.write_dl([(each.ljust(width), text) for each, text in listed.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """End with the first commands to type."""
        with formatter.section("To start, type"):
            formatter.write_dl(list(FIRST.items()), col_max=40)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, also by a spelling of an earlier version."""
        return super().resolve_command(ctx, _renamed(args))

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:  # noqa: ANN401  click's own
        """Begin to measure the time of the command, before its modules are imported."""
        began = time.monotonic()
        context = super().make_context(*args, **kwargs)
        context.meta[BEGAN] = began
        return context

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  click's own
        """Run one command. Output that cannot be written is one error and no traceback."""
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            if not _output_fails():
                raise
            why = os.strerror(error.errno or 0)
            what = "files and releases may have been written all the same"
            print_error(f"standard output cannot be written ({why}); {what}")
            sys.exit(1)


def _output_fails() -> bool:
    """Whether standard output can no longer be written. If so, its buffer is discarded before the exit."""
    try:
        sys.stdout.flush()
        os.write(sys.stdout.fileno(), b"\n")
    except UnsupportedOperation:
        return False
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


def _renamed(words: list[str]) -> list[str]:
    """Rewrite `plan --dbt PROJECT ...`, as it was typed up to 0.1, to `dbt plan PROJECT ...`."""
    if words[0] != "plan":
        return words
    for at, word in enumerate(words):
        if word == "--dbt" or word.startswith("--dbt="):
            click.echo("warning: plan --dbt is now: kanon-sql dbt plan", err=True)
            project = [] if word == "--dbt" else [word.removeprefix("--dbt=")]
            return ["dbt", "plan", *words[1:at], *project, *words[at + 1 :]]
    return words


@click.group(
    cls=Commands,
    commands=CommandModules(),
    context_settings=SETTINGS,
)
@click.version_option(package_name="kanon-sql", prog_name="kanon-sql")
def main() -> None:
    """Anonymize tables inside the database that holds them.

    You write a policy: what to protect, and how much. `plan` chooses how the table is recoded,
    `apply` writes the release, and only if an independent recount confirms it.
    """


PLANS, POLICIES = (".plan.yml", ".plan.yaml"), (".yml", ".yaml")
FOLDERS = frozenset({"FOLDER", "PROJECT"})
FILES = frozenset({"FILE", "DATABASE", "KEY", "RELEASE", "CERTIFICATE", "OLD", "NEW", "SOURCE"})


class CompletedText(StringParamType):
    """A text parameter that a shell completes by a function."""

    def __init__(self, complete: Callable[[str], list[CompletionItem]]) -> None:
        self.complete = complete

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """List the completions of a partly typed text."""
        return self.complete(incomplete)


def with_completion(parameter: click.Parameter) -> None:
    """Add completion to a text parameter, chosen by its name or metavar, such as FILE or POLICY_OR_TABLE."""
    if type(parameter.type) is not StringParamType:
        return
    if parameter.name == "algorithms":
        parameter.type = CompletedText(_algorithms)
        return
    unit = (parameter.metavar or (parameter.name or "").upper()).strip("[]")
    kinds = set(unit.split("_OR_")) if "_OR_" in unit else {unit}
    if unit == "PLAN" or kinds & {"OLD", "NEW"}:
        parameter.type = CompletedText(lambda text: _named(text, PLANS))
    elif unit == "POLICY":
        parameter.type = CompletedText(lambda text: _named(text, POLICIES, but=PLANS))
    elif kinds & FOLDERS:
        parameter.type = CompletedText(lambda text: [_item(text, type="dir")])
    elif kinds & FILES:
        parameter.type = CompletedText(lambda text: [_item(text, type="file")])


def _algorithms(text: str) -> list[CompletionItem]:
    """Complete the last name of a list of algorithms and recodings."""
    from kanon_sql.policy.search import Recode  # noqa: PLC0415  for a completion alone
    from kanon_sql.policy.search_options import Algorithm  # noqa: PLC0415

    before, comma, last = text.rpartition(",")
    names = [*Algorithm, *(each for each in Recode if each is not Recode.FULL_DOMAIN)]
    there = set(before.split(","))
    return [
        _item(f"{before}{comma}{each}")
        for each in names
        if each.startswith(last) and each not in there
    ]


def _named(
    text: str, endings: tuple[str, ...], *, but: tuple[str, ...] = ()
) -> list[CompletionItem]:
    """Complete files with these endings; if there are none, let the shell complete any file."""
    found = [_item(each) for each in sorted(_files(text, endings, but))]
    return found or [_item(text, type="file")]


def _item(text: str, **options: str) -> CompletionItem:
    from click.shell_completion import CompletionItem  # noqa: PLC0415  for a completion alone

    return CompletionItem(text, **options)


def _files(text: str, endings: tuple[str, ...], but: tuple[str, ...]) -> Iterator[str]:
    """Yield the paths of files that begin with `text`; none for a folder that cannot be read."""
    folder, start = os.path.split(text)
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208  help imports no pathlib, which takes 3 ms
    except (OSError, ValueError):
        return
    for name in names:
        if name.startswith(start) and name.endswith(endings) and not (but and name.endswith(but)):
            yield os.path.join(folder, name)  # noqa: PTH118  as it was typed, "./" too


EXAMPLES: dict[str, tuple[str, ...]] = {
    "algorithms": ("algorithms", "algorithms --json"),
    "anonymize": (
        "anonymize policy.yml",
        "anonymize policy.yml --source 'visits/*.parquet' --replace",
    ),
    "apply": (
        "apply policy.plan.yml --partition day=2026-11-24",
        "apply policy.plan.yml --to-new-rows --source new.parquet",
    ),
    "attack background": ("attack background t --quasi sex,age --sensitive ill --excluding 2",),
    "attack composition": ("attack composition a b --person id --quasi sex,age --sensitive ill",),
    "attack homogeneity": ("attack homogeneity visits --quasi sex,age --sensitive ill",),
    "attack link": ("attack link --target visits.csv --known register.csv --on sex,age",),
    "certify": (
        "certify people_k5.parquet --plan people.plan.yml",
        "certify people_k5.parquet --plan people.plan.yml --sign-with key.pem",
    ),
    "clean": ("clean --dry-run", "clean --path releases --older-than 24"),
    "compare": (
        "compare policy.yml",
        "compare policy.yml --algorithms optimal,mondrian --time-limit 20s",
    ),
    "compile": (
        "compile policy.plan.yml",
        "compile policy.plan.yml --dialect snowflake --table people",
    ),
    "dbt certify": ("dbt certify", "dbt certify clinic --sign-with key.pem"),
    "dbt check": ("dbt check", "dbt check clinic --select people_k5"),
    "dbt example": ("dbt example clinic",),
    "dbt path": ("dbt path",),
    "dbt init": ("dbt init stg_patients clinic",),
    "dbt keys": ("dbt keys", "dbt keys clinic --select people_k5 --target dev"),
    "dbt plan": ("dbt plan", "dbt plan clinic --select people_k5 --target dev"),
    "demo": ("demo", "demo -o sample"),
    "series status": ("series status policy.yml",),
    "series verify": ("series verify policy.yml", "series verify policy.yml --sql"),
    "series simulate": ("series simulate policy.yml --releases 30",),
    "series end": ("series end policy.yml",),
    "diff": (
        "diff old.plan.yml new.plan.yml",
        "git show main:p.plan.yml | kanon-sql diff - p.plan.yml",
    ),
    "engines": ("engines",),
    "explain": ("explain policy.plan.yml", "explain policy.plan.yml --lattice lattice.svg"),
    "explore": ("explore policy.yml", "explore policy.yml -o k11.yml --port 8400 --no-browser"),
    "frequency-query": ("frequency-query policy.yml --dialect snowflake > counted.sql",),
    "suggest": ("suggest policy.yml", "suggest people.csv --time-limit 20s --no-rows"),
    "init": ("init people.csv", "init visits --database hospital.duckdb -o visits.yml"),
    "labels": ("labels people_k5.parquet --plan people.plan.yml -o key.parquet",),
    "lint": ("lint policy.yml", "lint policy.yml --source sample.parquet --json"),
    "macros": ("macros policy.plan.yml", "macros --dialect postgres"),
    "mcp": ("mcp --folder sample", "mcp --folder sample --allow-apply"),
    "plan": (
        "plan policy.yml",
        "plan policy.yml -k 11 --suppression 1% -o k11.plan.yml",
    ),
    "quality": (
        "quality people_k5.parquet --plan people.plan.yml",
        "quality people_k5.parquet --source people.csv --quasi sex,age",
    ),
    "report": (
        "report policy.plan.yml -o people.report.html",
        "report people_k5.parquet --plan policy.plan.yml --text",
    ),
    "risk": (
        "risk people.csv",
        "risk people.csv --quasi sex,age,zip --release people_k5.parquet",
    ),
    "schema": ("schema > policy.schema.json", "schema --certificate"),
    "sqlmesh audits": ("sqlmesh audits > audits/kanon.sql",),
    "sqlmesh example": ("sqlmesh example clinic",),
    "verify": (
        "verify people_k5.parquet --quasi sex,age,zip -k 5",
        "verify people_k5.certificate --plan people.plan.yml",
    ),
}
"""Examples by the words of their command, such as `dbt plan`, without the program's name."""


def examples_of(words: str) -> list[str]:
    """Return the examples of a command, each as a line to type.

    >>> examples_of("lint")[0]
    'kanon-sql lint policy.yml'
    """
    return [
        each if each.startswith("git ") else f"kanon-sql {each}" for each in EXAMPLES.get(words, ())
    ]
