"""The commands beside releases: `lint`, `schema`, `engines`, `clean` and `mcp`."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import (
    print_error,
    print_json,
    print_line,
    print_table,
    print_warnings,
    show_progress,
)
from kanon_sql.apps.cli.options import EXIT_CODES, Command
from kanon_sql.apps.cli.write import START, check_writable, sarif_of, write
from kanon_sql.base.documents.text import counted
from kanon_sql.engines.capabilities import CAPABILITY_NAMES
from kanon_sql.engines.connect import connectors
from kanon_sql.errors import Fault, InputError, KanonError, SourceError, install_command


@click.command("lint", cls=Command)
@click.argument("policy", nargs=-1, required=True)
@options.source
@options.option("--no-source", "Check the policy alone.")
@options.option("--sarif FILE", "Also write them as SARIF, for code review.")
@options.json
@options.engine
def lint_command(
    policy: tuple[str, ...],
    *,
    no_source: bool,
    sarif: str | None,
    as_json: bool,
    **values: options.Values,
) -> None:
    """Check a policy, its source and its hierarchies.

    Lists all problems at once. Reads only.
    """
    if len(policy) > 1 and (as_json or sarif is not None):
        raise InputError("lint", [Fault("--json and --sarif", "are for one policy")])
    if sarif is not None:
        check_writable(Path(sarif), starts=(START,))
    if no_source and values.get("source") is not None:
        raise InputError("lint", [Fault("--no-source", "does not go with --source")])
    *others, last = policy
    failed = None
    alone = {"alone": no_source, "as_json": as_json}
    for each in others:
        try:
            _lint(each, sarif, **alone, values=values)
        except KanonError as error:
            print_error(str(error))
            failed = error
    _lint(last, sarif, **alone, values=values)
    if failed is not None:
        raise SystemExit(next(code for kind, code in EXIT_CODES if isinstance(failed, kind)))


UNREAD = "not checked: its source, with columns, types and values, and its hierarchies' files"
"""What is not checked of a policy alone."""


def _lint(
    policy: str, sarif: str | None, *, alone: bool, as_json: bool, values: options.Values
) -> None:
    try:
        with show_progress("checking the policy, its source and its hierarchies"):
            warnings = _remarks(policy) if alone else kanon_sql.lint(policy, **values)
    except SourceError as error:
        _write_sarif(sarif, policy, [], error)
        if "there is no such" in str(error):
            print_error(
                f"{policy}: without its source, the policy alone is checked by: kanon-sql lint --no-source {policy}"
            )
        raise
    except KanonError as error:
        _write_sarif(sarif, policy, [], error)
        raise
    _write_sarif(sarif, policy, warnings, None)
    if as_json:
        print_json({"status": "ok", "warnings": warnings})
        return
    print_warnings(warnings)
    then = UNREAD if alone else f"next: kanon-sql plan {policy}"
    print_line(f"{policy}: no faults, {counted(len(warnings), 'warning')}; {then}")


def _remarks(policy: str) -> list[str]:
    """Check a policy alone, that of a schema table by table."""
    from kanon_sql.policy.read_policy import is_schema_policy, read_policy  # noqa: PLC0415  one command
    from kanon_sql.policy.safe_harbor import standard_remarks  # noqa: PLC0415

    if not is_schema_policy(policy):
        return list(standard_remarks(read_policy(policy)))
    from kanon_sql.apps.schema.read_schema import read_schema_policy  # noqa: PLC0415  a schema alone

    tables = read_schema_policy(policy).tables.values()
    return [
        f"tables.{each.name}: {remark}"
        for each in tables
        for remark in standard_remarks(each.policy)
    ]


def _write_sarif(
    file: str | None, policy: str, warnings: list[str], error: KanonError | None
) -> None:
    if file is not None:
        text = json.dumps(sarif_of(policy, warnings, error), indent=2)
        write(Path(file), f"{text}\n", start=START)


@click.command("schema", cls=Command)
@options.option("--certificate", "Print the schema of certificate.json instead.")
@options.json
def schema_command(*, certificate: bool, as_json: bool) -> None:
    """Print the JSON Schema of policies, for editors.

    Save it, and name it in the first line of a policy: # yaml-language-server: $schema=FILE
    """
    from kanon_sql.apps.schema.read_schema import schema_of_policies  # noqa: PLC0415
    from kanon_sql.evidence.certificate.certificate import (  # noqa: PLC0415
        certificate_schema,
    )

    schema = certificate_schema() if certificate else schema_of_policies()
    if as_json:
        print_json({"status": "ok", "schema": schema})
        return
    click.echo(json.dumps(schema, indent=2))


@click.command("engines", cls=Command)
@options.json
def engines_command(*, as_json: bool) -> None:
    """List the supported databases, and what each can do."""
    found = [each.capabilities for each in connectors()]
    if as_json:
        listed = [{**asdict(each), "installed": installed(each.library)} for each in found]
        print_json({"status": "ok", "engines": listed})
        return
    rows = [["installed", *(installed(each.library) or "no" for each in found)]]
    for field, words in CAPABILITY_NAMES.items():
        rows.append([words, *(_capability(getattr(each, field)) for each in found)])
    print_table(dict.fromkeys(["engine", *(each.name for each in found)], "left"), rows)
    for each in found:
        if each.extra is not None and installed(each.library) is None:
            print_line(f"{each.name}: {install_command(each.extra)}")


def installed(library: str) -> str | None:
    """Return the version of an engine's library without importing it."""
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return None


def _capability(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "any" if value is None else str(value)


@click.command("clean", cls=Command)
@options.option(
    "--path FOLDER",
    "Clean this folder, on disk or in an object store.",
)
@options.option(
    "--database DATABASE",
    "Clean this database instead: tables of views that no longer exist.",
)
@options.option("--schema SCHEMA", "With --database: schema, instead of the current one.")
@options.option(
    "--older-than HOURS",
    "In a database or object store: least age of what is removed.",
    type=click.FloatRange(0),
    default=24,
    show_default=True,
)
@options.option("--force", "Remove folders of older versions, too: they have no locks.")
@options.option("--dry-run", "Remove nothing; print what would be removed.")
@options.option("--purge", "With --database: rewrite its files without dropped rows.")
@options.json
def clean_command(
    *, older_than: float, dry_run: bool, as_json: bool, **values: options.Values
) -> None:
    """Remove temporary files and tables of killed runs.

    They may contain raw rows. Running jobs are not touched.
    """
    with show_progress("looking for what killed runs left"):
        leftovers = kanon_sql.clean(older_than=older_than * 3600, dry_run=dry_run, **values)
    if as_json:
        listed = [asdict(each) for each in leftovers]
        print_json({"status": "ok", "dry_run": dry_run, "leftovers": listed})
        return
    removed = "would remove" if dry_run else "removed"
    for each in leftovers:
        print_line(f"{removed if each.removed else 'kept'} {each.place}: {each.why}")
    number = sum(each.removed for each in leftovers)
    print_line(f"{removed} {counted(number, 'leftover')} of killed runs")


@click.command("mcp", cls=Command)
@options.option(
    "--folder FOLDER",
    "Folder that the tools may read and write; may be repeated.  [default: the current one]",
    name="folders",
    multiple=True,
)
@options.option("--allow-apply", "Add the tool that releases: apply.")
@options.json
def mcp_command(folders: tuple[str, ...], *, allow_apply: bool, as_json: bool) -> None:
    """Serve init, lint, plan and more to agents, by MCP.

    Tools give counts and names of columns. --json lists them.
    """
    import asyncio  # noqa: PLC0415  other commands of this module need neither

    from kanon_sql.apps.mcp_server import build_server  # noqa: PLC0415

    server = build_server(folders or ["."], allow_apply=allow_apply)
    if as_json:
        names = sorted(each.name for each in asyncio.run(server.list_tools()))
        print_json({"status": "ok", "tools": names})
        return
    server.run("stdio")
