"""`kanon-sql anonymize`: plan and apply in one run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options, schema_of_tables
from kanon_sql.apps.cli.console import print_json, print_line, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_results import (
    after_release,
    from_here,
    print_body,
    print_examples,
    print_release,
    without_rows,
)
from kanon_sql.apps.cli.write import PLAN_START, check_free, check_writable, write
from kanon_sql.counting.run.inputs import chosen_destination, relative_policy
from kanon_sql.counting.run.session import SearchInterrupted, on_disk, resolve
from kanon_sql.engines.locations import FILE_ENDINGS
from kanon_sql.errors import Fault, InputError
from kanon_sql.policy.read_policy import is_schema_policy

if TYPE_CHECKING:
    from kanon_sql.apps.python.plan_recoding import Release
    from kanon_sql.counting.plans.plan import Plan

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
def command(
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
            write(file, _text(error.plan, policy, file), start=PLAN_START)
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
        write(file, _text(plan, policy, file), start=PLAN_START)
    except InputError as error:
        after = Fault("", "the release itself was published; make its plan with: kanon-sql plan")
        raise InputError(str(file), [*error.faults, after]) from error


def _text(plan: Plan, policy: str, file: Path) -> str:
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
