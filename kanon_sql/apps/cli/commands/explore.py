"""`kanon-sql explore`: a page on which a policy is tried out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import STEPS, print_json, print_line
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.write import PLAN_START, check_free, check_writable, write
from kanon_sql.apps.explorer.exploration import SavedFiles, open_exploration
from kanon_sql.apps.explorer.serve import opened_pages, serve
from kanon_sql.counting.plans.plan import boundaries_beside
from kanon_sql.errors import Fault, InputError

if TYPE_CHECKING:
    from kanon_sql.engines.connect import Settings


@click.command("explore", cls=Command)
@click.argument("policy")
@options.option(
    "-o, --output FILE",
    "Policy to save, with its plan; by default NAME.explored.yml beside the policy.",
)
@options.option("--replace", "Save over files that exist.")
@options.option(
    "--port N",
    "Port of 127.0.0.1; by default any that is free.",
    type=click.IntRange(0, 65535),
    default=0,
)
@options.option("--no-browser", "Print the address, and open no browser.")
@options.source
@options.json
@options.engine
def command(
    policy: str,
    output: str | None,
    *,
    replace: bool,
    port: int,
    no_browser: bool,
    source: str | None,
    as_json: bool,
    settings: Settings,
) -> None:
    """Try k, suppression and levels on a page, in a browser.

    It is served to a browser of this machine alone, and saves the policy that you chose with its plan. Ctrl-C ends it.
    """
    files = _files(policy, output, replace=replace)
    make = partial(open_exploration, policy, source, files=files, settings=settings)
    with opened_pages(make, STEPS) as pages:
        serve(
            pages,
            port=port,
            show=partial(_show, files, as_json=as_json),
            opens_browser=not no_browser,
        )
        pages.check_opened()
    if not as_json:
        print_line("the explorer has ended")


def _show(files: SavedFiles, address: str, *, as_json: bool) -> None:
    """Print the address, on which the page waits, and the files that it saves to."""
    if as_json:
        saved = {"policy": str(files.policy), "plan": str(files.plan)}
        print_json({"status": "ok", "address": address, **saved})
        return
    print_line(f"the explorer is at {address}")
    print_line("that address works once, in one browser of this machine; end it with Ctrl-C")


def _files(policy: str, output: str | None, *, replace: bool) -> SavedFiles:
    """Name the files to save to; raises InputError where they exist, or are not beside the policy."""
    own = Path(policy)
    name = own.name.removesuffix(".yml").removesuffix(".yaml")
    chosen = own.with_name(f"{name}.explored.yml") if output is None else Path(output)
    if chosen.absolute().parent != own.absolute().parent:
        what = "must be in the policy's folder, from which its relative paths start"
        raise InputError(str(chosen), [Fault("--output", what)])
    stem = chosen.name.removesuffix(".yml").removesuffix(".yaml")
    plan = chosen.with_name(f"{stem}.plan.yml")
    if not replace:
        check_free(chosen)
        check_free(plan)
    check_writable(plan, starts=(PLAN_START,))
    return SavedFiles(chosen, plan, write, boundaries_beside(str(plan)))
