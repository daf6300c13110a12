"""The command line: reads arguments, prints results. Everything it does is in `flow/`.

Exit codes: 0 done, 1 an error in what was given, 2 usage, 3 infeasible or out of time, 4
verification failed.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

import kanon_sql
from kanon_sql.certificate.certificate import certificate_schema
from kanon_sql.cli.algorithms import algorithms
from kanon_sql.cli.certify import certify, verify
from kanon_sql.cli.compare import compare
from kanon_sql.cli.compile import compile_
from kanon_sql.cli.dbt import dbt, dbt_options, plan_in_dbt
from kanon_sql.cli.diff import diff
from kanon_sql.cli.explain import explain
from kanon_sql.cli.options import (
    SOURCE,
    Commands,
    engine_options,
    reported,
    search_options,
    steps_shown,
)
from kanon_sql.cli.plain import say, say_json
from kanon_sql.cli.show import (
    installed,
    show_engines,
    show_leftovers,
    show_plan,
    show_release,
    show_warnings,
)
from kanon_sql.cli.sqlmesh import sqlmesh
from kanon_sql.cli.write import PLAN_START, hold_free, write
from kanon_sql.engines.capabilities import ENGINES
from kanon_sql.getting_started.demo_run import run_demo
from kanon_sql.getting_started.first_policy import first_policy
from kanon_sql.policy.read_policy import policy_schema
from kanon_sql.recoding.new_rows.boundaries import beside_plan
from kanon_sql.run.inputs import relative_policy

if TYPE_CHECKING:
    from kanon_sql.cli.dbt import DbtChoice

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 120}


@click.group(cls=Commands, context_settings=SETTINGS)
@click.version_option(kanon_sql.__version__, prog_name="kanon-sql")
def main() -> None:
    """Anonymize tables inside the database that holds them.

    A policy says what is meant, a plan what will be done, a release is published only after a
    recount. Exit codes: 0 done, 1 an error in what was given, 2 usage, 3 infeasible or out of
    time, 4 verification failed.
    """


@main.command()
@click.argument("source", metavar="TABLE_OR_FILE")
@click.option("-o", "--output", default="policy.yml", help="Where to write it; - prints it.")
@click.option("--database", help="The DuckDB file that holds the table.")
@click.option("--replace", is_flag=True, help="Replace a policy that is there.")
@reported
def init(source: str, output: str, database: str | None, *, replace: bool) -> None:
    """Write a first policy for a table, with roles and hierarchies suggested from its data."""
    text = first_policy(source, database=database, beside=None if output == "-" else output)
    if output == "-":
        click.echo(text, nl=False)
        return
    path = Path(output)
    if not replace:
        hold_free(path, "is there already; --replace replaces it")
    write(path, text)
    say(f"wrote {output}: read every line of it, then: kanon-sql lint {output}")


@main.command()
@click.argument("policy")
@click.option("--source", help=SOURCE)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@engine_options
@reported
def lint(policy: str, source: str | None, *, as_json: bool, settings: kanon_sql.Settings) -> None:
    """Check a policy, its source and its hierarchies: all faults at once."""
    warnings = kanon_sql.lint(policy, source, settings=settings)
    if as_json:
        say_json({"status": "ok", "warnings": warnings})
        return
    for warning in warnings:
        say(f"warning: {warning}")
    many = "warning" if len(warnings) == 1 else "warnings"
    say(f"{policy}: no faults, {len(warnings)} {many}")


@main.command()
@click.argument("policy", required=False)
@click.option(
    "-o",
    "--output",
    help="The plan file, - prints it; by default the policy's name with .plan.yml.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--sql", is_flag=True, help="Print the release script; write no plan file.")
@click.option(
    "--resume",
    metavar="PLAN",
    help="Go on with the search of this plan, which its time limit ended (k_optimize).",
)
@click.option(
    "--portable",
    is_flag=True,
    help="Hash the source as every engine does, so that another one may apply the plan; takes another pass.",
)
@dbt_options
@search_options
@engine_options
@reported
def plan(
    policy: str | None,
    output: str | None,
    *,
    as_json: bool,
    sql: bool,
    resume: str | None,
    portable: bool,
    source: str | None,
    project: DbtChoice,
    said: dict[str, str | int],
    settings: kanon_sql.Settings,
) -> None:
    """Choose a recoding; reads only, and writes a plan file to review.

    What options say instead of the policy is part of the plan, and holds when it is carried out.
    With --dbt the policy is the `meta: {kanon: ...}` of a dbt project's models and columns, and the
    plan is written as files of the project: macro, model, hierarchies and tests.
    """
    if project.folder is not None:
        ignored = {
            "POLICY": policy,
            "-o": output,
            "--sql": sql,
            "--resume": resume,
            "--portable": portable or None,
            "--source": source,
        }
        plan_in_dbt(project, ignored, said, settings, as_json=as_json)
        return
    if policy is None:
        raise click.UsageError("Missing argument 'POLICY' (or --dbt PROJECT).")
    file = (
        output
        if output is not None
        else f"{policy.removesuffix('.yml').removesuffix('.yaml')}.plan.yml"
    )
    with steps_shown(quiet=as_json or sql, lines=True) as progress:
        made = kanon_sql.plan(
            policy,
            source,
            settings=settings,
            overrides=said,
            sides=None if sql or file == "-" else beside_plan(file),
            progress=progress,
            resume=resume,
            portable=portable,
        )
    if sql:
        show_warnings(made, err=True)
        click.echo(
            kanon_sql.compile_sql(made, policy=policy, source=source, settings=settings), nl=False
        )
        return
    text = made.named(relative_policy(policy, file)).to_yaml()
    if file == "-":
        show_warnings(made, err=True)
        click.echo(text, nl=False)
        return
    write(Path(file), text, over=PLAN_START)
    if as_json:
        say_json({**made.summary(), "plan": file})
        return
    show_plan(made)
    files = file if made.beside is None else f"{file} and {made.beside}"
    say(f"wrote {files}; carry it out with: kanon-sql apply {file}")
    if made.state is not None:
        say(f"to go on with the search, say the same again with: --resume {file}")


@main.command("apply")
@click.argument("plan_file", metavar="PLAN")
@click.option("--source", help=SOURCE)
@click.option(
    "--release",
    help="Release to this table, file or folder instead; its kind stays the policy's. "
    "A relative path starts from the current folder.",
)
@click.option("--replace", is_flag=True, help="Replace a release that is there.")
@click.option("--purge", is_flag=True, help="In place: remove what was dropped from the files too.")
@click.option(
    "--to-new-rows",
    is_flag=True,
    help="Recode other rows by the plan: what has no place in it is held back, and counted.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@engine_options
@reported
def apply_(
    plan_file: str,
    *,
    source: str | None,
    release: str | None,
    replace: bool,
    purge: bool,
    to_new_rows: bool,
    as_json: bool,
    settings: kanon_sql.Settings,
) -> None:
    """Carry out a plan: recode, recount, publish. Refused if what it was made from changed."""
    with steps_shown(quiet=as_json) as progress:
        made = kanon_sql.apply(
            plan_file,
            source,
            release=release,
            replace=replace,
            purge=purge,
            to_new_rows=to_new_rows,
            settings=settings,
            progress=progress,
            must_publish=True,
        )
    if not as_json:
        show_warnings(made.plan)
    show_release(made, as_json=as_json)


@main.command()
@click.argument("policy")
@click.option(
    "--release",
    help="Release to this table, file or folder instead; its kind stays the policy's. "
    "A relative path starts from the current folder.",
)
@click.option("--replace", is_flag=True, help="Replace a release that is there.")
@click.option("--purge", is_flag=True, help="In place: remove what was dropped from the files too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@search_options
@engine_options
@reported
def anonymize(
    policy: str,
    *,
    release: str | None,
    replace: bool,
    purge: bool,
    as_json: bool,
    source: str | None,
    said: dict[str, str | int],
    settings: kanon_sql.Settings,
) -> None:
    """Plan, recode, recount and publish in one run. Its twin that only prints: plan --sql."""
    with steps_shown(quiet=as_json, lines=True) as progress:
        made = kanon_sql.anonymize(
            policy,
            source,
            release=release,
            replace=replace,
            purge=purge,
            settings=settings,
            overrides=said,
            progress=progress,
            must_publish=True,
        )
    if not as_json:
        show_plan(made.plan)
    show_release(made, as_json=as_json)


main.add_command(algorithms)
main.add_command(compare)
main.add_command(dbt)
main.add_command(compile_)
main.add_command(sqlmesh)
main.add_command(diff)
main.add_command(explain)
main.add_command(certify)
main.add_command(verify)


@main.command()
@click.option(
    "--out",
    help="A folder to keep the sample, the policy and the release in; no other file is overwritten.",
)
@reported
def demo(out: str | None) -> None:
    """Anonymize an embedded sample and show what changed, with the SQL that ran."""
    run_demo(Console(), out)


@main.command()
@click.option(
    "--path", help="This folder, also of a store (s3://), instead of that of temporary files."
)
@click.option("--database", help="A database, for tables of views that are gone.")
@click.option("--schema", help="A schema of the database, instead of the one in use.")
@click.option(
    "--older-than",
    "hours",
    type=click.FloatRange(0),
    default=24,
    show_default=True,
    help="Hours since a run began, after which its tables in a database may go.",
)
@click.option("--force", is_flag=True, help="Folders without a lock, of older versions, too.")
@click.option("--dry-run", is_flag=True, help="Remove nothing, and say what would be.")
@click.option("--purge", is_flag=True, help="Write a database's files anew without dropped rows.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@reported
def clean(
    *,
    path: str | None,
    database: str | None,
    schema: str | None,
    hours: float,
    force: bool,
    dry_run: bool,
    purge: bool,
    as_json: bool,
) -> None:
    """Remove what killed runs left, which may hold rows; never anything of a run that lives."""
    found = kanon_sql.clean(
        path,
        database=database,
        schema=schema,
        older_than=hours * 3600,
        force=force,
        dry_run=dry_run,
        purge=purge,
    )
    show_leftovers(found, dry_run=dry_run, as_json=as_json)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def engines(*, as_json: bool) -> None:
    """List the databases that kanon-sql runs in, what is installed, and what each can do."""
    if as_json:
        listed = [{**asdict(facts), "installed": installed(facts.library)} for facts in ENGINES]
        say_json({"status": "ok", "engines": listed})
        return
    show_engines()


@main.command()
@click.option("--certificate", is_flag=True, help="That of certificate.json instead.")
def schema(*, certificate: bool) -> None:
    """Print the JSON Schema of a policy, for editors."""
    click.echo(json.dumps(certificate_schema() if certificate else policy_schema(), indent=2))
