"""`kanon-sql dbt`: the commands of dbt projects."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import print_json, print_line, show_progress
from kanon_sql.cli.print_plan import print_plan
from kanon_sql.cli.write import write_example
from kanon_sql.cli.write_dbt import write_dbt
from kanon_sql.integrations.dbt.plan_models import example, package_path
from kanon_sql.plans.recodings import FullDomain

if TYPE_CHECKING:
    from kanon_sql.integrations.dbt.check_project import DbtChecked


@click.group("dbt")
def command() -> None:
    """Plan and check the releases of a dbt project."""


@command.command("path", cls=Command)
def print_path() -> None:
    """Print the folder of the dbt package, for packages.yml."""
    click.echo(package_path())


@command.command("example", cls=Command)
@click.argument("folder")
def write_project(folder: str) -> None:
    """Write a small dbt project with raw patients in DuckDB, to try."""
    write_example(Path(folder), example())
    print_line(f"wrote a dbt project to {folder}; continue there with: dbt deps")


@command.command("plan", cls=Command)
@click.argument("project", default=".")
@options.json
@options.dbt_target
@options.search
@options.engine
def plan_project(project: str, *, as_json: bool, **values: options.Values) -> None:
    """Plan in the project's warehouse, and write the files of each plan.

    The policies are the `meta: {kanon: ...}` of the project's models and columns, read from what
    `dbt parse` wrote; the files are plans, macros, models, hierarchies and tests.
    """
    with show_progress(quiet=as_json, lines=True) as progress:
        plans = kanon_sql.plan_dbt(project, progress=progress, **values)
    files = write_dbt(project, plans)
    if as_json:
        summaries = {each.name: each.plan.summary() for each in plans}
        print_json({"plans": summaries, "files": files.written, "removed_files": files.removed})
        return
    for each in plans:
        print_line(f"{each.name}:")
        print_plan(each.plan)
    for name in files.written:
        print_line(f"wrote {name}")
    for name in files.removed:
        print_line(f"removed {name}")
    if any(Path(name).suffix in {".sql", ".csv"} for name in files.removed):
        print_line(
            "dbt keeps the tables and views of removed files: drop those that are not built elsewhere "
            "now. Hierarchies hold raw values."
        )


@command.command("keys", cls=Command)
@click.argument("project", default=".")
@options.dbt_target
@options.option("--forget", "Remove the keys from the warehouse instead.")
def keep_keys(project: str, *, forget: bool, **values: options.Values) -> None:
    """Put the keys of pseudonyms where a build reads them.

    They are read from the environment, as the policy says, and kept in a table of the warehouse that dbt made and
    nobody but its owner may read. No file of the project has them, and nothing that dbt writes.
    """
    for name in kanon_sql.keep_dbt_keys(project, forget=forget, **values):
        print_line(f"{name} has {'no keys now' if forget else 'the keys'}")


@command.command("check", cls=Command)
@click.argument("project", default=".")
@options.dbt_target
@options.json
@options.option("--markdown", "Print what would change, to comment on a pull request.")
@options.engine
def check_project(*, as_json: bool, markdown: bool, **values: options.Values) -> None:
    """Check whether the committed plans still fit the data, for CI.

    Prints what new plans would change. Exits with 4 if a plan does not fit.
    """
    with show_progress(quiet=as_json or markdown) as progress:
        checked = kanon_sql.check_dbt(progress=progress, **values)
    if as_json:
        print_json({"plans": [each.document() for each in checked]})
    else:
        for each in checked:
            _print_checked(each)
            if markdown and each.chosen is not None and each.fresh is not None:
                click.echo(f"\n{kanon_sql.diff(each.chosen, each.fresh).markdown}")
    if not all(each.fits for each in checked):
        sys.exit(4)


def _print_checked(checked: DbtChecked) -> None:
    """Print whether a plan fits, why not, and what a new plan would change."""
    print_line(f"{'fits' if checked.fits else 'DOES NOT FIT'}: {checked.name}")
    for fault in checked.faults:
        print_line(f"  {fault}")
    if checked.fits:
        print_line(
            f"  suppressed rows: {checked.suppressed:,} of {checked.rows:,} (limit "
            f"{checked.allowed:,})"
        )
    if checked.without_entry:
        print_line(
            f"  {checked.without_entry:,} of them have a value without an entry in its hierarchy, or lie in no region"
            if checked.chosen is not None and not checked.chosen.levels
            else f"  {checked.without_entry:,} of them have a value without an entry in its hierarchy"
        )
    for remark in checked.remarks:
        print_line(f"  a new plan would be refused: {remark}")
    chosen, fresh = checked.chosen, checked.fresh
    if chosen is None or fresh is None:
        return
    if not (isinstance(chosen.recoding, FullDomain) and isinstance(fresh.recoding, FullDomain)):
        print_line(f"  a new plan would release rows by {fresh.recoding}")
        return
    for name, level in fresh.levels.items():
        if (before := chosen.levels.get(name)) != level:
            print_line(f"  a new plan would release {name} at level {level}, not {before}")
    if chosen.levels == fresh.levels:
        print_line("  a new plan would have the same levels")
