"""`kanon-sql risk`: the re-identification risks of a table, or the columns that distinguish its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import (
    print_json,
    print_line,
    print_table,
    print_warnings,
    show_progress,
)
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_results import verdict_of_risk, verdict_of_sets
from kanon_sql.base.documents.text import counted
from kanon_sql.evidence.reidentification.column_sets import MOST_COLUMNS, NEAR
from kanon_sql.policy.privacy.population_uniques import Estimator
from kanon_sql.policy.privacy.risks import THRESHOLDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kanon_sql.apps.cli.console import Side
    from kanon_sql.evidence.reidentification.column_sets import ColumnSet
    from kanon_sql.policy.privacy.population_uniques import PopulationUniques

ATTACKERS = ("prosecutor", "journalist", "marketer")
PRINTED = 10
"""The most column sets of each kind that are printed; JSON has all."""


WITHOUT = "Without --quasi, --plan and --policy"


@click.command("risk", cls=Command)
@click.argument("table", metavar="[TABLE_OR_FILE]", required=False)
@options.quasi()
@options.option(
    "--entity COLUMN",
    "Column of the persons' key: also give the figures by persons and by their signatures.",
)
@options.option(
    "--population TABLE_OR_FILE",
    "Population, for the journalist and the marketer; by default the table.",
)
@options.option("--release TABLE_OR_FILE", "Release of the table, to measure beside it.")
@options.option("--plan PLAN", "Plan of the table: measure what it would release.")
@options.option("--policy POLICY", "Policy of the table, or of its --release.")
@options.option(
    "--threshold RISK",
    f"Probability, such as 0.2 or 1/3; may be repeated.  [default: {', '.join(THRESHOLDS)}]",
    name="thresholds",
    multiple=True,
)
@options.option(
    "--sampling SHARE",
    "Share of the population in the table, to estimate its unique people.",
    type=float,
)
@options.suppressed_label
@options.option(
    "--near RATIO",
    "Distinct tuples per row of nearly unique columns.",
    type=float,
    group=WITHOUT,
    default=NEAR,
    show_default=True,
)
@options.option(
    "--most-columns N",
    "Most columns of a set.",
    type=click.IntRange(1),
    group=WITHOUT,
    default=MOST_COLUMNS,
    show_default=True,
)
@options.database
@options.json
@options.engine
def command(
    table: str | None,
    *,
    quasi: tuple[str, ...],
    entity: str | None,
    population: str | None,
    release: str | None,
    plan: str | None,
    policy: str | None,
    thresholds: tuple[str, ...],
    sampling: float | None,
    suppressed_label: str | None,
    near: float,
    most_columns: int,
    as_json: bool,
    **values: options.Values,
) -> None:
    """Measure re-identification risks, or find quasi-identifiers.

    With --quasi, --plan or --policy: what a prosecutor, a journalist and a marketer can do with a table.
    Without: sets of columns that distinguish its rows. Reads only.
    """
    stated = plan or policy
    measures = bool(quasi or stated)
    if not measures and (
        population or release or thresholds or sampling is not None or suppressed_label
    ):
        what = "--population, --release, --threshold, --sampling and --suppressed-label need --quasi, --plan or --policy."
        raise click.UsageError(what)
    if table is None and not stated:
        raise click.UsageError("Name a table or a file, or a --policy or --plan, which names it.")
    if stated and (quasi or entity or (plan and release)):
        what = (
            "--plan states the columns and the release, and --policy the columns: leave out --quasi, --entity "
            "and, beside a plan, --release."
        )
        raise click.UsageError(what)
    with show_progress() as progress:
        values["progress"] = progress
        if not measures:
            left_out = [] if entity is None else [entity]
            found = kanon_sql.find_quasi_identifiers(
                table, leave_out=left_out, near=near, most_columns=most_columns, **values
            )
        else:
            measured = kanon_sql.risk(
                table,
                quasi=options.read_names(quasi),
                entity=entity,
                population=population,
                release=release,
                plan=plan,
                policy=policy,
                thresholds=thresholds or THRESHOLDS,
                sampling=sampling,
                suppressed_label=suppressed_label,
                **values,
            )
    summary = measured.summary() if measures else found.summary()
    if as_json:
        print_json({"status": "ok", **summary})
    elif measures:
        _print_risk(measured)
    else:
        _print_sets(found)


def _figures(risk: kanon_sql.Risk, before: str = "") -> Iterator[tuple[str, kanon_sql.RiskFigures]]:
    """Yield the figures of a table and its release, with a name: rows, persons or signatures."""
    yield f"{before}rows", risk
    for name, figures in (("persons", risk.entity), ("signatures", risk.signature)):
        if figures is not None:
            yield f"{before}{name}", figures
    if risk.released is not None:
        yield from _figures(risk.released, "release: ")


def _print_risk(risk: kanon_sql.Risk) -> None:
    print_line(verdict_of_risk(risk))
    every = list(_figures(risk))
    for name, figures in every:
        lead = f"{name}: " if len(every) > 1 else ""
        print_line(
            f"{lead}{counted(figures.rows, 'row')} in {counted(figures.classes, 'class')} over "
            f"{', '.join(risk.qi)}; {counted(figures.unique_rows, 'unique row')}"
        )
    columns: dict[str, Side] = {"counted by": "left", "attacker": "left"}
    bounds = [f"> {text}" for text in risk.prosecutor.above]
    columns.update(dict.fromkeys(("highest", "average", *bounds), "right"))
    cells = []
    for name, figures in every:
        for attacker in ATTACKERS:
            found = getattr(figures, attacker)
            shares = [f"{share:.2%}" for share in found.above.values()]
            cells.append([name, attacker, f"{found.highest:.4f}", f"{found.average:.4f}", *shares])
    print_table(columns, cells, borders=False)
    print_line(
        "highest, average: probability that a row is re-identified; > RISK: share of rows above it"
    )
    if risk.population_rows is None:
        print_line("journalist and marketer: the table is taken for the population (--population)")
    sizes: dict[str, Side] = {"rows in classes of": "left"}
    sizes.update({band.label: "right" for band in risk.class_sizes})
    rows = [[name, *(f"{b.rows:,}" for b in figures.class_sizes)] for name, figures in every]
    print_table(sizes, rows, borders=False)
    for name, each in (("", risk), ("release: ", risk.released)):
        if each is not None and each.population_uniques is not None:
            print_line(f"{name}{_uniques_text(each.population_uniques)}")
    print_warnings(risk.warnings)


def _uniques_text(found: PopulationUniques) -> str:
    """Describe the estimates of population uniques by each estimator, and the one that the rule chooses."""
    each = [
        f"{name.value} {'has none' if (share := found.share(name)) is None else f'{share:.4%}'}"
        for name in (Estimator.PITMAN, Estimator.ZAYATZ, Estimator.SNB)
    ]
    return (
        f"unique in a population of about {found.population:,}: {found.dankar:.4%} by the rule of Dankar et "
        f"al., which takes {found.chosen.value} ({', '.join(each)})"
    )


def _print_sets(found: kanon_sql.ColumnSets) -> None:
    print_line(verdict_of_sets(found))
    columns: dict[str, Side] = {"columns": "left", "kind": "left"}
    columns.update(dict.fromkeys(("distinct", "separation", "unique rows"), "right"))
    cells = []
    kinds = (
        ("unique", found.unique),
        ("nearly unique", found.near_unique),
        ("", [each for each in found.others if len(each.columns) > 1]),
    )
    for kind, sets in kinds:
        cells += [_cells(each, kind) for each in sets[:PRINTED]]
    shown = {each.columns for _, sets in kinds for each in sets[:PRINTED]}
    cells += [_cells(each, "") for each in found.columns if each.columns not in shown]
    print_table(columns, cells, borders=False)
    print_line(
        f"{counted(found.rows, 'row')}; distinct: distinct tuples for each row; separation: share of pairs of "
        f"rows that are distinguished; nearly unique: distinct of at least {found.near:g}; sets of at most "
        f"{counted(found.most_columns, 'column')}"
    )
    if found.unconfirmed:
        print_line(
            f"{counted(found.unconfirmed, 'more set')} may distinguish rows, and were too many to be counted in all"
        )
    if found.left_out:
        print_line(f"in no set: {', '.join(found.left_out)}")
    print_line("next: kanon-sql risk TABLE --quasi COLUMNS, with the columns that others may know")


def _cells(each: ColumnSet, kind: str) -> list[str]:
    return [
        ", ".join(each.columns),
        kind,
        f"{each.distinct_ratio:.4f}",
        f"{each.separation_ratio:.4f}",
        f"{each.unique_rows:,}",
    ]
