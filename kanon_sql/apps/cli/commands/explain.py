"""`kanon-sql explain`: why a plan recodes as it does, as text, JSON or a drawing of the lattice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json, print_line, print_table, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_results import print_recoding, print_suppressed_cells
from kanon_sql.apps.cli.write import check_free, check_writable, write
from kanon_sql.evidence.explanation.explanation_text import PartTable, parts_of
from kanon_sql.evidence.explanation.lattice_picture import (
    LATTICE_FILES,
    STARTS,
    kind_of,
    nodes_written,
)
from kanon_sql.evidence.explanation.regions_explanation import RegionsExplanation

if TYPE_CHECKING:
    from kanon_sql.apps.cli.console import Side
    from kanon_sql.evidence.explanation.explanation import Explanation

SAME_START = 12
"""How many first characters a file must share with the new lattice to be replaced; no table does."""


@click.command("explain", cls=Command)
@click.argument("plan")
@options.source
@options.option(
    "--lattice FILE",
    f"Write the lattice to this file: {', '.join(LATTICE_FILES)}.",
)
@options.option("--replace", "Replace an existing lattice file.")
@options.option("--all-k", "Search regions under k from 2 to 100.")
@options.time_limit("Time limit of all searches together.")
@options.json
@options.engine
def command(*, lattice: str | None, replace: bool, as_json: bool, **values: options.Values) -> None:
    """Explain a plan, and what other limits would cost.

    Shows which requirements are active, what each column costs, why neighboring nodes were not chosen, and the
    least loss for other limits. Reads only.
    """
    kind = None if lattice is None else kind_of(lattice)
    if lattice is not None and kind is not None:
        if not replace:
            check_free(Path(lattice))
        check_writable(Path(lattice), starts=STARTS[kind])
    with show_progress() as progress:
        explanation = kanon_sql.explain(lattice=kind, progress=progress, **values)
    if isinstance(explanation, RegionsExplanation):
        if as_json:
            print_json(explanation.document())
        else:
            _print(explanation)
        return
    if lattice is not None and kind is not None:
        text = kanon_sql.lattice_text(explanation, kind)
        write(Path(lattice), text, start=text[:SAME_START])
    if as_json:
        print_json({**explanation.document(), "lattice": lattice})
        return
    _print(explanation)
    if lattice is not None and kind is not None:
        print_line()
        print_line(f"wrote {lattice}: {nodes_written(explanation, kind)}")


def _print(explanation: Explanation | RegionsExplanation) -> None:
    for part in parts_of(explanation):
        if isinstance(part, str):
            print_line(part)
        elif isinstance(part, PartTable):
            sides: dict[str, Side] = {
                heading: "left" if at < part.texts else "right"
                for at, heading in enumerate(part.headings)
            }
            print_table(sides, part.rows, wrap=part.texts == len(part.headings))
        else:
            print_recoding(part)
            print_suppressed_cells(part)
