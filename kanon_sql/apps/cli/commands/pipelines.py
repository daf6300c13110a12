"""The commands for pipelines and warehouses: `compile`, `dbt`, `series`, `sqlmesh`, `macros` and `frequency-query`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps import scripts
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.commands.check import START as PAGE_START
from kanon_sql.apps.cli.commands.check import print_certificate
from kanon_sql.apps.cli.console import (
    CommandGroup,
    print_json,
    print_line,
    print_table,
    print_wrapped,
    show_progress,
)
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
from kanon_sql.apps.dbt.plan_models import example, package_path, propose_meta, read_requests
from kanon_sql.apps.scripts import DIALECTS, MARK, macros
from kanon_sql.base.documents.text import counted, joined
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.errors import Fault, InputError, VerificationError
from kanon_sql.evidence.explanation.plan_diff import code
from kanon_sql.release.script_entries import Bring
from kanon_sql.release.series.series_status import (
    end_series,
    series_status,
    simulate_series,
    verify_series,
)
from kanon_sql.release.warehouse_sql import COUNTING, OWN, WAREHOUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.apps.dbt.check_project import DbtChecked
    from kanon_sql.apps.dbt.plan_models import DbtPlan


@click.command("compile", cls=Command)
@click.argument("plan")
@options.source
@options.option(
    "--dialect DIALECT",
    f"Database of the script, if not the policy's: {', '.join(OWN)}; or, not tested on these databases, "
    f"{', '.join(WAREHOUSES)}.",
)
@options.option(
    "--hierarchies",
    "Entries of hierarchies inline, or read from tables; in DuckDB by default from files.",
    type=click.Choice([each.value for each in Bring]),
)
@options.option("--table TABLE", "Source table in the script, if it is not the policy's.")
@options.option("--release TABLE", "Table that the script creates, if it is not the policy's.")
@options.option(
    "--sqlmesh MODEL", "Print this SQLMesh model, with its audits, instead of a script."
)
@options.option(
    "-o, --output FILE",
    "With --sqlmesh: file to write; an existing model of kanon-sql is replaced.",
)
@options.json
@options.engine
def compile_command(
    *, sqlmesh: str | None, output: str | None, as_json: bool, **values: options.Values
) -> None:
    """Print a plan as a SQL script, or as a model of SQLMesh.

    The script needs only its database's shell: it recodes, recounts and publishes.
    """
    if output is not None:
        if sqlmesh is None:
            raise click.UsageError("-o goes with --sqlmesh; a script is printed.")
        check_writable(Path(output), starts=(MARK,))
    with show_progress("reading the plan and its hierarchies"):
        text = kanon_sql.compile_sql(sqlmesh=sqlmesh, **values)
    if output is not None:
        write(Path(output), text, start=MARK)
    if as_json:
        print_json({"status": "ok", "sql": text, "file": output})
    elif output is None:
        click.echo(text, nl=False)
    else:
        print_line(f"wrote {output}")


@click.group("dbt", cls=CommandGroup)
def dbt_command() -> None:
    """Plan and check the releases of a dbt project."""


@dbt_command.command("path", cls=Command)
@options.json
def print_path(*, as_json: bool) -> None:
    """Print the folder for packages.yml."""
    if as_json:
        print_json({"status": "ok", "folder": package_path()})
        return
    click.echo(package_path())


@dbt_command.command("example", cls=Command)
@click.argument("folder")
@options.json
def write_dbt_project(folder: str, *, as_json: bool) -> None:
    """Write a small dbt project in DuckDB, to try."""
    write_example(Path(folder), example())
    if as_json:
        print_json({"status": "ok", "folder": folder})
        return
    print_line(f"wrote a dbt project to {folder}; continue there with: dbt deps")


@dbt_command.command("init", cls=Command)
@click.argument("model")
@click.argument("project", default=".")
@options.option("--target NAME", "Target of the profile; by default the profile's.")
@options.option("--profiles-dir FOLDER", "Folder of profiles.yml; by default as dbt finds it.")
@options.json
def init_model(model: str, *, project: str, as_json: bool, **values: options.Values) -> None:
    """Print a first policy for a model, as meta."""
    with show_progress("reading the model"):
        text = propose_meta(project, model, kanon_sql.suggest, **values)
    if as_json:
        print_json({"status": "ok", "meta": text})
        return
    click.echo(text, nl=False)


@dbt_command.command("plan", cls=Command)
@click.argument("project", default=".")
@options.json
@options.dbt_target
@options.search
@options.engine
def plan_project(project: str, *, as_json: bool, **values: options.Values) -> None:
    """Plan in the project's warehouse, and write the files of each plan.

    Policies are the `meta` of models and columns.
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
    said = set[str]()
    for each in plans:
        print_line(f"{each.name}:")
        print_plan(each.plan)
        for note in each.notes:
            if note not in said:
                print_line(note)
            said.add(note)
    for name in files.written:
        print_line(f"wrote {name}")
    print_line("read and commit these files; then run: dbt build && kanon-sql dbt certify")
    print_line(
        "in CI run: dbt build && kanon-sql dbt check (a build does not see a changed policy)"
    )
    for name in files.removed:
        print_line(f"removed {name}")
    plain = {folder for each in plans for folder in each.folders[-2:]}  # of macros and tests
    removed = [Path(name) for name in files.removed]
    gone = {
        each.stem
        for each in removed
        if each.suffix in {".sql", ".csv"} and each.parent.as_posix() not in plain
    }
    if left := sorted(gone - {Path(name).stem for name in files.written}):
        print_line(
            f"dbt keeps the tables and views of removed files, and hierarchies hold raw values: drop {joined(left)} where "
            f"they were built"
        )


@dbt_command.command("keys", cls=Command)
@click.argument("project", default=".")
@options.dbt_target
@options.option("--forget", "Remove the keys from the warehouse instead.")
@options.json
def keep_keys(project: str, *, forget: bool, as_json: bool, **values: options.Values) -> None:
    """Put the keys of pseudonyms where a build reads them.

    They come from the environment, into a table of its owner.
    """
    with show_progress("reading the keys"):
        names = kanon_sql.keep_dbt_keys(project, forget=forget, **values)
    if as_json:
        print_json({"status": "ok", "releases": list(names), "forgotten": forget})
        return
    for name in names:
        print_line(f"{name} has {'no keys now' if forget else 'the keys'}")


@dbt_command.command("check", cls=Command)
@click.argument("project", default=".")
@options.dbt_target
@options.json
@options.option("--markdown", "Print Markdown, for a pull request.")
@options.engine
def check_project(*, as_json: bool, markdown: bool, **values: options.Values) -> None:
    """Check whether the committed plans still fit the data, for CI.

    Exits with 4 if one does not.
    """
    with show_progress() as progress:
        checked = kanon_sql.check_dbt(progress=progress, **values)
    if as_json:
        status = "ok" if all(each.fits for each in checked) else VerificationError.status
        print_json({"status": status, "plans": [each.document() for each in checked]})
    else:
        for each in checked:
            _print_checked(each, markdown=markdown)
            if markdown and each.chosen is not None and each.fresh is not None:
                changes = kanon_sql.diff(each.chosen, each.fresh)
                if not changes.same:
                    click.echo(f"\n{changes.markdown}")
    if not all(each.fits for each in checked):
        sys.exit(4)


@dbt_command.command("certify", cls=Command)
@click.argument("project", default=".")
@options.option("-o, --output FOLDER", "Folder; by default kanon.", name="folder")
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
        if each.report is None:
            pages[each.name] = Path(each.folder) / "report.html"
        else:
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
        if each.report is None:
            print_wrapped(
                "later rows were loaded: the certificate is that of the first load, and tests of dbt build count the whole table"
            )
        elif each.report.recounted is not None:
            print_wrapped(
                f"{each.report.recounted} counted the people of each class in the source, and k of them in each; "
                "certificate.json names it, and says UNCHECKED, as who gets it cannot count them again"
            )
        print_line(f"wrote {each.folder} and {pages[each.name]}")


def _print_checked(checked: DbtChecked, *, markdown: bool) -> None:
    """Print whether a plan fits, why not, and what a new plan would change: a heading and a list, if in Markdown."""
    verdict = "fits" if checked.fits else "DOES NOT FIT"
    if markdown:
        print_line(f"## {code(checked.name)}: {verdict}")
        print_line()
    else:
        print_line(f"{verdict}: {checked.name}")
    for line in checked.lines():
        print_line(f"{'- ' if markdown else '  '}{line}")


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


@click.group("series", cls=CommandGroup)
def series_command() -> None:
    """Show, simulate, recount and end a series of releases."""


@series_command.command("status", cls=Command)
@click.argument("policy")
@options.json
@options.engine
def print_status(policy: str, *, as_json: bool, **values: options.Values) -> None:
    """Print what a series shows, withholds and still shows."""
    with show_progress("reading the ledger"):
        found = series_status(policy, **values)
    if as_json:
        print_json({"status": "ok", **asdict(found), "shown_share": found.shown_share})
        return
    ended = "; the series has ended" if found.ended else ""
    print_line(f"{counted(found.releases, 'release')}, the last at {found.released_at}{ended}")
    print_line(f"rule: {found.rule}")
    print_line(
        f"shown: {counted(found.shown, 'row')}; {found.shown_share:.1%} of the source's rows are shown"
    )
    since = "" if found.withheld_since is None else f", the oldest since {found.withheld_since}"
    print_line(
        f"withheld: {counted(found.withheld, 'row')}, until enough new ones of the class come{since}"
    )
    since = "" if found.waiting_since is None else f", the oldest since {found.waiting_since}"
    print_line(f"waiting to leave: {counted(found.waiting, 'deleted row')}, still shown{since}")
    if found.outside:
        print_line(f"outside the plan's recoding: {counted(found.outside, 'row')}")


@series_command.command("verify", cls=Command)
@click.argument("policy")
@options.option("--sql", "Print the statement instead.")
@options.json
@options.engine
def verify_ledger(policy: str, *, sql: bool, as_json: bool, **values: options.Values) -> None:
    """Recount a series by its ledger, without a key. Exits with 4 if it falls short."""
    with show_progress("recounting the ledger"):
        found = verify_series(policy, **values)
    if as_json:
        status = "ok" if found.passed else VerificationError.status
        print_json({"status": status, **asdict(found)})
    elif sql:
        click.echo(found.sql, nl=False)
        return
    else:
        print_line(
            f"{'PASS' if found.passed else 'FAIL'}: {found.short_cells:,} of {counted(found.cells, 'cell')} fall short of the "
            f"policy; {counted(found.rows, 'row')}, the smallest cell has {found.smallest_cell:,}"
        )
    if not found.passed:
        sys.exit(4)


@series_command.command("simulate", cls=Command)
@click.argument("policy")
@options.option(
    "--releases N", "Number of releases to simulate.", type=int, default=10, show_default=True
)
@options.json
@options.engine
def simulate(policy: str, *, releases: int, as_json: bool, **values: options.Values) -> None:
    """Show what the next releases would show at today's rates.

    Rates are means of the last 10 releases. Writes nothing.
    """
    with show_progress("simulating releases"):
        found = simulate_series(policy, releases=releases, **values)
    rates = found.rates
    if as_json:
        shown = [{key: getattr(each, key) for key in SIMULATED} for each in found.releases]
        print_json({"status": "ok", "rates": asdict(rates), "releases": shown})
        return
    last = found.releases[0].number - 1
    print_line(
        f"at the rates of releases {last - rates.releases:,} to {last:,}: {counted(rates.new_rows, 'new row')} and "
        f"{counted(rates.deleted_rows, 'deleted row')} from one to the next, every {timedelta(seconds=round(rates.seconds))}"
    )
    columns = [
        "release",
        "shown",
        "of source",
        "appear",
        "leave",
        "companions",
        "withheld",
        "waiting",
    ]
    rows = [
        [
            f"{each.number:,}",
            f"{each.shown:,}",
            f"{each.shown_share:.1%}",
            *(
                f"{n:,}"
                for n in (each.born, each.left, each.withdrawn, each.withheld, each.waiting)
            ),
        ]
        for each in found.releases
    ]
    print_table(dict.fromkeys(columns, "right"), rows, borders=False)
    print_line(
        "companions are living rows that leave with deleted ones; withheld rows are not shown yet, waiting ones still"
    )


SIMULATED = ("number", "shown", "born", "left", "withdrawn", "withheld", "waiting", "shown_share")


@series_command.command("end", cls=Command)
@click.argument("policy")
@options.json
@options.engine
def end(policy: str, *, as_json: bool, **values: options.Values) -> None:
    """End a series: its ledger takes no further release."""
    with show_progress("ending the series"):
        releases = end_series(policy, **values)
    if as_json:
        print_json({"status": "ok", "releases": releases})
        return
    print_line(
        f"the series has ended with release {releases:,}; a new one takes another ledger and release, and is safe "
        f"beside this one only if its people are others"
    )


@click.group("sqlmesh", cls=CommandGroup)
def sqlmesh_command() -> None:
    """Print audits for SQLMesh, or write an example project.

    The models themselves are written by `compile --sqlmesh`.
    """


@sqlmesh_command.command("audits", cls=Command)
@options.json
def print_audits(*, as_json: bool) -> None:
    """Print the audits, for the file audits/kanon.sql of a project."""
    if as_json:
        print_json({"status": "ok", "sql": scripts.audits_file()})
        return
    click.echo(scripts.audits_file(), nl=False)


@sqlmesh_command.command("example", cls=Command)
@click.argument("folder")
@options.json
def write_sqlmesh_project(folder: str, *, as_json: bool) -> None:
    """Write a small SQLMesh project in DuckDB, to try."""
    write_example(Path(folder), scripts.example())
    if as_json:
        print_json({"status": "ok", "folder": folder})
        return
    print_line(f"wrote a SQLMesh project to {folder}; continue there with: sqlmesh plan")


@click.command("macros", cls=Command)
@click.argument("plan", required=False)
@options.option(
    "--dialect",
    "Database that loads them.",
    type=click.Choice(DIALECTS),
    default=DIALECTS[0],
    show_default=True,
)
@options.json
@options.engine
def macros_command(
    plan: str | None, *, dialect: str, as_json: bool, settings: options.Values
) -> None:
    """Print SQL macros that check a table, and apply a plan.

    For a database's own shell: kanon_k, kanon_check, kanon_risk; of a plan, kanon_apply.
    """
    with show_progress("reading the plan and its hierarchies"):
        text = macros(dialect, plan, settings)
    if as_json:
        print_json({"status": "ok", "sql": text})
        return
    click.echo(text, nl=False)


@click.command("frequency-query", cls=Command)
@click.argument("policy")
@options.option(
    "--dialect DIALECT",
    f"Database of the query: {', '.join(COUNTING)}.",
    required=True,
)
@options.option("--table TABLE", "Table that the query reads, if it is not the policy's.")
@options.json
def frequency_query_command(policy: str, *, dialect: str, table: str | None, as_json: bool) -> None:
    """Print the query by which a warehouse counts for a plan.

    Export its result, and plan from it by plan --frequency-set. It has values of the source: keep it as the
    source is kept.
    """
    query = f"{kanon_sql.frequency_query(policy, dialect=dialect, table=table)};"
    if as_json:
        print_json({"status": "ok", "sql": query})
        return
    click.echo(query)
