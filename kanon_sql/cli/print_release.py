"""Printing a release and its recount."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.cli.console import print_line, print_warnings
from kanon_sql.documents.text import counted
from kanon_sql.plans.set_quality import classes_text
from kanon_sql.release.added_rows import AddedRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kanon_sql.release.recount import Verification
    from kanon_sql.release.release import Release


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
    """Print the recount of a release, its warnings and its location."""
    found = release.verification
    if isinstance(release.new, AddedRows):
        new = release.new.document(found.rows)
        print_line(
            f"{counted(new['partition_rows'], 'row')} of the partition: {new['added']:,} added to "
            f"{new['published_before']:,}; {new['held_back']:,} withheld, outside the plan's recoding; "
            f"{new['suppressed']:,} suppressed, in classes that fail"
        )
    elif release.new is not None:
        new = release.new.document(found.rows)
        print_line(
            f"{counted(new['new_rows'], 'new row')}: {found.rows:,} released; {new['held_back']:,} "
            f"withheld, outside the plan's recoding; {new['suppressed']:,} suppressed, in classes "
            "that fail"
        )
    print_line(f"verified: {recount_text(found)}")
    if found.risk is not None and (release.new is not None or release.plan.risk is None):
        print_line(f"re-identification risk: {found.risk.text}")
    print_warnings(found.warnings)
    if isinstance(release.new, AddedRows) and release.new.warning:
        print_warnings([release.new.warning])
    place = "" if release.place is None else from_here(release.place)
    print_line(f"released to {place} in {release.journal.elapsed:.2f} s")


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
