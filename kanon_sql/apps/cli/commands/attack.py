"""`kanon-sql attack`: count the rows or persons that an intruder could expose in a table or release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import kanon_sql
from kanon_sql.apps.cli import options
from kanon_sql.apps.cli.console import (
    CommandGroup,
    print_json,
    print_line,
    print_warnings,
    show_progress,
)
from kanon_sql.apps.cli.options import Command
from kanon_sql.apps.cli.print_results import (
    verdict_of_composition,
    verdict_of_disclosure,
    verdict_of_link,
)
from kanon_sql.base.documents.text import counted, decimal_text, joined
from kanon_sql.policy.privacy.privacy_model import SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
def command() -> None:
    """Count what an intruder could expose in a table or release.

    Reads only. Each command is an attack.
    """


@command.command("link", cls=Command)
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


@command.command("homogeneity", cls=Command)
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


@command.command("background", cls=Command)
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


@command.command("composition", cls=Command)
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
        print_line("  " + ", ".join(_cells(row)))


def _cells(row: Mapping[str, object]) -> list[str]:
    cells: list[str] = []
    for name, value in row.items():
        if isinstance(value, dict):
            cells += _cells(value)
        else:
            cells.append(f"{name}={'NULL' if value is None else value}")
    return cells
