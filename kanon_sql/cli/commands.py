"""The commands by name. The module of a command is imported when the command is looked up.

Importing all of them, and with them the database and the SQL parser, takes ten times as long as
to print a version or this list.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from io import UnsupportedOperation
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.console import print_error

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 120}
COMMANDS = {
    "algorithms": "List the search algorithms with their guarantees, costs and options.",
    "anonymize": "Plan and apply in one run.",
    "apply": "Carry out a plan: recode, recount the staged rows, publish.",
    "attack": "Attack a table or release as an intruder would, and count what is exposed. Reads only.",
    "certify": "Recount a release and write a certificate: claims, the SQL to check them, a report.",
    "clean": "Remove temporary files and tables left by runs that were killed.",
    "compare": "Search with several algorithms and compare what they find. Reads only.",
    "compile": "Print a plan as a SQL script, or as a model of SQLMesh.",
    "dbt": "Plan and check the releases of a dbt project.",
    "demo": "Anonymize an embedded sample and show rows, policy and SQL before and after.",
    "diff": "Print what changed between two plans as Markdown, for a pull request.",
    "engines": "List the supported databases: installed versions and capabilities.",
    "explain": "Explain why a plan recodes as it does, and what other limits would cost.",
    "explore": "Serve a page to change k, suppression, levels and hierarchies on, and to see at once what would be released.",
    "frequency-query": "Print one GROUP BY by which a warehouse counts what a plan needs.",
    "init": "Write a first policy for a table: what is counted, roles, hierarchies, k, and a query that cleans the source.",
    "labels": "Write the key of a release's labels: a small table by which a join counts rows at any level.",
    "lint": "Check a policy, its source and its hierarchies, and list all problems at once.",
    "plan": "Choose a recoding and write it to a plan file for review. Reads only.",
    "quality": "Measure a release against its source, and compare it with its plan. Reads only.",
    "report": "Report risk and utility of a plan or a release: a page, text, figures.",
    "risk": "Measure the re-identification risks of a table, or find its quasi-identifiers. Reads only.",
    "schema": "Print the JSON Schema of policies, for editors.",
    "sqlmesh": "Print audits for SQLMesh projects and write an example project.",
    "suggest": "Try four kinds of recoding on a sample and compare them. Reads only.",
    "verify": "Recount a table by given columns and bounds, or a release by its certificate.",
}
"""Every command with its one-line help; a test compares it with the command's own."""


class CommandModules(Mapping[str, click.Command]):
    """The commands, each imported from the module of its name when it is looked up."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in COMMANDS:
            raise KeyError(name)
        command: click.Command = import_module(f"kanon_sql.cli.{name.replace('-', '_')}").command
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Commands(click.Group):
    """The group of all commands."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, also by a spelling of an earlier version."""
        return super().resolve_command(ctx, _renamed(args))

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

    To start, `kanon-sql init people.csv` writes policy.yml. Review it, then run
    `kanon-sql plan policy.yml` and `kanon-sql apply policy.plan.yml`.

    Exit codes: 0 success, 1 error in the input, 2 wrong usage, 3 no feasible plan or out of time,
    4 verification failed.
    """
