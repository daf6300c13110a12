"""The commands that release: `plan`, `apply`, `anonymize` and `labels`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options, schema_of_tables
from kanon_sql.apps.cli.console import print_json, print_line, print_warnings, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_results import (
    after_release,
    from_here,
    print_body,
    print_examples,
    print_plan,
    print_recoding,
    print_release,
    print_risk,
    print_simple_counts,
    without_rows,
)
from kanon_sql.apps.cli.write import PLAN_START, check_free, check_writable, write
from kanon_sql.base.documents.text import counted, joined
from kanon_sql.counting.plans.plan import boundaries_beside
from kanon_sql.counting.run.inputs import chosen_destination, relative_policy
from kanon_sql.counting.run.session import SearchInterrupted, on_disk, resolve
from kanon_sql.engines.files.file_kinds import kind_of_file
from kanon_sql.engines.locations import FILE_ENDINGS, source_from_text
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.read_policy import is_schema_policy
from kanon_sql.release.added_rows import SeriesRows

if TYPE_CHECKING:
    from kanon_sql.apps.python.plan_recoding import Release
    from kanon_sql.counting.plans.plan import Plan


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
    "Plan from the counts that a warehouse made by kanon-sql frequency-query.",
)
@options.no_rows
@options.source
@options.search
@options.engine
def plan_command(
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
    if plan.warnings:
        then = f"answer its warnings, then {then}"
    if frequency_set is not None:
        then = f"print its release with: kanon-sql compile {file} --dialect DIALECT"
    did = "replaced the earlier plan in" if replaced else "wrote"
    if plan.lattice_nodes is not None and frequency_set is None:
        print_line(f"what keeps each column from finer labels: kanon-sql explain {file}")
    print_line(f"{did} {files}; {then}")
    if plan.state is not None:
        print_line(f"to continue the search, run the same command with: --resume {file}")


@click.command("apply", cls=Command)
@click.argument("plan")
@options.source
@options.release
@options.replace_release
@options.purge
@options.option(
    "--to-new-rows",
    "Recode other rows; those that the recoding does not cover are withheld and counted.",
)
@options.option(
    "--partition COLUMN=VALUE",
    "Add this partition to the released folder; once for each of its columns.",
    multiple=True,
)
@options.json
@options.no_rows
@options.engine
def apply_command(
    *, as_json: bool, no_rows: bool, partition: tuple[str, ...], **values: options.Values
) -> None:
    """Write the release of a plan, if a recount confirms it.

    A plan is refused if its policy, hierarchies or source changed since.
    """
    if schema_of_tables.is_schema_plan(values["plan"]):
        settings, replace = values["settings"], values["replace"]
        schema_of_tables.apply(values["plan"], settings, replace=replace, as_json=as_json)
        return
    releases: list[Release] = []
    with after_release(releases):
        with show_progress() as progress:
            published = kanon_sql.apply(
                **values,
                partition=_values(partition) if partition else None,
                progress=progress,
                must_publish=True,
                examples=not as_json,
            )
            releases.append(published)
        if as_json:
            print_json(published.summary())
            return
        print_release(published)
        of_series = isinstance(published.new, SeriesRows)
        of_plan = not (values["to_new_rows"] or partition or of_series)
        made = without_rows(published.plan) if no_rows else published.plan
        if of_plan:
            print_recoding(made)
            print_risk(made)
            print_simple_counts(made)
        print_warnings(made.warnings)
        print_examples(made, published.verification.classes)
        if published.place is None:
            return
        place, plan = from_here(published.place), values["plan"]
        if of_plan and published.labelled:
            of = f"{joined(published.labelled)}: kanon-sql labels {place} --plan {plan} -o labels.csv"
            print_line(
                f"for counts of ranges or groups of your own, write a table of the labels of {of}"
            )
        if of_plan and _has_certificate(published.place):
            print_line(f"certify it with: kanon-sql certify {place} --plan {plan}")


def _has_certificate(place: str) -> bool:
    """Whether the SQL of a certificate can read a release: no table of a lake, and no file that a library reads."""
    source = source_from_text(place)
    return source.lake is None and (source.path is None or kind_of_file(source.path) is None)


def _values(partition: tuple[str, ...]) -> dict[str, object]:
    """Parse `COLUMN=VALUE` texts, as in the name of a partition's folder, into values by column."""
    pairs = [each.partition("=") for each in partition]
    faults = [
        Fault("", "must be COLUMN=VALUE") for name, equals, _ in pairs if not (name and equals)
    ]
    if len({name for name, _, _ in pairs}) < len(pairs):
        faults.append(Fault("", "names a column twice"))
    if faults:
        raise InputError("--partition", faults)
    return {name: value for name, _, value in pairs}


ENDING = re.compile(rf"({'|'.join(map(re.escape, FILE_ENDINGS))})?/*\Z", re.IGNORECASE)


@click.command("anonymize", cls=Command)
@click.argument("policy")
@options.option(
    "--plan FILE",
    "Plan file; by default NAME.plan.yml beside the release, or of a table beside the policy.",
    name="plan_file",
)
@options.option("--no-plan", "Write no plan file.")
@options.option(
    "--resume",
    "Continue a run that was killed (Spark with spark.checkpoint.dir).",
)
@options.release
@options.replace_release
@options.purge
@options.json
@options.no_rows
@options.source
@options.search
@options.engine
def anonymize_command(
    policy: str,
    plan_file: str | None,
    *,
    no_plan: bool,
    release: str | None,
    replace: bool,
    source: str | None,
    as_json: bool,
    no_rows: bool,
    **values: options.Values,
) -> None:
    """Plan and apply in one run.

    Writes the plan, too, to certify the release by.
    """
    if plan_file is not None and no_plan:
        raise click.UsageError("--plan and --no-plan exclude each other")
    if is_schema_policy(policy):
        given = {"no_plan": no_plan, "replace": replace, "as_json": as_json}
        schema_of_tables.anonymize(policy, plan_file, values["settings"], **given)
        return
    file = None if no_plan else Path(plan_file or _beside_release(policy, source, release))
    if file is not None:
        if not replace:
            check_free(file)
        if (
            plan_file is not None or file.parent.is_dir()
        ):  # else a release in that folder fails by itself
            check_writable(file, starts=(PLAN_START,))
    releases: list[Release] = []
    with after_release(releases, finish=lambda each: _write_plan(file, each.plan, policy)):
        try:
            with show_progress(improvements=not as_json) as progress:
                published = kanon_sql.anonymize(
                    policy,
                    source,
                    release=release,
                    replace=replace,
                    progress=progress,
                    must_publish=True,
                    examples=not as_json,
                    keep_plan=file is not None,
                    **values,
                )
                releases.append(published)
        except SearchInterrupted as error:
            if file is None:
                raise
            write(file, _plan_text(error.plan, policy, file), start=PLAN_START)
            after = f"the best plan found so far is {file}: kanon-sql apply {file}"
            raise KeyboardInterrupt(f"{error}; {after}") from error
        _write_plan(file, published.plan, policy)
        if as_json:
            print_json({**published.summary(), **({} if file is None else {"plan": str(file)})})
            return
        print_release(published)
        plan = without_rows(published.plan) if no_rows else published.plan
        print_body(plan)
        print_examples(plan, published.verification.classes)
        if file is not None:
            print_line(f"wrote {file}, the plan of this release")


def _write_plan(file: Path | None, plan: Plan, policy: str) -> None:
    """Write the plan of a published release, if a file is named; a failure says that it was published."""
    if file is None:
        return
    try:
        write(file, _plan_text(plan, policy, file), start=PLAN_START)
    except InputError as error:
        after = Fault("", "the release itself was published; make its plan with: kanon-sql plan")
        raise InputError(str(file), [*error.faults, after]) from error


def _plan_text(plan: Plan, policy: str, file: Path) -> str:
    return plan.named(relative_policy(policy, str(file))).to_yaml()


def _beside_release(policy: str, source: str | None, release: str | None) -> str:
    """Name the plan file after its release, in the folder of a release on disk, else in the policy's."""
    read = kanon_sql.read_policy(policy, has_source=source is None)
    destination = chosen_destination(read, release, must_publish=True)
    if destination is None:
        raise InputError(
            "release", [Fault("", "is missing; name it in the policy or by --release")]
        )
    folder, place = Path(policy).parent, destination.name
    if destination.format.kind.is_path:
        place = resolve(on_disk(place), read.base)
        if "://" not in place:
            folder = Path(place).parent
        place = Path(ENDING.sub("", place)).name
    name = re.sub(r"[/\\:\x00]+", "_", place)
    return from_here(str(folder / f"{name}.plan.yml"))


@click.command("labels", cls=Command)
@click.argument("release", metavar="TABLE_OR_FILE")
@options.option("--plan PLAN", "Plan of the release.", required=True)
@options.option("--policy POLICY", "Policy of the release, if no plan names it.")
@options.source
@options.option(
    "-o, --output TABLE_OR_FILE",
    "Key of the labels: a Parquet or CSV file, or a table.",
    name="out",
    required=True,
)
@options.option("--replace", "Replace an existing key.")
@options.json
@options.engine
def labels_command(*, as_json: bool, **values: options.Values) -> None:
    """Write a table by which a join counts a release's labels.

    A row for each label and level has the label that covers it, with its least and greatest value.
    """
    with show_progress("reading the labels of the release"):
        found = kanon_sql.labels(**values)
    if as_json:
        print_json({"status": "ok", **found.summary()})
        return
    for name, labels in found.labels.items():
        print_line(f"{name}: {counted(labels, 'label')}")
    unknown = [name for name, count in found.unknown.items() if count]
    what = "shows labels that its hierarchy lacks; the key leaves them out"
    print_warnings([f"{name}: {what}" for name in unknown])
    print_line(f"key of the labels: {found.place}")
