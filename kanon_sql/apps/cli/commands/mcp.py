"""`kanon-sql mcp`: tools for agents, over standard input and output."""

from __future__ import annotations

import asyncio

import click

from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.mcp_server import build_server


@click.command("mcp", cls=Command)
@options.option(
    "--folder FOLDER",
    "Folder that the tools may read and write; may be repeated.  [default: the current one]",
    name="folders",
    multiple=True,
)
@options.option("--allow-apply", "Add the tool that releases: apply.")
@options.json
def command(folders: tuple[str, ...], *, allow_apply: bool, as_json: bool) -> None:
    """Serve init, lint, plan and more to agents, by MCP.

    Tools give counts and names of columns. --json lists them.
    """
    server = build_server(folders or ["."], allow_apply=allow_apply)
    if as_json:
        names = sorted(each.name for each in asyncio.run(server.list_tools()))
        print_json({"status": "ok", "tools": names})
        return
    server.run("stdio")
