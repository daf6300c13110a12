"""`kanon-sql dbt`: the commands of dbt projects."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.commands.certify import print_certificate
from kanon_sql.apps.cli.commands.report import START as PAGE_START
from kanon_sql.apps.cli.console import CommandGroup, print_json, print_line, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_results import print_plan
from kanon_sql.apps.cli.write import (
    PLAN_START,
    check_free,
    check_writable,
    make_folder,
    write,
    write_example,
)
from kanon_sql.apps.dbt.build_project_files import marks_of
from kanon_sql.apps.dbt.plan_models import example, package_path, read_requests
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import Fault, InputError, VerificationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.apps.dbt.check_project import DbtChecked
    from kanon_sql.apps.dbt.plan_models import DbtPlan


@click.group("dbt", cls=CommandGroup)
def command() -> None:
    """Plan and check the releases of a dbt project."""


@command.command("path", cls=Command)
@options.json
def print_path(*, as_json: bool) -> None:
    """Print the folder of the dbt package, for packages.yml."""
    if as_json:
        print_json({"status": "ok", "folder": package_path()})
        return
    click.echo(package_path())


@command.command("example", cls=Command)
@click.argument("folder")
@options.json
def write_project(folder: str, *, as_json: bool) -> None:
    """Write a small dbt project in DuckDB, to try."""
    write_example(Path(folder), example())
    if as_json:
        print_json({"status": "ok", "folder": folder})
        return
    print_line(f"wrote a dbt project to {folder}; continue there with: dbt deps")


@command.command("plan", cls=Command)
@click.argument("project", default=".")
@options.json
@options.dbt_target
@options.search
@options.engine
def plan_project(project: str, *, as_json: bool, **values: options.Values) -> None:
    """Plan in the project's warehouse, and write the files of each plan.

    The policies are the `meta: {kanon: ...}` of its models and columns.
    """
    with show_progress(improvements=not as_json) as progress:
        plans = kanon_sql.plan_dbt(project, progress=progress, **values)
    files = write_dbt(project, plans)
    if as_json:
        summaries = {each.name: each.plan.summary() for each in plans}
        written = {"files": files.written, "removed_files": files.removed}
        notes = {each.name: list(each.notes) for each in plans if each.notes}
        print_json({"status": "ok", "plans": summaries, "notes": notes, **written})
        return
    for each in plans:
        print_line(f"{each.name}:")
        print_plan(each.plan)
        for note in each.notes:
            print_line(note)
    for name in files.written:
        print_line(f"wrote {name}")
    print_line("read and commit these files; then run: dbt build && kanon-sql dbt certify")
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
@options.json
def keep_keys(project: str, *, forget: bool, as_json: bool, **values: options.Values) -> None:
    """Put the keys of pseudonyms where a build reads them.

    They come from the environment, into a table that only its owner may read.
    """
    with show_progress("reading the keys"):
        names = kanon_sql.keep_dbt_keys(project, forget=forget, **values)
    if as_json:
        print_json({"status": "ok", "releases": list(names), "forgotten": forget})
        return
    for name in names:
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
    with show_progress() as progress:
        checked = kanon_sql.check_dbt(progress=progress, **values)
    if as_json:
        status = "ok" if all(each.fits for each in checked) else VerificationError.status
        print_json({"status": status, "plans": [each.document() for each in checked]})
    else:
        for each in checked:
            _print_checked(each)
            if markdown and each.chosen is not None and each.fresh is not None:
                click.echo(f"\n{kanon_sql.diff(each.chosen, each.fresh).markdown}")
    if not all(each.fits for each in checked):
        sys.exit(4)


@command.command("certify", cls=Command)
@click.argument("project", default=".")
@options.option("-o, --output FOLDER", "Folder; by default kanon, in the project.", name="folder")
@options.option("--replace", "Replace existing certificates and reports.")
@options.option("--sign-with KEY", "Sign with this Ed25519 private key (PEM or OpenSSH).")
@options.dbt_target
@options.json
@options.engine
def certify_project(
    project: str, *, folder: str | None, replace: bool, as_json: bool, **values: options.Values
) -> None:
    """Recount what dbt built; write certificates, and reports to sign.

    Exits with 4 if a claim fails.
    """
    place = Path(project) / "kanon" if folder is None else Path(folder)
    _, requests = read_requests(Path(project), values["select"])
    pages = {each.release: place / f"{each.release}.report.html" for each in requests}
    if not replace:
        for page in pages.values():
            check_free(page)
    with show_progress() as progress:
        certified = kanon_sql.certify_dbt(
            project, folder=place, replace=replace, progress=progress, **values
        )
    for each in certified:
        write(pages[each.name], each.report.to_html(), start=PAGE_START)
    if as_json:
        found = {
            each.name: {
                "certificate": each.folder,
                "page": str(pages[each.name]),
                **each.certificate.document(),
            }
            for each in certified
        }
        print_json({"status": "ok", "releases": found})
        return
    for each in certified:
        print_line(f"{each.name}:")
        print_certificate(each.certificate)
        print_line(f"wrote {each.folder} and {pages[each.name]}")


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
    if not (chosen.recoding.at_one_node and fresh.recoding.at_one_node):
        print_line(f"  a new plan would release rows by {fresh.recoding}")
        return
    for name, level in fresh.levels.items():
        if (before := chosen.levels.get(name)) != level:
            print_line(f"  a new plan would release {name} at level {level}, not {before}")
    if chosen.levels == fresh.levels:
        print_line("  a new plan would have the same levels")


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The names of the files that were written, and of the removed files of earlier plans."""

    written: list[str]
    removed: list[str]


def write_dbt(project: str, plans: Sequence[DbtPlan]) -> WrittenFiles:
    """Write the files of plans and return their names. Raises InputError.

    All names and existing files are checked before the first file is written. The model of a release belongs to the
    user once it exists, and is not written again.
    """
    root = Path(project)
    _check_all(root, plans)
    written, removed = [], []
    for plan in plans:
        for name, text in plan.files.items():
            if name != plan.kept or not (root / name).exists():
                make_folder((root / name).parent)
                write(root / name, text)
                written.append(name)
        for file in _outdated(root, plan):
            file.unlink()
            removed.append(file.relative_to(root).as_posix())
    return WrittenFiles(written, removed)


def _check_all(root: Path, plans: Sequence[DbtPlan]) -> None:
    """Raise InputError for files of two plans, and for existing files that are not of the same release."""
    faults: list[Fault] = []
    owners: dict[str, str] = {}
    for plan in plans:
        for name in plan.files:
            file = root / name
            if (owner := owners.setdefault(name, plan.name)) != plan.name:
                what = f"belongs to {owner} and to {plan.name}; rename one of the releases"
                faults.append(Fault(str(file), what))
            if name == plan.kept and file.exists():
                continue
            try:
                if file.parent.is_dir():
                    check_writable(file, starts=_starts(name, plan.name))
            except InputError as error:
                faults += [Fault(str(file), fault.what) for fault in error.faults]
    if faults:
        raise InputError(str(root), faults)


def _outdated(root: Path, plan: DbtPlan) -> list[Path]:
    """List the files that an earlier plan of this release wrote, and that this plan does not write."""
    folders = [root / name for name in plan.folders if (root / name).is_dir()]
    now = {root / name for name in plan.files}
    others = [file for folder in folders for file in folder.iterdir() if file not in now]
    marks = [f"{mark}:".encode() for mark in marks_of(plan.name)]
    ours = [file for file in others if file.suffix in {".sql", ".yml"} and _has_mark(file, marks)]
    seeds = [file.with_suffix(".csv") for file in ours if file.suffix == ".yml"]
    return [*ours, *(seed for seed in seeds if seed in others)]


def _has_mark(file: Path, marks: Sequence[bytes]) -> bool:
    with file.open("rb") as lines:
        first = lines.readline()
    return any(mark in first for mark in marks)


def _starts(name: str, release: str) -> tuple[str, ...]:
    """List the texts with which an existing file may begin if it is to be replaced: those of our files."""
    if name.endswith(".plan.yml"):
        return (PLAN_START,)
    if name.endswith(".csv"):
        return ("value,level_1", "region,child")
    comment = "#" if name.endswith(".yml") else "{#"
    return tuple(f"{comment} {mark}:" for mark in marks_of(release))
