"""The commands that measure what an intruder could learn: `risk` and `attack`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import (
    CommandGroup,
    print_json,
    print_line,
    print_table,
    print_warnings,
    show_progress,
)
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_results import (
    verdict_of_composition,
    verdict_of_disclosure,
    verdict_of_link,
    verdict_of_risk,
    verdict_of_sets,
)
from kanon_sql.base.documents.text import counted, decimal_text, joined
from kanon_sql.evidence.attacks.column_sets import MOST_COLUMNS, NEAR
from kanon_sql.policy.privacy.population_uniques import Estimator
from kanon_sql.policy.privacy.privacy_model import SensitiveNulls
from kanon_sql.policy.privacy.risks import THRESHOLDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kanon_sql.apps.cli.console import Side
    from kanon_sql.evidence.attacks.column_sets import ColumnSet
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
def risk_command(
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
        print_line(
            "journalist and marketer: as the prosecutor, as the table is taken for the population; --population gives another"
        )
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
        cells += [_risk_cells(each, kind) for each in sets[:PRINTED]]
    shown = {each.columns for _, sets in kinds for each in sets[:PRINTED]}
    cells += [_risk_cells(each, "") for each in found.columns if each.columns not in shown]
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


def _risk_cells(each: ColumnSet, kind: str) -> list[str]:
    return [
        ", ".join(each.columns),
        kind,
        f"{each.distinct_ratio:.4f}",
        f"{each.separation_ratio:.4f}",
        f"{each.unique_rows:,}",
    ]


_quasi = options.quasi(required=True)
_sensitive = options.option("--sensitive COLUMN", "Sensitive column.", required=True)
_nulls = options.option(
    "--sensitive-nulls",
    "Whether NULL counts as a sensitive value.",
    type=click.Choice([each.value for each in SensitiveNulls]),
    default=SensitiveNulls.NOT_COUNTED.value,
    show_default=True,
)
_show_values = options.option(
    "--show-values",
    "Print the exposed values, which are data, of at most 20 classes or persons.",
)


@click.group("attack", cls=CommandGroup)
def attack_command() -> None:
    """Count what an intruder could expose in a table or release.

    Reads only. Each command is an attack.
    """


@attack_command.command("link", cls=Command)
@options.option("--target TABLE_OR_FILE", "Table that is attacked, raw or released.", required=True)
@options.option(
    "--known TABLE_OR_FILE", "What the attacker knows: one row for each person.", required=True
)
@options.option(
    "--on COLUMNS",
    "Columns of both tables, separated by commas; may be repeated.",
    multiple=True,
    required=True,
)
@options.option("--released TABLE_OR_FILE", "Release of the target, to attack too and compare.")
@options.option(
    "--plan PLAN",
    "Full-domain plan of --released, else of the target, to raise known values.",
)
@options.option(
    "--entity COLUMN", "Count the distinct values of this column of the target, not rows."
)
@_show_values
@options.database
@options.json
@options.engine
def link(*, on: tuple[str, ...], as_json: bool, **values: options.Values) -> None:
    """Link known records to a table by the columns that both have, and count candidates.

    Values are compared by their texts; NULL is a value.
    """
    names = options.read_names(on, "--on")
    with show_progress("counting what is exposed"):
        found = kanon_sql.attack_link(on=names, **values)
    if as_json:
        _print_summary(found)
        return
    print_line(verdict_of_link(found))
    print_line(f"{counted(found.known, 'known record')}, linked by {joined(names)}")
    print_line(f"target: {_linkage_text(found.target)}")
    if found.released is not None:
        print_line(f"release: {_linkage_text(found.released)}")
    if found.known and not (found.released or found.target).matched:
        hint = "are its values written as the table writes them? Those of a release need its --plan"
        print_warnings([f"no known record is matched: {hint}"])
    _print_shown("records that are matched uniquely", found.shown)


@attack_command.command("homogeneity", cls=Command)
@click.argument("source", metavar="TABLE_OR_FILE")
@_quasi
@_sensitive
@_nulls
@_show_values
@options.database
@options.json
@options.engine
def homogeneity(*, quasi: tuple[str, ...], as_json: bool, **values: options.Values) -> None:
    """Count rows whose sensitive value is that of their whole class."""
    names = options.read_names(quasi)
    with show_progress("counting what is exposed"):
        found = kanon_sql.attack_homogeneity(quasi=names, **values)
    _print_disclosure(found, names, values["sensitive"], as_json=as_json)


@attack_command.command("background", cls=Command)
@click.argument("source", metavar="TABLE_OR_FILE")
@_quasi
@_sensitive
@options.option(
    "--excluding J",
    "Number of a class's most frequent values that the attacker can exclude.",
    type=click.IntRange(0),
    required=True,
)
@_nulls
@_show_values
@options.database
@options.json
@options.engine
def background(*, quasi: tuple[str, ...], as_json: bool, **values: options.Values) -> None:
    """Find how surely a sensitive value is known to who can exclude some other values.

    It is the largest share of one value in a class, once the most frequent others are excluded.
    """
    names = options.read_names(quasi)
    with show_progress("counting what is exposed"):
        found = kanon_sql.attack_background(quasi=names, **values)
    _print_disclosure(found, names, values["sensitive"], as_json=as_json)


@attack_command.command("composition", cls=Command)
@click.argument("first", metavar="FIRST_TABLE_OR_FILE")
@click.argument("second", metavar="SECOND_TABLE_OR_FILE")
@options.option("--person COLUMN", "Column that says whose row it is.", required=True)
@_quasi
@_sensitive
@options.option(
    "--first-known TABLE_OR_FILE",
    "Persons of the first release with their quasi-identifiers, if it has no person column.",
)
@options.option("--second-known TABLE_OR_FILE", "The same of the second release.")
@options.option(
    "--first-plan PLAN",
    "Plan of the first release, to raise --first-known.",
)
@options.option("--second-plan PLAN", "The same of the second release.")
@_nulls
@_show_values
@options.database
@options.json
@options.engine
def composition(*, quasi: tuple[str, ...], as_json: bool, **values: options.Values) -> None:
    """Intersect what two releases say of each person, and check m-invariance.

    Classes are known by --person, or by tables of persons and the plans.
    """
    with show_progress("counting what is exposed"):
        found = kanon_sql.attack_composition(quasi=options.read_names(quasi), **values)
    if as_json:
        _print_summary(found)
        return
    print_line(verdict_of_composition(found))
    print_line(f"in both releases: {_persons_text(found.in_both)}")
    print_line(f"in the first alone: {_persons_text(found.only_first)}")
    print_line(f"in the second alone: {_persons_text(found.only_second)}")
    print_line(f"m-invariant: {_invariance_text(found)}")
    if not found.everyone.persons:
        hint = "are their labels those of the releases? Values need --first-plan and --second-plan"
        print_warnings([f"no person has a class in a release: {hint}"])
    _print_shown("exposed persons", found.shown)


def _print_disclosure(
    found: kanon_sql.AttributeDisclosure, names: Sequence[str], sensitive: str, *, as_json: bool
) -> None:
    if as_json:
        _print_summary(found)
        return
    print_line(verdict_of_disclosure(found, sensitive))
    excluded = ""
    if found.excluding:
        what = f"{found.excluding:,} most frequent other values"
        if found.excluding == 1:
            what = "most frequent other value"
        excluded = f"; the {what} of each class excluded"
    print_line(
        f"{counted(found.rows, 'row')} in {counted(found.classes, 'class')} over {', '.join(names)}{excluded}"
    )
    share = f"{found.exposed_share:.1%} of {counted(found.rows_with_value, 'row')} with a value"
    print_line(
        f"{sensitive} is known for sure: {counted(found.exposed_rows, 'row')} ({share}) in "
        f"{counted(found.exposed_classes, 'class')}"
    )
    print_line(f"largest share of one value in a class: {decimal_text(found.highest)}")
    _print_shown("classes whose value is known", found.shown)


def _linkage_text(found: kanon_sql.Linkage) -> str:
    if not found.matched:
        return "none is matched"
    return (
        f"{found.matched:,} matched, {found.unique:,} of them uniquely; a candidate is the right one with "
        f"probability {decimal_text(found.average)} on average, {decimal_text(found.highest)} at most"
    )


def _persons_text(found: kanon_sql.ExposedPersons) -> str:
    if not found.persons:
        return "nobody"
    text = (
        f"{counted(found.persons, 'person')}, {found.exposed:,} exposed ({found.exposed_alone:,} by one release "
        f"alone); values left on average: {decimal_text(found.average)}"
    )
    if found.contradicted:
        text += f"; the releases contradict each other about {found.contradicted:,}"
    return text


def _invariance_text(found: kanon_sql.CompositionAttack) -> str:
    if found.m:
        return f"{'yes' if found.m_invariant else 'no'} (m = {found.m})"
    return (
        f"no: {counted(found.repeating_classes, 'class')} where a value repeats or is missing, "
        f"{counted(found.changed_signatures, 'person')} whose class has other values in the second release"
    )


def _print_summary(
    found: kanon_sql.LinkAttack | kanon_sql.AttributeDisclosure | kanon_sql.CompositionAttack,
) -> None:
    """Print the counts as JSON, with the exposed values if these were asked for."""
    shown = {"shown": list(found.shown)} if found.shown else {}
    print_json({"status": "ok", **found.summary(), **shown})


def _print_shown(what: str, rows: Sequence[Mapping[str, object]]) -> None:
    if rows:
        print_line(f"{what} (at most 20 are shown):")
    for row in rows:
        print_line("  " + ", ".join(_attack_cells(row)))


def _attack_cells(row: Mapping[str, object]) -> list[str]:
    cells: list[str] = []
    for name, value in row.items():
        if isinstance(value, dict):
            cells += _attack_cells(value)
        else:
            cells.append(f"{name}={'NULL' if value is None else value}")
    return cells
