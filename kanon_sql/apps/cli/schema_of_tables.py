"""The commands on a schema of tables: what `plan`, `apply` and others do with a policy of `version: 2`, or its plan."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from kanon_sql.apps.cli.console import (
    print_json,
    print_line,
    print_table,
    print_warnings,
    show_progress,
)
from kanon_sql.apps.cli.write import check_free, write
from kanon_sql.base.documents.text import counted
from kanon_sql.counting.run.inputs import relative_policy
from kanon_sql.errors import Fault, InputError

if TYPE_CHECKING:
    from kanon_sql.apps.schema.certify_schema import SchemaCertificate
    from kanon_sql.apps.schema.release_schema import SchemaRelease
    from kanon_sql.apps.schema.schema_plan import PlannedTable, SchemaPlan
    from kanon_sql.engines.connect import Settings

FILE = "schema_certificate.json"
"""The name of a certificate's file."""
SQL, PAGE = "verify.sql", "report.html"
"""The names of the files beside it: its statements, and the page of its plan."""
STATED = "say it in the policy of the schema, for each table"
EVERY = frozenset({"threads", "memory_limit", "scratch_schema", "as_json", "quiet", "no_color"})


def is_schema_plan(plan: str) -> bool:
    """Return whether a file is the plan of a schema, without importing what reads it."""
    try:
        with Path(plan).open(encoding="utf-8") as file:
            return file.readline().startswith("kanon_sql_schema_plan: ")
    except (OSError, UnicodeDecodeError):
        return False


def refuse_others(*names: str, instead: str = STATED) -> None:
    """Raise InputError for options of the command that a schema does not have."""
    context = click.get_current_context()
    given = [
        each
        for each in context.command.params
        if isinstance(each, click.Option)
        and context.get_parameter_source(each.name) is ParameterSource.COMMANDLINE
        and each.name not in {*EVERY, *names}
    ]
    if given:
        what = f"is for the policy of one table; {instead}"
        raise InputError("schema", [Fault(each.opts[-1], what) for each in given])


def has_several_tables(source: str) -> bool:
    """Return whether a source is a database with several tables, without importing more for what is none."""
    from kanon_sql.apps.getting_started.init_source import is_database  # noqa: PLC0415

    if not is_database(source):
        return False
    from kanon_sql.apps.schema.propose_schema import has_several_tables as has_several  # noqa: PLC0415

    return has_several(source)


def init(database: str, output: str, *, as_json: bool) -> None:
    """Write a first policy of the schema of a database."""
    from kanon_sql.apps.schema.propose_schema import first_schema_policy  # noqa: PLC0415
    from kanon_sql.engines.connect import is_address  # noqa: PLC0415
    from kanon_sql.engines.local_files import relative_to  # noqa: PLC0415

    one = f"name the table: kanon-sql init TABLE --database {shlex.quote(database)}"
    refuse_others("output", "replace", instead=one)
    named = database
    if not is_address(database):
        folder = Path.cwd() if output == "-" else Path(output).absolute().parent
        named = relative_to(str(Path(database).absolute()), str(folder))
    with show_progress("looking at the tables of the database"):
        text = first_schema_policy(database, named=named)
    if output == "-":
        click.echo(text, nl=False)
        return
    write(Path(output), text)
    if as_json:
        print_json({"status": "ok", "policy": output, "text": None, "questions": []})
        return
    print_line(
        f"wrote {output}: review every line, say protect: for each table with rows of people, then run: kanon-sql plan {output}"
    )


def plan(policy: str, output: str | None, settings: Settings, *, as_json: bool) -> None:
    """Plan a schema, and write the plan beside its policy."""
    from kanon_sql.apps.schema.release_schema import plan_schema  # noqa: PLC0415

    refuse_others("output")
    file = output or f"{policy.removesuffix('.yml').removesuffix('.yaml')}.plan.yml"
    with show_progress() as progress:
        found = plan_schema(policy, settings=settings, progress=progress)
    if file == "-":
        click.echo(_named(found, policy, "plan.yml").to_yaml(), nl=False)
        return
    _write_plan(found, policy, file)
    if as_json:
        print_json({**found.summary(), "plan": file})
        return
    print_plan(found)
    print_line(f"wrote {file}; apply it with: kanon-sql apply {file}")


def apply(plan: str, settings: Settings, *, replace: bool, as_json: bool) -> None:
    """Release a schema by its plan."""
    from kanon_sql.apps.schema.release_schema import apply_schema  # noqa: PLC0415

    refuse_others("replace")
    with show_progress() as progress:
        found = apply_schema(plan, replace=replace, settings=settings, progress=progress)
    print_release(found, as_json=as_json)


def anonymize(
    policy: str,
    plan_file: str | None,
    settings: Settings,
    *,
    no_plan: bool,
    replace: bool,
    as_json: bool,
) -> None:
    """Plan and release a schema in one run."""
    from kanon_sql.apps.schema.release_schema import apply_schema  # noqa: PLC0415

    refuse_others("plan_file", "no_plan", "replace")
    file = plan_file or f"{policy.removesuffix('.yml').removesuffix('.yaml')}.plan.yml"
    if not no_plan and not replace:
        check_free(Path(file))
    with show_progress() as progress:
        found = apply_schema(policy=policy, replace=replace, settings=settings, progress=progress)
    if not no_plan:
        _write_plan(found.plan, policy, file)
    print_release(found, as_json=as_json)
    if not no_plan and not as_json:
        print_line(f"wrote {file}")


def _write_plan(plan: SchemaPlan, policy: str, file: str) -> None:
    write(Path(file), _named(plan, policy, file).to_yaml(), start="kanon_sql_schema_plan: ")


def _named(plan: SchemaPlan, policy: str, file: str) -> SchemaPlan:
    from dataclasses import replace  # noqa: PLC0415

    return replace(plan, policy_file=relative_policy(policy, file))


def print_plan(plan: SchemaPlan) -> None:
    """Print the verdict, what becomes of each table, the keys, and who stands below k over the join."""
    from kanon_sql.apps.schema.schema_plan import (  # noqa: PLC0415
        NOT_TRUE,
        released_of,
        released_tables,
        verdict_of,
    )

    print_line(f"{verdict_of(plan)}; the plan releases {released_tables(plan)}.")
    print_table(
        {"table": "left", "rows": "right", "released": "right", "protected by": "left"},
        [
            (name, f"{each.rows:,}", released_of(each), _protected(each))
            for name, each in plan.tables.items()
        ],
    )
    for name, table in plan.tables.items():
        if table.lost:
            print_line(f"{name} does not keep: {'; '.join(table.lost)}")
    print_losses(plan)
    for key in plan.foreign_keys:
        print_line(f"{key}: {'valid in the release' if key.released else 'not in the release'}")
    for each in plan.joined:
        if not each.below:
            print_line(str(each))
    told = any(NOT_TRUE in each for each in plan.warnings)  # as of a plan that was just made
    own = [f"tables.{name}: {each.not_true}" for name, each in plan.tables.items() if each.not_true]
    print_warnings(plan.warnings if told else [*plan.warnings, *own])


def print_losses(plan: SchemaPlan) -> None:
    """Print each quasi-identifier of each table before and after, as a plan of one table does."""
    from kanon_sql.apps.cli.print_results import CHANGES, change_cells  # noqa: PLC0415
    from kanon_sql.apps.schema.schema_plan import recoded_columns  # noqa: PLC0415

    rows = [
        change_cells(f"{name}.{each.name}", each, how)
        for name, table in plan.tables.items()
        for each, how in recoded_columns(table)
    ]
    if rows:
        print_table(CHANGES, rows, wrap=True)


def _protected(table: PlannedTable) -> str:
    from kanon_sql.apps.schema.schema_plan import figures_of  # noqa: PLC0415
    from kanon_sql.apps.schema.schema_policy import protection_of  # noqa: PLC0415

    own = protection_of(table.protection)
    return f"{own.key}: {figures_of(table) or own.promise}"


def print_release(release: SchemaRelease, *, as_json: bool) -> None:
    """Print what was published."""
    from kanon_sql.apps.schema.schema_plan import NEVER_KEPT  # noqa: PLC0415

    if as_json:
        print_json(release.summary())
        return
    print_plan(release.plan)
    published = release.published
    print_line(
        f"released {counted(len(published.rows), 'table')} to {published.schema}, in one transaction; every foreign key is valid; {NEVER_KEPT}"
    )
    for key in published.created:
        print_line(f"created the foreign key {key}")
    for key, why in published.not_created.items():
        print_line(f"did not create the foreign key {key}: it {why}")


def certify(
    release: str, plan: str, folder: str | None, settings: Settings, *, replace: bool, as_json: bool
) -> None:
    """Count the claims of a released schema, and write its certificate."""
    from kanon_sql.apps.schema.certify_schema import certify_schema  # noqa: PLC0415
    from kanon_sql.apps.schema.schema_page import report_schema  # noqa: PLC0415

    refuse_others("plan", "folder", "replace")
    with show_progress():
        found = certify_schema(plan, settings=settings)
    if found.schema != release:
        what = f"is not the schema that the plan releases to, which is {found.schema}"
        raise InputError(release, [Fault("", what)])
    file = Path(folder or f"{found.schema}.certificate") / FILE
    statements, page = file.with_name(SQL), file.with_name(PAGE)
    for each in () if replace else (file, statements, page):
        check_free(each)
    file.parent.mkdir(parents=True, exist_ok=True)
    write(statements, found.to_sql())
    write(page, report_schema(plan).to_html(), start="<!doctype html>")
    write(file, found.to_json(), start="{")
    print_certificate(found, as_json=as_json, file=str(file))
    if not as_json:
        print_line(
            f"wrote {file}, {SQL} and {PAGE} beside it; whoever has the release checks it with: kanon-sql verify {file} --plan {plan}"
        )


def is_schema_certificate(path: str) -> bool:
    """Return whether a path is the certificate of a schema, or the folder of one."""
    return Path(path).name == FILE or (Path(path) / FILE).is_file()


def verify(certificate: str, plan: str | None, settings: Settings, *, as_json: bool) -> None:
    """Count the claims of a certificate again."""
    from kanon_sql.apps.schema.certify_schema import verify_schema  # noqa: PLC0415

    refuse_others("plan")
    if plan is None:
        what = "is missing: the certificate of a schema is compared with its plan"
        raise InputError(certificate, [Fault("--plan", what)])
    file = Path(certificate)
    found = verify_schema(file if file.name == FILE else file / FILE, plan, settings=settings)
    print_certificate(found, as_json=as_json)


def print_certificate(found: SchemaCertificate, *, as_json: bool, file: str | None = None) -> None:
    """Print the claims that were counted, and what was not."""
    if as_json:
        claims = [
            {"claim": each.claim, "counts": list(each.counts), "exposes": each.exposes}
            for each in found.claims
        ]
        written = {} if file is None else {"certificate": file}
        more = {"schema": found.schema, "not_counted": list(found.not_counted)}
        print_json({"status": "ok", **written, **more, "claims": claims})
        return
    for each in found.claims:
        print_line(f"{'EXPOSED' if each.exposes else 'PASS'} {each.claim}")
    for not_counted in found.not_counted:
        print_line(f"not counted: {not_counted}")
    for name, words in found.protections.items():
        print_line(f"{name}: {words}")


def diff(old: str, new: str, *, as_json: bool, exit_code: bool) -> None:
    """Print what changed between two plans of schemas."""
    from kanon_sql.apps.schema.schema_plan import (  # noqa: PLC0415
        diff_schemas,
        read_schema_plan,
    )

    found = diff_schemas(read_schema_plan(Path(old)), read_schema_plan(Path(new)))
    if as_json:
        print_json({"status": "ok", **found.document()})
    else:
        click.echo(found.markdown, nl=False)
    if exit_code and not found.same:
        sys.exit(1)


OF_THE_PAGE = "the page of a schema is written by -o FILE.html, its codebook by -o FILE.md, and --pdf and --text work, too"


def check_report(*outputs: object) -> None:
    """Raise InputError for options that the page of a schema does not have, and without an output."""
    refuse_others("output", "pdf", "as_text", "policy", "replace", instead=OF_THE_PAGE)
    if not any(outputs):
        what = "name the page of the schema: -o FILE.html, --pdf FILE, or --text; or its codebook, -o FILE.md"
        raise InputError("report", [Fault("", what)])


def report(
    plan: str,
    policy: str | None,
    output: str | None,
    pdf: str | None,
    *,
    as_text: bool,
    as_json: bool,
) -> None:
    """Write the page of a schema's plan, or its codebook."""
    from kanon_sql.apps.schema.schema_page import report_schema  # noqa: PLC0415
    from kanon_sql.evidence.reports.report import CODEBOOK, pdf_of, write_file  # noqa: PLC0415

    found = report_schema(plan, policy=policy)
    is_codebook = output is not None and Path(output).suffix.lower() == ".md"
    page = found.to_codebook() if is_codebook else found.to_html()
    if as_text and not as_json:
        click.echo(found.to_text(), nl=False)
    if output is not None:
        write(Path(output), page, start=CODEBOOK if is_codebook else "<!doctype html>")
    if pdf is not None:
        write_file(Path(pdf), pdf_of(found.to_html().encode()))
    if as_json:
        text = found.to_text() if as_text else None
        print_json({"status": "ok", "page": output, "pdf": pdf, "figures": [], "text": text})
        return
    if output is not None:
        print_line(f"wrote {output}: {len(page.encode()):,} bytes, one file that needs no other")
    if pdf is not None:
        print_line(f"wrote {pdf}: {Path(pdf).stat().st_size:,} bytes")
