"""Writes a report's page and its figures to files, each whole or not at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.base.charts.render import can_render, png_of, svg_of
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.reports.report_charts import figure_charts

if TYPE_CHECKING:
    from kanon_sql.evidence.reports.report import Report


BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "msedge",
    "chrome",
)
"""The programs that can print a page, by their names on the PATH."""
LONGEST_PRINT = 120.0
"""The most seconds of printing."""


def write_page(report: Report, path: Path) -> None:
    """Write the page of a report: as PDF if the file's name ends in .pdf, else as HTML. Raises InputError."""
    page = report.to_html().encode()
    _write(path, pdf_of(page) if path.suffix.lower() == ".pdf" else page)


def browser() -> str | None:
    """Return the path of a browser that can print; None if there is none on the PATH."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def pdf_of(page: bytes) -> bytes:
    """Print an HTML page as PDF, with a browser that opens no profile and no other file.

    Raises InputError without a browser, or if it prints nothing.
    """
    program = browser()
    if program is None:
        what = "is printed by Chromium, Chrome or Edge, and none is on the PATH: install one, or print the HTML page yourself"
        raise InputError("PDF", [Fault("", what)])
    with tempfile.TemporaryDirectory(prefix="kanon-sql-") as name:
        folder = Path(name)
        source, target = folder / "report.html", folder / "report.pdf"
        source.write_bytes(page)
        command = [
            program,
            "--headless",
            "--disable-gpu",
            "--no-pdf-header-footer",
            "--no-first-run",
        ]
        command += [f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={target}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--no-sandbox")  # the browser refuses to run as root otherwise
        with suppress(OSError, subprocess.TimeoutExpired):  # the missing file says so
            subprocess.run(  # noqa: S603  a browser of the PATH and our own files
                [*command, source.as_uri()],
                check=False,
                capture_output=True,
                timeout=LONGEST_PRINT,
            )
        if not target.exists():
            what = f"was not printed by {Path(program).name}; print the HTML page yourself"
            raise InputError("PDF", [Fault("", what)])
        return target.read_bytes()


FIGURES = ("class_sizes", "tradeoff", "distinct_values")
"""The names of the figures that are written to files."""
ENDINGS = ("svg", "png")


def figure_files(folder: Path) -> list[Path]:
    """Return the paths of the files that `write_figures` writes."""
    return [folder / f"{name}.{ending}" for name in FIGURES for ending in ENDINGS]


def write_figures(report: Report, folder: Path) -> list[Path]:
    """Write each figure as SVG and as PNG, and return the files. Raises InputError."""
    if not can_render():
        what = (
            "figures are drawn with an extra that is not installed: pip install 'kanon-sql[report]'"
        )
        raise InputError("figures", [Fault("", what)])
    drawn = {}
    for each in figure_charts(report):
        drawn[f"{each.name}.svg"] = svg_of(each, alone=True).encode()
        drawn[f"{each.name}.png"] = png_of(each)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_written(folder, error) from error
    files = figure_files(folder)
    for path in files:
        _write(path, drawn[path.name])
    return files


def _write(path: Path, content: bytes) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            beside.write_bytes(content)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise _not_written(path, error) from error


def _not_written(path: Path, error: Exception) -> InputError:
    why = os.strerror(error.errno or 0) if isinstance(error, OSError) else "not a possible name"
    return InputError(str(path), [Fault("", f"cannot be written ({why})")])
