"""`kanon-sql lint`: the faults of a policy, and warnings."""

from __future__ import annotations

import json
from pathlib import Path

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import (
    print_error,
    print_json,
    print_line,
    print_warnings,
    show_progress,
)
from kanon_sql.apps.cli.options import EXIT_CODES, Command
from kanon_sql.apps.cli.write import START, check_writable, sarif_of, write
from kanon_sql.base.documents.text import counted
from kanon_sql.errors import Fault, InputError, KanonError


@click.command("lint", cls=Command)
@click.argument("policy", nargs=-1, required=True)
@options.source
@options.option("--sarif FILE", "Also write them as SARIF, for code review.")
@options.json
@options.engine
def command(
    policy: tuple[str, ...], *, sarif: str | None, as_json: bool, **values: options.Values
) -> None:
    """Check a policy, its source and its hierarchies.

    Lists all problems at once. Reads only.
    """
    if len(policy) > 1 and (as_json or sarif is not None):
        raise InputError("lint", [Fault("--json and --sarif", "are for one policy")])
    if sarif is not None:
        check_writable(Path(sarif), starts=(START,))
    *others, last = policy
    failed = None
    for each in others:
        try:
            _lint(each, sarif, as_json=as_json, values=values)
        except KanonError as error:
            print_error(str(error))
            failed = error
    _lint(last, sarif, as_json=as_json, values=values)
    if failed is not None:
        raise SystemExit(next(code for kind, code in EXIT_CODES if isinstance(failed, kind)))


def _lint(policy: str, sarif: str | None, *, as_json: bool, values: options.Values) -> None:
    try:
        with show_progress("checking the policy, its source and its hierarchies"):
            warnings = kanon_sql.lint(policy, **values)
    except KanonError as error:
        _write_sarif(sarif, policy, [], error)
        raise
    _write_sarif(sarif, policy, warnings, None)
    if as_json:
        print_json({"status": "ok", "warnings": warnings})
        return
    print_warnings(warnings)
    print_line(
        f"{policy}: no faults, {counted(len(warnings), 'warning')}; next: kanon-sql plan {policy}"
    )


def _write_sarif(
    file: str | None, policy: str, warnings: list[str], error: KanonError | None
) -> None:
    if file is not None:
        text = json.dumps(sarif_of(policy, warnings, error), indent=2)
        write(Path(file), f"{text}\n", start=START)
