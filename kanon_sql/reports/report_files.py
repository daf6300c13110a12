"""Writes a report's page and its figures to files, each whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from kanon_sql.charts.render import can_render, png_of, svg_of
from kanon_sql.errors import Fault, InputError
from kanon_sql.reports.report_charts import figure_charts

if TYPE_CHECKING:
    from pathlib import Path

    from kanon_sql.reports.report import Report


def write_page(report: Report, path: Path) -> None:
    """Write the HTML page of a report. Raises InputError where the file cannot be written."""
    _write(path, report.to_html().encode())


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
