"""`kanon-sql apply`: write the release of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options, schema_of_tables
from kanon_sql.apps.cli.console import print_json, print_line, print_warnings, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_results import (
    after_release,
    from_here,
    print_examples,
    print_recoding,
    print_release,
    print_risk,
    print_simple_counts,
    without_rows,
)
from kanon_sql.base.documents.text import joined
from kanon_sql.engines.files.file_kinds import kind_of_file
from kanon_sql.engines.locations import source_from_text
from kanon_sql.errors import Fault, InputError
from kanon_sql.release.series.shown_rows import SeriesRows

if TYPE_CHECKING:
    from kanon_sql.apps.python.plan_recoding import Release


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
def command(
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
            of = f"{joined(published.labelled)}: kanon-sql labels {place} --plan {plan} -o KEY"
            print_line(f"to count labels of {of}")
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
