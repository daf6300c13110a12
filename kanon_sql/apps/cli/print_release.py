"""Prints a release with its recount, and the quality of a release as measured against its source."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.cli.console import print_line, print_table, print_warnings, seconds_so_far
from kanon_sql.apps.cli.print_plan import print_suppressed
from kanon_sql.base.documents.text import counted, decimal_text, joined
from kanon_sql.counting.lattice.result import classes_text
from kanon_sql.evidence.release_quality.measures import MEASURES
from kanon_sql.release.added_rows import AddedRows
from kanon_sql.release.series.shown_rows import SeriesRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import kanon_sql
    from kanon_sql.apps.cli.console import Side
    from kanon_sql.apps.python.plan_recoding import Release
    from kanon_sql.recoding.recount import Verification


@contextmanager
def after_release(
    releases: list[Release], *, finish: Callable[[Release], None] | None = None
) -> Iterator[None]:
    """Add the last published release to the message of an interrupt, after calling `finish` for it.

    `finish` completes a release that is published already: it writes the plan.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        if not releases:
            raise
        release = releases[-1]
        if finish is not None:
            finish(release)
        place = "" if release.place is None else from_here(release.place)
        raise KeyboardInterrupt(f"interrupted; {place} was published before") from error


def print_release(release: Release) -> None:
    """Print where a release is and what its recount found, its suppressed rows, and its risk where no plan states it."""
    found, plan = release.verification, release.plan
    place = "" if release.place is None else from_here(release.place)
    models = joined(plan.privacy)
    print_line(
        f"released to {place} in {seconds_so_far():.2f} s; a recount of the rows verified {models}:"
    )
    print_line(recount_text(found))
    if isinstance(release.new, AddedRows):
        new = release.new.document(found.rows)
        print_line(
            f"{counted(new['partition_rows'], 'row')} of the partition: {new['added']:,} added to "
            f"{new['published_before']:,}; {new['held_back']:,} withheld, outside the plan's recoding; "
            f"{new['suppressed']:,} suppressed, in classes that fail"
        )
    elif isinstance(release.new, SeriesRows):
        print_line(str(release.new))
    elif release.new is not None:
        new = release.new.document(found.rows)
        print_line(
            f"{counted(new['new_rows'], 'new row')}: {found.rows:,} released; {new['held_back']:,} "
            f"withheld, outside the plan's recoding; {new['suppressed']:,} suppressed, in classes "
            "that fail"
        )
    else:
        print_suppressed(plan)
    if found.risk is not None and (release.new is not None or plan.risk is None):
        print_line(f"re-identification risk: {found.risk.text}")
    print_warnings(found.warnings)
    if isinstance(release.new, AddedRows) and release.new.warning:
        print_warnings([release.new.warning])


def recount_text(found: Verification) -> str:
    whole = f"{counted(found.rows, 'row')} in {_classes_text(found)}"
    sets = (f"over {', '.join(names)}: {_classes_text(each)}" for names, each in found.over.items())
    return "; ".join([whole, *sets])


def _classes_text(found: Verification) -> str:
    return classes_text(found.classes, found.smallest_class, found.entity)


def from_here(place: str) -> str:
    """Shorten a path below the current folder."""
    path = Path(place)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else place


def print_quality(found: kanon_sql.Quality) -> None:
    """Print the columns before and after, the error of simple counts, all figures, and why some are missing."""
    print_line(
        f"{found.released_rows:,} of {counted(found.rows, 'row')} are released in "
        f"{counted(found.classes, 'equivalence class')}, smallest {found.smallest_class:,}"
    )
    numbers = (
        "values\nbefore", "values\nafter", "values\nlost", "bits\nbefore", "bits\nafter", "LM", "NCP", "MSE",
    )  # fmt: skip
    headings: dict[str, Side] = {"column": "left", **dict.fromkeys(numbers, "right")}
    print_table(headings, map(_cells, found.columns))
    if found.simple_counts is not None:
        print_line(f"count error: {found.simple_counts}")
    print_table({"figure": "left", "value": "right", "what it is": "left"}, _rows(found))
    for reason in dict.fromkeys(found.reasons.values()):
        missing = [MEASURES[key].name for key, why in found.reasons.items() if why == reason]
        print_line(f"not measured: {', '.join(missing)}: {reason}")
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
