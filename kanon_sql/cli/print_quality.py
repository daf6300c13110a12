"""Printing the quality of a release, as measured against its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.cli.console import print_line, print_table, print_warnings
from kanon_sql.documents.text import counted, decimal_text
from kanon_sql.release_quality.measures import MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import kanon_sql
    from kanon_sql.cli.console import Side


def print_quality(found: kanon_sql.Quality) -> None:
    """Print all measured figures, the reasons for missing ones, the columns and the errors of queries."""
    print_line(
        f"{counted(found.rows, 'row')}, {found.released_rows:,} released in "
        f"{counted(found.classes, 'class')}, smallest {found.smallest_class:,}"
    )
    if found.simple_counts is not None:
        print_line(f"simple counts: {found.simple_counts}")
    print_table({"figure": "left", "value": "right", "what it is": "left"}, _rows(found))
    for reason in dict.fromkeys(found.reasons.values()):
        missing = [MEASURES[key].name for key, why in found.reasons.items() if why == reason]
        print_line(f"not measured: {', '.join(missing)}: {reason}")
    numbers = ("values", "released", "lost", "bits", "bits released", "LM", "NCP", "MSE")
    headings: dict[str, Side] = {
        **dict.fromkeys(("column",), "left"),
        **dict.fromkeys(numbers, "right"),
    }
    print_table(headings, map(_cells, found.columns))
    if found.queries is not None:
        print_line(_queries_text(found.queries))
    print_warnings(list(found.warnings))


def _queries_text(found: kanon_sql.QueryErrors) -> str:
    errors = {"mean": found.mean, "median": found.median, "highest": found.highest}
    values = [f"{what} {decimal_text(error)}" for what, error in errors.items()]
    return (
        f"COUNT queries: {len(found.counts):,}, of which {found.empty:,} are met by no row; relative "
        f"error of the others: {', '.join(values)}"
    )


def _rows(found: kanon_sql.Quality) -> Iterator[tuple[str, str, str]]:
    for key, measure in MEASURES.items():
        value = found.figures[key]
        if value is not None:
            yield measure.name, decimal_text(value), measure.title


def _cells(each: kanon_sql.ColumnQuality) -> tuple[str, ...]:
    return (
        each.name,
        f"{each.distinct_before:,}",
        f"{each.distinct_after:,}",
        f"{each.precision_loss:.1%}",
        decimal_text(each.entropy_before),
        decimal_text(each.entropy_after),
        decimal_text(each.loss),
        decimal_text(each.certainty),
        decimal_text(each.mean_squared_error),
    )
