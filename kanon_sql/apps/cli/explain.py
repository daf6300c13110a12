"""`kanon-sql explain`: why a plan recodes as it does, as text, JSON or a drawing of the lattice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import print_json, print_line, print_table, show_progress
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_plan import print_recoding, print_suppressed_cells
from kanon_sql.apps.cli.write import check_free, check_writable, write
from kanon_sql.base.documents.text import counted
from kanon_sql.evidence.explanation.explanation import Certainty
from kanon_sql.evidence.explanation.explanation_text import (
    base_words,
    bound_words,
    cost_text,
    headline,
    measured_words,
    quality_line,
    raw_words,
    without_words,
)
from kanon_sql.evidence.explanation.lattice_file import KINDS, STARTS, kind_of, nodes_written
from kanon_sql.evidence.explanation.regions_explanation import (
    COLUMN_HEADINGS,
    K_HEADINGS,
    RegionsExplanation,
    column_row,
    end_words,
    in_runs,
    k_row,
    model_words,
    overlap_words,
    regions_headline,
    size_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kanon_sql.apps.cli.console import Side
    from kanon_sql.evidence.explanation.explanation import Cell, Explanation

SAME_START = 12
"""How many first characters a file must share with the new lattice to be replaced; no table does."""


@click.command("explain", cls=Command)
@click.argument("plan")
@options.source
@options.option(
    "--lattice FILE",
    f"Write the lattice to this file: {', '.join(KINDS)}.",
)
@options.option("--replace", "Replace an existing lattice file.")
@options.time_limit("Time limit of all searches together.")
@options.json
@options.engine
def command(*, lattice: str | None, replace: bool, as_json: bool, **values: options.Values) -> None:
    """Explain a plan, and what other limits would cost.

    Shows which requirements are active, what each column costs, why neighboring nodes were not chosen, and the
    least loss for other k and suppression limits; of regions, why they were not cut again. Reads only.
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
            _print_regions(explanation)
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


def _print(explanation: Explanation) -> None:
    plan = explanation.plan
    print_line(headline(explanation))
    _print_section("The plan")
    print_recoding(plan)
    print_line(quality_line(plan))
    if (measured := measured_words(explanation)) is not None:
        print_line(measured)
    if not explanation.at_one_node:
        print_line("these metrics are the plan's own; apply recounts what it releases")
    print_suppressed_cells(plan)
    if (against := base_words(explanation)) is not None:
        print_line()
        print_line(against)
    columns = explanation.columns
    bounds = [bound_words(explanation, each) for each in explanation.bounds]
    _print_section("Requirements", bounds)
    _print_section(
        "Without a quasi-identifier", [without_words(explanation, each) for each in columns]
    )
    finest = "its finest level" if any(plan.lattice.bottoms) else "level 0"
    _print_section(f"With a column at {finest}", [raw_words(explanation, each) for each in columns])
    if explanation.neighbours:
        _print_section("Neighboring nodes")
        _print_neighbors(explanation)
    _print_section(f"Least {plan.metric} of a single node, by k and suppression limit")
    _print_frontier(explanation)
    for line in _legend(explanation):
        print_line(line)
    print_line(
        f"{counted(explanation.checks, 'check')} of {counted(explanation.nodes_checked, 'node')}, "
        f"some under several limits; the lattice has {plan.lattice_nodes:,}"
    )


def _print_regions(explanation: RegionsExplanation) -> None:
    plan = explanation.plan
    print_line(regions_headline(explanation))
    _print_section("The plan")
    print_recoding(plan)
    print_line(quality_line(plan))
    if (measured := measured_words(explanation)) is not None:
        print_line(measured)
    _print_section("Requirements", [model_words(explanation, each) for each in explanation.bounds])
    _print_section("What each column loses")
    columns: dict[str, Side] = dict.fromkeys(COLUMN_HEADINGS, "right")
    rows = [column_row(explanation, each) for each in explanation.columns]
    print_table({**columns, COLUMN_HEADINGS[0]: "left"}, rows)
    title = (
        "Why regions are not smaller" if in_runs(explanation) else "Why regions were not cut again"
    )
    _print_section(title, end_words(explanation))
    _print_section("Class sizes", size_words(explanation))
    _print_section("Overlap", [overlap_words(explanation)])
    _print_section("Other k over all quasi-identifiers")
    print_table(dict.fromkeys(K_HEADINGS, "right"), map(k_row, explanation.other_k))
    print_line(
        "[ ] the policy's k; each line is what the same search finds for its k, not proven best"
    )
    if late := sum(each.partition.known is Certainty.NOT_REACHED for each in explanation.other_k):
        print_line(f"- not reached in time: {late} of {len(explanation.other_k)}")


def _print_section(title: str, lines: Iterable[str] = ()) -> None:
    print_line()
    print_line(title)
    for line in lines:
        print_line(f"  {line}")


def _print_neighbors(explanation: Explanation) -> None:
    levels = explanation.plan.levels
    at = {name: place for place, name in enumerate(levels)}
    rows = [
        (each.column, f"{each.levels[at[each.column]]}, not {levels[each.column]}", each.why)
        for each in explanation.neighbours
    ]
    columns: dict[str, Side] = {"column": "left", "level": "right", "why it was not taken": "left"}
    print_table(columns, rows, wrap=True)


def _print_frontier(explanation: Explanation) -> None:
    limits = sorted({each.max_suppressed for each in explanation.frontier})
    shares = (f"{limit:,}\n{limit / explanation.plan.source_rows:.2%}" for limit in limits)
    rows: dict[int, list[str]] = {}
    for each in explanation.frontier:
        rows.setdefault(each.k, [str(each.k)]).append(_cell_text(each))
    print_table(dict.fromkeys(["k", *shares], "right"), rows.values())


def _cell_text(cell: Cell) -> str:
    """Format the cost of a cell, with its marks; of a cost with several parts, only the first."""
    best = cell.optimum
    if not best.found:
        text = "none" if best.known is Certainty.INFEASIBLE else "-"
    else:
        text = cost_text(best.cost[:1]) + (" .." if len(best.cost) > 1 else "")
        text = text if best.proven else f"<={text}"
    text = f"[{text}]" if cell.of_policy else text
    return f"{text}*" if cell.pareto else f"{text} "


def _legend(explanation: Explanation) -> Iterator[str]:
    """Yield a line for each kind of mark in the table of `_print_frontier`."""
    known = [each.optimum.known for each in explanation.frontier]
    marks = ["[ ] the policy's limits; * Pareto optimal: no stricter limits here cost as little"]
    if Certainty.BEST_FOUND in known:
        marks.append("<= the best found, not proven to be the least")
    if Certainty.INFEASIBLE in known:
        marks.append("none: no node is feasible")
    yield from marks
    if open_ := known.count(Certainty.NOT_REACHED):
        yield f"- not reached in time: {open_} of {len(known)}"
