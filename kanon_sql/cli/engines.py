"""`kanon-sql engines`: the supported databases and their capabilities."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version

import click

from kanon_sql.cli import options
from kanon_sql.cli.command import Command
from kanon_sql.cli.console import print_json, print_line, print_table
from kanon_sql.engines.capabilities import CAPABILITY_NAMES, ENGINES


@click.command("engines", cls=Command)
@options.json
def command(*, as_json: bool) -> None:
    """List the supported databases: installed versions and capabilities."""
    if as_json:
        listed = [{**asdict(each), "installed": installed(each.library)} for each in ENGINES]
        print_json({"status": "ok", "engines": listed})
        return
    rows = [["installed", *(installed(each.library) or "no" for each in ENGINES)]]
    for field, words in CAPABILITY_NAMES.items():
        rows.append([words, *(_capability(getattr(each, field)) for each in ENGINES)])
    print_table(dict.fromkeys(["engine", *(each.name for each in ENGINES)], "left"), rows)
    for each in ENGINES:
        if each.extra is not None and installed(each.library) is None:
            print_line(f"{each.name}: pip install 'kanon-sql[{each.extra}]'")


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
