"""`kanon-sql engines`: the supported databases and their capabilities."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version

import click

from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json, print_line, print_table
from kanon_sql.apps.cli.options import Command
from kanon_sql.base.install_command import install_command
from kanon_sql.engines.capabilities import CAPABILITY_NAMES
from kanon_sql.engines.connect import connectors


@click.command("engines", cls=Command)
@options.json
def command(*, as_json: bool) -> None:
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
