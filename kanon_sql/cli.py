"""The command line: reads arguments, prints results. Everything it does is in `flow/`.

Exit codes: 0 done, 1 an error in what was given, 2 usage, 3 infeasible, 4 verification failed.
"""

from __future__ import annotations

import csv
import functools
import json
import os
import signal
import sys
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

import kanon_sql
from kanon_sql.engine.facts import ENGINES, TOLD
from kanon_sql.errors import (
    Fault,
    InfeasibleError,
    InputError,
    KanonError,
    StatementError,
    VerificationError,
)
from kanon_sql.flow.anonymize import relative_policy
from kanon_sql.flow.demo import run_demo
from kanon_sql.flow.profile import first_policy
from kanon_sql.flow.session import DEBUG
from kanon_sql.model.metric import METRICS
from kanon_sql.model.policy import Algorithm
from kanon_sql.model.schema import policy_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kanon_sql.flow.anonymize import Release
    from kanon_sql.flow.release import Verification
    from kanon_sql.model.plan import Plan

Command = TypeVar("Command", bound="Callable[..., None]")

STEPS = {
    "open": "reading the source",
    "hierarchies": "building hierarchies",
    "encode": "encoding the frequency set",
    "search": "searching the lattice",
    "fingerprint": "hashing the source",
    "recode": "recoding into staging",
    "verify": "recounting what was staged",
    "publish": "publishing",
}
PLAN_START = "kanon_sql_plan:"
EXIT_CODES: tuple[tuple[type[KanonError], int], ...] = (
    (InfeasibleError, 3),
    (VerificationError, 4),
    (KanonError, 1),
)


def _reported(command: Command) -> Command:
    """Turn every error into one message and its exit code, as JSON where JSON was asked for."""

    @functools.wraps(command)
    def run(*args: object, **kwargs: object) -> None:
        try:
            # Ended from outside is ended as by Ctrl-C: staging and spill folders are taken away.
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            command(*args, **kwargs)
        except KeyboardInterrupt:
            _say_error("interrupted; nothing was published", as_json=bool(kwargs.get("as_json")))
            sys.exit(130)
        except KanonError as error:
            code = next(code for kind, code in EXIT_CODES if isinstance(error, kind))
            _report(error, as_json=bool(kwargs.get("as_json")))
            sys.exit(code)

    return run  # type: ignore[return-value]


def _report(error: KanonError, *, as_json: bool) -> None:
    if as_json:
        status = {3: "infeasible", 4: "failed"}.get(
            next(code for kind, code in EXIT_CODES if isinstance(error, kind)), "error"
        )
        told: dict[str, object] = {"status": status, "error": str(error)}
        if isinstance(error, InputError):
            told["faults"] = [
                {"where": f.where, "what": f.what, "line": f.line} for f in error.faults
            ]
        click.echo(json.dumps(told, ensure_ascii=False))
    _say_error(str(error), as_json=False)
    refused: BaseException | None = error
    while refused is not None and not isinstance(refused, StatementError):
        refused = refused.__cause__
    if refused is not None and os.environ.get(DEBUG):
        click.echo(f"{refused.sql}\n{refused.cause}", err=True)


def _say_error(text: str, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"status": "error", "error": text}, ensure_ascii=False))
    click.echo(f"error: {text}", err=True)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Show the running step on a terminal; say nothing when piped."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    with console.status("starting") as status:
        yield lambda step: status.update(STEPS.get(step, step))


def _engine_options(command: Command) -> Command:
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


def _search_options(command: Command) -> Command:
    for option in (
        click.option("--source", help="Read this path, glob or table instead."),
        click.option("-k", type=int, help="k instead of the policy's."),
        click.option("--suppression", help="MaxSup instead of the policy's: rows, or 4%."),
        click.option("--algorithm", type=click.Choice([a.value for a in Algorithm])),
        click.option("--metric", type=click.Choice(METRICS)),
    ):
        command = option(command)
    return command


def _overrides(**given: str | int | None) -> dict[str, str | int]:
    return {name: value for name, value in given.items() if value is not None}


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(kanon_sql.__version__, prog_name="kanon-sql")
def main() -> None:
    """Anonymize tables inside the database that holds them.

    A policy says what is meant, a plan what will be done, a release is published only after a
    recount. Exit codes: 0 done, 1 an error in what was given, 2 usage, 3 infeasible,
    4 verification failed.
    """


@main.command()
@click.argument("source", metavar="TABLE_OR_FILE")
@click.option("-o", "--output", default="policy.yml", help="Where to write it; - prints it.")
@click.option("--database", help="The DuckDB file that holds the table.")
@click.option("--replace", is_flag=True, help="Replace a policy that is there.")
@_reported
def init(source: str, output: str, database: str | None, *, replace: bool) -> None:
    """Write a first policy for a table, with roles and hierarchies suggested from its data."""
    text = first_policy(source, database=database, beside=None if output == "-" else output)
    if output == "-":
        click.echo(text, nl=False)
        return
    path = Path(output)
    if path.exists() and not replace:
        raise InputError(output, [Fault("", "is there already; --replace replaces it")])
    _write(path, text)
    click.echo(f"wrote {output}: read every line of it, then: kanon-sql lint {output}")


@main.command()
@click.argument("policy")
@click.option("--source", help="Read this path, glob or table instead.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@_engine_options
@_reported
def lint(policy: str, source: str | None, *, as_json: bool, settings: kanon_sql.Settings) -> None:
    """Check a policy, its source and its hierarchies: all faults at once."""
    warnings = kanon_sql.lint(policy, source, settings=settings)
    if as_json:
        click.echo(json.dumps({"status": "ok", "warnings": warnings}, ensure_ascii=False))
        return
    for warning in warnings:
        click.echo(f"warning: {warning}")
    many = "warning" if len(warnings) == 1 else "warnings"
    click.echo(f"{policy}: no faults, {len(warnings)} {many}")


@main.command()
@click.argument("policy")
@click.option(
    "-o",
    "--output",
    help="The plan file, - prints it; by default the policy's name with .plan.yml.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--sql", is_flag=True, help="Print the release script; write no plan file.")
@_search_options
@_engine_options
@_reported
def plan(
    policy: str,
    output: str | None,
    *,
    as_json: bool,
    sql: bool,
    source: str | None,
    k: int | None,
    suppression: str | None,
    algorithm: str | None,
    metric: str | None,
    settings: kanon_sql.Settings,
) -> None:
    """Choose a recoding; reads only, and writes a plan file to review."""
    given = _overrides(k=k, suppression=suppression, algorithm=algorithm, metric=metric)
    file = (
        output
        if output is not None
        else f"{policy.removesuffix('.yml').removesuffix('.yaml')}.plan.yml"
    )
    with _progress(quiet=as_json or sql) as progress:
        made = kanon_sql.plan(policy, source, settings=settings, overrides=given, progress=progress)
    if sql:
        click.echo(
            kanon_sql.compile_sql(made, policy=policy, source=source, settings=settings), nl=False
        )
        return
    text = made.named(relative_policy(policy, file)).to_yaml()
    if file == "-":
        click.echo(text, nl=False)
        return
    _write(Path(file), text, over=PLAN_START)
    if as_json:
        click.echo(json.dumps({**made.summary(), "plan": file}, ensure_ascii=False))
        return
    _show_plan(made)
    click.echo(f"wrote {file}; carry it out with: kanon-sql apply {file}")


@main.command("apply")
@click.argument("plan_file", metavar="PLAN")
@click.option("--source", help="Read this path, glob or table instead.")
@click.option("--release", help="Release to this table or file instead of the policy's.")
@click.option("--replace", is_flag=True, help="Replace a release that is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@_engine_options
@_reported
def apply_(
    plan_file: str,
    *,
    source: str | None,
    release: str | None,
    replace: bool,
    as_json: bool,
    settings: kanon_sql.Settings,
) -> None:
    """Carry out a plan: recode, recount, publish. Refused if what it was made from changed."""
    with _progress(quiet=as_json) as progress:
        made = kanon_sql.apply(
            plan_file,
            source,
            release=release,
            replace=replace,
            settings=settings,
            progress=progress,
            must_publish=True,
        )
    _show_release(made, as_json=as_json)


@main.command()
@click.argument("policy")
@click.option("--release", help="Release to this table or file instead of the policy's.")
@click.option("--replace", is_flag=True, help="Replace a release that is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@_search_options
@_engine_options
@_reported
def anonymize(
    policy: str,
    *,
    release: str | None,
    replace: bool,
    as_json: bool,
    source: str | None,
    k: int | None,
    suppression: str | None,
    algorithm: str | None,
    metric: str | None,
    settings: kanon_sql.Settings,
) -> None:
    """Plan, recode, recount and publish in one run. Its twin that only prints: plan --sql."""
    with _progress(quiet=as_json) as progress:
        made = kanon_sql.anonymize(
            policy,
            source,
            release=release,
            replace=replace,
            settings=settings,
            overrides=_overrides(k=k, suppression=suppression, algorithm=algorithm, metric=metric),
            progress=progress,
            must_publish=True,
        )
    if not as_json:
        _show_plan(made.plan)
    _show_release(made, as_json=as_json)


@main.command("compile")
@click.argument("plan_file", metavar="PLAN")
@click.option("--source", help="Read this path, glob or table instead.")
@_reported
def compile_(plan_file: str, source: str | None) -> None:
    """Print the release as a SQL script that runs by itself in the database's own shell."""
    click.echo(kanon_sql.compile_sql(plan_file, source=source), nl=False)


@main.command()
@click.argument("table", metavar="TABLE_OR_FILE")
@click.option("--qi", required=True, help="The quasi-identifiers, separated by commas.")
@click.option("-k", required=True, type=int, help="Entities that every class must hold.")
@click.option("--entity", help="The column whose distinct values are counted, instead of rows.")
@click.option("--distinct-l", "distinct", multiple=True, metavar="COLUMN=L")
@click.option("--database", help="The DuckDB file, or the address, that holds the table.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@_engine_options
@_reported
def verify(
    table: str,
    *,
    qi: str,
    k: int,
    entity: str | None,
    distinct: tuple[str, ...],
    database: str | None,
    as_json: bool,
    settings: kanon_sql.Settings,
) -> None:
    """Recount any table from its own rows, by the columns and bounds given."""
    least = _diversities(distinct)
    found = kanon_sql.verify(
        table,
        qi=next(iter_csv(qi), []),
        k=k,
        entity=entity,
        distinct_l=least,
        database=database,
        settings=settings,
    )
    if as_json:
        click.echo(json.dumps(found.summary(), ensure_ascii=False))
    else:
        verdict = "PASS" if found.passed else "FAIL"
        click.echo(f"{verdict}: {_told(found)}; {_bounds(found, k, least)}")
    if not found.passed:
        sys.exit(4)


@main.command()
@click.option("--out", help="A folder to keep the sample, the policy and the release in.")
@_reported
def demo(out: str | None) -> None:
    """Anonymize an embedded sample and show what changed, with the SQL that ran."""
    run_demo(Console(), out)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def engines(*, as_json: bool) -> None:
    """List the databases that kanon-sql runs in, whether they can be reached, and what each can do."""
    if as_json:
        told = [{**asdict(facts), "installed": _installed(facts.library)} for facts in ENGINES]
        click.echo(json.dumps(told))
        return
    table = Table()
    table.add_column("engine")
    for facts in ENGINES:
        table.add_column(facts.name)
    table.add_row(
        "installed",
        *(
            _installed(each.library) or f"no: pip install 'kanon-sql[{each.extra}]'"
            for each in ENGINES
        ),
    )
    for field, words in TOLD.items():
        table.add_row(words, *(_fact(getattr(each, field)) for each in ENGINES))
    Console().print(table)


def _installed(library: str) -> str | None:
    """Give the version of an engine's library, without importing it."""
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return None


def _fact(value: object) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case None:
            return "any"
        case _:
            return str(value)


@main.command()
def schema() -> None:
    """Print the JSON Schema of a policy, for editors."""
    click.echo(json.dumps(policy_schema(), indent=2))


def _told(found: Verification) -> str:
    return f"{found.rows} rows in {found.classes} classes, the smallest has {found.smallest_class}"


def _bounds(found: Verification, k: int, least: dict[str, int]) -> str:
    """Say what each bound asked, what was found, and how many classes fall short of any."""
    if found.rows == 0:
        return "a table without rows passes nothing"
    spread = [
        f"the least diverse has {count} distinct {name}, l is {least[name]}"
        for name, count in found.distinct.items()
    ]
    short = f"{found.short_classes} classes fall short"
    return "; ".join([f"k is {k}", *spread, short])


def iter_csv(text: str) -> Iterator[list[str]]:
    """Read comma-separated names; double quotes keep a comma in a name."""
    try:
        yield from csv.reader([text], skipinitialspace=True)
    except csv.Error as error:
        what = "is no list of names separated by commas"
        raise InputError("--qi", [Fault("", what)]) from error


def _diversities(given: tuple[str, ...]) -> dict[str, int]:
    found = {}
    for each in given:
        column, _, least = each.rpartition("=")
        if not column or not least.isdecimal():
            raise click.UsageError("--distinct-l takes COLUMN=L, such as disease=3")
        found[column] = int(least)
    return found


def _write(path: Path, text: str, *, over: str | None = None) -> None:
    """Write a small file whole or not at all; what is there is replaced only if it begins so."""
    try:
        if over is not None and path.exists() and not path.read_bytes().startswith(over.encode()):
            what = "is there already and is something else; give another name"
            raise InputError(str(path), [Fault("", what)])
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            beside.write_text(text, encoding="utf-8")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        what = f"cannot be written ({os.strerror(error.errno or 0)})"
        raise InputError(str(path), [Fault("", what)]) from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(str(path), [Fault("", "is no name of a file")]) from error


def _show_plan(made: Plan) -> None:
    click.echo("Recoding")
    table = Table()
    table.add_column("quasi-identifier")
    table.add_column("level", justify="right")
    for name, level in made.levels.items():
        table.add_row(Text(name), f"{level} of {made.heights[name]}")
    console = Console()
    console.print(table)
    proven = "proven optimal" if made.optimal else "not proven optimal"
    cost = ", ".join(f"{part:.6g}" for part in made.cost)
    share = made.suppressed_rows / made.source_rows
    click.echo(
        f"{' and '.join(made.privacy)}: {made.classes} classes, the smallest has "
        f"{made.smallest_class}\n"
        f"{made.suppressed_rows} of {made.source_rows} rows suppressed ({share:.2%}; "
        f"{made.max_suppressed} allowed)\n"
        f"{made.metric} {cost}, {proven} by {made.algorithm}: {made.checks} checks in a lattice "
        f"of {made.lattice_nodes} nodes"
    )
    for warning in made.warnings:
        click.echo(f"warning: {warning}")


def _show_release(made: Release, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(made.summary(), ensure_ascii=False))
        return
    found = made.verification
    place = "" if made.place is None else _shown(made.place)
    seconds = sum(made.seconds.values())
    click.echo(f"verified: {_told(found)}\nreleased to {place} in {seconds:.2f} s")


def _shown(place: str) -> str:
    """Give a path below the current folder as it would be typed there."""
    path = Path(place)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else place
