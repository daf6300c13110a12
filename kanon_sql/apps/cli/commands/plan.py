"""`kanon-sql plan`: the choice of a recoding, written to a file for review."""

from __future__ import annotations

from pathlib import Path

import click

import kanon_sql
from kanon_sql.apps.cli import options, schema_of_tables
from kanon_sql.apps.cli.console import print_json, print_line, print_warnings, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_results import print_examples, print_plan, without_rows
from kanon_sql.apps.cli.write import PLAN_START, check_writable, write
from kanon_sql.counting.plans.plan import boundaries_beside
from kanon_sql.counting.run.inputs import relative_policy
from kanon_sql.policy.read_policy import is_schema_policy


@click.command("plan", cls=Command)
@click.argument("policy")
@options.option(
    "-o, --output FILE",
    "Plan file; - prints it. By default the policy's name with .plan.yml.",
)
@options.json
@options.option("--sql", "Print the release as a SQL script; write no plan file.")
@options.option(
    "--resume [PLAN]",
    "Continue a plan's search that its time limit ended (k_optimize), or a killed run (Spark with spark.checkpoint.dir).",
    is_flag=False,
    flag_value="",
)
@options.option(
    "--portable",
    "Let another database apply the plan; reads the source once more.",
)
@options.option(
    "--frequency-set TABLE_OR_FILE",
    "Plan from what a warehouse counted by kanon-sql frequency-query.",
)
@options.no_rows
@options.source
@options.search
@options.engine
def command(
    policy: str,
    output: str | None,
    *,
    as_json: bool,
    sql: bool,
    no_rows: bool,
    source: str | None,
    frequency_set: str | None,
    resume: str | None,
    settings: kanon_sql.Settings,
    **values: options.Values,
) -> None:
    """Choose a recoding and write it to a plan file for review.

    Reads only. Options that replace entries of the policy are written to the plan.
    """
    if is_schema_policy(policy):
        schema_of_tables.plan(policy, output, settings, as_json=as_json)
        return
    name = policy.removesuffix(".yml").removesuffix(".yaml")
    file = f"{name}.plan.yml" if output is None else output
    if not sql and file != "-":
        check_writable(Path(file), starts=(PLAN_START,))  # before a search, and boundaries beside
    with show_progress(improvements=not (as_json or sql)) as progress:
        plan = kanon_sql.plan(
            policy,
            source,
            settings=settings,
            boundaries=None if sql or file == "-" else boundaries_beside(file),
            progress=progress,
            frequency_set=frequency_set,
            resume=False if resume is None else resume or True,
            examples=not (as_json or sql or file == "-" or frequency_set is not None),
            **values,
        )
    if sql:
        print_warnings(plan.warnings, error=True)
        script = kanon_sql.compile_sql(plan, policy=policy, source=source, settings=settings)
        click.echo(script, nl=False)
        return
    text = plan.named(relative_policy(policy, file)).to_yaml()
    if file == "-":
        print_warnings(plan.warnings, error=True)
        click.echo(text, nl=False)
        return
    replaced = Path(file).exists()
    write(Path(file), text, start=PLAN_START)
    if as_json:
        print_json({**plan.summary(), "plan": file, "replaced": replaced})
        return
    shown = without_rows(plan) if no_rows else plan
    print_plan(shown)
    print_examples(shown)
    files = " and ".join(each for each in (file, plan.beside, plan.cut_file) if each is not None)
    then = f"apply it with: kanon-sql apply {file}"
    if frequency_set is not None:
        then = f"print its release with: kanon-sql compile {file} --dialect DIALECT"
    did = "replaced the earlier plan in" if replaced else "wrote"
    print_line(f"{did} {files}; {then}")
    if plan.state is not None:
        print_line(f"to continue the search, run the same command with: --resume {file}")
