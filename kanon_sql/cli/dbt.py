"""The commands of dbt projects."""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

import kanon_sql
from kanon_sql.cli.options import engine_options, reported, steps_shown
from kanon_sql.cli.plain import say, say_json
from kanon_sql.cli.show import show_plan
from kanon_sql.cli.write import (
    PLAN_START,
    hold_writable,
    make_folder,
    write,
    write_folder,
)
from kanon_sql.errors import Fault, InputError
from kanon_sql.integrations.dbt.plan_models import example, package_path
from kanon_sql.integrations.dbt.project_files import mark_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kanon_sql.integrations.dbt.check_project import DbtChecked
    from kanon_sql.integrations.dbt.plan_models import DbtPlan

RENAME = "name one of the releases otherwise"

Command = TypeVar("Command", bound="Callable[..., None]")


@click.group()
def dbt() -> None:
    """Plan, check and build inside a dbt project."""


@dbt.command()
@reported
def path() -> None:
    """Print the folder of the dbt package, for packages.yml."""
    click.echo(package_path())


@dbt.command("example")
@click.argument("folder")
@reported
def example_(folder: str) -> None:
    """Write a small dbt project to try, with raw patients in DuckDB."""
    write_folder(Path(folder), example())
    say(f"wrote a dbt project to {folder}; go on there with: dbt deps")


@dbt.command()
@click.argument("project", default=".")
@click.option("--select", metavar="MODEL", help="This one alone.")
@click.option("--target", help="The target of the profile.")
@click.option("--profiles-dir", help="Where profiles.yml is.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option(
    "--markdown", is_flag=True, help="What would change, for a comment on a pull request."
)
@engine_options
@reported
def check(
    project: str,
    *,
    select: str | None,
    target: str | None,
    profiles_dir: str | None,
    as_json: bool,
    markdown: bool,
    settings: kanon_sql.Settings,
) -> None:
    """Say whether the committed plans still fit the data, and what would change; for CI.

    Exits with 4 where one does not.
    """
    with steps_shown(quiet=as_json or markdown) as progress:
        found = kanon_sql.check_dbt(
            project,
            select=select,
            target=target,
            profiles_dir=profiles_dir,
            settings=settings,
            progress=progress,
        )
    if as_json:
        say_json({"plans": [each.document() for each in found]})
    else:
        for each in found:
            _show_checked(each)
            if markdown and each.chosen is not None and each.fresh is not None:
                click.echo(f"\n{kanon_sql.diff(each.chosen, each.fresh).markdown}")
    if not all(each.fits for each in found):
        sys.exit(4)


def _show_checked(checked: DbtChecked) -> None:
    """Say of one plan whether it fits, why not, and what a new one would be."""
    say(f"{'fits' if checked.fits else 'DOES NOT FIT'}: {checked.name}")
    for fault in checked.faults:
        say(f"  {fault}")
    if checked.fits:
        share = f"{checked.suppressed} of {checked.rows} rows suppressed"
        say(f"  {share}, {checked.allowed} allowed")
    if checked.without_entry:
        say(f"  {checked.without_entry} of them have a value that has no entry in its hierarchy")
    for remark in checked.remarks:
        say(f"  a plan made now would be refused: {remark}")
    chosen, fresh = checked.chosen, checked.fresh
    if chosen is None or fresh is None:
        return
    for name, level in fresh.levels.items():
        if (before := chosen.levels.get(name)) != level:
            say(f"  a plan made now would release {name} at level {level}, not {before}")
    if chosen.levels == fresh.levels:
        say("  a plan made now would be at the same levels")


@dataclass(frozen=True, slots=True)
class DbtChoice:
    """Which project, which of its relations, and which warehouse."""

    folder: str | None
    select: str | None
    target: str | None
    profiles_dir: str | None


def dbt_options(command: Command) -> Command:
    """Gather what is said of a dbt project into one argument, `project`."""

    @functools.wraps(command)
    def run(
        *args: object,
        dbt: str | None,
        select: str | None,
        target: str | None,
        profiles_dir: str | None,
        **kwargs: object,
    ) -> None:
        command(*args, project=DbtChoice(dbt, select, target, profiles_dir), **kwargs)

    wrapped: Callable[..., None] = run
    for option in (
        click.option("--profiles-dir", help="With --dbt: where profiles.yml is."),
        click.option("--target", help="With --dbt: the target of the profile."),
        click.option("--select", metavar="MODEL", help="With --dbt: this one alone."),
        click.option(
            "--dbt", metavar="PROJECT", help="Plan in this dbt project, parsed by dbt parse."
        ),
    ):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[return-value]


def plan_in_dbt(
    project: DbtChoice,
    ignored: Mapping[str, object],
    said: dict[str, str | int],
    settings: kanon_sql.Settings,
    *,
    as_json: bool,
) -> None:
    """Plan in a dbt project, and write the files."""
    for option, value in ignored.items():
        if value:
            raise click.UsageError(f"{option} does not go with --dbt.")
    folder = project.folder or "."
    with steps_shown(quiet=as_json, lines=True) as progress:
        made = kanon_sql.plan_dbt(
            folder,
            select=project.select,
            target=project.target,
            profiles_dir=project.profiles_dir,
            settings=settings,
            overrides=said,
            progress=progress,
        )
    written = write_dbt(folder, made)
    if as_json:
        say_json({"plans": {each.name: each.plan.summary() for each in made}, "files": written})
        return
    for each in made:
        say(f"{each.name}:")
        show_plan(each.plan)
    for name in written:
        say(f"wrote {name}")


def write_dbt(project: str, made: list[DbtPlan]) -> list[str]:
    """Write the files of plans, all or, where one may not be replaced, none. Raises InputError."""
    root = Path(project)
    faults: list[Fault] = []
    owners: dict[str, str] = {}
    for plan in made:
        for name in plan.files:
            file = root / name
            if (owner := owners.setdefault(name, plan.name)) != plan.name:
                faults.append(Fault(str(file), f"is of {owner} and of {plan.name}; {RENAME}"))
            if name == plan.kept and file.exists():
                continue
            try:
                if file.parent.is_dir():
                    hold_writable(file, over=_ours(name, plan.name))
            except InputError as error:
                faults += [Fault(str(file), fault.what) for fault in error.faults]
    if faults:
        raise InputError(project, faults)
    written = []
    for plan in made:
        for name, text in plan.files.items():
            if name != plan.kept or not (root / name).exists():
                make_folder((root / name).parent)
                write(root / name, text)
                written.append(name)
        for file in _left_over(root, plan):
            file.unlink()
    return written


def _left_over(root: Path, plan: DbtPlan) -> list[Path]:
    """Give the files that an earlier plan of this name made, and this one does not."""
    folders = [root / name for name in plan.folders if (root / name).is_dir()]
    now = {root / name for name in plan.files}
    there = [file for folder in folders for file in folder.iterdir() if file not in now]
    mark = f"{mark_of(plan.name)}:".encode()
    ours = [file for file in there if file.suffix in {".sql", ".yml"} and _marked(file, mark)]
    seeds = [file.with_suffix(".csv") for file in ours if file.suffix == ".yml"]
    return [*ours, *(seed for seed in seeds if seed in there)]


def _marked(file: Path, mark: bytes) -> bool:
    with file.open("rb") as lines:
        return mark in lines.readline()


def _ours(name: str, release: str) -> tuple[str, ...]:
    """Say how a file begins that may be replaced: as ours do, and of this release."""
    if name.endswith(".plan.yml"):
        return (PLAN_START,)
    if name.endswith(".csv"):
        return ("value,level_1",)
    mark = f"{mark_of(release)}:"
    return (f"# {mark}",) if name.endswith(".yml") else (f"{{# {mark}",)
