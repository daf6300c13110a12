"""`kanon-sql report`: risk and utility of a plan or a release, as a page, as text, as figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options, schema_of_tables
from kanon_sql.apps.cli.console import Option, print_json, print_line, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.write import check_free, check_writable, write
from kanon_sql.base.charts.chart import can_render
from kanon_sql.base.documents.text import joined, printable
from kanon_sql.base.install_command import install_command
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.reports.make_report import PLANS
from kanon_sql.evidence.reports.report import browser, figure_files

if TYPE_CHECKING:
    from kanon_sql.evidence.reports.report import Report

START = "<!doctype html>\n"
"""The text with which an existing page must begin if it is to be replaced."""


@click.command("report", cls=Command)
@click.argument("release", metavar="PLAN_OR_RELEASE")
@options.option("-o, --output FILE", "Write the page to this file.")
@options.option("--pdf FILE", "Print the page to this file, by Chromium, Chrome or Edge.")
@options.option("--text", "Print the report as text, for a terminal.", name="as_text")
@options.option(
    "--figures FOLDER",
    "Write three figures to this folder (SVG, PNG).",
)
@options.option("--plan PLAN", "Plan of the release.")
@options.option("--policy POLICY", "Policy of the release, if no plan names it.")
@options.source
@click.option(
    "--search/--no-search",
    "search",
    cls=Option,
    default=None,
    help="Search all other k and suppression limits; by default few, up to a million rows.",
)
@options.option("--replace", "Replace an existing page and figures.")
@options.time_limit("Time limit of these searches together.", default="20s")
@options.json
@options.engine
def command(
    *,
    output: str | None,
    pdf: str | None,
    as_text: bool,
    figures: str | None,
    replace: bool,
    as_json: bool,
    **values: options.Values,
) -> None:
    """Report risk and utility of a plan or a release, as a page.

    The page is one file, to mail or print. It shows counts, names and released labels; no value of the source.
    """
    if schema_of_tables.is_schema_plan(str(values["release"])):
        schema_of_tables.report(str(values["release"]), output, replace=replace, as_json=as_json)
        return
    if output is None and pdf is None and figures is None and not as_text:
        what = (
            "name what to write: -o FILE.html for the page, --pdf FILE, --text, or --figures FOLDER"
        )
        raise InputError("report", [Fault("", what)])
    _check_plan(str(values["release"]), values["plan"])
    _check_outputs(output, pdf, figures, replace=replace)
    with show_progress() as progress:
        report = kanon_sql.report(progress=progress, **values)
    if as_text and not as_json:
        click.echo(report.to_text(), nl=False)
    page, names = _write(report, output, figures)
    if pdf is not None:
        report.write(pdf)
    if as_json:
        text = report.to_text() if as_text else None
        print_json({"status": "ok", "page": output, "pdf": pdf, "figures": names, "text": text})
        return
    if page is not None:
        print_line(f"wrote {output}: {page:,} bytes, one file that needs no other")
        if not can_render():
            print_line(f"it has tables instead of charts; for charts: {install_command('report')}")
    if pdf is not None:
        print_line(f"wrote {pdf}: {Path(pdf).stat().st_size:,} bytes")
    if figures is not None:
        print_line(f"wrote {joined([Path(name).name for name in names])} to {figures}")


def _check_outputs(
    output: str | None, pdf: str | None, figures: str | None, *, replace: bool
) -> None:
    """Raise InputError for a file that is there or cannot be written, and for what an extra or a browser must draw."""
    if output is not None:
        if not replace:
            check_free(Path(output))
        check_writable(Path(output), starts=(START,))
    if pdf is not None:
        _check_pdf(pdf, replace=replace)
    if figures is not None and not replace:
        for each in figure_files(Path(figures)):
            check_free(each)
    if figures is not None and not can_render():
        what = f"are drawn with an extra that is not installed: {install_command('report')}"
        raise InputError("--figures", [Fault("", what)])


def _check_pdf(pdf: str, *, replace: bool) -> None:
    """Raise InputError for a name that is of no PDF, for a file that is there, and without a browser to print it."""
    if Path(pdf).suffix.lower() != ".pdf":
        raise InputError("--pdf", [Fault("", "is the name of a file that ends in .pdf")])
    if not replace:
        check_free(Path(pdf))
    check_writable(Path(pdf), starts=("%PDF",))
    if browser() is None:
        what = "is printed by Chromium, Chrome or Edge, and none is on the PATH: install one, or print the page of -o yourself"
        raise InputError("--pdf", [Fault("", what)])


def _check_plan(release: str, plan: object) -> None:
    """Raise InputError for a release without --plan, and for a plan with --plan."""
    if Path(release).suffix.lower() not in PLANS:
        if plan is None:
            what = f"{printable(release)} is a release: name the plan that it was made with, --plan FILE"
            raise InputError("report", [Fault("", what)])
    elif plan is not None:
        what = (
            f"is the plan of a release, and {printable(release)} is a plan itself: leave --plan out"
        )
        raise InputError("--plan", [Fault("", what)])


def _write(report: Report, output: str | None, figures: str | None) -> tuple[int | None, list[str]]:
    """Write the page and the figures; return the page's size in bytes, and the paths of the figures."""
    size = None
    if output is not None:
        page = report.to_html()
        write(Path(output), page, start=START)
        size = len(page.encode())
    return size, [] if figures is None else [str(path) for path in report.figures(figures)]
