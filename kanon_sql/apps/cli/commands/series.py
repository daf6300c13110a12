"""`kanon-sql series`: what a series of releases has shown, and the recount of its ledger."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import timedelta

import click

from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import (
    CommandGroup,
    print_json,
    print_line,
    print_table,
    show_progress,
)
from kanon_sql.apps.cli.options import Command
from kanon_sql.base.documents.text import counted
from kanon_sql.errors import VerificationError
from kanon_sql.release.series.series_status import end_series, series_status, verify_series
from kanon_sql.release.series.simulate import simulate_series


@click.group("series", cls=CommandGroup)
def command() -> None:
    """Show, simulate, recount and end a series of releases."""


@command.command("status", cls=Command)
@click.argument("policy")
@options.json
@options.engine
def print_status(policy: str, *, as_json: bool, **values: options.Values) -> None:
    """Print what a series shows, withholds and still shows."""
    with show_progress("reading the ledger"):
        found = series_status(policy, **values)
    if as_json:
        print_json({"status": "ok", **asdict(found), "shown_share": found.shown_share})
        return
    ended = "; the series has ended" if found.ended else ""
    print_line(f"{counted(found.releases, 'release')}, the last at {found.released_at}{ended}")
    print_line(f"rule: {found.rule}")
    print_line(
        f"shown: {counted(found.shown, 'row')}; {found.shown_share:.1%} of the source's rows are shown"
    )
    since = "" if found.withheld_since is None else f", the oldest since {found.withheld_since}"
    print_line(
        f"withheld: {counted(found.withheld, 'row')}, until enough new ones of the class come{since}"
    )
    since = "" if found.waiting_since is None else f", the oldest since {found.waiting_since}"
    print_line(f"waiting to leave: {counted(found.waiting, 'deleted row')}, still shown{since}")
    if found.outside:
        print_line(f"outside the plan's recoding: {counted(found.outside, 'row')}")


@command.command("verify", cls=Command)
@click.argument("policy")
@options.option("--sql", "Print the statement instead.")
@options.json
@options.engine
def verify_ledger(policy: str, *, sql: bool, as_json: bool, **values: options.Values) -> None:
    """Recount a series by its ledger, without a key. Exits with 4 if it falls short."""
    with show_progress("recounting the ledger"):
        found = verify_series(policy, **values)
    if as_json:
        status = "ok" if found.passed else VerificationError.status
        print_json({"status": status, **asdict(found)})
    elif sql:
        click.echo(found.sql, nl=False)
        return
    else:
        print_line(
            f"{'PASS' if found.passed else 'FAIL'}: {found.short_cells:,} of {counted(found.cells, 'cell')} fall short of the "
            f"policy; {counted(found.rows, 'row')}, the smallest cell has {found.smallest_cell:,}"
        )
    if not found.passed:
        sys.exit(4)


@command.command("simulate", cls=Command)
@click.argument("policy")
@options.option(
    "--releases N", "Number of releases to simulate.", type=int, default=10, show_default=True
)
@options.json
@options.engine
def simulate(policy: str, *, releases: int, as_json: bool, **values: options.Values) -> None:
    """Show what the next releases would show at today's rates.

    Rates are means of the last 10 releases. Writes nothing.
    """
    with show_progress("simulating releases"):
        found = simulate_series(policy, releases=releases, **values)
    rates = found.rates
    if as_json:
        shown = [{key: getattr(each, key) for key in SIMULATED} for each in found.releases]
        print_json({"status": "ok", "rates": asdict(rates), "releases": shown})
        return
    last = found.releases[0].number - 1
    print_line(
        f"at the rates of releases {last - rates.releases:,} to {last:,}: {counted(rates.new_rows, 'new row')} and "
        f"{counted(rates.deleted_rows, 'deleted row')} from one to the next, every {timedelta(seconds=round(rates.seconds))}"
    )
    columns = [
        "release",
        "shown",
        "of source",
        "appear",
        "leave",
        "companions",
        "withheld",
        "waiting",
    ]
    rows = [
        [
            f"{each.number:,}",
            f"{each.shown:,}",
            f"{each.shown_share:.1%}",
            *(
                f"{n:,}"
                for n in (each.born, each.left, each.withdrawn, each.withheld, each.waiting)
            ),
        ]
        for each in found.releases
    ]
    print_table(dict.fromkeys(columns, "right"), rows, borders=False)
    print_line(
        "companions are living rows that leave with deleted ones; withheld rows are not shown yet, waiting ones still"
    )


SIMULATED = ("number", "shown", "born", "left", "withdrawn", "withheld", "waiting", "shown_share")


@command.command("end", cls=Command)
@click.argument("policy")
@options.json
@options.engine
def end(policy: str, *, as_json: bool, **values: options.Values) -> None:
    """End a series: its ledger takes no further release."""
    with show_progress("ending the series"):
        releases = end_series(policy, **values)
    if as_json:
        print_json({"status": "ok", "releases": releases})
        return
    print_line(
        f"the series has ended with release {releases:,}; a new one takes another ledger and release, and is safe "
        f"beside this one only if its people are others"
    )
